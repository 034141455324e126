/**
 * What needs a file system: for Node from 20 on, and what is compatible with it.
 *
 * @packageDocumentation
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backoff, type Opened } from './transport.js';
import { sleep } from './deadline.js';
import type { Download } from './download.js';
import { ApiError, IntegrityError, NetworkError } from './errors.js';

/** What is known of a file beforehand, as the manifest has it. */
export interface SaveOptions {
  /** The SHA-256 that it must have, in hexadecimal. Without it, that of `Repr-Digest` is used, where the server sends one. */
  sha256?: string;
  /** How many bytes it must have. */
  size?: number;
}

/** A file that was saved. */
export interface Saved {
  /** Where it is. */
  path: string;
  /** How many bytes it has. */
  size: number;
  /** Its SHA-256, in hexadecimal. */
  sha256: string;
  /** Whether this SHA-256 was compared with one that the server or the caller told. */
  verified: boolean;
  /** How many of its bytes were there from an earlier, broken download. */
  resumed: number;
}

/**
 * Writes a download to a file, which is there when it is whole and right, and not before.
 * Until then its bytes are in `path.part`. Where the connection breaks, the rest is asked
 * for, as often as the client retries without getting further; and a call after one that
 * failed, or whose process ended, goes on where that one was. A file that has changed on
 * the server begins anew. Do not save to the same path twice at the same time.
 *
 * @throws {@link IntegrityError} where the size or the SHA-256 is another.
 * @example
 * import { saveTo } from 'kindex/node';
 * const { size, sha256 } = await saveTo(kindex.exportEntities({ format: 'parquet' }), 'entities.parquet');
 */
export async function saveTo(download: Download, path: string, options: SaveOptions = {}): Promise<Saved> {
  await mkdir(dirname(path), { recursive: true });
  const part = new Part(path);
  part.resumed = await part.size();
  let most = part.resumed; // as far as any attempt came: those that begin anew may come less far
  for (let failures = 0; ; ) {
    try {
      const digest = await fetchRest(download, part);
      return await part.finish(options, digest);
    } catch (error) {
      const size = await part.size();
      if (size > most) failures = 0;
      most = Math.max(most, size);
      if (!(error instanceof NetworkError) || ++failures > download.retries) throw error;
    }
    await sleep(backoff(failures), download.options.signal);
  }
}

/** Asks for what is not there yet, and returns the SHA-256 that the whole must have, where the server says it. */
async function fetchRest(download: Download, part: Part): Promise<string | null> {
  const from = await part.size();
  const etag = from > 0 ? await part.etag() : null;
  // A part of a compressed file is of no use.
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (etag !== null) Object.assign(headers, { range: `bytes=${from}-`, 'if-range': etag });
  let opened: Opened;
  try {
    opened = await download.open(headers);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 416)) throw error;
    // All of it is there, or more than there is: begin anew, it is told which by what comes.
    await part.clear();
    opened = await download.open({ 'accept-encoding': 'identity' });
  }
  const { response, deadline } = opened;
  const reader = response.body?.getReader();
  // The next part is asked for while this one is written: where the connection breaks,
  // what has come and was not asked for is lost.
  const ahead = () => {
    const next = reader?.read();
    next?.catch(() => {}); // it is waited for below
    return next;
  };
  try {
    let next = ahead();
    await part.begin(response);
    while (next !== undefined) {
      deadline.restart();
      const { done, value } = await deadline.race(next);
      deadline.pause();
      if (done) break;
      next = ahead();
      await part.write(value);
    }
  } catch (error) {
    throw deadline.explain(error);
  } finally {
    deadline.end();
    reader?.cancel().catch(() => {}); // it is over, or broken
    await part.close();
  }
  return reprDigest(response);
}

/** Part is a file that is not whole yet, and the entity tag of what it is a part of. */
class Part {
  /** How many bytes of an earlier call are in it. */
  resumed = 0;
  readonly #path: string;
  readonly #part: string;
  readonly #tag: string;
  #file: FileHandle | null = null;

  constructor(path: string) {
    this.#path = path;
    this.#part = path + '.part';
    this.#tag = path + '.part.etag';
  }

  async size(): Promise<number> {
    return stat(this.#part).then((s) => s.size, () => 0);
  }

  async etag(): Promise<string | null> {
    return readFile(this.#tag, 'utf8').catch(() => null);
  }

  async clear(): Promise<void> {
    await rm(this.#part, { force: true });
    await rm(this.#tag, { force: true });
  }

  /** Goes on behind what is there, where the answer does too. */
  async begin(response: Response): Promise<void> {
    const from = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
    if (response.status === 206 && Number(from) === (await this.size())) {
      this.#file = await open(this.#part, 'a');
      return;
    }
    await this.clear();
    this.resumed = 0;
    const etag = response.headers.get('etag');
    // Answers without ranges cannot be gone on with, nor those that a proxy compressed.
    const ranges = response.headers.get('accept-ranges') === 'bytes' && !response.headers.has('content-encoding');
    if (etag !== null && ranges) await writeFile(this.#tag, etag);
    this.#file = await open(this.#part, 'w');
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#file!.writeFile(bytes);
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }

  /** Checks what has come, and puts it in its place. */
  async finish(options: SaveOptions, digest: string | null): Promise<Saved> {
    const size = await this.size();
    const sha256 = await hash(this.#part);
    const wanted = options.sha256?.toLowerCase() ?? digest;
    if (options.size !== undefined && options.size !== size) {
      await this.clear();
      throw new IntegrityError(`${this.#path} has ${size} bytes, not ${options.size}.`);
    }
    if (wanted !== null && wanted !== sha256) {
      await this.clear();
      throw new IntegrityError(`${this.#path} has the SHA-256 ${sha256}, not ${wanted}.`);
    }
    await rename(this.#part, this.#path);
    await rm(this.#tag, { force: true });
    return { path: this.#path, size, sha256, verified: wanted !== null, resumed: this.resumed };
  }
}

async function hash(path: string): Promise<string> {
  const sum = createHash('sha256');
  for await (const chunk of createReadStream(path)) sum.update(chunk as Uint8Array);
  return sum.digest('hex');
}

/** The SHA-256 of the header Repr-Digest (RFC 9530), in hexadecimal. */
function reprDigest(response: Response): string | null {
  const encoded = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]+):/.exec(response.headers.get('repr-digest') ?? '')?.[1];
  return encoded === undefined ? null : Buffer.from(encoded, 'base64').toString('hex');
}
