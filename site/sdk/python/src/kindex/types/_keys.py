"""Keys: The API keys of your account.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

Scope = Literal["read", "submit", "webhooks", "keys"]
"""A permission of a key: ``read`` what can be read without a key; ``submit`` entities, and
list and withdraw submissions; manage ``webhooks``; manage ``keys`` and read the audit log."""


class ApiKey(TypedDict):
    """An active key, masked."""

    id: str
    """The id of a key, by which it is revoked. It is no secret."""
    name: str
    """What its owner calls the key: 1 to 64 printable characters in Unicode normal form C,
    without spaces at the ends. Several keys may have one name.
    """
    masked: str
    """The first and the last four characters behind the prefix."""
    scopes: List[Scope]
    """What the key may do. If omitted, a new key gets ``read``, ``submit`` and ``webhooks``."""
    legacy: bool
    """Whether the key was created before scopes existed; such a key has all scopes."""
    expiresAt: Optional[str]
    """When the key expires; null for never."""
    createdAt: str
    """When it was made."""
    lastUsedAt: Optional[str]
    """When a request came with it last; null where none has."""


class ApiKeyList(TypedDict):
    """The active keys of the account, the oldest first."""

    data: List[ApiKey]
    """The keys."""
    count: int
    """How many there are."""


class _NewApiKeyRequired(TypedDict):
    name: str
    """What its owner calls the key: 1 to 64 printable characters in Unicode normal form C,
    without spaces at the ends. Several keys may have one name.
    """


class NewApiKey(_NewApiKeyRequired, total=False):
    """The name, scopes and expiry of a new key."""

    scopes: List[Scope]
    """What the key may do. If omitted, a new key gets ``read``, ``submit`` and ``webhooks``."""
    expiresAt: Optional[str]
    """When the key expires, in the future and within five years; null or omitted for never.
    """


class LeakedKey(TypedDict):
    """A leaked key."""

    key: str
    """The whole key."""


class AuditLog(TypedDict):
    """A page of the audit log of an account, newest entries first."""

    data: List[AuditEntry]
    """The entries."""
    count: int
    """How many there are on all pages."""
    nextCursor: Optional[str]
    """Where the next page begins; null at the end."""


class AuditEntry(TypedDict):
    """An entry in the audit log of an account."""

    id: str
    """Identifies the entry within the account. Later entries have higher numbers."""
    at: str
    """When it happened."""
    action: Literal["account.created", "account.signed-in", "account.suspended", "account.reinstated", "account.limit-changed", "key.created", "key.revoked", "key.reported", "webhook.created", "webhook.deleted", "webhook.rotated", "webhook.disabled", "submission.created", "submission.withdrawn", "submission.in-review", "submission.accepted", "submission.published", "submission.rejected"]
    """What was done. More actions may be added."""
    actor: AuditActor
    """Who did it."""
    address: Optional[str]
    """The IP address that the request came from; null if there was no request."""
    target: Optional[str]
    """The id of the key, webhook or submission; null for the account itself."""
    detail: Optional[str]
    """Further details, for people."""


class AuditActor(TypedDict):
    """Who did it."""

    kind: Literal["key", "session", "operator", "service", "anyone"]
    """An API ``key``; a ``session``: a person signed in on the website; the ``operator`` of
    the service; the ``service`` itself; or ``anyone`` who reported a leaked key.
    """
    id: Optional[str]
    """The id of the key; null for all others."""
    name: Optional[str]
    """The name of the key; null for all others."""


class CreatedApiKey(TypedDict):
    """A new key, with the key itself."""

    id: str
    """The id of a key, by which it is revoked. It is no secret."""
    name: str
    """What its owner calls the key: 1 to 64 printable characters in Unicode normal form C,
    without spaces at the ends. Several keys may have one name.
    """
    key: str
    """The key, for the header ``x-api-key``: ``kx_``, 32 random letters and digits, and six
    more that are a checksum of these.
    """
    scopes: List[Scope]
    """What the key may do. If omitted, a new key gets ``read``, ``submit`` and ``webhooks``."""
    expiresAt: Optional[str]
    """When the key expires; null for never."""
    createdAt: str
    """When it was made."""
