import type { Page } from './types.js';

/** Asks for a page: for the first with the caller's parameters, for others with a cursor. */
export type PageAsker<P> = (page: { cursor?: string; limit?: number }) => Promise<P>;

/**
 * A collection, of which nothing is asked for before it is used. Three ways to use it:
 *
 * - `await` it for one page, the first unless `cursor` or `offset` say otherwise;
 * - `for await` over it for all records of that page and the following;
 * - `for await` over `pages()` for all pages.
 *
 * An async function that returns a listing returns its page, as with promises.
 *
 * The next page is asked for when the records of the one before are used up, and never
 * where the loop is left. Over several pages `limit` is 100 unless given: each page
 * costs one request.
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

  /** All pages, from the first on. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    const limit = this.#limit ?? 100;
    let page = await this.#ask({ limit });
    yield page;
    while (page.nextCursor !== null) {
      page = await this.#ask({ limit, cursor: page.nextCursor });
      yield page;
    }
  }

  /** All records, of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<P['data'][number], void, undefined> {
    for await (const page of this.pages()) yield* page.data as Awaited<P['data'][number]>[];
  }

  /** All records in an array, or the first so many. */
  async toArray(most = Infinity): Promise<P['data'][number][]> {
    const list: P['data'][number][] = [];
    if (most <= 0) return list;
    for await (const item of this) {
      list.push(item);
      if (list.length >= most) break;
    }
    return list;
  }

  /** The first page, as of a promise. */
  then<A = P, B = never>(resolve?: ((page: P) => A | PromiseLike<A>) | null, reject?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B> {
    return this.#page().then(resolve, reject);
  }

  /** As of a promise. */
  catch<B = never>(reject?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<P | B> {
    return this.#page().catch(reject);
  }

  /** As of a promise. */
  finally(done?: (() => void) | null): Promise<P> {
    return this.#page().finally(done);
  }

  #page(): Promise<P> {
    return (this.#first ??= this.#ask({}));
  }
}
