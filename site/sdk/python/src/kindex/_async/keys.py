"""Keys: The API keys of your account.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import AsyncIterator, Optional, Sequence

from .._acore import AsyncCore
from .._addresses import given
from ..types import ApiKeyList, AuditEntry, AuditLog, CreatedApiKey, Scope


class Keys(AsyncCore):
    """The API keys of your account."""

    async def list_api_keys(self) -> ApiKeyList:
        """List the API keys of your account.

        The active keys, masked, oldest first. Revoked and expired keys are not listed.
        ``lastUsedAt`` can lag by a few seconds. Requires the scope ``keys``, so that a
        leaked key that lacks this scope reveals nothing about the account.

        Returns:
            The keys.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
        """
        return await self._json("/api/developer/api-keys")

    async def create_api_key(
        self,
        name: str,
        *,
        scopes: Optional[Sequence[Scope]] = None,
        expires_at: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> CreatedApiKey:
        """Create an API key.

        Creates a key for the account. Requires a key with the scope ``keys``. Only this
        response shows the new key, because only a hash of the key is stored. By default,
        the new key has the scopes ``read``, ``submit`` and ``webhooks``. The scope ``keys``
        must be requested explicitly. A key can grant only scopes that it has itself.
        Without ``expiresAt``, the new key never expires. An account can have at most five
        active keys. If a request with an ``Idempotency-Key`` is repeated, no second key is
        created, and the response is a 409 (``secret-shown-once``) that names the existing
        key. If you lost the first response, revoke that key and create another.

        Args:
            name: The owner's name for the key: 1 to 64 printable characters in Unicode
                normalization form C, without leading or trailing spaces. Several keys can
                have the same name.
            scopes: The key's permissions. By default, a new key has ``read``, ``submit``
                and ``webhooks``.
            expires_at: When the key expires, which must be in the future and within five
                years; null or omitted if the key never expires.
            idempotency_key: Identifies this write: if it is repeated within 24 hours, even
                by another process, it has no further effect. By default, a random value.

        Returns:
            The key, shown only once.

        Raises:
            BadRequestError: The body is invalid (``invalid-body``), with all invalid
                fields in ``errors``; or a parameter is invalid (``unknown-parameter``,
                ``invalid-parameter``); or the ``Idempotency-Key`` is invalid
                (``invalid-idempotency-key``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
            ConflictError: The account has reached its limit of active keys
                (``too-many-keys``); or this request was already processed, and its response
                showed the key (``secret-shown-once``).
            BadRequestError: The ``Idempotency-Key`` was already used with a different
                body (``idempotency-key-reused``).
        """
        return await self._write(
            "/api/developer/api-keys", given({"name": name, "scopes": None if scopes is None else list(scopes), "expiresAt": expires_at}), idempotency_key
        )

    async def revoke_api_key(self, id: str) -> None:
        """Revoke an API key.

        Permanently revokes a key of the account. Within a second, the revoked key is
        rejected everywhere. Pass the id of the key as a parameter or in a body; never send
        the key itself. The ids of revoked keys and of other accounts' keys result in a 404.
        A key can always revoke itself; to revoke another key, it requires the scope
        ``keys``.

        Args:
            id: The id of the key.

        Raises:
            BadRequestError: The body is invalid (``invalid-body``), with all invalid
                fields in ``errors``; or a parameter is invalid (``unknown-parameter``,
                ``invalid-parameter``); or the ``Idempotency-Key`` is invalid
                (``invalid-idempotency-key``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
            NotFoundError: Your account has no active key with this id
                (``unknown-key``).
        """
        await self._delete("/api/developer/api-keys", {"id": id})

    async def revoke_leaked_key(self, key: str) -> None:
        """Revoke a leaked key.

        Permanently revokes the key in the body. Anyone who finds a leaked key, including an
        automated secret scanner, can report it here without having a key of their own. The
        response is 204 whether or not the key was still active, and reveals no more about
        the key than using it would. The owner's audit log records the report. Up to 60 keys
        per hour can be reported from one IP address. Reports do not count towards the daily
        limit and are accepted even after it has been reached.

        Args:
            key: The complete key.

        Raises:
            BadRequestError: The body is invalid, for example because the key is
                malformed (``invalid-body``); or a parameter was given
                (``unknown-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key's account is suspended (``account-suspended``), in
                which case the request counts towards the limit of the IP address. Or the
                index is private and does not accept this host name (``foreign-host``), in
                which case the request does not count.
            NotFoundError: This service never issued this key (``unknown-key``).
        """
        await self._post("/api/developer/api-keys/revoke", {"key": key})

    async def list_audit_log(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> AuditLog:
        """Read the audit log of your account.

        The audit log of the account, newest entries first: who did what, when, and from
        which IP address. It records sign-ins and every change to keys, webhooks,
        submissions and the account itself, but not read requests, and it never contains
        secrets. Entries are kept for 400 days, but no more than the newest 200 for each
        action. Requires the scope ``keys``.

        Args:
            limit: Maximum number of records per page. Default: 20.
            cursor: The ``nextCursor`` of the previous page. All other parameters except
                ``limit`` must be the same as for that page.

        Returns:
            One page of the log.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
        """
        return await self._json("/api/developer/audit", {"limit": limit, "cursor": cursor})

    def iter_audit_log(self, *, cursor: Optional[str] = None, page_size: int = 100) -> AsyncIterator[AuditEntry]:
        """Read the audit log of your account, on all pages.

        Like :meth:`list_audit_log`, which has the details. Each page is a request.

        Args:
            cursor: Where to continue: the ``nextCursor`` of a page.
            page_size: The number of records per request, up to 100.

        Returns:
            An iterator over the records of all pages, which are requested as needed.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
        """
        return self._items("/api/developer/audit", {"cursor": cursor, "limit": page_size})
