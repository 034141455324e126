/** What a client is made with. */
export interface ClientOptions {
  /** Where the index is, with or without a path: `https://index.example.org`. */
  baseUrl: string | URL;
  /**
   * A key of an account. Without one, requests are counted by address and are few. It is
   * sent to `baseUrl` only, never to where a redirect leads outside.
   */
  apiKey?: string | undefined;
  /**
   * How many milliseconds an attempt may take: all of an answer or, of a download, until
   * it begins and between its parts. 30,000 unless given; 0 for no limit.
   */
  timeout?: number | undefined;
  /**
   * How often to try again where the server is busy (429, 502, 503, 504) or the network
   * fails. 3 unless given; 0 for never.
   */
  retries?: number | undefined;
  /**
   * The longest wait before an attempt, in milliseconds, 60,000 unless given. Where
   * `Retry-After` asks for a longer one, the error is thrown at once.
   */
  maxRetryDelay?: number | undefined;
  /**
   * How much to keep in memory. What is kept is asked about before each use, which costs
   * nothing of the limit where it has not changed (304). 200 answers and 10,000,000
   * characters unless given; false for none. In browsers it is false unless given: they
   * do the same by themselves.
   */
  cache?: false | { maxEntries?: number; maxCharacters?: number } | undefined;
  /** What to ask with instead of the `fetch` that there is. */
  fetch?: Fetch | undefined;
}

/** What fetch is, as far as this library needs it. */
export type Fetch = (address: string, request: FetchRequest) => Promise<Response>;

/** What a {@link Fetch} is asked for. */
export interface FetchRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
  redirect: 'follow' | 'manual';
  signal: AbortSignal;
}

/** What every method takes last. */
export interface RequestOptions {
  /** Ends the call, whatever it is doing; its reason is thrown. */
  signal?: AbortSignal | undefined;
  /** As `timeout` of the client, for this call. */
  timeout?: number | undefined;
  /** As `retries` of the client, for this call. */
  retries?: number | undefined;
  /** As `maxRetryDelay` of the client, for this call. */
  maxRetryDelay?: number | undefined;
  /** false asks for the whole answer, and keeps none. */
  cache?: false | undefined;
  /** An id for this call, for the log of the server: up to 64 letters, digits, `-`, `_` and `.`. */
  requestId?: string | undefined;
  /** Told of every answer, before it is read: those of attempts that failed too. */
  onResponse?: ((info: ResponseInfo) => void) | undefined;
}

/** What methods that write take last. */
export interface WriteOptions extends RequestOptions {
  /**
   * A name for this write, so that it is made once however often it is sent, within 24
   * hours. One is made unless given, and used for all attempts of a call; give one where
   * a write shall be made once beyond the end of the process.
   */
  idempotencyKey?: string | undefined;
}

/** An answer without its body. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  /** Which attempt it was the answer to, from 1. */
  readonly attempt: number;
  /** The id of the request, as in the log of the server; null where a proxy answered. */
  readonly requestId: string | null;
  /** The build that the answer is from; null where it is from none. */
  readonly build: string | null;
}

/** What is left of the limit, as the latest answer told it. */
export interface RateLimit {
  /** How many requests there are in a window. */
  readonly limit: number;
  /** How many of them are left. */
  readonly remaining: number;
  /** When the window ends. */
  readonly reset: Date;
  /** By what the caller is counted: `anonymous`, `authenticated` or `enterprise`. */
  readonly tier: string;
}
