"""Service: The service itself.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict

from ._submissions import FieldError


class Problem(TypedDict):
    """What went wrong (RFC 9457)."""

    type: str
    """The code as a URN."""
    title: str
    """What is wrong in general, the same for each code."""
    status: int
    """The status of the answer."""
    detail: str
    """What went wrong this time, for people."""
    instance: str
    """The path that was asked for."""
    code: Literal["unknown-parameter", "invalid-parameter", "invalid-body", "invalid-idempotency-key", "unauthorized", "insufficient-scope", "account-suspended", "foreign-host", "secret-shown-once", "already-exists", "too-many-submissions", "unknown-submission", "cannot-withdraw", "unknown-key", "too-many-keys", "too-many-webhooks", "too-many-waiting", "unknown-webhook", "unknown-delivery", "event-gone", "body-too-large", "unsupported-media-type", "idempotency-key-reused", "rate-limited", "state-unavailable", "not-found", "unknown-entity", "deleted-entity", "no-history", "unknown-category", "unknown-build", "unknown-version", "method-not-allowed", "precondition-failed", "range-not-satisfiable", "internal", "not-ready", "busy"]
    """What went wrong, for programs; it stays the same."""
    errors: List[FieldError]
    """The parameters, or the fields of the body, that are wrong; ``query`` where the query as
    a whole cannot be read.
    """
    suggestion: Optional[str]
    """The nearest right name, value or address."""
    requestId: str
    """The id of the request, as in ``X-Request-Id`` and in the log."""


class OpenAPIDocument(TypedDict):
    """An OpenAPI 3.0.3 document."""

    openapi: Literal["3.0.3"]
    """The version of OpenAPI."""
    info: Dict[str, Any]
    """The title, the version and the text on the whole."""
    paths: Dict[str, Any]
    """The operations, by address."""
