"""History: What has changed, when and by whom.

Made from the description of the interface, version 0.8.1; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict, Union

from ._entities import Benchmark, EntityType

ChangeEvent = Literal["entity.created", "entity.updated", "entity.deleted"]
"""What happened to the entity."""

ChangedField = Literal[
    "slug",
    "name",
    "provider",
    "description",
    "category",
    "version",
    "pricingModel",
    "license",
    "url",
    "tags",
    "capabilities",
    "addedDate",
    "lastUpdated",
    "status",
    "links",
    "signals",
    "signals.benchmarks",
    "scores",
    "links.homepage",
    "links.repository",
    "links.documentation",
    "links.paper",
    "links.package",
    "links.modelCard",
    "links.weights",
    "links.demo",
    "links.changelog",
    "links.deprecation",
    "signals.citations",
    "signals.commits",
    "signals.contextTokens",
    "signals.contributors",
    "signals.dependents",
    "signals.downloads",
    "signals.forks",
    "signals.lastRelease",
    "signals.likes",
    "signals.outputTokens",
    "signals.parameters",
    "signals.released",
    "signals.releases",
    "signals.stars",
    "scores.composite",
    "scores.adoption",
    "scores.quality",
    "scores.freshness",
    "scores.citations",
    "scores.engagement",
]
"""A field of the record; nested fields are joined with a dot."""


class FieldChange(TypedDict):
    """One field, with its old and new value."""

    field: ChangedField
    """A field of the record; nested fields are joined with a dot."""
    old: Optional[Union[str, float, List[str], List[Benchmark]]]
    """The value of the field, null if it is not set. Signals have only their values;
    ``signals.benchmarks`` is the complete list.
    """
    new: Optional[Union[str, float, List[str], List[Benchmark]]]
    """The value of the field, null if it is not set. Signals have only their values;
    ``signals.benchmarks`` is the complete list.
    """


class ChangeEntity(TypedDict):
    """The entity after the change or, if it was deleted, before it."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name, as its makers spell it."""


class Change(TypedDict):
    """One entity created, updated or deleted at one moment."""

    id: str
    """The id of a change."""
    event: ChangeEvent
    """What happened to the entity."""
    timestamp: str
    """The commit time, in UTC."""
    entity: ChangeEntity
    """The entity after the change or, if it was deleted, before it."""
    changes: List[FieldChange]
    """The fields that changed; for a created or deleted entity, all fields that are set.
    """
    commit: Optional[str]
    """The commit of the change; null without version control."""
    author: Optional[str]
    """The name of the commit's author; null without version control."""
    pullRequest: Optional[int]
    """The pull request of the commit, if its message names one."""


class ChangeList(TypedDict):
    """One page of changes, newest first."""

    data: List[Change]
    """The changes."""
    count: int
    """The number of records on all pages."""
    nextCursor: Optional[str]
    """The ``cursor`` of the next page; null on the last page."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class _JSONFeedRequired(TypedDict):
    version: Literal["https://jsonfeed.org/version/1.1"]
    """The version of JSON Feed."""
    title: str
    """The title of the feed."""
    items: List[JSONFeedItem]
    """The changes, newest first."""


class JSONFeed(_JSONFeedRequired, total=False):
    """A JSON Feed 1.1 document."""

    description: str
    """What the feed is about."""
    language: str
    """The language of the texts."""
    home_page_url: str
    """The address of the service."""
    feed_url: str
    """The address of this document."""
    next_url: str
    """The document with the next older changes; missing in the last document."""


class JSONFeedItemAuthors(TypedDict):
    """Who made a change."""

    name: str


class _JSONFeedItemRequired(TypedDict):
    id: str
    """The id of the change, as a URN."""
    title: str
    """What happened, in a sentence."""
    content_html: str
    """What changed, as HTML."""
    date_published: str
    """The time of the change."""


class JSONFeedItem(_JSONFeedItemRequired, total=False):
    """One change."""

    url: str
    """The address of the entity."""
    authors: List[JSONFeedItemAuthors]
    """Who made the change, if known."""
    tags: List[EntityType]
    """The type of the entity."""
