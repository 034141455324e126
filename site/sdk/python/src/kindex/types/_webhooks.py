"""Webhooks: Being told of changes, instead of asking.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

from ._entities import EntityType
from ._history import FieldChange

SubscribableEvent = Literal["entity.created", "entity.updated", "entity.deleted"]
"""What a webhook can be told of."""

DeliveryStatus = Literal["pending", "succeeded", "failed"]
"""``pending``: it is tried, or tried again, later. ``failed``: all ten attempts at an event
have failed, or the webhook was switched off, or the one attempt of a test or a replay has
failed."""


class NewWebhook(TypedDict):
    """Where to call, and for which events."""

    url: str
    """The address to call. It may have a path and a query, but no name, password or fragment.
    """
    events: List[SubscribableEvent]
    """The events that are wanted, each once."""


class CreatedWebhook(TypedDict):
    """A new webhook, with its secret."""

    id: str
    """The id of a webhook."""
    url: str
    """The address that is called. The host is in small letters."""
    events: List[SubscribableEvent]
    """The events that are wanted, each once."""
    active: Literal[True]
    """Events are sent to it from now on."""
    createdAt: str
    """When it was registered."""
    secret: str
    """What deliveries are signed with; 32 bytes in base64 behind ``whsec_``."""


class RotatedWebhook(TypedDict):
    """The new secret of a webhook."""

    id: str
    """The id of a webhook."""
    secret: str
    """What deliveries are signed with from now on; 32 bytes in base64 after ``whsec_``."""
    previousSecretExpiresAt: str
    """Until when deliveries are also signed with the previous secret."""


class Webhook(TypedDict):
    """A webhook and how it is doing."""

    id: str
    """The id of a webhook."""
    url: str
    """The address that is called. The host is in small letters."""
    events: List[SubscribableEvent]
    """The events that are wanted, each once."""
    active: bool
    """Whether events are sent to it. It is switched off by a 410, or when it has failed for
    five days without a success; a test that succeeds switches it on.
    """
    createdAt: str
    """When it was registered."""
    disabledAt: Optional[str]
    """When it was switched off; null while it is active."""
    disabledReason: Optional[str]
    """Why it was switched off; null while it is active."""
    failingSince: Optional[str]
    """The first failure since the last success."""
    lastAttemptAt: Optional[str]
    """When it was last called; null where it never was."""
    lastSuccessAt: Optional[str]
    """When a call last succeeded; null where none has."""
    nextAttemptAt: Optional[str]
    """When it is called next; null where nothing waits."""


class WebhookList(TypedDict):
    """The webhooks of the account."""

    data: List[Webhook]
    """The webhooks, the oldest first."""
    count: int
    """How many there are."""


class Delivery(TypedDict):
    """An event and the attempts to deliver it."""

    id: str
    """The id of the delivery."""
    webhookId: str
    """The id of a webhook."""
    kind: Literal["event", "test", "replay"]
    """An event in its turn, a test, or an event once more."""
    eventId: str
    """What is sent as ``webhook-id``."""
    event: Literal["entity.created", "entity.updated", "entity.deleted", "webhook.test"]
    """What the event tells of."""
    status: DeliveryStatus
    """``pending``: it is tried, or tried again, later. ``failed``: all ten attempts at an
    event have failed, or the webhook was switched off, or the one attempt of a test or a
    replay has failed.
    """
    attempts: int
    """How many attempts were made."""
    createdAt: str
    """When the event came up."""
    lastAttemptAt: Optional[str]
    """When it was last tried; null where it was not yet."""
    nextAttemptAt: Optional[str]
    """When it is tried next; null where it is not."""
    responseStatus: Optional[int]
    """The status of the last answer; null where none came."""
    durationMs: Optional[int]
    """How long the last attempt took."""
    error: Optional[str]
    """What went wrong with the last attempt."""


class DeliveryList(TypedDict):
    """One page of deliveries, the newest first."""

    data: List[Delivery]
    """The deliveries."""
    count: int
    """How many there are over all pages."""
    nextCursor: Optional[str]
    """Goes on with the next page as ``cursor``; null on the last one."""


class WebhookEventEntity(TypedDict):
    """The entity as it is called now, or was called last; null in a test."""

    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name as its makers write it."""


class WebhookEvent(TypedDict):
    """What became of one entity between two builds: the net change. A field that is back at
    its old value is not in it. Events of an entity come in their order.
    """

    id: str
    """The id of the event, the same at every attempt; a receiver knows by it what it had
    already.
    """
    event: Literal["entity.created", "entity.updated", "entity.deleted", "webhook.test"]
    """What became of the entity; ``webhook.test`` for a test."""
    timestamp: str
    """When the last change that is folded in was made."""
    entity: Optional[WebhookEventEntity]
    """The entity as it is called now, or was called last; null in a test."""
    changes: List[FieldChange]
    """The fields that have another value. All old ones are null of what was created, all new
    ones of what was deleted.
    """
    changeIds: List[str]
    """The entries of the changelog that are folded in, the oldest first."""
