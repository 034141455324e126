/**
 * Client of kindex, a knowledge index of AI tools and models.
 *
 * It needs fetch, Web Streams and Web Crypto, and nothing else: it runs in Node from 20
 * on, in browsers, and in other places that have these.
 *
 * @packageDocumentation
 */
export { Kindex } from './client.js';
export type { Download, Rows } from './download.js';
export {
  ApiError, BadRequestError, ConflictError, ForbiddenError, GoneError, IntegrityError, KindexError, NetworkError, NotFoundError,
  ProtocolError, RateLimitedError, TimeoutError, UnauthorizedError, UnavailableError, WebhookVerificationError,
} from './errors.js'; // not what reads them from answers
export type { Listing } from './listing.js';
export type { ClientOptions, Fetch, FetchRequest, RateLimit, RequestOptions, ResponseInfo, WriteOptions } from './options.js';
export type * from './types.js';
export type { components, operations, paths } from './schema.js';
export { version } from './version.js';
export { verifyWebhook } from './webhooks.js';
export type { HeadersLike, VerifyOptions } from './webhooks.js';
