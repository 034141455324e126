import { Listing, type PageAsker } from './listing.js';
import type { Name } from './names.js';
import { path, type Address } from './path.js';
import type { ClientOptions, RateLimit, RequestOptions } from './options.js';
import { Transport } from './transport.js';
import type { Answer, EntityField, EntityPage, EntityType, Fields, Listed, OperationId, Page, Query, SearchPage } from './types.js';

/** The methods that read records, individually or in pages. */
export class Reading {
  /** @internal */
  protected readonly transport: Transport;

  /**
   * Creates a client; nothing is sent yet. A program needs only one client, because its
   * methods can be called concurrently.
   *
   * @throws {@link KindexError} if `baseUrl` or `apiKey` is invalid.
   */
  constructor(options: ClientOptions) {
    this.transport = new Transport(options);
  }

  /** The rate limit according to the latest response; null before the first response. */
  get rateLimit(): RateLimit | null {
    return this.transport.rateLimit;
  }

  /**
   * Entities that match the filters. By default, they are sorted by composite score, highest first.
   *
   * @param query Filters, sort order, `fields`, and `at` for an earlier day.
   * @example
   * const speech = await kindex.listEntities({ category: 'speech-audio', minScore: 50, fields: ['slug', 'name', 'composite'] });
   * for (const entity of speech.data) console.log(entity.name, entity.scores.composite);
   */
  listEntities<const F extends EntityField = never>(query: Fields<Query<'listEntities'>, F> = {},
    options?: RequestOptions): Listing<EntityPage<F>> {
    return this.list<'listEntities', EntityPage<F>>('/api/entities', query as Query<'listEntities'>, options);
  }

  /**
   * One entity, even if it is withdrawn. A former slug redirects to the entity.
   *
   * @param query `at` selects the state at the end of an earlier day.
   * @throws {@link NotFoundError} with the nearest match in `suggestion`; {@link GoneError}
   * if the entity was deleted.
   */
  getEntity(type: EntityType | Name, slug: string, query: Query<'getEntity'> = {}, options?: RequestOptions): Promise<Answer<'getEntity'>> {
    return this.get<'getEntity'>(path('/api/entity/{type}/{slug}', { type, slug }), query, options);
  }

  /**
   * One entity as Markdown, for people and language models: the facts with their sources,
   * the scores and how they are calculated, similar entities, and recent changes.
   */
  getEntityMarkdown(type: EntityType | Name, slug: string, query: Query<'getEntity'> = {}, options?: RequestOptions): Promise<string> {
    return this.transport.text({ method: 'GET', path: path('/api/entity/{type}/{slug}', { type, slug }), query, accept: 'text/markdown' }, options);
  }

  /**
   * All changes to one entity, newest first, under all slugs it has had. Deleted entities
   * are included.
   */
  listEntityChanges(type: EntityType | Name, slug: string, query: Query<'listEntityChanges'> = {}, options?: RequestOptions): Listing<Answer<'listEntityChanges'>> {
    return this.list<'listEntityChanges'>(path('/api/entity/{type}/{slug}/changelog', { type, slug }), query, options);
  }

  /** How the scores of an entity are calculated: every weight, observation, date and source. */
  getEntityScore(type: EntityType | Name, slug: string, options?: RequestOptions): Promise<Answer<'getEntityScore'>> {
    return this.get<'getEntityScore'>(path('/api/entity/{type}/{slug}/score', { type, slug }), {}, options);
  }

  /**
   * The values of an entity's signals over time, by name, oldest first. A value of null marks
   * the moment at which a signal vanished.
   */
  listEntitySignals(type: EntityType | Name, slug: string, query: Query<'listEntitySignals'> = {}, options?: RequestOptions): Listing<Answer<'listEntitySignals'>> {
    return this.list<'listEntitySignals'>(path('/api/entity/{type}/{slug}/signals', { type, slug }), query, options);
  }

  /** What the fields of this entity name, and the entities whose fields name it. */
  listRelations(type: EntityType | Name, slug: string, options?: RequestOptions): Promise<Answer<'listRelations'>> {
    return this.get<'listRelations'>(path('/api/entity/{type}/{slug}/relations', { type, slug }), {}, options);
  }

  /** The entities that have the most in common with this one, most similar first, with the reasons. */
  listSimilarEntities(type: EntityType | Name, slug: string, query: Query<'listSimilarEntities'> = {}, options?: RequestOptions): Promise<Answer<'listSimilarEntities'>> {
    return this.get<'listSimilarEntities'>(path('/api/entity/{type}/{slug}/similar', { type, slug }), query, options);
  }

