"""Service: The service itself.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict

from ._submissions import FieldError


class Problem(TypedDict):
    """An error (RFC 9457)."""

    type: str
    """The code as a URN."""
    title: str
    """A short summary, which is the same for all errors with this code."""
    status: int
    """The HTTP status of the response."""
    detail: str
    """A human-readable explanation of the error."""
    instance: str
    """The path of the request that failed."""
    code: Literal["unknown-parameter", "invalid-parameter", "invalid-body", "invalid-idempotency-key", "unauthorized", "insufficient-scope", "account-suspended", "foreign-host", "secret-shown-once", "already-exists", "too-many-submissions", "unknown-submission", "cannot-withdraw", "unknown-key", "too-many-keys", "too-many-webhooks", "too-many-waiting", "unknown-webhook", "unknown-delivery", "body-too-large", "unsupported-media-type", "idempotency-key-reused", "rate-limited", "state-unavailable", "not-found", "unknown-entity", "deleted-entity", "no-history", "unknown-category", "unpublished-board", "unknown-build", "unknown-version", "method-not-allowed", "precondition-failed", "range-not-satisfiable", "internal", "not-ready", "busy"]
    """A machine-readable error code, which never changes."""
    errors: List[FieldError]
    """The invalid parameters or body fields. If the query string as a whole cannot be parsed,
    the field is ``query``.
    """
    suggestion: Optional[str]
    """The nearest valid name, value or address."""
    requestId: str
    """The request id, which is also in ``X-Request-Id`` and in the log."""


class OpenAPIDocument(TypedDict):
    """An OpenAPI 3.0.3 document."""

    openapi: Literal["3.0.3"]
    """The version of OpenAPI."""
    info: Dict[str, Any]
    """The title, the version and the general description."""
    paths: Dict[str, Any]
    """The operations, by path."""
