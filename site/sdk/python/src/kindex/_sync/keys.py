"""Keys: The API keys of your account.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from .._addresses import given
from .._core import Core
from ..types import ApiKeyList, AuditEntry, AuditLog, CreatedApiKey, Scope


class Keys(Core):
    """The API keys of your account."""

    def list_api_keys(self) -> ApiKeyList:
        """List the API keys of your account.

        The active keys, masked, the oldest first. Revoked and expired keys are not listed.
        ``lastUsedAt`` may lag by a few seconds. Requires the scope ``keys``, so that a
        leaked key without it reveals nothing about the account.

        Returns:
            The keys.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
        """
        return self._json("/api/developer/api-keys")

    def create_api_key(
        self,
        name: str,
        *,
        scopes: Optional[Sequence[Scope]] = None,
        expires_at: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> CreatedApiKey:
        """Create an API key.

        Creates another key for the account. Requires a key with the scope ``keys``. This
        answer is the only one that shows the new key, because only its hash is stored.
        Without ``scopes`` it gets ``read``, ``submit`` and ``webhooks``. A key can grant
        only scopes that it has itself, so ``keys`` must be requested explicitly, by a key
        that has it. Without ``expiresAt`` the new key never expires. An account has at most
        five active keys, however many are requested at the same time. With an
        ``Idempotency-Key``, a repeat makes no second key and is answered with 409
        ``secret-shown-once``, which names the one that was made: revoke it where its answer
        was lost, and create another.

        Args:
            name: What its owner calls the key: 1 to 64 printable characters in Unicode
                normal form C, without spaces at the ends. Several keys may have one name.
            scopes: What the key may do. If omitted, a new key gets ``read``, ``submit`` and
                ``webhooks``.
            expires_at: When the key expires, in the future and within five years; null or
                omitted for never.
            idempotency_key: What makes a repeat of this very write have no further effect
                for 24 hours, also from another process; a random one unless given.

        Returns:
            The key, this once.

        Raises:
            BadRequestError: The body cannot be used (``invalid-body``), with every
                faulty field in ``errors``; or a parameter cannot (``unknown-parameter``,
                ``invalid-parameter``), or the ``Idempotency-Key``
                (``invalid-idempotency-key``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
            ConflictError: The account has as many active keys as it may
                (``too-many-keys``); or this write was made already, and its answer showed
                the key (``secret-shown-once``).
            BadRequestError: The ``Idempotency-Key`` was sent with another body
                (``idempotency-key-reused``).
        """
        return self._write(
            "/api/developer/api-keys", given({"name": name, "scopes": None if scopes is None else list(scopes), "expiresAt": expires_at}), idempotency_key
        )

    def revoke_api_key(self, id: str) -> None:
        """Revoke an API key.

        Ends a key of the account that asks, for good; it may be the very key that asks.
        Within a second it is refused everywhere. The id of the key stands in the address,
        or in a body; the key itself is never sent. A key of another account does not exist
        here, and neither does one that was already revoked. A key needs the scope ``keys``
        to revoke any key other than itself.

        Args:
            id: The id of the key.

        Raises:
            BadRequestError: The body cannot be used (``invalid-body``), with every
                faulty field in ``errors``; or a parameter cannot (``unknown-parameter``,
                ``invalid-parameter``), or the ``Idempotency-Key``
                (``invalid-idempotency-key``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
            NotFoundError: The account that asks has no active key with this id
                (``unknown-key``).
        """
        self._delete("/api/developer/api-keys", {"id": id})

    def revoke_leaked_key(self, key: str) -> None:
        """Revoke a leaked key.

        Permanently revokes the key in the body. It is for anyone who finds a leaked key,
        such as a secret scanner, and needs no key but the leaked one. The answer is 204
        whether or not the key still worked; it reveals no more about a key than using the
        key would. The owner's audit log shows the report. An IP address can report 60 keys
        an hour; reports do not count towards the daily limit, and are accepted even when it
        is used up.

        Args:
            key: The whole key.

        Raises:
            BadRequestError: The body cannot be used, for example because the key is
                malformed (``invalid-body``); or a parameter was given
                (``unknown-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The account of the key is suspended (``account-suspended``);
                the request counts against the IP address. Or the index is private and does
                not answer to this host name (``foreign-host``); the request does not count.
            NotFoundError: This service never issued this key (``unknown-key``).
        """
        self._post("/api/developer/api-keys/revoke", {"key": key})

    def list_audit_log(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> AuditLog:
        """Read the audit log of your account.

        The audit log of the account, newest entries first: who did what, when, and from
        which IP address. It records sign-ins and every change to keys, webhooks,
        submissions and the account itself, but no reads and no secrets. Entries are kept
        for 400 days, the newest 200 of each action. Requires the scope ``keys``.

        Args:
            limit: How many records a page has at most. 20 unless given.
            cursor: The ``nextCursor`` of the previous page. All other parameters but
                ``limit`` must be as they were there, so no example would fit every request.

        Returns:
            A page of the log.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
        """
        return self._json("/api/developer/audit", {"limit": limit, "cursor": cursor})

    def iter_audit_log(self, *, cursor: Optional[str] = None, page_size: int = 100) -> Iterator[AuditEntry]:
        """Read the audit log of your account, over all pages.

        As :meth:`list_audit_log`, which tells more. Each page is a request.

        Args:
            cursor: Where to go on, the ``nextCursor`` of a page.
            page_size: How many to ask for at a time, up to 100.

        Returns:
            An iterator over all of them, read page by page as needed.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
        """
        return self._items("/api/developer/audit", {"cursor": cursor, "limit": page_size})
