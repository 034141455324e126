/**
 * A client for kindex, a knowledge index of AI tools and models.
 *
 * It needs only fetch, Web Streams and Web Crypto: it runs in Node 20 or newer, in
 * browsers, and in any other runtime that has them.
 *
 * @packageDocumentation
 */
export { Kindex } from './client.js';
export type { Download, Rows } from './download.js';
export type { Table } from './files.js';
export {
  ApiError, BadRequestError, ConflictError, ForbiddenError, GoneError, IntegrityError, KindexError, NetworkError, NotFoundError,
  ProtocolError, RateLimitedError, TimeoutError, UnauthorizedError, UnavailableError, WebhookVerificationError,
} from './errors.js'; // without the functions that read errors from responses
export type { Listing } from './listing.js';
export type { ClientOptions, Fetch, FetchRequest, RateLimit, RequestOptions, ResponseInfo, WriteOptions } from './options.js';
export { member, named } from './names.js';
export type { Name } from './names.js';
export type * from './types.js';
export type { components, operations, paths } from './schema.js';
export { version } from './version.js';
export { verifyWebhook } from './webhooks.js';
export type { HeadersLike, VerifyOptions } from './webhooks.js';
