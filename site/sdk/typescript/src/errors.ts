import type { ErrorCode, FieldError, Problem } from './types.js';

/**
 * What every error of this library is an instance of, but for the reason of an
 * `AbortSignal`, which is thrown as it is.
 */
export class KindexError extends Error {
  override name = 'KindexError';
}

/** No answer, or half of one: the network, the server's process, or time. */
export class NetworkError extends KindexError {
  override name = 'NetworkError';
}

/** Nothing came within the `timeout` of the client or of the call. */
export class TimeoutError extends NetworkError {
  override name = 'TimeoutError';
}

/** An answer that is none of this interface, such as a page of a proxy with status 200. */
export class ProtocolError extends KindexError {
  override name = 'ProtocolError';
}

/** What was downloaded is not what the server has: its size or its SHA-256 differs. */
export class IntegrityError extends KindexError {
  override name = 'IntegrityError';
}

/** A delivery that did not come from the index, or not now. Answer it with 400. */
export class WebhookVerificationError extends KindexError {
  override name = 'WebhookVerificationError';
}

/**
 * The server has refused, or has failed. What can be told apart by status has a class
 * of its own below; `code` tells more, and stays the same.
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
  /** What went wrong, for programs. Where a proxy answered, `http-` and the status. */
  readonly code: ErrorCode;
  /** What went wrong, in general. */
  readonly title: string;
  /** What went wrong this time, for people. */
  readonly detail: string;
  /** The parameters, or the fields of the body, that are wrong. */
  readonly errors: readonly FieldError[];
  /** The nearest right name, value or address; null where there is none. */
  readonly suggestion: string | null;
  /** What the operator finds in the log; null where a proxy answered. */
  readonly requestId: string | null;
  /** How long to wait before the next attempt, in seconds; null where nothing is said. */
  readonly retryAfter: number | null;

  constructor(answer: { status: number; problem: Problem | null; requestId: string | null; retryAfter: number | null }) {
    const { status, problem } = answer;
    const title = problem?.title ?? `The answer is ${status}, without a reason.`;
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

/** 400, 413, 415, 422: what was sent cannot be used. `errors` names each faulty field. */
export class BadRequestError extends ApiError {
  override name = 'BadRequestError';
}

/** 401: there is no key where one is needed, or it is not good. */
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError';
}

/** 403: the account of the key is suspended. */
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError';
}

/** 404: there is no such thing. `suggestion` may be what was meant. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}

/** 410: the entity was deleted, or the event is kept no longer. */
export class GoneError extends ApiError {
  override name = 'GoneError';
}

/** 409: it is there already, or there are as many as there may be. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}

/**
 * 429: the limit is used up, and it takes longer than `maxRetryDelay` until there is a
 * new one, or the retries are. `retryAfter` says how long, and `client.rateLimit` until when.
 */
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError';
}

/** 502, 503, 504: the service cannot answer now. The retries are used up. */
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
 * Reads the error that an answer is.
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
      // The status says enough.
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
 * Reads the header Retry-After: seconds, or a date (RFC 9110 section 10.2.3). Null for
 * anything else.
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
