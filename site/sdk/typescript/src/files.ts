import { Download, Rows } from './download.js';
import type { Name } from './names.js';
import { path, type Address } from './path.js';
import { Reading } from './reading.js';
import type { RequestOptions } from './options.js';
import type { Answer, Change, EntityType, ExportedBenchmark, ExportedIdentifier, ExportedOffer, ExportedRank, ExportedSignal, ExportField, ExportRow, Fields, JsonFeed, OperationId, Query } from './types.js';
import type { operations } from './schema.js';

type AsRows<Q> = Omit<Q, 'format'> & { format?: 'jsonl' };
type AsFile<Q> = Omit<Q, 'format'> & { format: Exclude<Q[keyof Q & 'format'], 'jsonl' | undefined> };

/** Exports a table: rows to iterate over or, with a `format`, a file in CSV, JSON or Parquet. */
export interface Table<Id extends TableId, Row> {
  (query?: AsRows<Query<Id>>, options?: RequestOptions): Rows<Row>;
  (query: AsFile<Query<Id>>, options?: RequestOptions): Download;
}

type TableId = Exclude<Extract<OperationId, `export${string}`>, 'exportEntities'>;

/** The methods that return files: exports, feeds, badges and client libraries. */
export class Files extends Reading {
  /**
   * Entities as a flat table, sorted by type and slug: rows to iterate over or, with a
   * `format`, a file in CSV, JSON or Parquet.
   *
   * @example
   * for await (const row of kindex.exportEntities({ type: 'model', fields: ['slug', 'license'] })) {
   *   console.log(row.slug, row.license);
   * }
   */
  exportEntities<const F extends ExportField = never>(query?: Fields<AsRows<Query<'exportEntities'>>, F>, options?: RequestOptions): Rows<ExportRow<F>>;
  exportEntities(query: AsFile<Query<'exportEntities'>>, options?: RequestOptions): Download;
  exportEntities(query: Query<'exportEntities'> = {}, options?: RequestOptions): Download {
    return this.file('/api/export/entities', { format: 'jsonl', ...query } satisfies Query<'exportEntities'>, options);
  }

  /** The figures of all entities, one row per signal. */
  readonly exportSignals: Table<'exportSignals', ExportedSignal> = this.table('/api/export/signals');

  /** The benchmark results of all models, one row per result. */
  readonly exportBenchmarks: Table<'exportBenchmarks', ExportedBenchmark> = this.table('/api/export/benchmarks');

  /** The offers of all models, one row per offer, tier and mode. */
  readonly exportOffers: Table<'exportOffers', ExportedOffer> = this.table('/api/export/offers');

  /** The identifiers of all entities, one row per identifier. */
  readonly exportIds: Table<'exportIds', ExportedIdentifier> = this.table('/api/export/ids');

  /** The ranking of a category, or of all entities, by composite score, as a flat table in rank order. */
  readonly exportLeaderboard: Table<'exportLeaderboard', ExportedRank> = this.table('/api/export/leaderboard');

  /**
   * All changes, oldest first. To get only new changes, set `since` to the id of the last
   * change you received.
   */
  readonly exportChangelog: Table<'exportChangelog', Change> = this.table('/api/export/changelog');

  /** Describes the build: what it was created from, and every file with its size, SHA-256 and permanent address. */
  getManifest(options?: RequestOptions): Promise<Answer<'getManifest'>> {
    return this.get<'getManifest'>('/api/export/manifest', {}, options);
  }

  /** How complete, how old and how consistent the data of the build is. */
  getQuality(options?: RequestOptions): Promise<Answer<'getQuality'>> {
    return this.get<'getQuality'>('/api/quality', {}, options);
  }

  /** The files of the build as an MLCommons Croissant 1.1 dataset, in JSON-LD. */
  getCroissant(options?: RequestOptions): Promise<operations['getCroissant']['responses'][200]['content']['application/ld+json']> {
    return this.transport.json({ method: 'GET', path: '/api/export/croissant' }, options);
  }

