/**
 * Functions that need a file system, for Node 20 or newer and compatible runtimes.
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

/** What is known about a file before the download, for example from the manifest. */
export interface SaveOptions {
  /** The expected SHA-256, in hexadecimal. By default, the one in `Repr-Digest` is used, if the server sends it. */
  sha256?: string;
  /** The expected size, in bytes. */
  size?: number;
}

/** A saved file. */
export interface Saved {
  /** The path of the file. */
  path: string;
  /** The size, in bytes. */
  size: number;
  /** The SHA-256, in hexadecimal. */
  sha256: string;
  /** Whether the SHA-256 was compared with one from the server or the caller. */
  verified: boolean;
  /** The number of bytes that an earlier, interrupted download had already saved. */
  resumed: number;
}

/**
 * Writes a download to a file, which is created only when the download is complete and
 * verified. Until then, its bytes are in `path.part`. If the connection breaks, the remaining
 * bytes are requested; the call fails when more attempts in a row than the client's `retries`
 * have made no progress. A later call resumes the download, even in another process. If the
 * file has changed on the server, the download starts again from the beginning. Do not save
 * to the same path concurrently.
 *
 * @throws {@link IntegrityError} if the size or the SHA-256 is wrong.
 * @example
 * import { saveTo } from 'kindex/node';
 * const { size, sha256 } = await saveTo(kindex.exportEntities({ format: 'parquet' }), 'entities.parquet');
 */
export async function saveTo(download: Download, path: string, options: SaveOptions = {}): Promise<Saved> {
  await mkdir(dirname(path), { recursive: true });
  const part = new Part(path);
  part.resumed = await part.size();
  let most = part.resumed; // the largest size so far; attempts that start again may be smaller
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

/** Requests the missing part, and returns the expected SHA-256 of the complete file if the server sends it. */
async function fetchRest(download: Download, part: Part): Promise<string | null> {
  const from = await part.size();
  const etag = from > 0 ? await part.etag() : null;
  // A range of a compressed response would be useless.
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (etag !== null) Object.assign(headers, { range: `bytes=${from}-`, 'if-range': etag });
  let opened: Opened;
  try {
    opened = await download.open(headers);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 416)) throw error;
    // The partial file is at least as long as the complete file, so it may be wrong: start again.
    await part.clear();
    opened = await download.open({ 'accept-encoding': 'identity' });
  }
  const { response, deadline } = opened;
  const reader = response.body?.getReader();
  // Read the next chunk while this one is being written: if the connection breaks, data that
  // has arrived but has not been read is lost.
  const ahead = () => {
    const next = reader?.read();
    next?.catch(() => {}); // the error is handled below
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
    reader?.cancel().catch(() => {}); // it may already have ended or failed
    await part.close();
  }
  return reprDigest(response);
}

/** Part is a partially downloaded file, and the entity tag of the complete file. */
class Part {
  /** The number of bytes that an earlier call downloaded. */
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

  /** Appends to the partial file if the response continues it; otherwise starts again. */
  async begin(response: Response): Promise<void> {
    const from = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
    if (response.status === 206 && Number(from) === (await this.size())) {
      this.#file = await open(this.#part, 'a');
      return;
    }
    await this.clear();
    this.resumed = 0;
    const etag = response.headers.get('etag');
    // A download cannot be resumed without support for ranges, or if a proxy compressed it.
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

  /** Verifies the file and moves it to its final path. */
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

/** Returns the SHA-256 in the header Repr-Digest (RFC 9530), in hexadecimal. */
function reprDigest(response: Response): string | null {
  const encoded = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]+):/.exec(response.headers.get('repr-digest') ?? '')?.[1];
  return encoded === undefined ? null : Buffer.from(encoded, 'base64').toString('hex');
}
