"""History: What has changed, when and by whom.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict, Union

from ._entities import Benchmark, EntityType, Offer, Tier
from ._leaderboards import SignalName

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
    "ids",
    "family",
    "openWeights",
    "modalities",
    "modalities.input",
    "modalities.output",
    "knowledge",
    "parameters",
    "parameters.total",
    "parameters.active",
    "reasoning",
    "reasoningEfforts",
    "lifecycle",
    "lifecycle.deprecated",
    "lifecycle.retires",
    "lifecycle.replacedBy",
    "offers",
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
    "signals.archived",
    "signals.citations",
    "signals.commits",
    "signals.condaDownloads",
    "signals.contextTokens",
    "signals.contributors",
    "signals.created",
    "signals.dependents",
    "signals.dockerPulls",
    "signals.downloads",
    "signals.forks",
    "signals.huggingfaceDownloads",
    "signals.lastCommit",
    "signals.lastRelease",
    "signals.likes",
    "signals.npmDownloads",
    "signals.openIssues",
    "signals.outputTokens",
    "signals.parameters",
    "signals.pypiDownloads",
    "signals.recentCommits",
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
"""A field of the record. The names of nested fields are joined with a dot."""


class FieldChange(TypedDict):
    """A changed field, with its old and new values."""

    field: Union[ChangedField, str]
    """The changed field."""
    old: Optional[Union[str, float, bool, List[str], List[Benchmark], List[Tier], Offer]]
    """The value of the field; null if it is not set. For a signal, only its value is included;
    ``signals.benchmarks`` is the complete list.
    """
    new: Optional[Union[str, float, bool, List[str], List[Benchmark], List[Tier], Offer]]
    """The value of the field; null if it is not set. For a signal, only its value is included;
    ``signals.benchmarks`` is the complete list.
    """


class ChangeEntity(TypedDict):
    """The entity after the change or, if it was deleted, before it."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""


class Change(TypedDict):
    """The creation, update or deletion of one entity at one point in time."""

    id: str
    """A change's id."""
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
    """The commit hash; null if the content is not under version control."""
    author: Optional[str]
    """The commit author's name; null if the content is not under version control."""
    pullRequest: Optional[int]
    """The pull request's number, if the commit message contains it."""


class SignalPoint(TypedDict):
    """A value that a signal of an entity had, starting with one commit."""

    name: SignalName
    """The name of a signal."""
    value: Optional[Union[float, str]]
    """The value, which is a number or a date; null where the signal disappeared."""
    date: Optional[str]
    """A day, YYYY-MM-DD."""
    source: Optional[str]
    """The page where the value was found."""
    timestamp: Optional[str]
    """The commit time, in UTC; null if the value is not committed."""
    commit: Optional[str]
    """The commit hash; null if the value is not committed."""


class SignalGrowth(TypedDict, total=False):
    """The growth of the signals that the entity has now."""

    citations: GrowthOverTime
    """How much a signal has grown over each window."""
    commits: GrowthOverTime
    """How much a signal has grown over each window."""
    condaDownloads: GrowthOverTime
    """How much a signal has grown over each window."""
    contributors: GrowthOverTime
    """How much a signal has grown over each window."""
    dependents: GrowthOverTime
    """How much a signal has grown over each window."""
    dockerPulls: GrowthOverTime
    """How much a signal has grown over each window."""
    downloads: GrowthOverTime
    """How much a signal has grown over each window."""
    forks: GrowthOverTime
    """How much a signal has grown over each window."""
    huggingfaceDownloads: GrowthOverTime
    """How much a signal has grown over each window."""
    likes: GrowthOverTime
    """How much a signal has grown over each window."""
    npmDownloads: GrowthOverTime
    """How much a signal has grown over each window."""
    openIssues: GrowthOverTime
    """How much a signal has grown over each window."""
    pypiDownloads: GrowthOverTime
    """How much a signal has grown over each window."""
    recentCommits: GrowthOverTime
    """How much a signal has grown over each window."""
    releases: GrowthOverTime
    """How much a signal has grown over each window."""
    stars: GrowthOverTime
    """How much a signal has grown over each window."""


_GrowthOverTimeRequiredOdd = TypedDict(
    "_GrowthOverTimeRequiredOdd",
    {
        "7d": 'Optional[WindowGrowth]',
        "30d": 'Optional[WindowGrowth]',
        "365d": 'Optional[WindowGrowth]',
    },
)


class GrowthOverTime(_GrowthOverTimeRequiredOdd, total=False):
    """How much a signal has grown over each window."""


class WindowGrowth(TypedDict):
    """How much a signal has grown from one reading to the latest one; null if that is unknown.
    """

    value: float
    """The latest reading."""
    date: Optional[str]
    """The day of the latest reading; null if it is unknown."""
    previousValue: float
    """The reading that was valid at the start of the window."""
    previousDate: Optional[str]
    """The day of that reading; null if it is unknown."""
    gain: float
    """The difference, which is negative if the signal fell."""
    percent: Optional[float]
    """The difference as a percentage of the previous reading, with one decimal; null if that
    was 0.
    """


class SignalPointList(TypedDict):
    """One page of the values of signals, sorted by name and oldest first."""

    data: List[SignalPoint]
    """The points."""
    count: int
    """The number of records on all pages."""
    growth: SignalGrowth
    """The growth of the signals that the entity has now."""
    nextCursor: Optional[str]
    """The ``cursor`` of the next page; null on the last page."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


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
    """The feed's title."""
    items: List[JSONFeedItem]
    """The changes and weeks, newest first."""


class JSONFeed(_JSONFeedRequired, total=False):
    """A JSON Feed 1.1 document."""

    description: str
    """What the feed is about."""
    language: str
    """The language of the text."""
    home_page_url: str
    """The service's address."""
    feed_url: str
    """This document's address."""
    next_url: str
    """The address of the next document, which contains older changes; absent from the last
    document.
    """


class JSONFeedItemAuthors(TypedDict):
    """The author of a change."""

    name: str


class _JSONFeedItemRequired(TypedDict):
    id: str
    """The change's id as a URN or, for a week, a URN with the week and the id of the first
    change of the index.
    """
    title: str
    """What happened, in a sentence."""
    content_html: str
    """What changed or moved, as HTML."""
    date_published: str
    """The time of the change, or the end of the week."""


class JSONFeedItem(_JSONFeedItemRequired, total=False):
    """One change, or the movers of one week."""

    url: str
    """The entity's address or, for a week, that of its changes."""
    authors: List[JSONFeedItemAuthors]
    """Who made the change, if known. A week has no authors."""
    tags: List[EntityType]
    """The entity's type. A week has no tags."""
