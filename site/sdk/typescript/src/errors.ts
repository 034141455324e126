import type { ErrorCode, FieldError, Problem } from './types.js';

/**
 * The base class of all errors that this library throws. Only the reason of an
 * `AbortSignal` is thrown unchanged.
 */
export class KindexError extends Error {
  override name = 'KindexError';
}

/** There was no complete response, because of the network, the server or a timeout. */
export class NetworkError extends KindexError {
  override name = 'NetworkError';
}

/** The `timeout` of the client or of the call was exceeded. */
export class TimeoutError extends NetworkError {
  override name = 'TimeoutError';
}

/** A response that is not from the API, such as a web page from a proxy with status 200. */
export class ProtocolError extends KindexError {
  override name = 'ProtocolError';
}

/** The size or the SHA-256 of a download is wrong. */
export class IntegrityError extends KindexError {
  override name = 'IntegrityError';
}

/** A webhook delivery is not from the index, or not recent. Respond to it with 400. */
export class WebhookVerificationError extends KindexError {
  override name = 'WebhookVerificationError';
}

/**
 * The server returned an error. The subclasses distinguish errors by status; `code` is more
 * specific and never changes.
 *
 * @example
 * try {
 *   await kindex.getEntity('tool', 'pytrch');
 * } catch (error) {
 *   if (!(error instanceof ApiError)) throw error;
 *   console.log(error.status, error.code, error.suggestion);
 *   // 404 unknown-entity /api/entity/tool/pytorch
 * }
 */
export class ApiError extends KindexError {
  override name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** A machine-readable error code; `http-` and the status if the response is from a proxy. */
  readonly code: ErrorCode;
  /** A short summary; every error with this code has the same one. */
  readonly title: string;
  /** A human-readable explanation of the error. */
  readonly detail: string;
  /** The invalid parameters or body fields. */
  readonly errors: readonly FieldError[];
  /** The nearest valid name, value or address; null if there is none. */
  readonly suggestion: string | null;
  /** The id of the request in the operator's log; null if the response is from a proxy. */
  readonly requestId: string | null;
  /** Seconds to wait before the next attempt; null if the response does not specify it. */
  readonly retryAfter: number | null;

  constructor(answer: { status: number; problem: Problem | null; requestId: string | null; retryAfter: number | null }) {
    const { status, problem } = answer;
    const title = problem?.title ?? `The server returned ${status} without details.`;
    super(problem === null ? title : describe(problem));
    this.status = status;
    this.code = problem?.code ?? `http-${status}`;
    this.title = title;
    this.detail = problem?.detail ?? '';
    this.errors = problem?.errors ?? [];
    this.suggestion = problem?.suggestion ?? null;
    this.requestId = problem?.requestId ?? answer.requestId;
    this.retryAfter = answer.retryAfter;
  }
}

/** 400, 413, 415, 422: the request is invalid. `errors` lists each invalid field. */
export class BadRequestError extends ApiError {
  override name = 'BadRequestError';
}

/** 401: a key is required, or the key is invalid. */
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError';
}

/** 403: the account is suspended, or the key lacks a scope. */
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError';
}

/** 404: the requested object does not exist. `suggestion` is the nearest match. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}

/** 410: the entity was deleted, or the event is no longer stored. */
export class GoneError extends ApiError {
  override name = 'GoneError';
}

/** 409: the object already exists, a limit is reached, or a secret has already been shown. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}

/**
 * 429: the rate limit is exceeded, and the wait is longer than `maxRetryDelay` or there are no
 * retries left. `retryAfter` is the wait in seconds; `client.rateLimit` has the end of the window.
 */
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError';
}

/** 502, 503, 504: the service is temporarily unavailable, and there are no retries left. */
export class UnavailableError extends ApiError {
  override name = 'UnavailableError';
}

const byStatus: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  413: BadRequestError,
  415: BadRequestError,
  422: BadRequestError,
  429: RateLimitedError,
  502: UnavailableError,
  503: UnavailableError,
  504: UnavailableError,
};

/**
 * Reads an error response.
 *
 * @internal
 */
export async function readError(response: Response): Promise<ApiError> {
  let problem: Problem | null = null;
  const text = await response.text();
  if (response.headers.get('content-type')?.startsWith('application/problem+json')) {
    try {
      const read = JSON.parse(text) as Problem;
      if (typeof read.code === 'string') problem = { ...read, errors: read.errors ?? [], suggestion: read.suggestion ?? null };
    } catch {
      // The status is sufficient.
    }
  }
  return new (byStatus[response.status] ?? ApiError)({
    status: response.status,
    problem,
    requestId: response.headers.get('x-request-id'),
    retryAfter: secondsUntil(response.headers.get('retry-after')),
  });
}

/**
 * Reads the header Retry-After, which is a number of seconds or a date (RFC 9110 section
 * 10.2.3). Returns null for anything else.
 *
 * @internal
 */
export function secondsUntil(retryAfter: string | null, now = Date.now()): number | null {
  if (retryAfter === null) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1000);
}

function describe(problem: Problem): string {
  const fields = problem.errors.map((e) => `${e.field}: ${e.message}`).join('; ');
  let text = problem.detail || problem.title;
  if (fields !== '' && !problem.errors.some((e) => text.includes(e.message))) text += ` (${fields})`;
  if (problem.suggestion !== null && !text.includes(problem.suggestion)) text += ` Nearest: ${problem.suggestion}`;
  return `${problem.status} ${problem.code}: ${text}`;
}
