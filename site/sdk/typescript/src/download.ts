import { sleep } from './deadline.js';
import { NetworkError, ProtocolError } from './errors.js';
import type { RequestOptions } from './options.js';
import { backoff, type Ask, type Opened, type Transport } from './transport.js';

/**
 * A file. Nothing is requested until you use it, and each use is a new request. In Node,
 * `saveTo` in `kindex/node` writes the file to disk, and resumes interrupted downloads.
 */
export class Download {
  readonly #transport: Transport;
  readonly #ask: Ask;
  readonly #options: RequestOptions;

  /** @internal */
  constructor(transport: Transport, ask: Ask, options: RequestOptions = {}) {
    this.#transport = transport;
    this.#ask = ask;
    this.#options = options;
  }

  /** @internal */
  get options(): RequestOptions {
    return this.#options;
  }

  /** @internal */
  get retries(): number {
    return this.#transport.retries(this.#options);
  }

  /** @internal */
  open(headers?: Record<string, string>): Promise<Opened> {
    return this.#transport.open(this.#ask, this.#options, headers);
  }

  /**
   * The bytes as they arrive, only as fast as you read them. If the connection breaks, the
   * file is requested again, and the bytes that had already arrived are skipped. If the file
   * has changed in the meantime, a `ProtocolError` is thrown. Leaving the loop closes the
   * connection.
   */
  chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#read(this.#options);
  }

  async *#read(options: RequestOptions): AsyncGenerator<Uint8Array, void, undefined> {
    let come = 0;
    let etag: string | null = null;
    for (let failures = 0; ; ) {
      const { response, deadline } = await this.#transport.open(this.#ask, options);
      const reader = response.body?.getReader();
      try {
        const tag = response.headers.get('etag');
        if (come > 0 && tag !== etag) throw new ProtocolError(`The connection broke after ${come} bytes, and the file has changed since; request it again.`);
        etag = tag;
        for (let over = come; reader !== undefined; ) {
          deadline.restart();
          const { done, value } = await deadline.race(reader.read());
          deadline.pause();
          if (done) return;
          const chunk = value.subarray(Math.min(over, value.length)); // skip what had already arrived
          over -= value.length - chunk.length;
          if (chunk.length === 0) continue;
          come += chunk.length;
          failures = 0;
          yield chunk;
        }
        return;
      } catch (error) {
        const failure = deadline.explain(error);
        if (!(failure instanceof NetworkError) || etag === null || ++failures > this.retries) throw failure;
      } finally {
        deadline.end();
        reader?.cancel().catch(() => {}); // it may already have ended or failed
      }
      await sleep(backoff(failures), options.signal);
    }
  }

  /** The bytes as a stream, only as fast as you read them. Cancelling the stream closes the connection. */
  stream(): ReadableStream<Uint8Array> {
    // A generator that is waiting for data handles return() only when data arrives; the signal ends it
    // immediately.
    const stop = new AbortController();
    const { signal } = this.#options;
    const forward = () => stop.abort(signal?.reason);
    if (signal?.aborted) forward();
    else signal?.addEventListener('abort', forward);
    const chunks = this.#read({ ...this.#options, signal: stop.signal });
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (!done) return controller.enqueue(value);
        } catch (error) {
          signal?.removeEventListener('abort', forward);
          throw error;
        }
        signal?.removeEventListener('abort', forward);
        controller.close();
      },
      async cancel(reason: unknown) {
        signal?.removeEventListener('abort', forward);
        stop.abort(reason);
        await chunks.return();
      },
    }, { highWaterMark: 0 });
  }

  /** Returns all bytes, in memory. */
  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of this.chunks()) chunks.push(chunk as Uint8Array<ArrayBuffer>);
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  }

  /** Returns the complete text, in memory. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }
}

/**
 * An export in JSONL: a {@link Download} whose rows can be read as they arrive, in constant
 * memory.
 *
 * @example
 * for await (const row of kindex.exportEntities({ type: 'model' })) {
 *   console.log(row.slug, row.composite);
 * }
 */
export class Rows<Row> extends Download implements AsyncIterable<Row> {
  /** The rows as they arrive. Leaving the loop closes the connection. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of this.chunks()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield parse<Row>(line);
    }
    rest += decoder.decode();
    if (rest !== '') yield parse<Row>(rest);
  }

  /** Returns all rows in an array. */
  async toArray(): Promise<Row[]> {
    const list: Row[] = [];
    for await (const row of this) list.push(row);
    return list;
  }
}

function parse<Row>(line: string): Row {
  try {
    return JSON.parse(line) as Row;
  } catch (cause) {
    throw new ProtocolError(`A row of the export is not JSON: ${line.slice(0, 60)}`, { cause });
  }
}
