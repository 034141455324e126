"""History: What has changed, when and by whom.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict, Union

from ._entities import Benchmark, EntityType

ChangeEvent = Literal["entity.created", "entity.updated", "entity.deleted"]
"""What became of the entity."""

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
"""A member of the record, nested ones with a dot."""


class FieldChange(TypedDict):
    """One field, and what it was before and after."""

    field: ChangedField
    """A member of the record, nested ones with a dot."""
    old: Optional[Union[str, float, List[str], List[Benchmark]]]
    """The value of the field, null where it is not set. Signals have their bare values,
    ``signals.benchmarks`` the whole list.
    """
    new: Optional[Union[str, float, List[str], List[Benchmark]]]
    """The value of the field, null where it is not set. Signals have their bare values,
    ``signals.benchmarks`` the whole list.
    """


class ChangeEntity(TypedDict):
    """What it was called behind the change or, where it was deleted, before."""

    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name as its makers write it."""


class Change(TypedDict):
    """One entity created, updated or deleted at one moment."""

    id: str
    """The id of a change."""
    event: ChangeEvent
    """What became of the entity."""
    timestamp: str
    """When it was committed, in UTC."""
    entity: ChangeEntity
    """What it was called behind the change or, where it was deleted, before."""
    changes: List[FieldChange]
    """The fields that differ; of a created or deleted entity, all that are set."""
    commit: Optional[str]
    """The commit that made it; null outside version control."""
    author: Optional[str]
    """The name of the commit's author; null outside version control."""
    pullRequest: Optional[int]
    """The pull request that the commit belongs to, where its message tells."""


class ChangeList(TypedDict):
    """One page of changes, the newest first."""

    data: List[Change]
    """The changes."""
    count: int
    """How many there are over all pages."""
    nextCursor: Optional[str]
    """Goes on with the next page as ``cursor``; null on the last one."""
    build: str
    """The id of a build; the day its scores were computed for, and a hash."""


class _JSONFeedRequired(TypedDict):
    version: Literal["https://jsonfeed.org/version/1.1"]
    """The version of JSON Feed."""
    title: str
    """What the feed is called."""
    items: List[JSONFeedItem]
    """The changes, the newest first."""


class JSONFeed(_JSONFeedRequired, total=False):
    """A JSON Feed 1.1 document."""

    description: str
    """What the feed is about."""
    language: str
    """The language of its sentences."""
    home_page_url: str
    """The address of the service."""
    feed_url: str
    """The address of this document."""
    next_url: str
    """The document with the changes before these; left out on the last one."""


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
    """Who made the change, where that is known."""
    tags: List[EntityType]
    """The type of the entity."""
