"""Everything that a client raises for what is not a mistake of the program.

All errors are :class:`KindexError`. Wrong arguments, such as an empty slug, raise
``ValueError`` or ``TypeError`` before anything is sent.
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
    """The base of all errors of this package."""


class NetworkError(KindexError):
    """No whole answer came: the name, the connection, TLS or the proxy failed.

    A write that ends like this may have been made all the same.
    ``__cause__`` is the error underneath, where there is one.
    """


class RequestTimeoutError(NetworkError):
    """The service was silent for longer than ``timeout``."""


class IntegrityError(KindexError):
    """A downloaded file has another size or SHA-256 than it should have.

    The file was removed.
    """


class WebhookVerificationError(KindexError):
    """A delivery is forged, too old, or no delivery at all: do not read it."""


class ApiError(KindexError):
    """The service answered with an error, as problem details (RFC 9457).

    Catch the subclasses for single cases; the status decides which it is.
    """

    def __init__(
        self,
        status: int,
        problem: Optional[Mapping[str, Any]] = None,
        retry_after: Optional[float] = None,
        request_id: str = "",
    ) -> None:
        """Make the error of an answer.

        Args:
            status: The HTTP status.
            problem: The problem document, None where the body was none.
            retry_after: Seconds to wait, where the answer says so.
            request_id: Stands in for that of the problem where this has none.
        """
        super().__init__(status, problem, retry_after, request_id)
        self.problem: Dict[str, Any] = dict(problem or {})
        """The whole problem document, with members that are not known here.

        Empty where the body was none, as in the answer of a proxy.
        """
        self.status: int = status
        """The HTTP status."""
        self.code: str = self._text("code")
        """What went wrong, for programs, as ``unknown-entity``; it stays the same.

        Empty where the answer was no problem document.
        """
        self.title: str = self._text("title")
        """What the code means, in words."""
        self.detail: str = self._text("detail")
        """What went wrong this time, for people."""
        self.suggestion: Optional[str] = self._text("suggestion") or None
        """The nearest right name, value or address; None where there is none."""
        self.request_id: str = self._text("requestId") or request_id
        """The id of the request, which the operator finds in the log."""
        self.retry_after: Optional[float] = retry_after
        """How many seconds to wait before the next attempt; None where nothing says."""
        errors = self.problem.get("errors")
        self.errors: List[Dict[str, str]] = (
            [cast("Dict[str, str]", e) for e in cast("List[object]", errors) if isinstance(e, dict)] if isinstance(errors, list) else []
        )
        """The parameters or fields that are wrong: ``field`` and ``message`` of each."""

    def _text(self, name: str) -> str:
        value = self.problem.get(name)
        return value if isinstance(value, str) else ""

    def __str__(self) -> str:
        """Say what is wrong, and what would be right."""
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
    """400, 413, 415, 422: what was sent cannot be used; ``errors`` names each field."""


class UnauthorizedError(ApiError):
    """401: a key is needed, or the key is not good."""


class ForbiddenError(ApiError):
    """403: the account is suspended."""


class NotFoundError(ApiError):
    """404: there is no such thing; ``suggestion`` is the nearest one."""


class ConflictError(ApiError):
    """409: it is there already, there are too many, or a secret was shown once."""


class GoneError(ApiError):
    """410: the entity was deleted, or the event is no longer kept."""


class RateLimitedError(ApiError):
    """429: the limit is used up; ``retry_after`` says for how many seconds."""


class ServerError(ApiError):
    """5xx: the service failed; ``request_id`` is what its operator needs."""


class UnavailableError(ServerError):
    """502, 503, 504: the service, or its state, cannot be reached at the moment."""


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
    """Return the class of the error of a status."""
    return _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
