import { Cache } from './cache.js';
import { Deadline, sleep } from './deadline.js';
import { ApiError, KindexError, NetworkError, ProtocolError, readError } from './errors.js';
import type { Address } from './path.js';
import { follow } from './redirect.js';
import type { ClientOptions, Fetch, RateLimit, RequestOptions, WriteOptions } from './options.js';
import type { Extra } from './types.js';
import { version } from './version.js';

/** A request to the API. */
export interface Ask {
  method: 'GET' | 'POST' | 'DELETE';
  path: Address;
  query?: object | undefined;
  body?: object | undefined;
  accept?: string;
}

/** A response whose body has not been read, and its deadline. The caller must call `deadline.end()`. */
export interface Opened {
  response: Response;
  deadline: Deadline;
}

/** Whether the code runs in a page or worker of a browser, not in a server runtime. */
const inBrowser = typeof document !== 'undefined' || 'WorkerGlobalScope' in globalThis;

/** Transport sends requests, with the key, timeouts, retries and the cache. */
export class Transport {
  /** The rate limit according to the latest response; null before the first response. */
  rateLimit: RateLimit | null = null;
  readonly #base: string;
  readonly #key: string | undefined;
  readonly #fetch: Fetch;
  readonly #cache: Cache | null;
  readonly #defaults: { timeout: number; retries: number; maxRetryDelay: number };

