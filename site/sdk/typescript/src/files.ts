import { Download, Rows } from './download.js';
import { path, type Address } from './path.js';
import { Reading } from './reading.js';
import type { RequestOptions } from './options.js';
import type { Answer, Change, EntityType, ExportedRank, ExportField, ExportRow, JsonFeed, Query } from './types.js';
import type { operations } from './schema.js';

type AsRows<Q> = Omit<Q, 'format'> & { format?: 'jsonl' };
type AsFile<Q extends { format?: string }> = Omit<Q, 'format'> & { format: Exclude<NonNullable<Q['format']>, 'jsonl'> };

/** The methods that hand out files: exports, feeds, badges, and this very library. */
export class Files extends Reading {
  /**
   * Entities as a flat table, sorted by type and slug: rows to iterate over or, with
   * `format`, a file in CSV, JSON or Parquet.
   *
   * @example
   * for await (const row of kindex.exportEntities({ type: 'model', fields: ['slug', 'license'] })) {
   *   console.log(row.slug, row.license);
   * }
   */
  exportEntities<const F extends ExportField = never>(query?: Omit<AsRows<Query<'exportEntities'>>, 'fields'> & { fields?: F | readonly F[] }, options?: RequestOptions): Rows<ExportRow<F>>;
  exportEntities(query: AsFile<Query<'exportEntities'>>, options?: RequestOptions): Download;
  exportEntities(query: Query<'exportEntities'> = {}, options?: RequestOptions): Download {
    return this.file('/api/export/entities', { format: 'jsonl', ...query } satisfies Query<'exportEntities'>, options);
  }

  /** The ranking by composite score of a category, or of all, as a flat table in the order of rank. */
  exportLeaderboard(query?: AsRows<Query<'exportLeaderboard'>>, options?: RequestOptions): Rows<ExportedRank>;
  exportLeaderboard(query: AsFile<Query<'exportLeaderboard'>>, options?: RequestOptions): Download;
  exportLeaderboard(query: Query<'exportLeaderboard'> = {}, options?: RequestOptions): Download {
    return this.file('/api/export/leaderboard', { format: 'jsonl', ...query } satisfies Query<'exportLeaderboard'>, options);
  }

  /**
   * All changes, the oldest first. With the id of the last change that you hold in
   * `since`, what has been added behind it.
   */
  exportChangelog(query?: AsRows<Query<'exportChangelog'>>, options?: RequestOptions): Rows<Change>;
  exportChangelog(query: AsFile<Query<'exportChangelog'>>, options?: RequestOptions): Download;
  exportChangelog(query: Query<'exportChangelog'> = {}, options?: RequestOptions): Download {
    return this.file('/api/export/changelog', { format: 'jsonl', ...query } satisfies Query<'exportChangelog'>, options);
  }

  /** What the build is and every file of it, with its size, its SHA-256 and its lasting address. */
  getManifest(options?: RequestOptions): Promise<Answer<'getManifest'>> {
    return this.get<'getManifest'>('/api/export/manifest', {}, options);
  }

  /** The files of the build as an MLCommons Croissant 1.1 dataset, in JSON-LD. */
  getCroissant(options?: RequestOptions): Promise<operations['getCroissant']['responses'][200]['content']['application/ld+json']> {
    return this.transport.json({ method: 'GET', path: '/api/export/croissant' }, options);
  }

  /**
   * A file of the current build, or of an earlier one that is still kept. It costs
   * nothing of the limit.
   *
   * @param build The `id` of the manifest.
   * @param file The `path` of a file of the manifest.
   */
  getDataFile(build: string, file: string, options?: RequestOptions): Download {
    return this.file(path('/data/{build}/{file}', { build, file }), undefined, options);
  }

  /**
   * The changes as a feed for people, up to 200 a document: a JSON Feed, or the text of
   * an RSS or Atom document. Programs read {@link Reading.listChanges}.
   */
  getFeed(query: Query<'getFeed'> & { format: 'json' }, options?: RequestOptions): Promise<JsonFeed>;
  getFeed(query?: Query<'getFeed'>, options?: RequestOptions): Promise<string>;
  getFeed(query: Query<'getFeed'> = {}, options?: RequestOptions): Promise<JsonFeed | string> {
    const ask = { method: 'GET', path: '/api/feed', query } as const;
    return query.format === 'json' ? this.transport.json<JsonFeed>(ask, options) : this.transport.text(ask, options);
  }

  /**
   * A picture with the score, the rank or the trend of an entity, as the text of an SVG.
   * It costs nothing of the limit. Pages rather link to its address.
   */
  getBadge(type: EntityType, slug: string, query: Query<'getBadge'> = {}, options?: RequestOptions): Promise<string> {
    return this.transport.text({ method: 'GET', path: path('/badge/{type}/{slug}.svg', { type, slug }), query }, options);
  }

  /** The newest version of this library, as npm installs it: a gzipped tar. */
  getTypescriptSdk(options?: RequestOptions): Download {
    return this.file('/api/sdk/typescript', undefined, options);
  }

  /** A version of this library, by the name of its file: `0.8.1.tgz`. Its bytes never change. */
  getTypescriptSdkVersion(file: string, options?: RequestOptions): Download {
    return this.file(path('/api/sdk/typescript/{file}', { file }), undefined, options);
  }

  /** The newest version of the library for Python, as pip installs it: a gzipped tar. */
  getPythonSdk(options?: RequestOptions): Download {
    return this.file('/api/sdk/python', undefined, options);
  }

  /** A version of the library for Python, by the name of its file: `kindex-0.8.1.tar.gz`. */
  getPythonSdkVersion(file: string, options?: RequestOptions): Download {
    return this.file(path('/api/sdk/python/{file}', { file }), undefined, options);
  }

  /** The description of the interface (OpenAPI 3.0.3), as an object or as the text of a YAML file. */
  getOpenapi(query: { format: 'yaml' }, options?: RequestOptions): Promise<string>;
  getOpenapi(query?: { format?: 'json' }, options?: RequestOptions): Promise<Answer<'getOpenapi'>>;
  getOpenapi(query: Query<'getOpenapi'> = {}, options?: RequestOptions): Promise<string | Answer<'getOpenapi'>> {
    const ask = { method: 'GET', path: '/api/openapi', query: { format: 'json', ...query } satisfies Query<'getOpenapi'> } as const;
    return query.format === 'yaml' ? this.transport.text(ask, options) : this.transport.json<Answer<'getOpenapi'>>(ask, options);
  }

  /** @internal */
  protected file(path: Address, query: object | undefined, options?: RequestOptions): Rows<never> {
    return new Rows<never>(this.transport, { method: 'GET', path, query }, options);
  }
}

