import { Files } from './files.js';
import { Listing } from './listing.js';
import { path, type Address } from './path.js';
import type { RequestOptions, WriteOptions } from './options.js';
import type { operations } from './schema.js';
import type { Answer, OperationId, Query } from './types.js';

type Body<Id extends 'createApiKey' | 'revokeLeakedKey' | 'submitEntity' | 'createWebhook'> = operations[Id]['requestBody']['content']['application/json'];

/**
 * A client for an index. It has a method for every operation of the API, with the same
 * name: path parameters come first, then an object with the query parameters or the body,
 * then options for the request.
 *
 * Reads are retried if the server is busy or the network fails. Writes are retried too, because
 * their `Idempotency-Key` makes sure that they take effect only once. All methods throw a
 * {@link KindexError}, or the reason of the `signal` that aborted them.
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
   * Creates another key for your account, by default with the scopes `read`, `submit` and
   * `webhooks`. This requires a key with the scope `keys`. Only this response shows the new
   * key. If the response is lost and the request is retried, a {@link ConflictError} with
   * the code `secret-shown-once` names the key, so that you can revoke it.
   *
   * @throws {@link ConflictError} `too-many-keys` if there are already five;
   * {@link ForbiddenError} `insufficient-scope` if the client's own key lacks a requested scope.
   */
  createApiKey(body: Body<'createApiKey'>, options?: WriteOptions): Promise<Answer<'createApiKey'>> {
    return this.post<'createApiKey'>('/api/developer/api-keys', body, options);
  }

  /** Permanently revokes a key of your account, by its id. It can be the key of this client. */
  revokeApiKey(key: { id: string }, options?: RequestOptions): Promise<void> {
    return this.transport.json<void>({ method: 'DELETE', path: '/api/developer/api-keys', query: { id: key.id } satisfies Query<'revokeApiKey'> }, options);
  }

  /** Permanently revokes a leaked key, even of another account. You do not need a key for this. */
  async revokeLeakedKey(body: Body<'revokeLeakedKey'>, options?: RequestOptions): Promise<void> {
    await this.transport.json<undefined>({ method: 'POST', path: '/api/developer/api-keys/revoke', body }, options);
  }

  /** The audit log of your account, newest entries first. This requires a key with the scope `keys`. */
  listAuditLog(query: Query<'listAuditLog'> = {}, options?: RequestOptions): Listing<Answer<'listAuditLog'>> {
    return this.list<'listAuditLog'>('/api/developer/audit', query, options);
  }

  /**
   * Proposes a new tool or model or, with `amends`, a correction of an existing one, which then
   * awaits review.
   *
   * @throws {@link BadRequestError} with all invalid fields in `errors`;
   * {@link ConflictError} `already-exists` if the index or one of your open submissions already
   * has the entity, with its address in `suggestion`, or `too-many-submissions` if you already
   * have 20 open submissions.
   */
  submitEntity(body: Body<'submitEntity'>, options?: WriteOptions): Promise<Answer<'submitEntity'>> {
    return this.post<'submitEntity'>('/api/submit', body, options);
  }

  /** Your submissions, newest first. */
  listSubmissions(query: Query<'listSubmissions'> = {}, options?: RequestOptions): Listing<Answer<'listSubmissions'>> {
    return this.list<'listSubmissions'>('/api/submissions', query, options);
  }

  /** One of your submissions, with its fields. */
  getSubmission(id: string, options?: RequestOptions): Promise<Answer<'getSubmission'>> {
    return this.get<'getSubmission'>(path('/api/submissions/{id}', { id }), {}, options);
  }

  /**
   * Withdraws one of your submissions, which must be pending or in review.
   *
   * @throws {@link ConflictError} `cannot-withdraw` if it has already been accepted, published or rejected.
   */
  withdrawSubmission(id: string, options?: RequestOptions): Promise<void> {
    return this.transport.json<void>({ method: 'DELETE', path: path('/api/submissions/{id}', { id }) }, options);
  }

  /** Your webhooks, oldest first. */
  listWebhooks(options?: RequestOptions): Promise<Answer<'listWebhooks'>> {
    return this.get<'listWebhooks'>('/api/webhooks', {}, options);
  }

  /**
   * Registers an address that is called when entities change. Only this response shows the
   * `secret`, which `verifyWebhook` needs.
   *
   * @throws {@link ConflictError} `too-many-webhooks` if there are already ten.
   */
  createWebhook(body: Body<'createWebhook'>, options?: WriteOptions): Promise<Answer<'createWebhook'>> {
    return this.post<'createWebhook'>('/api/webhooks', body, options);
  }

  /** One of your webhooks, with its delivery state. */
  getWebhook(id: string, options?: RequestOptions): Promise<Answer<'getWebhook'>> {
    return this.get<'getWebhook'>(path('/api/webhooks/{id}', { id }), {}, options);
  }

  /** Deletes a webhook and its log. */
  deleteWebhook(id: string, options?: RequestOptions): Promise<void> {
    return this.transport.json<void>({ method: 'DELETE', path: path('/api/webhooks/{id}', { id }) }, options);
  }

  /** Sends the event `webhook.test` to a webhook, immediately and without retries. The delivery log has the result. */
  testWebhook(id: string, options?: WriteOptions): Promise<Answer<'testWebhook'>> {
    return this.post<'testWebhook'>(path('/api/webhooks/{id}/test', { id }), undefined, options);
  }

  /**
   * Gives a webhook a new secret, which only this response shows. For 24 hours, deliveries
   * are also signed with the previous secret; any older secret becomes invalid immediately.
   *
   * @throws {@link ConflictError} `secret-shown-once` if the response was lost and the request
   * was retried. In that case, rotate the secret again.
   */
  rotateWebhook(id: string, options?: WriteOptions): Promise<Answer<'rotateWebhook'>> {
    return this.post<'rotateWebhook'>(path('/api/webhooks/{id}/rotate', { id }), undefined, options);
  }

  /** The deliveries of the last 30 days to a webhook, newest first. */
  listDeliveries(id: string, query: Query<'listDeliveries'> = {}, options?: RequestOptions): Listing<Answer<'listDeliveries'>> {
    return this.list<'listDeliveries'>(path('/api/webhooks/{id}/deliveries', { id }), query, options);
  }

  /** Sends the event of a delivery again. */
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
 * Operations in the API description that have no method; the compiler reports them as errors.
 *
 * @internal
 */
export type Missing = None<Exclude<OperationId, keyof Kindex>>;
