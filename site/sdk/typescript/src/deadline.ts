import { KindexError, NetworkError, TimeoutError } from './errors.js';

/**
 * Deadline ends one attempt: when time is up, or when the caller's signal says so. It
 * does not use AbortSignal.any, which browsers of a few years ago lack.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort = () => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #expired = false;

  /** Begins to count. 0 milliseconds or Infinity are no limit of time. */
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

  /** Counts from now on, for what comes next of a stream. */
  restart(): void {
    this.pause();
    if (this.#milliseconds <= 0 || this.#milliseconds > 0x7fff_ffff) return; // what timers can hold
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#controller.abort();
    }, this.#milliseconds);
  }

  /** Stops the clock, while the caller is busy with what has come. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Waits for what may not heed the signal: bodies that have come in part do not always. */
  race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.#controller;
    return new Promise<T>((resolve, reject) => {
      const stop = () => reject(signal.reason as Error);
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  /** Lets go of the timer and of the caller's signal. */
  end(): void {
    this.pause();
    this.#outer?.removeEventListener('abort', this.#onAbort);
  }

  /** Says what a failure of fetch was: the caller's will, time, or the network. */
  explain(error: unknown): unknown {
    if (this.#outer?.aborted) return this.#outer.reason;
    if (this.#expired) return new TimeoutError(`Nothing came within ${this.#milliseconds} ms.`, { cause: error });
    if (error instanceof KindexError) return error;
    return new NetworkError(`The connection failed: ${reasons(error)}`, { cause: error });
  }
}

/** reasons are the messages of an error and of its causes: fetch hides what matters in these. */
function reasons(error: unknown): string {
  const list: string[] = [];
  for (let e = error; e instanceof Error && list.length < 4; e = e.cause) list.push(e.message);
  return list.join(': ') || String(error);
}

/** Waits, or throws the reason of the signal. */
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
