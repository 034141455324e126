import { Files } from './files.js';
import { Listing } from './listing.js';
import { path, type Address } from './path.js';
import type { RequestOptions, WriteOptions } from './options.js';
import type { operations } from './schema.js';
import type { Answer, OperationId, Query } from './types.js';

type Body<Id extends 'createApiKey' | 'revokeLeakedKey' | 'submitEntity' | 'createWebhook'> = operations[Id]['requestBody']['content']['application/json'];

/**
 * A client of an index. There is a method for every operation of its interface, by the
 * same name: what stands in the path comes first, then what stands in the query or the
 * body, by name, then how to ask.
 *
 * Reads are tried again where the server is busy or the network fails. So are writes: each
 * has an `Idempotency-Key`, with which the server makes it once. All methods throw a
 * {@link KindexError}, or the reason of the `signal` that ended them.
 *
 * @example
 * const kindex = new Kindex({ baseUrl: 'https://index.example.org', apiKey: process.env.KINDEX_API_KEY });
 * const { data } = await kindex.searchEntities({ q: 'speech recognition', limit: 3 });
 */
export class Kindex extends Files {
  /** The active keys of your account, masked. */
  listApiKeys(options?: RequestOptions): Promise<Answer<'listApiKeys'>> {
    return this.get<'listApiKeys'>('/api/developer/api-keys', {}, options);
  }

  /**
   * A further key for your account; it takes a key with the scope `keys`, and gets `read`,
   * `submit` and `webhooks` unless `scopes` says otherwise. The answer is the only one that shows it: where the
   * answer is lost, and the second attempt comes to that, a {@link ConflictError} with
   * the code `secret-shown-once` names the key, to be revoked.
   *
   * @throws {@link ConflictError} `too-many-keys` beyond five; {@link ForbiddenError}
   * `insufficient-scope` where the key of this client lacks a scope that it would give.
   */
  createApiKey(body: Body<'createApiKey'>, options?: WriteOptions): Promise<Answer<'createApiKey'>> {
    return this.post<'createApiKey'>('/api/developer/api-keys', body, options);
  }

  /** Ends a key of your account for good, by its id. It may be the key of this client. */
  revokeApiKey(key: { id: string }, options?: RequestOptions): Promise<void> {
    return this.transport.json<void>({ method: 'DELETE', path: '/api/developer/api-keys', query: { id: key.id } satisfies Query<'revokeApiKey'> }, options);
  }

  /** Ends a key that has leaked, whoever's it is. It takes no key of your own. */
  async revokeLeakedKey(body: Body<'revokeLeakedKey'>, options?: RequestOptions): Promise<void> {
    await this.transport.json<undefined>({ method: 'POST', path: '/api/developer/api-keys/revoke', body }, options);
  }

  /** What was done with your account, the newest first; it takes a key with the scope `keys`. */
  listAuditLog(query: Query<'listAuditLog'> = {}, options?: RequestOptions): Listing<Answer<'listAuditLog'>> {
    return this.list<'listAuditLog'>('/api/developer/audit', query, options);
  }

  /**
   * Proposes a new tool or model, which waits to be reviewed then.
   *
   * @throws {@link BadRequestError} with every faulty field in `errors`;
   * {@link ConflictError} `already-exists` where the index has it, or an open submission of
   * yours proposes it, with its address in `suggestion`, and `too-many-submissions` beyond 20
   * open ones.
   */
  submitEntity(body: Body<'submitEntity'>, options?: WriteOptions): Promise<Answer<'submitEntity'>> {
    return this.post<'submitEntity'>('/api/submit', body, options);
  }

  /** Your submissions, the newest first. */
  listSubmissions(query: Query<'listSubmissions'> = {}, options?: RequestOptions): Listing<Answer<'listSubmissions'>> {
    return this.list<'listSubmissions'>('/api/submissions', query, options);
  }

  /** One of your submissions, with its fields. */
  getSubmission(id: string, options?: RequestOptions): Promise<Answer<'getSubmission'>> {
    return this.get<'getSubmission'>(path('/api/submissions/{id}', { id }), {}, options);
  }

  /**
   * Withdraws a submission of yours that is pending or in review.
   *
   * @throws {@link ConflictError} `cannot-withdraw` once it is accepted or rejected.
   */
  withdrawSubmission(id: string, options?: RequestOptions): Promise<void> {
    return this.transport.json<void>({ method: 'DELETE', path: path('/api/submissions/{id}', { id }) }, options);
  }

  /** Your webhooks, the oldest first. */
  listWebhooks(options?: RequestOptions): Promise<Answer<'listWebhooks'>> {
    return this.get<'listWebhooks'>('/api/webhooks', {}, options);
  }

  /**
   * Has an address of yours called when entities change. The answer is the only one that
   * shows the `secret` that `verifyWebhook` needs.
   *
   * @throws {@link ConflictError} `too-many-webhooks` beyond ten.
   */
  createWebhook(body: Body<'createWebhook'>, options?: WriteOptions): Promise<Answer<'createWebhook'>> {
    return this.post<'createWebhook'>('/api/webhooks', body, options);
  }

  /** How a webhook of yours is doing. */
  getWebhook(id: string, options?: RequestOptions): Promise<Answer<'getWebhook'>> {
    return this.get<'getWebhook'>(path('/api/webhooks/{id}', { id }), {}, options);
  }

  /** Ends a webhook, and its log. */
  deleteWebhook(id: string, options?: RequestOptions): Promise<void> {
    return this.transport.json<void>({ method: 'DELETE', path: path('/api/webhooks/{id}', { id }) }, options);
  }

  /** Sends the event `webhook.test` to a webhook, at once and once. Its log tells what came of it. */
  testWebhook(id: string, options?: WriteOptions): Promise<Answer<'testWebhook'>> {
    return this.post<'testWebhook'>(path('/api/webhooks/{id}/test', { id }), undefined, options);
  }

  /**
   * Gives a webhook a new secret, which only this answer shows. For 24 hours deliveries are
   * signed with the previous one, too; any older one ends at once.
   *
   * @throws {@link ConflictError} `secret-shown-once` where the answer was lost and the second
   * attempt comes to that: rotate again.
   */
  rotateWebhook(id: string, options?: WriteOptions): Promise<Answer<'rotateWebhook'>> {
    return this.post<'rotateWebhook'>(path('/api/webhooks/{id}/rotate', { id }), undefined, options);
  }

  /** What was sent to a webhook in the last 30 days, the newest first. */
  listDeliveries(id: string, query: Query<'listDeliveries'> = {}, options?: RequestOptions): Listing<Answer<'listDeliveries'>> {
    return this.list<'listDeliveries'>(path('/api/webhooks/{id}/deliveries', { id }), query, options);
  }

  /** Sends the event of a delivery once more. */
  replayDelivery(id: string, delivery: string, options?: WriteOptions): Promise<Answer<'replayDelivery'>> {
    return this.post<'replayDelivery'>(path('/api/webhooks/{id}/deliveries/{delivery}/replay', { id, delivery }), undefined, options);
  }

  /** @internal */
  protected post<Id extends 'createApiKey' | 'submitEntity' | 'createWebhook' | 'testWebhook' | 'rotateWebhook' | 'replayDelivery'>(
    path: Address, body: object | undefined, options?: WriteOptions): Promise<Answer<Id>> {
    return this.transport.json<Answer<Id>>({ method: 'POST', path, body }, options);
  }
}

type None<T extends never> = T;

/**
 * Operations of the description that have no method; the compiler refuses any.
 *
 * @internal
 */
export type Missing = None<Exclude<OperationId, keyof Kindex>>;
