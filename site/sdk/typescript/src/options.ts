/** The options of a client. */
export interface ClientOptions {
  /** The address of the index, with or without a path: `https://index.example.org`. */
  baseUrl: string | URL;
  /**
   * An API key. Without a key, requests are counted by IP address, with a lower limit. The
   * key is sent only to `baseUrl`, even if the index redirects to a different origin.
   */
  apiKey?: string | undefined;
  /**
   * The timeout of an attempt, in milliseconds. It applies to the complete response or, for
   * a download, to its start and to each chunk. 30,000 by default; 0 disables it.
   */
  timeout?: number | undefined;
  /**
   * The number of retries if the server is busy (429, 502, 503, 504) or the network fails.
   * 3 by default; 0 disables retries.
   */
  retries?: number | undefined;
  /**
   * The longest wait before an attempt, in milliseconds; 60,000 by default. If
   * `Retry-After` is longer, the error is thrown immediately.
   */
  maxRetryDelay?: number | undefined;
  /**
   * The size of the response cache, by default 200 responses and 10,000,000 characters;
   * false disables it. Cached responses are revalidated before each use; this does not
   * count towards the rate limit if they have not changed (304). In browsers, the default
   * is false, because the browser has its own cache.
   */
  cache?: false | { maxEntries?: number; maxCharacters?: number } | undefined;
  /** A function to use instead of the global `fetch`. */
  fetch?: Fetch | undefined;
}

/** The part of fetch that this library uses. */
export type Fetch = (address: string, request: FetchRequest) => Promise<Response>;

/** The request that is passed to {@link Fetch}. */
export interface FetchRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
  redirect: 'follow' | 'manual';
  signal: AbortSignal;
}

/** The last argument of every method. */
export interface RequestOptions {
  /** Aborts the call at any time; the reason of the signal is thrown. */
  signal?: AbortSignal | undefined;
  /** Overrides the `timeout` of the client for this call. */
  timeout?: number | undefined;
  /** Overrides the `retries` of the client for this call. */
  retries?: number | undefined;
  /** Overrides the `maxRetryDelay` of the client for this call. */
  maxRetryDelay?: number | undefined;
  /** Set this to false to bypass the cache for this call. */
  cache?: false | undefined;
  /** An id for this call in the server's log: up to 64 letters, digits, `-`, `_` and `.`. */
  requestId?: string | undefined;
  /** Called for every response, including those of failed attempts, before its body is read. */
  onResponse?: ((info: ResponseInfo) => void) | undefined;
}

/** The last argument of methods that write. */
export interface WriteOptions extends RequestOptions {
  /**
   * Identifies this write, so that it takes effect only once even if it is sent repeatedly
   * within 24 hours. By default, all attempts of a call use a random key; set your own
   * if another process may repeat the write.
   */
  idempotencyKey?: string | undefined;
}

/** A response without its body. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  /** The number of the attempt, starting at 1. */
  readonly attempt: number;
  /** The id of the request, which is also in the server's log; null if the response is from a proxy. */
  readonly requestId: string | null;
  /** The build that the response is from; null if it has none. */
  readonly build: string | null;
}

/** The rate limit according to the latest response. */
export interface RateLimit {
  /** The number of requests allowed per window. */
  readonly limit: number;
  /** The number of requests left in the window. */
  readonly remaining: number;
  /** When the window ends. */
  readonly reset: Date;
  /** The tier of the caller: `anonymous`, `authenticated` or `enterprise`. */
  readonly tier: string;
}
