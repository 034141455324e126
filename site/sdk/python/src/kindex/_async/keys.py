"""Keys: The API keys of your account.

Made from the description of the interface, version 0.6.0; do not edit.
"""

from __future__ import annotations

from typing import Optional

from .._acore import AsyncCore
from ..types import ApiKeyList, CreatedApiKey


class Keys(AsyncCore):
    """The API keys of your account."""

    async def list_api_keys(self) -> ApiKeyList:
        """List the API keys of your account.

        The active keys, masked, in the order of their making. Revoked ones are not listed.
        ``lastUsedAt`` may be a few seconds behind.

        Returns:
            The keys.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: There is no key where one is needed; or it is malformed,
                unknown or revoked, or came in another header than ``x-api-key``
                (``unauthorized``). The request counts against the address.
            ForbiddenError: The account of the key is suspended (``account-suspended``).
                The request counts against the address.
        """
        return await self._json("/api/developer/api-keys")

    async def create_api_key(self, name: str, *, idempotency_key: Optional[str] = None) -> CreatedApiKey:
        """Create an API key.

        A further key for the account that asks. The answer is the only one that shows it:
        what is kept is a hash. An account has at most five active keys, however many are
        asked for at the same time. With an ``Idempotency-Key``, a repeat makes no second
        key and is answered with 409 ``secret-shown-once``, which names the one that was
        made: revoke it where its answer was lost, and create another.

        Args:
            name: What its owner calls the key: 1 to 64 printable characters in Unicode
                normal form C, without spaces at the ends. Several keys may have one name.
            idempotency_key: What makes a repeat of this very write have no further effect
                for 24 hours, also from another process; a random one unless given.

        Returns:
            The key, this once.

        Raises:
            BadRequestError: The body cannot be used (``invalid-body``), with every
                faulty field in ``errors``; or a parameter cannot (``unknown-parameter``,
                ``invalid-parameter``), or the ``Idempotency-Key``
                (``invalid-idempotency-key``).
            UnauthorizedError: There is no key where one is needed; or it is malformed,
                unknown or revoked, or came in another header than ``x-api-key``
                (``unauthorized``). The request counts against the address.
            ForbiddenError: The account of the key is suspended (``account-suspended``).
                The request counts against the address.
            ConflictError: The account has as many active keys as it may
                (``too-many-keys``); or this write was made already, and its answer showed
                the key (``secret-shown-once``).
            BadRequestError: The ``Idempotency-Key`` was sent with another body
                (``idempotency-key-reused``).
        """
        return await self._write("/api/developer/api-keys", {"name": name}, idempotency_key)

    async def revoke_api_key(self, id: str) -> None:
        """Revoke an API key.

        Ends a key of the account that asks, for good; it may be the very key that asks.
        Within a second it is refused everywhere. The id of the key stands in the address,
        or in a body; the key itself is never sent. A key of another account does not exist
        here, and neither does one that was revoked already.

        Args:
            id: The id of the key.

        Raises:
            BadRequestError: The body cannot be used (``invalid-body``), with every
                faulty field in ``errors``; or a parameter cannot (``unknown-parameter``,
                ``invalid-parameter``), or the ``Idempotency-Key``
                (``invalid-idempotency-key``).
            UnauthorizedError: There is no key where one is needed; or it is malformed,
                unknown or revoked, or came in another header than ``x-api-key``
                (``unauthorized``). The request counts against the address.
            ForbiddenError: The account of the key is suspended (``account-suspended``).
                The request counts against the address.
            NotFoundError: The account that asks has no active key with this id
                (``unknown-key``).
        """
        await self._delete("/api/developer/api-keys", {"id": id})
