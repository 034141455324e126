"""Webhooks: Being told of changes, instead of asking.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from .._addresses import path_to
from .._core import Core
from ..types import (
    CreatedWebhook,
    Delivery,
    DeliveryList,
    DeliveryStatus,
    RotatedWebhook,
    SubscribableEvent,
    Webhook,
    WebhookList,
)


class Webhooks(Core):
    """Being told of changes, instead of asking."""

    def list_webhooks(self) -> WebhookList:
        """List your webhooks.

        All webhooks of the account that asks, the oldest first, with how they are doing.
        Their secrets are not shown again.

        Returns:
            The webhooks.

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
        return self._json("/api/webhooks")

    def create_webhook(
        self,
        url: str,
        events: Sequence[SubscribableEvent],
        *,
        idempotency_key: Optional[str] = None,
    ) -> CreatedWebhook:
        """Register a webhook.

        From now on the address is called with the events that ``events`` names. The answer
        is the only one that shows the secret that deliveries are signed with. The address
        is ``https``, on port 443, and its host leads to addresses of the public internet
        only; redirects are not followed. Operators can deny hosts, and can require a
        challenge: the address is then first sent ``{"id","event":
        "webhook.challenge","timestamp","challenge"}``, and must answer within ten seconds
        with 2xx and the value of ``challenge``, as text or as ``{"challenge": "…"}``;
        otherwise the answer is 400. An account has at most ten webhooks. With an
        ``Idempotency-Key``, a repeat makes no second webhook and is answered with 409
        ``secret-shown-once``.

        Args:
            url: The address to call. It may have a path and a query, but no name, password
                or fragment.
            events: The events that are wanted, each once.
            idempotency_key: What makes a repeat of this very write have no further effect
                for 24 hours, also from another process; a random one unless given.

        Returns:
            The webhook, and this once its secret.

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
            ConflictError: The account has as many webhooks as it may
                (``too-many-webhooks``); or this write was made already, and its answer
                showed the secret (``secret-shown-once``).
            BadRequestError: The ``Idempotency-Key`` was sent with another body
                (``idempotency-key-reused``).
        """
        return self._write("/api/webhooks", {"url": url, "events": list(events)}, idempotency_key)

    def get_webhook(self, id: str) -> Webhook:
        """Read one of your webhooks.

        How a webhook is doing: when it was called and answered last, when it is called
        next, and whether and why it was switched off.

        Args:
            id: The id of the webhook.

        Returns:
            The webhook.

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
            NotFoundError: The account that asks has no webhook with this id
                (``unknown-webhook``).
        """
        return self._json(path_to("/api/webhooks/{id}", id=id))

    def delete_webhook(self, id: str) -> None:
        """Delete a webhook.

        Nothing is sent to it any more, beyond an attempt that is under way, and its log is
        gone.

        Args:
            id: The id of the webhook.

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
            NotFoundError: The account that asks has no webhook with this id
                (``unknown-webhook``).
        """
        self._delete(path_to("/api/webhooks/{id}", id=id))

    def test_webhook(self, id: str, *, idempotency_key: Optional[str] = None) -> Delivery:
        """Send a test to a webhook.

        Sends an event of the name ``webhook.test``, which is about no entity, at once and
        once. What came of it is in the log of deliveries under the ``id`` that is answered.
        Where it succeeds, events that wait for a webhook that failed are sent at once, and
        a webhook that was switched off is on again.

        Args:
            id: The id of the webhook.
            idempotency_key: What makes a repeat of this very write have no further effect
                for 24 hours, also from another process; a random one unless given.

        Returns:
            The test will be sent at once.

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
            NotFoundError: The account that asks has no webhook with this id
                (``unknown-webhook``).
            ConflictError: A hundred tests and replays of the webhook are waiting
                (``too-many-waiting``).
        """
        return self._write(path_to("/api/webhooks/{id}/test", id=id), None, idempotency_key)

    def rotate_webhook(self, id: str, *, idempotency_key: Optional[str] = None) -> RotatedWebhook:
        """Rotate the secret of a webhook.

        Gives the webhook a new secret, which only this answer shows. The previous secret
        stays valid for 24 hours: until then ``webhook-signature`` has two signatures, one
        with each secret, separated by a space, and a receiver accepts a delivery if one of
        them matches the secret that it knows. Another rotation within that time invalidates
        the older secret at once; to invalidate a leaked secret without waiting, rotate
        twice. With an ``Idempotency-Key``, a repeat does not rotate again and gets a 409
        (``secret-shown-once``).

        Args:
            id: The id of the webhook.
            idempotency_key: What makes a repeat of this very write have no further effect
                for 24 hours, also from another process; a random one unless given.

        Returns:
            The new secret, shown only once.

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
            NotFoundError: The account that asks has no webhook with this id
                (``unknown-webhook``).
            ConflictError: This write was made already, and its answer showed the secret
                (``secret-shown-once``).
            BadRequestError: The ``Idempotency-Key`` was sent with another body
                (``idempotency-key-reused``).
        """
        return self._write(path_to("/api/webhooks/{id}/rotate", id=id), None, idempotency_key)

    def list_deliveries(
        self,
        id: str,
        *,
        status: Optional[DeliveryStatus] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> DeliveryList:
        """Read what was sent to a webhook.

        The log of the last 30 days, the newest first: an entry for each event that was
        tried, each test and each replay. Events that wait behind one that is tried again
        are not in it yet.

        Args:
            id: The id of the webhook.
            status: Only deliveries of this status.
            limit: How many records a page has at most. 20 unless given.
            cursor: The ``nextCursor`` of the previous page. All other parameters but
                ``limit`` must be as they were there, so no example would fit every request.

        Returns:
            A page of deliveries.

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
            NotFoundError: The account that asks has no webhook with this id
                (``unknown-webhook``).
        """
        return self._json(path_to("/api/webhooks/{id}/deliveries", id=id), {
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
    ) -> Iterator[Delivery]:
        """Read what was sent to a webhook, over all pages.

        As :meth:`list_deliveries`, which tells more. Each page is a request.

        Args:
            id: The id of the webhook.
            status: Only deliveries of this status.
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
            NotFoundError: The account that asks has no webhook with this id
                (``unknown-webhook``).
        """
        return self._items(path_to("/api/webhooks/{id}/deliveries", id=id), {
            "status": status,
            "cursor": cursor,
            "limit": page_size,
        })

    def replay_delivery(self, id: str, delivery: str, *, idempotency_key: Optional[str] = None) -> Delivery:
        """Send an event once more.

        Sends the event of a delivery again, at once and once, with the same ``webhook-id``.
        It does not change the order in which events that wait are sent. What comes of it is
        an entry of its own in the log, under the ``id`` that is answered.

        Args:
            id: The id of the webhook.
            delivery: The id of the delivery.
            idempotency_key: What makes a repeat of this very write have no further effect
                for 24 hours, also from another process; a random one unless given.

        Returns:
            The event will be sent at once.

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
            NotFoundError: The account that asks has no webhook with this id
                (``unknown-webhook``), or the webhook no such delivery
                (``unknown-delivery``).
            ConflictError: A hundred tests and replays of the webhook are waiting
                (``too-many-waiting``).
            GoneError: The event is kept no longer (``event-gone``).
        """
        return self._write(
            path_to("/api/webhooks/{id}/deliveries/{delivery}/replay", id=id, delivery=delivery), None, idempotency_key
        )
