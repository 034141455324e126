"""Webhooks: Push notifications about changes.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

from ._entities import EntityType
from ._history import ChangedField, FieldChange

SubscribableEvent = Literal["entity.created", "entity.updated", "entity.deleted", "entity.retiring"]
"""An event that a webhook can receive. ``entity.retiring`` is sent 30 and 7 days before an
entity retires."""

DeliveryStatus = Literal["pending", "succeeded", "failed"]
"""``pending``: the delivery will be attempted or retried. ``succeeded``: the receiver accepted
it. ``failed``: all ten attempts to deliver an event failed, the only attempt to deliver a
test or a replay failed, or the webhook was disabled."""


class _NewWebhookRequired(TypedDict):
    url: str
    """The address to call. It can have a path and a query, but no user name, password or
    fragment.
    """
    events: List[SubscribableEvent]
    """The events to send, without duplicates."""


class NewWebhook(_NewWebhookRequired, total=False):
    """The address to call, and the events to send."""

    fields: List[ChangedField]
    """If there are any, only created, updated and deleted entities with a change of one of
    these fields are sent. A group, such as ``signals``, includes its fields.
    """
    figures: bool
    """Whether events in which nothing but figures (``signals``) and the scores changed are
    sent.
    """


class CreatedWebhook(TypedDict):
    """A new webhook, with its secret."""

    id: str
    """A webhook's id."""
    url: str
    """The address that is called. The host is in lower case."""
    events: List[SubscribableEvent]
    """The events to send, without duplicates."""
    fields: List[ChangedField]
    """If there are any, only created, updated and deleted entities with a change of one of
    these fields are sent. A group, such as ``signals``, includes its fields.
    """
    figures: bool
    """Whether events in which nothing but figures (``signals``) and the scores changed are
    sent.
    """
    active: Literal[True]
    """Whether events are sent to the webhook."""
    createdAt: str
    """When it was registered."""
    secret: str
    """The secret that signs deliveries: ``whsec_`` and 32 bytes in base64."""


class RotatedWebhook(TypedDict):
    """The new secret of a webhook."""

    id: str
    """A webhook's id."""
    secret: str
    """The secret that signs deliveries from now on: ``whsec_`` and 32 bytes in base64."""
    previousSecretExpiresAt: str
    """The time until which deliveries are also signed with the previous secret."""


class Webhook(TypedDict):
    """A webhook and its delivery state."""

    id: str
    """A webhook's id."""
    url: str
    """The address that is called. The host is in lower case."""
    events: List[SubscribableEvent]
    """The events to send, without duplicates."""
    fields: List[ChangedField]
    """If there are any, only created, updated and deleted entities with a change of one of
    these fields are sent. A group, such as ``signals``, includes its fields.
    """
    figures: bool
    """Whether events in which nothing but figures (``signals``) and the scores changed are
    sent.
    """
    active: bool
    """Whether events are sent to the webhook. A webhook is disabled when its receiver responds
    with 410, or when all deliveries have failed for five days. A successful test enables it
    again; its events are pending until then, for up to 30 days.
    """
    createdAt: str
    """When it was registered."""
    disabledAt: Optional[str]
    """When it was disabled; null while it is active."""
    disabledReason: Optional[str]
    """Why it was disabled; null while it is active."""
    failingSince: Optional[str]
    """When a delivery first failed after the last success; null if the webhook is not failing.
    """
    lastAttemptAt: Optional[str]
    """When it was last called; null if it has not been called."""
    lastSuccessAt: Optional[str]
    """When a call last succeeded; null if none has."""
    nextAttemptAt: Optional[str]
    """When it will be called next; null if nothing is pending."""


class WebhookList(TypedDict):
    """The account's webhooks."""

    data: List[Webhook]
    """The webhooks, oldest first."""
    count: int
    """The number of webhooks."""


class Delivery(TypedDict):
    """An event and the attempts to deliver it."""

    id: str
    """The delivery's id."""
    webhookId: str
    """A webhook's id."""
    kind: Literal["event", "test", "replay"]
    """A regular event, a test, or a replay of an event."""
    eventId: str
    """The value sent as ``webhook-id``."""
    event: Literal["entity.created", "entity.updated", "entity.deleted", "entity.retiring", "webhook.test"]
    """The event's name."""
    status: DeliveryStatus
    """``pending``: the delivery will be attempted or retried. ``succeeded``: the receiver
    accepted it. ``failed``: all ten attempts to deliver an event failed, the only attempt
    to deliver a test or a replay failed, or the webhook was disabled.
    """
    attempts: int
    """The number of attempts made."""
    createdAt: str
    """When the event occurred."""
    lastAttemptAt: Optional[str]
    """When it was last attempted; null if it has not been attempted yet."""
    nextAttemptAt: Optional[str]
    """When it can be attempted; null unless it is pending."""
    responseStatus: Optional[int]
    """The HTTP status of the last response; null if there was none."""
    durationMs: Optional[int]
    """The last attempt's duration, in milliseconds; null if there was none."""
    error: Optional[str]
    """The error from the last attempt; null if it succeeded or there was no attempt."""


class DeliveryList(TypedDict):
    """One page of deliveries, newest first."""

    data: List[Delivery]
    """The deliveries."""
    count: int
    """The number of deliveries on all pages."""
    nextCursor: Optional[str]
    """The ``cursor`` of the next page; null on the last page."""


class WebhookEventEntity(TypedDict):
    """The entity, with its current name or, if it was deleted, its last name; null for a test.
    """

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""


class _WebhookEventRequired(TypedDict):
    id: str
    """The event's id, which is the same for every attempt, so that a receiver can recognize
    repeats.
    """
    event: Literal["entity.created", "entity.updated", "entity.deleted", "entity.retiring", "webhook.test"]
    """What happened to the entity; ``webhook.test`` for a test."""
    timestamp: str
    """The time of the latest change that was combined into this event, or of the build's
    commit if there is none, or of the notice.
    """
    entity: Optional[WebhookEventEntity]
    """The entity, with its current name or, if it was deleted, its last name; null for a test.
    """
    changes: List[FieldChange]
    """The fields that changed. For a created entity, all old values are null; for a deleted
    entity, all new values are null.
    """
    changeIds: List[str]
    """The changelog entries that were combined, oldest first; none if a rewritten history has
    none.
    """


class WebhookEvent(_WebhookEventRequired, total=False):
    """The net change to one entity between two builds. A field that has returned to its old
    value is not included. Scores are included only beside other changes. The events for an
    entity are sent in order.

    ``entity.retiring`` is the notice of a retirement. It is sent 30 and 7 days before, by
    the service's clock and days in UTC, and has no changes. If an entity's retirement
    becomes known later, only the last notice that is due is sent. A changed day starts
    again. A withdrawn entity has no notices.
    """

    retires: str
    """When the entity retires. Only in ``entity.retiring``."""
    daysLeft: int
    """The number of days from the notice to the retirement. Only in ``entity.retiring``."""
    replacedBy: Optional[str]
    """The key of the successor (``type/slug``), or null if there is none. Only in
    ``entity.retiring``.
    """
