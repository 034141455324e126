import { Listing, type PageAsker } from './listing.js';
import { path, type Address } from './path.js';
import type { ClientOptions, RateLimit, RequestOptions } from './options.js';
import { Transport } from './transport.js';
import type { Answer, EntityField, EntityPage, EntityType, Listed, OperationId, Page, Query, SearchPage } from './types.js';

/** The methods that read records, one by one or page by page. */
export class Reading {
  /** @internal */
  protected readonly transport: Transport;

  /**
   * Makes a client; nothing is sent yet. One client serves a whole program: its methods
   * may run at the same time.
   *
   * @throws {@link KindexError} where `baseUrl` or `apiKey` cannot be used.
   */
  constructor(options: ClientOptions) {
    this.transport = new Transport(options);
  }

  /** What is left of the limit, as the latest answer told it; null before the first. */
  get rateLimit(): RateLimit | null {
    return this.transport.rateLimit;
  }

  /**
   * Entities that the filters choose, by composite score, the best first, unless sorted
   * otherwise.
   *
   * @param query Filters, order, `fields`, and `at` for an earlier day.
   * @example
   * const speech = await kindex.listEntities({ category: 'audio', minScore: 50, fields: ['slug', 'name', 'composite'] });
   * for (const entity of speech.data) console.log(entity.name, entity.scores.composite);
   */
  listEntities<const F extends EntityField = never>(query: Omit<Query<'listEntities'>, 'fields'> & { fields?: F | readonly F[] } = {},
    options?: RequestOptions): Listing<EntityPage<F>> {
    return this.list<'listEntities', EntityPage<F>>('/api/entities', query as Query<'listEntities'>, options);
  }

  /**
   * One entity, a withdrawn one included. An earlier slug leads to the entity too.
   *
   * @param query `at` shows it as it stood at the end of a day.
   * @throws {@link NotFoundError} with the nearest one in `suggestion`; {@link GoneError}
   * where it was deleted.
   */
  getEntity(type: EntityType, slug: string, query: Query<'getEntity'> = {}, options?: RequestOptions): Promise<Answer<'getEntity'>> {
    return this.get<'getEntity'>(path('/api/entity/{type}/{slug}', { type, slug }), query, options);
  }

  /**
   * The same as Markdown, for people and language models: facts with their sources,
   * scores and how they came about, what is like it, and what has changed lately.
   */
  getEntityMarkdown(type: EntityType, slug: string, query: Query<'getEntity'> = {}, options?: RequestOptions): Promise<string> {
    return this.transport.text({ method: 'GET', path: path('/api/entity/{type}/{slug}', { type, slug }), query, accept: 'text/markdown' }, options);
  }

  /**
   * Every change of one entity, the newest first, across all slugs that it has had. A
   * deleted entity has one too.
   */
  listEntityChanges(type: EntityType, slug: string, query: Query<'listEntityChanges'> = {}, options?: RequestOptions): Listing<Answer<'listEntityChanges'>> {
    return this.list<'listEntityChanges'>(path('/api/entity/{type}/{slug}/changelog', { type, slug }), query, options);
  }

  /** How the scores of an entity came about: every weight, observation, date and source. */
  getEntityScore(type: EntityType, slug: string, options?: RequestOptions): Promise<Answer<'getEntityScore'>> {
    return this.get<'getEntityScore'>(path('/api/entity/{type}/{slug}/score', { type, slug }), {}, options);
  }

  /** The entities that share most with this one, the most similar first, with the reasons. */
  listSimilarEntities(type: EntityType, slug: string, query: Query<'listSimilarEntities'> = {}, options?: RequestOptions): Promise<Answer<'listSimilarEntities'>> {
    return this.get<'listSimilarEntities'>(path('/api/entity/{type}/{slug}/similar', { type, slug }), query, options);
  }

  /**
   * Entities that match the words `q`, the most relevant first. Where nothing is found,
   * `suggestions` of the page has what may have been meant.
   *
   * @example
   * const { data, suggestions } = await kindex.searchEntities({ q: 'gradient boosting', limit: 3 });
   */
  searchEntities<const F extends EntityField = never>(query: Omit<Query<'searchEntities'>, 'fields'> & { fields?: F | readonly F[] },
    options?: RequestOptions): Listing<SearchPage<F>> {
    return this.list<'searchEntities', SearchPage<F>>('/api/search', query as Query<'searchEntities'>, options);
  }

  /** Entities whose name begins with the text `q`, for completion while somebody types. */
  suggestEntities(query: Query<'suggestEntities'>, options?: RequestOptions): Promise<Answer<'suggestEntities'>> {
    return this.get<'suggestEntities'>('/api/suggest', query, options);
  }

  /**
   * The ranking of a category, or of `all`, the best first, with the ranks of seven days
   * before.
   *
   * @throws {@link NotFoundError} where there is no such category, or nothing is known
   * of the day `at`.
   */
  getLeaderboard(category: string, query: Query<'getLeaderboard'> = {}, options?: RequestOptions): Listing<Answer<'getLeaderboard'>> {
    return this.list<'getLeaderboard'>(path('/api/leaderboard/{category}', { category }), query, options);
  }

  /** The entities that have gained most by changes within a `window`. */
  listTrending(query: Query<'listTrending'> = {}, options?: RequestOptions): Promise<Answer<'listTrending'>> {
    return this.get<'listTrending'>('/api/trending', query, options);
  }

  /** All categories, with the number of their entities. */
  listCategories(options?: RequestOptions): Promise<Answer<'listCategories'>> {
    return this.get<'listCategories'>('/api/categories', {}, options);
  }

  /** The changes of all entities that the filters choose, the newest first. */
  listChanges(query: Query<'listChanges'> = {}, options?: RequestOptions): Listing<Answer<'listChanges'>> {
    return this.list<'listChanges'>('/api/changelog', query, options);
  }

  /** @internal */
  protected get<Id extends OperationId>(path: Address, query: Query<Id>, options?: RequestOptions): Promise<Answer<Id>> {
    return this.transport.json<Answer<Id>>({ method: 'GET', path, query }, options);
  }

  /** @internal */
  protected list<Id extends Listed, P extends Page<unknown> = Extract<Answer<Id>, Page<unknown>>>(path: Address, query: Query<Id>, options?: RequestOptions): Listing<P> {
    const { offset, ...rest }: Query<'listEntities'> = query;
    const ask: PageAsker<P> = (page) => {
      // A cursor stands for what was skipped, too.
      const skip = offset === undefined || page.cursor !== undefined ? {} : { offset };
      return this.transport.json<P>({ method: 'GET', path, query: { ...rest, ...skip, ...page } satisfies Query<'listEntities'> }, options);
    };
    return new Listing<P>(ask, rest.limit);
  }
}