  constructor(options: ClientOptions) {
    this.#base = readBase(options.baseUrl);
    this.#key = options.apiKey;
    if (this.#key !== undefined && !/^[!-~]+$/.test(this.#key)) {
      throw new KindexError('apiKey is empty or contains invalid characters.'); // not the key itself: messages are logged
    }
    this.#fetch = options.fetch ?? ((address, request) => fetch(address, request));
    const cache = options.cache ?? (inBrowser ? false : {});
    this.#cache = cache === false ? null : new Cache(cache.maxEntries ?? 200, cache.maxCharacters ?? 10_000_000);
    this.#defaults = {
      timeout: options.timeout ?? 30_000,
      retries: options.retries ?? 3,
      maxRetryDelay: options.maxRetryDelay ?? 60_000,
    };
  }

  /** Requests JSON. */
  async json<T>(ask: Ask, options: RequestOptions = {}): Promise<T> {
    const text = await this.text({ ...ask, accept: 'application/json' }, options);
    if (text === '') return undefined as T; // 204
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw new ProtocolError(`The response to ${ask.method} ${ask.path} is not JSON: ${text.slice(0, 60)}`, { cause });
    }
  }

  /** Requests a complete response as text. */
  async text(ask: Ask, options: RequestOptions = {}): Promise<string> {
    const address = this.#address(ask);
    const cache = ask.method === 'GET' && options.cache !== false ? this.#cache : null;
    const kept = cache?.get(`${ask.accept} ${address}`);
    const headers = this.#headers(ask, options);
    if (kept !== undefined) headers['if-none-match'] = kept.etag;
    return this.#attempts(ask, address, headers, options, async (response, deadline) => {
      const text = await deadline.race(response.text());
      deadline.end();
      if (response.status === 304 && kept !== undefined) return kept.text;
      const etag = response.headers.get('etag');
      if (etag !== null) cache?.set(`${ask.accept} ${address}`, { etag, text });
      return text;
    });
  }

  /** Sends a request and returns the response before its body is read. */
  async open(ask: Ask, options: RequestOptions = {}, further: Record<string, string> = {}): Promise<Opened> {
    const headers = { ...this.#headers(ask, options), ...further };
    return this.#attempts(ask, this.#address(ask), headers, options, async (response, deadline) => {
      deadline.pause();
      return { response, deadline };
    });
  }

  /** Returns the number of retries for a call. */
  retries(options: RequestOptions): number {
    return options.retries ?? this.#defaults.retries;
  }

  /** Makes attempts until one succeeds or fails with an error that must not be retried. */
  async #attempts<T>(ask: Ask, address: string, headers: Record<string, string>, options: RequestOptions,
    use: (response: Response, deadline: Deadline) => Promise<T>): Promise<T> {
    const body = ask.body === undefined ? {} : { body: JSON.stringify(ask.body) };
    for (let attempt = 1; ; attempt++) {
      const deadline = new Deadline(options.timeout ?? this.#defaults.timeout, options.signal);
      let failure: unknown;
      try {
        const request = { method: ask.method, headers, signal: deadline.signal, ...body };
        const response = await deadline.race(follow(this.#fetch, address, request));
        this.#note(response, attempt, options);
        if (response.ok || response.status === 304) return await use(response, deadline);
        failure = await deadline.race(readError(response));
      } catch (error) {
        failure = deadline.explain(error);
      }
      deadline.end();
      const wait = this.#delay(failure, attempt, ask, options);
      if (wait === null) throw failure;
      await sleep(wait, options.signal);
    }
  }

  /**
   * Returns how many milliseconds to wait before the next attempt, or null if the request must
   * not be retried. Reads, and writes with an idempotency key, are retried after any temporary
   * failure; deletions are retried only if the server refused them.
   */
  #delay(failure: unknown, attempt: number, ask: Ask, options: RequestOptions): number | null {
    if (attempt > this.retries(options)) return null;
    const repeatable = ask.method !== 'DELETE';
    if (failure instanceof NetworkError) return repeatable ? backoff(attempt) : null;
    if (!(failure instanceof ApiError)) return null;
    const refused = failure.status === 429 || failure.status === 503;
    if (!refused && !(repeatable && (failure.status === 502 || failure.status === 504))) return null;
    if (failure.retryAfter === null) return backoff(attempt);
    const wait = failure.retryAfter * 1000;
    // Wait slightly longer, so that clients do not retry at the same time.
    return wait > (options.maxRetryDelay ?? this.#defaults.maxRetryDelay) ? null : wait + Math.random() * 250;
  }

  #note(response: Response, attempt: number, options: RequestOptions): void {
    const { status, headers } = response;
    const limit = headers.get('x-ratelimit-limit');
    if (limit !== null) {
      this.rateLimit = {
        limit: Number(limit),
        remaining: Number(headers.get('x-ratelimit-remaining')),
        reset: new Date(Number(headers.get('x-ratelimit-reset')) * 1000),
        tier: headers.get('x-ratelimit-tier') ?? '',
      };
    }
    try {
      options.onResponse?.({ status, headers, attempt, requestId: headers.get('x-request-id'), build: headers.get('x-build') });
    } catch (cause) {
      throw new KindexError('onResponse threw an error.', { cause }); // not a NetworkError, so it is not retried
    }
  }

  #headers(ask: Ask, options: WriteOptions): Record<string, string> {
    const headers: Record<string, string> = { accept: ask.accept ?? '*/*' };
    if (!inBrowser) headers['user-agent'] = `kindex-typescript/${version}`; // in a browser, it would cause a CORS preflight
    if (this.#key !== undefined) headers['x-api-key'] = this.#key;
    if (ask.body !== undefined) headers['content-type'] = 'application/json';
    if (ask.method === 'POST') headers['idempotency-key'] = options.idempotencyKey ?? randomName();
    if (options.requestId !== undefined) headers['x-request-id'] = options.requestId;
    return headers;
  }

  #address(ask: Ask): string {
    const url = new URL(this.#base + ask.path);
    const { extra, ...known }: Extra = ask.query ?? {};
    for (const [name, value] of Object.entries({ ...known, ...extra })) {
      if (value === undefined) continue;
      // The server rejects an empty list as an empty value.
      const values: readonly unknown[] = !Array.isArray(value) ? [value] : value.length === 0 ? [''] : value;
      for (const v of values) url.searchParams.append(name, String(v));
    }
    return url.href;
  }
}

/** Returns the address without a trailing slash. */
function readBase(baseUrl: string | URL): string {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch (cause) {
    throw new KindexError(`baseUrl is ${JSON.stringify(String(baseUrl))}, which is not an address such as https://index.example.org.`, { cause });
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new KindexError(`baseUrl starts with ${url.protocol}, not with https: or http:.`);
  if (url.username !== '' || url.password !== '') throw new KindexError('baseUrl contains a user name or password; pass the key as apiKey.');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Returns a random wait in milliseconds, which grows with each attempt, up to eight seconds. */
export function backoff(attempt: number): number {
  return Math.min(8000, 500 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/** Returns 128 random bits in hexadecimal. crypto.randomUUID is available only to https pages. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
}
