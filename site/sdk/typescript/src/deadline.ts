import { KindexError, NetworkError, TimeoutError } from './errors.js';

/**
 * Deadline ends an attempt when it times out, or when the caller's signal aborts it. It
 * does not use AbortSignal.any, which older browsers do not have.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort = () => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #expired = false;

  /** Starts the timer. With 0 milliseconds or Infinity, there is no timeout. */
  constructor(milliseconds: number, outer: AbortSignal | undefined) {
    this.#milliseconds = milliseconds;
    this.#outer = outer;
    outer?.throwIfAborted();
    outer?.addEventListener('abort', this.#onAbort);
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the timer, for the next chunk of a stream. */
  restart(): void {
    this.pause();
    if (this.#milliseconds <= 0 || this.#milliseconds > 0x7fff_ffff) return; // the maximum delay of setTimeout
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#controller.abort();
    }, this.#milliseconds);
  }

  /** Stops the timer while the caller processes a chunk. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Waits for a promise that may ignore the signal, such as one that reads a response body. */
  race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.#controller;
    return new Promise<T>((resolve, reject) => {
      const stop = () => reject(signal.reason as Error);
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  /** Stops the timer, and stops listening to the caller's signal. */
  end(): void {
    this.pause();
    this.#outer?.removeEventListener('abort', this.#onAbort);
  }

  /** Converts an error from fetch to an abort, a timeout or a network error. */
  explain(error: unknown): unknown {
    if (this.#outer?.aborted) return this.#outer.reason;
    if (this.#expired) return new TimeoutError(`Timed out after ${this.#milliseconds} ms.`, { cause: error });
    if (error instanceof KindexError) return error;
    return new NetworkError(`The connection failed: ${reasons(error)}`, { cause: error });
  }
}

/** Joins the messages of an error and its causes, because the message from fetch alone is vague. */
function reasons(error: unknown): string {
  const list: string[] = [];
  for (let e = error; e instanceof Error && list.length < 4; e = e.cause) list.push(e.message);
  return list.join(': ') || String(error);
}

/** Waits, or throws the reason of the signal if it aborts. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