  /**
   * A file of the current build, or of an earlier build that is still kept. It does not
   * count towards the rate limit.
   *
   * @param build The `id` in the manifest.
   * @param file The `path` of a file in the manifest.
   */
  getDataFile(build: string, file: string, options?: RequestOptions): Download {
    return this.file(path('/data/{build}/{file}', { build, file }), undefined, options);
  }

  /**
   * A human-readable feed of the changes, up to 200 per document: a JSON Feed, or the text
   * of an RSS or Atom document. Programs should use {@link Reading.listChanges}.
   */
  getFeed(query: Query<'getFeed'> & { format: 'json' }, options?: RequestOptions): Promise<JsonFeed>;
  getFeed(query?: Query<'getFeed'>, options?: RequestOptions): Promise<string>;
  getFeed(query: Query<'getFeed'> = {}, options?: RequestOptions): Promise<JsonFeed | string> {
    const ask = { method: 'GET', path: '/api/feed', query } as const;
    return query.format === 'json' ? this.transport.json<JsonFeed>(ask, options) : this.transport.text(ask, options);
  }

  /** Releases, deprecations and retirements as an iCalendar document, as text. Calendar programs should subscribe to its address instead. */
  getCalendar(query: Query<'getCalendar'> = {}, options?: RequestOptions): Promise<string> {
    return this.transport.text({ method: 'GET', path: '/api/calendar', query }, options);
  }

  /**
   * An SVG image with the score, rank, trend, status or price of an entity, as text. It does not count
   * towards the rate limit. Web pages should link to its address instead.
   */
  getBadge(type: EntityType | Name, slug: string, query: Query<'getBadge'> = {}, options?: RequestOptions): Promise<string> {
    return this.transport.text({ method: 'GET', path: path('/badge/{type}/{slug}.svg', { type, slug }), query }, options);
  }

  /** The latest version of this library, as a gzipped tar archive that npm can install. */
  getTypescriptSdk(options?: RequestOptions): Download {
    return this.file('/api/sdk/typescript', undefined, options);
  }

  /** A version of this library, by its file name, such as `0.19.0.tgz`. Its bytes never change. */
  getTypescriptSdkVersion(file: string, options?: RequestOptions): Download {
    return this.file(path('/api/sdk/typescript/{file}', { file }), undefined, options);
  }

  /** The latest version of the Python library, as a gzipped tar archive that pip can install. */
  getPythonSdk(options?: RequestOptions): Download {
    return this.file('/api/sdk/python', undefined, options);
  }

  /** A version of the Python library, by its file name, such as `kindex-0.19.0.tar.gz`. */
  getPythonSdkVersion(file: string, options?: RequestOptions): Download {
    return this.file(path('/api/sdk/python/{file}', { file }), undefined, options);
  }

  /** The description of the API (OpenAPI 3.0.3), as an object or as the text of a YAML file. */
  getOpenapi(query: { format: 'yaml' }, options?: RequestOptions): Promise<string>;
  getOpenapi(query?: { format?: 'json' }, options?: RequestOptions): Promise<Answer<'getOpenapi'>>;
  getOpenapi(query: Query<'getOpenapi'> = {}, options?: RequestOptions): Promise<string | Answer<'getOpenapi'>> {
    const ask = { method: 'GET', path: '/api/openapi', query: { format: 'json', ...query } satisfies Query<'getOpenapi'> } as const;
    return query.format === 'yaml' ? this.transport.text(ask, options) : this.transport.json<Answer<'getOpenapi'>>(ask, options);
  }

  /** @internal */
  protected table<Id extends TableId, Row>(path: Address): Table<Id, Row> {
    return (query: object = {}, options?: RequestOptions) => this.file(path, { format: 'jsonl', ...query }, options);
  }

  /** @internal */
  protected file(path: Address, query: object | undefined, options?: RequestOptions): Rows<never> {
    return new Rows<never>(this.transport, { method: 'GET', path, query }, options);
  }
}

