"""Webhooks: Push notifications about changes.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import AsyncIterator, Optional, Sequence

from .._acore import AsyncCore
from .._addresses import given, path_to
from ..types import (
    ChangedField,
    CreatedWebhook,
    Delivery,
    DeliveryList,
    DeliveryStatus,
    RotatedWebhook,
    SubscribableEvent,
    Webhook,
    WebhookList,
)


class Webhooks(AsyncCore):
    """Push notifications about changes."""

    async def list_webhooks(self) -> WebhookList:
        """List your webhooks.

        All webhooks of your account, oldest first, with their delivery state. Secrets are
        not included.

        Returns:
            The webhooks.

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
        return await self._json("/api/webhooks")

    async def create_webhook(
        self,
        url: str,
        events: Sequence[SubscribableEvent],
        *,
        fields: Optional[Sequence[ChangedField]] = None,
        figures: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> CreatedWebhook:
        """Register a webhook.

        Registers an address to receive the events listed in ``events`` from now on. With
        ``fields``, it receives only changes of these fields; with ``figures: false``, no
        event in which nothing but figures (``signals``) and the scores changed. Only this
        response shows the secret that signs the deliveries. The address must use ``https``
        on port 443, and its host must resolve only to addresses on the public internet;
        redirects are not followed. Operators can block hosts, and can require a challenge:
        the address first receives ``{"id","event":
        "webhook.challenge","timestamp","challenge"}``, and must respond within ten seconds
        with 2xx and the value of ``challenge``, as text or as ``{"challenge": "…"}``;
        otherwise, the registration fails with a 400. An account can have at most ten
        webhooks. If a request with an ``Idempotency-Key`` is repeated, no second webhook is
        created, and the response is a 409 (``secret-shown-once``).

        Args:
            url: The address to call. It can have a path and a query, but no user name,
                password or fragment.
            events: The events to send, without duplicates.
            fields: If there are any, only created, updated and deleted entities with a
                change of one of these fields are sent. A group, such as ``signals``,
                includes its fields.
            figures: Whether events in which nothing but figures (``signals``) and the
                scores changed are sent.
            idempotency_key: Identifies this write: if it is repeated within 24 hours, even
                by another process, it has no further effect. By default, a random value.

        Returns:
            The webhook, and its secret, shown only once.

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
            ConflictError: The account has reached its limit of webhooks
                (``too-many-webhooks``); or this request was already processed, and its
                response showed the secret (``secret-shown-once``).
            BadRequestError: The ``Idempotency-Key`` was already used with a different
                body (``idempotency-key-reused``).
        """
        return await self._write(
            "/api/webhooks", given({"url": url, "events": list(events), "fields": None if fields is None else list(fields), "figures": figures}), idempotency_key
        )

    async def get_webhook(self, id: str) -> Webhook:
        """Read one of your webhooks.

        The delivery state of a webhook: when it was last called, when a call last
        succeeded, when it will be called next, and whether and why it is disabled.

        Args:
            id: The webhook's id.

        Returns:
            The webhook.

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
            NotFoundError: Your account has no webhook with this id
                (``unknown-webhook``).
        """
        return await self._json(path_to("/api/webhooks/{id}", id=id))

    async def delete_webhook(self, id: str) -> None:
        """Delete a webhook.

        Deletes the webhook and its delivery log. A delivery attempt that is already in
        progress is completed; after that, nothing more is sent.

        Args:
            id: The webhook's id.

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
            NotFoundError: Your account has no webhook with this id
                (``unknown-webhook``).
        """
        await self._delete(path_to("/api/webhooks/{id}", id=id))

    async def test_webhook(self, id: str, *, idempotency_key: Optional[str] = None) -> Delivery:
        """Send a test to a webhook.

        Immediately sends an event named ``webhook.test``, which contains no entity. If the
        delivery fails, it is not retried. The delivery log contains the result under the
        returned ``id``. If the delivery succeeds, a disabled webhook is enabled again, and
        any events that are waiting because the webhook was failing are sent immediately.

        Args:
            id: The webhook's id.
            idempotency_key: Identifies this write: if it is repeated within 24 hours, even
                by another process, it has no further effect. By default, a random value.

        Returns:
            The test will be sent immediately.

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
            NotFoundError: Your account has no webhook with this id
                (``unknown-webhook``).
            ConflictError: The webhook has a hundred pending tests and replays
                (``too-many-waiting``).
        """
        return await self._write(path_to("/api/webhooks/{id}/test", id=id), None, idempotency_key)

    async def rotate_webhook(self, id: str, *, idempotency_key: Optional[str] = None) -> RotatedWebhook:
        """Rotate the secret of a webhook.

        Gives the webhook a new secret, which only this response shows. The previous secret
        stays valid for 24 hours: until then, ``webhook-signature`` contains two signatures
        separated by a space, one for each secret. A receiver that has only one of the
        secrets can accept a delivery if either signature matches. Another rotation within
        that time invalidates the oldest secret immediately; to invalidate a leaked secret
        without waiting, rotate twice. If a request with an ``Idempotency-Key`` is repeated,
        the secret is not rotated again, and the response is a 409 (``secret-shown-once``).

        Args:
            id: The webhook's id.
            idempotency_key: Identifies this write: if it is repeated within 24 hours, even
                by another process, it has no further effect. By default, a random value.

        Returns:
            The new secret, shown only once.

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
            NotFoundError: Your account has no webhook with this id
                (``unknown-webhook``).
            ConflictError: This request was already processed, and its response showed
                the secret (``secret-shown-once``).
            BadRequestError: The ``Idempotency-Key`` was already used with a different
                body (``idempotency-key-reused``).
        """
        return await self._write(path_to("/api/webhooks/{id}/rotate", id=id), None, idempotency_key)

    async def list_deliveries(
        self,
        id: str,
        *,
        status: Optional[DeliveryStatus] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> DeliveryList:
        """List the deliveries of a webhook.

        The delivery log for the last 30 days, newest first. It has an entry for each test,
        each replay, and each event that the service has tried to deliver. Events that are
        waiting for an earlier event to be retried are not listed yet.

        Args:
            id: The webhook's id.
            status: Only deliveries with this status.
            limit: Maximum number of records per page. Default: 20.
            cursor: The ``nextCursor`` of the previous page. All other parameters except
                ``limit`` must be the same as for that page.

        Returns:
            One page of deliveries.

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
            NotFoundError: Your account has no webhook with this id
                (``unknown-webhook``).
        """
        return await self._json(path_to("/api/webhooks/{id}/deliveries", id=id), {
            "status": status,
            "limit": limit,
            "cursor": cursor,
        })

    def iter_deliveries(
        self,
        id: str,
        *,
        status: Optional[DeliveryStatus] = None,
        cursor: Optional[str] = None,
        page_size: int = 100,
    ) -> AsyncIterator[Delivery]:
        """List the deliveries of a webhook, on all pages.

        Like :meth:`list_deliveries`, which has the details. Each page is a request.

        Args:
            id: The webhook's id.
            status: Only deliveries with this status.
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
            NotFoundError: Your account has no webhook with this id
                (``unknown-webhook``).
        """
        return self._items(path_to("/api/webhooks/{id}/deliveries", id=id), {
            "status": status,
            "cursor": cursor,
            "limit": page_size,
        })

    async def replay_delivery(self, id: str, delivery: str, *, idempotency_key: Optional[str] = None) -> Delivery:
        """Replay an event.

        Immediately sends the event of a delivery again, with the same ``webhook-id``. If
        the replay fails, it is not retried. The order of waiting events does not change.
        The delivery log contains the result as a separate entry, under the returned ``id``.

        Args:
            id: The webhook's id.
            delivery: The delivery's id.
            idempotency_key: Identifies this write: if it is repeated within 24 hours, even
                by another process, it has no further effect. By default, a random value.

        Returns:
            The event will be sent immediately.

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
            NotFoundError: Your account has no webhook with this id
                (``unknown-webhook``), or the webhook has no such delivery
                (``unknown-delivery``).
            ConflictError: The webhook has a hundred pending tests and replays
                (``too-many-waiting``).
        """
        return await self._write(
            path_to("/api/webhooks/{id}/deliveries/{delivery}/replay", id=id, delivery=delivery), None, idempotency_key
        )
