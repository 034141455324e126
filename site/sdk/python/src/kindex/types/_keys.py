"""Keys: The API keys of your account.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

Scope = Literal["read", "submit", "webhooks", "keys"]
"""A permission of a key. ``read``: read everything that can be read without a key. ``submit``:
submit entities, and list and withdraw submissions. ``webhooks``: manage webhooks. ``keys``:
manage keys and read the audit log."""


class ApiKey(TypedDict):
    """An active key, masked."""

    id: str
    """The id of a key, used to revoke it. It is not secret."""
    name: str
    """The owner's name for the key: 1 to 64 printable characters in Unicode normalization form
    C, without leading or trailing spaces. Several keys can have the same name.
    """
    masked: str
    """The masked key. Only the prefix, the next four characters and the last four characters
    are shown.
    """
    scopes: List[Scope]
    """The key's permissions. By default, a new key has ``read``, ``submit`` and ``webhooks``.
    """
    legacy: bool
    """Whether the key was created before scopes were introduced; such a key has all scopes.
    """
    expiresAt: Optional[str]
    """When the key expires; null if it never expires."""
    createdAt: str
    """When the key was created."""
    lastUsedAt: Optional[str]
    """When the key was last used for a request; null if it has not been used."""


class ApiKeyList(TypedDict):
    """The active keys of the account, oldest first."""

    data: List[ApiKey]
    """The keys."""
    count: int
    """The number of keys."""


class _NewApiKeyRequired(TypedDict):
    name: str
    """The owner's name for the key: 1 to 64 printable characters in Unicode normalization form
    C, without leading or trailing spaces. Several keys can have the same name.
    """


class NewApiKey(_NewApiKeyRequired, total=False):
    """The name, scopes and expiry of a new key."""

    scopes: List[Scope]
    """The key's permissions. By default, a new key has ``read``, ``submit`` and ``webhooks``.
    """
    expiresAt: Optional[str]
    """When the key expires, which must be in the future and within five years; null or omitted
    if the key never expires.
    """


class LeakedKey(TypedDict):
    """A leaked key."""

    key: str
    """The complete key."""


class AuditLog(TypedDict):
    """A page of an account's audit log, newest entries first."""

    data: List[AuditEntry]
    """The entries."""
    count: int
    """The number of entries on all pages."""
    nextCursor: Optional[str]
    """The ``cursor`` of the next page; null on the last page."""


class AuditEntry(TypedDict):
    """An entry in the audit log of an account."""

    id: str
    """Identifies the entry within the account. Later entries have higher numbers."""
    at: str
    """When it happened."""
    action: Literal["account.created", "account.signed-in", "account.suspended", "account.reinstated", "account.limit-changed", "key.created", "key.revoked", "key.reported", "webhook.created", "webhook.deleted", "webhook.rotated", "webhook.disabled", "submission.created", "submission.withdrawn", "submission.in-review", "submission.accepted", "submission.published", "submission.rejected"]
    """The action. More actions may be added."""
    actor: AuditActor
    """Who performed the action."""
    address: Optional[str]
    """The IP address that the request came from; null if there was no request."""
    target: Optional[str]
    """The id of the key, webhook or submission; null for the account itself."""
    detail: Optional[str]
    """More details, in human-readable form."""


class AuditActor(TypedDict):
    """Who performed the action."""

    kind: Literal["key", "session", "operator", "service", "anyone"]
    """``key``: an API key. ``session``: a person signed in on the website. ``operator``: the
    operator of the service. ``service``: the service itself. ``anyone``: the sender of a
    report of a leaked key.
    """
    id: Optional[str]
    """The key's id; null if the actor is not a key."""
    name: Optional[str]
    """The key's name; null if the actor is not a key."""


class CreatedApiKey(TypedDict):
    """A new key, including the key itself."""

    id: str
    """The id of a key, used to revoke it. It is not secret."""
    name: str
    """The owner's name for the key: 1 to 64 printable characters in Unicode normalization form
    C, without leading or trailing spaces. Several keys can have the same name.
    """
    key: str
    """The key, for the header ``x-api-key``: ``kx_``, 32 random letters and digits, and a
    six-character checksum.
    """
    scopes: List[Scope]
    """The key's permissions. By default, a new key has ``read``, ``submit`` and ``webhooks``.
    """
    expiresAt: Optional[str]
    """When the key expires; null if it never expires."""
    createdAt: str
    """When the key was created."""
