import type { Page } from './types.js';

/** Requests a page: the first page with the caller's parameters, and later pages with a cursor. */
export type PageAsker<P> = (page: { cursor?: string; limit?: number }) => Promise<P>;

/**
 * A collection. Nothing is requested until you use it, in one of three ways:
 *
 * - `await` it to get one page, which is the first page unless you set `cursor` or `offset`;
 * - `for await` over it to get all records of that page and the following pages;
 * - `for await` over `pages()` to get all pages.
 *
 * If an async function returns a listing, its result is the page, as with a promise.
 *
 * The next page is requested only after you have read all records of the previous page. In
 * loops, `limit` is 100 by default, because each page is a request.
 *
 * @example
 * const { count } = await kindex.listEntities({ type: 'model' });
 * for await (const model of kindex.listEntities({ type: 'model' })) console.log(model.name);
 */
export class Listing<P extends Page<unknown>> implements Promise<P>, AsyncIterable<P['data'][number]> {
  readonly [Symbol.toStringTag] = 'Listing';
  readonly #ask: PageAsker<P>;
  readonly #limit: number | undefined;
  #first: Promise<P> | undefined;

  /** @internal */
  constructor(ask: PageAsker<P>, limit: number | undefined) {
    this.#ask = ask;
    this.#limit = limit;
  }

  /** Iterates over all pages, starting with the first. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    const limit = this.#limit ?? 100;
    let page = await this.#ask({ limit });
    yield page;
    while (page.nextCursor !== null) {
      page = await this.#ask({ limit, cursor: page.nextCursor });
      yield page;
    }
  }

  /** Iterates over the records of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<P['data'][number], void, undefined> {
    for await (const page of this.pages()) yield* page.data as Awaited<P['data'][number]>[];
  }

  /** Returns an array of all records, or of the first `most` records. */
  async toArray(most = Infinity): Promise<P['data'][number][]> {
    const list: P['data'][number][] = [];
    if (most <= 0) return list;
    for await (const item of this) {
      list.push(item);
      if (list.length >= most) break;
    }
    return list;
  }

  /** Like `then` of a promise for the first page. */
  then<A = P, B = never>(resolve?: ((page: P) => A | PromiseLike<A>) | null, reject?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B> {
    return this.#page().then(resolve, reject);
  }

  /** Like `catch` of a promise for the first page. */
  catch<B = never>(reject?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<P | B> {
    return this.#page().catch(reject);
  }

  /** Like `finally` of a promise for the first page. */
  finally(done?: (() => void) | null): Promise<P> {
    return this.#page().finally(done);
  }

  #page(): Promise<P> {
    return (this.#first ??= this.#ask({}));
  }
}
