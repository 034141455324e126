"""The errors that clients raise.

All of them are subclasses of :class:`KindexError`. Invalid arguments, such as an empty
slug, raise ``ValueError`` or ``TypeError`` before anything is sent.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Type, cast

__all__ = [
    "KindexError",
    "NetworkError",
    "RequestTimeoutError",
    "IntegrityError",
    "WebhookVerificationError",
    "ApiError",
    "BadRequestError",
    "UnauthorizedError",
    "ForbiddenError",
    "NotFoundError",
    "ConflictError",
    "GoneError",
    "RateLimitedError",
    "ServerError",
    "UnavailableError",
]


class KindexError(Exception):
    """The base class of all errors in this package."""


class NetworkError(KindexError):
    """There was no complete response, because the name lookup, connection, TLS or proxy failed.

    A write may nevertheless have taken effect.
    ``__cause__`` is the underlying error, if there is one.
    """


class RequestTimeoutError(NetworkError):
    """The service sent nothing for longer than ``timeout``."""


class IntegrityError(KindexError):
    """The SHA-256 of a downloaded file is wrong.

    The file was removed.
    """


class WebhookVerificationError(KindexError):
    """A delivery is forged, too old or invalid. Do not use its content."""


class ApiError(KindexError):
    """The service returned an error, with problem details (RFC 9457).

    Catch the subclasses to handle specific errors; the status determines the subclass.
    """

    def __init__(
        self,
        status: int,
        problem: Optional[Mapping[str, Any]] = None,
        retry_after: Optional[float] = None,
        request_id: str = "",
    ) -> None:
        """Create the error for a response.

        Args:
            status: The HTTP status.
            problem: The problem document, or None if the response has none.
            retry_after: Seconds to wait, or None if the response does not specify it.
            request_id: The request id to use if the problem document has none.
        """
        super().__init__(status, problem, retry_after, request_id)
        self.problem: Dict[str, Any] = dict(problem or {})
        """The complete problem document, including members that this version does not know.

        Empty if the response has none, for example if it comes from a proxy.
        """
        self.status: int = status
        """The HTTP status."""
        self.code: str = self._text("code")
        """The machine-readable error code, such as ``unknown-entity``, which never changes.

        Empty if the response has no problem document.
        """
        self.title: str = self._text("title")
        """A short summary; every error with this code has the same one."""
        self.detail: str = self._text("detail")
        """A human-readable explanation of the error."""
        self.suggestion: Optional[str] = self._text("suggestion") or None
        """The nearest valid name, value or address, or None if there is none."""
        self.request_id: str = self._text("requestId") or request_id
        """The id of the request, by which the operator can find it in the log."""
        self.retry_after: Optional[float] = retry_after
        """Seconds to wait before the next attempt, or None if the response does not specify it."""
        errors = self.problem.get("errors")
        self.errors: List[Dict[str, str]] = (
            [cast("Dict[str, str]", e) for e in cast("List[object]", errors) if isinstance(e, dict)] if isinstance(errors, list) else []
        )
        """The invalid parameters or fields, each with its ``field`` and ``message``."""

    def _text(self, name: str) -> str:
        value = self.problem.get(name)
        return value if isinstance(value, str) else ""

    def __str__(self) -> str:
        """Describe the error, and what would be valid."""
        parts = [f"{self.status} {self.code or 'without a problem document'}"]
        if self.detail or self.title:
            parts.append(self.detail or self.title)
        parts += [f"{e.get('field', '')}: {e.get('message', '')}" for e in self.errors if e.get("message", "") not in self.detail]
        if self.suggestion:
            parts.append(f"Did you mean {self.suggestion}?")
        if self.request_id:
            parts.append(f"[request {self.request_id}]")
        return " ".join([parts[0] + ":", *parts[1:]]) if len(parts) > 1 else parts[0]


class BadRequestError(ApiError):
    """400, 413, 415, 422: the request is invalid; ``errors`` lists each invalid field."""


class UnauthorizedError(ApiError):
    """401: a key is required, or the key is invalid."""


class ForbiddenError(ApiError):
    """403: the account is suspended, or the key lacks a scope."""


class NotFoundError(ApiError):
    """404: the requested object does not exist; ``suggestion`` is the nearest match."""


class ConflictError(ApiError):
    """409: the object already exists, a limit is reached, or a secret has already been shown."""


class GoneError(ApiError):
    """410: the entity was deleted, or the event is no longer stored."""


class RateLimitedError(ApiError):
    """429: the rate limit is exceeded; wait for ``retry_after`` seconds."""


class ServerError(ApiError):
    """5xx: the service failed; give its operator the ``request_id``."""


class UnavailableError(ServerError):
    """502, 503, 504: the service or its database is currently unavailable."""


_BY_STATUS: Dict[int, Type[ApiError]] = {
    400: BadRequestError,
    413: BadRequestError,
    415: BadRequestError,
    422: BadRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    429: RateLimitedError,
    502: UnavailableError,
    503: UnavailableError,
    504: UnavailableError,
}


def error_class(status: int) -> Type[ApiError]:
    """Return the error class for a status."""
    return _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
