"""Keys: The API keys of your account.

Made from the description of the interface, version 0.6.0; do not edit.
"""

from __future__ import annotations

from typing import List, Optional, TypedDict


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


class NewApiKey(TypedDict):
    """What a new key is to be called."""

    name: str
    """What its owner calls the key: 1 to 64 printable characters in Unicode normal form C,
    without spaces at the ends. Several keys may have one name.
    """


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
    createdAt: str
    """When it was made."""