  /**
   * Entities that match the search words `q`, most relevant first. If nothing is found, the
   * page has `suggestions` of entities that you may have been looking for.
   *
   * @example
   * const { data, suggestions } = await kindex.searchEntities({ q: 'gradient boosting', limit: 3 });
   */
  searchEntities<const F extends EntityField = never>(query: Fields<Query<'searchEntities'>, F>,
    options?: RequestOptions): Listing<SearchPage<F>> {
    return this.list<'searchEntities', SearchPage<F>>('/api/search', query as Query<'searchEntities'>, options);
  }

  /** Entities whose name, or a word in it, starts with the text `q`, for autocompletion. */
  suggestEntities(query: Query<'suggestEntities'>, options?: RequestOptions): Promise<Answer<'suggestEntities'>> {
    return this.get<'suggestEntities'>('/api/suggest', query, options);
  }

  /**
   * The ranking of a category, or of `all`, in rank order, with the ranks of seven days
   * earlier.
   *
   * @throws {@link NotFoundError} if the category does not exist, or if there is no history
   * for the day in `at`.
   */
  getLeaderboard(category: string, query: Query<'getLeaderboard'> = {}, options?: RequestOptions): Listing<Answer<'getLeaderboard'>> {
    return this.list<'getLeaderboard'>(path('/api/leaderboard/{category}', { category }), query, options);
  }

  /** The entities whose composite score increased the most through changes within a `window`. */
  listTrending(query: Query<'listTrending'> = {}, options?: RequestOptions): Promise<Answer<'listTrending'>> {
    return this.get<'listTrending'>('/api/trending', query, options);
  }

  /** The boards: leaderboards of entities that meet certain conditions, with formulas of their own. */
  listBoards(options?: RequestOptions): Promise<Answer<'listBoards'>> {
    return this.get<'listBoards'>('/api/boards', {}, options);
  }

  /** The kinds of entities, and the fields and signals that they can have. */
  listKinds(options?: RequestOptions): Promise<Answer<'listKinds'>> {
    return this.get<'listKinds'>('/api/kinds', {}, options);
  }

  /** All categories, each with its number of entities. */
  listCategories(options?: RequestOptions): Promise<Answer<'listCategories'>> {
    return this.get<'listCategories'>('/api/categories', {}, options);
  }

  /** What providers charge for models, cheapest first. */
  listOffers(query: Query<'listOffers'> = {}, options?: RequestOptions): Listing<Answer<'listOffers'>> {
    return this.list<'listOffers'>('/api/offers', query, options);
  }

  /**
   * What a use of a model costs at each of its offers, cheapest first, line by line.
   *
   * @throws {@link NotFoundError} if the model does not exist.
   */
  getCost(query: Query<'getCost'>, options?: RequestOptions): Promise<Answer<'getCost'>> {
    return this.get<'getCost'>('/api/cost', query, options);
  }

  /** The entities that package URLs, addresses and other identifiers stand for, in the order of `id`. */
  resolve(query: Query<'resolve'>, options?: RequestOptions): Promise<Answer<'resolve'>> {
    return this.get<'resolve'>('/api/resolve', query, options);
  }

  /** Like `resolve`, for up to 1,000 identifiers. It counts as one request for each hundred begun. */
  resolveBatch(ids: readonly string[], options?: RequestOptions): Promise<Answer<'resolveBatch'>> {
    return this.transport.json<Answer<'resolveBatch'>>({ method: 'POST', path: '/api/resolve', body: { ids } }, options);
  }

  /** The changes to all entities that match the filters, newest first. */
  listChanges(query: Query<'listChanges'> = {}, options?: RequestOptions): Listing<Answer<'listChanges'>> {
    return this.list<'listChanges'>('/api/changelog', query, options);
  }

  /** What changed in a calendar month, such as 2026-11. */
  getChangesOfMonth(month: string, options?: RequestOptions): Promise<Answer<'getChangesOfMonth'>> {
    return this.get<'getChangesOfMonth'>(path('/api/changelog/{month}', { month }), {}, options);
  }

  /** @internal */
  protected get<Id extends OperationId>(path: Address, query: Query<Id>, options?: RequestOptions): Promise<Answer<Id>> {
    return this.transport.json<Answer<Id>>({ method: 'GET', path, query }, options);
  }

  /** @internal */
  protected list<Id extends Listed, P extends Page<unknown> = Extract<Answer<Id>, Page<unknown>>>(path: Address, query: Query<Id>, options?: RequestOptions): Listing<P> {
    const { offset, ...rest } = query as Query<'listEntities'>;
    const ask: PageAsker<P> = (page) => {
      // The cursor already includes the offset.
      const skip = offset === undefined || page.cursor !== undefined ? {} : { offset };
      return this.transport.json<P>({ method: 'GET', path, query: { ...rest, ...skip, ...page } satisfies Query<'listEntities'> }, options);
    };
    return new Listing<P>(ask, rest.limit);
  }
}
