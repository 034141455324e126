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


class MonthCounts(TypedDict):
    """Numbers of changes."""

    changes: int
    """Changes to entities."""
    created: int
    """Entities created."""
    updated: int
    """Updates."""
    deleted: int
    """Entities deleted."""
    figures: int
    """Updates of figures alone."""
    refreshes: int
    """Commits with such updates of several entities."""
    pricesUp: int
    """Prices that rose."""
    pricesDown: int
    """Prices that fell."""


class MonthAdded(TypedDict):
    """Entities that were added, and are still there."""

    count: int
    """The number of records on all pages."""
    data: List[MonthEntity]
    """The first 20."""


class MonthReleases(TypedDict):
    """The latest release of each entity: another version, or a later ``lastRelease``."""

    count: int
    """The number of records on all pages."""
    data: List[MonthRelease]
    """The first 20."""


class MonthPrices(TypedDict):
    """Prices of offers before and after the month, if they differ, the largest change first.
    """

    count: int
    """The number of records on all pages."""
    data: List[MonthPrice]
    """The first 20."""


class MonthAnnounced(TypedDict):
    """Deprecations and retirements that were recorded, and archived repositories."""

    count: int
    """The number of records on all pages."""
    data: List[MonthAnnouncement]
    """The first 20."""


class MonthRanked(TypedDict):
    """Entities in the index that got their first score, the best first."""

    count: int
    """The number of records on all pages."""
    data: List[MonthRanked]
    """The first 20."""


class MonthMovers(TypedDict):
    """The largest gains in score in a week that ended in the month, by the rules of ``GET
    /api/trending``. The last eleven weeks are known.
    """

    count: int
    """The number of records on all pages."""
    data: List[MonthMover]
    """The first 20."""


class MonthLinks(TypedDict):
    """Addresses with more."""

    page: str
    """The page of the month."""
    changes: str
    """The changes of the month, without those of figures alone."""


class Month(TypedDict):
    """What changed in a calendar month, in UTC."""

    month: str
    """A calendar month."""
    since: str
    """The first day."""
    until: str
    """The last day, or the build's as-of day in the present month."""
    complete: bool
    """Whether the month is over."""
    previous: Optional[str]
    """The month before; null for the first one."""
    next: Optional[str]
    """The month after; null for the present one."""
    counts: MonthCounts
    """Numbers of changes."""
    added: MonthAdded
    """Entities that were added, and are still there."""
    releases: MonthReleases
    """The latest release of each entity: another version, or a later ``lastRelease``."""
    prices: MonthPrices
    """Prices of offers before and after the month, if they differ, the largest change first.
    """
    announced: MonthAnnounced
    """Deprecations and retirements that were recorded, and archived repositories."""
    ranked: MonthRanked
    """Entities in the index that got their first score, the best first."""
    movers: MonthMovers
    """The largest gains in score in a week that ended in the month, by the rules of ``GET
    /api/trending``. The last eleven weeks are known.
    """
    links: MonthLinks
    """Addresses with more."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class MonthEntity(TypedDict):
    """An entity to which something happened."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The name of the entity at that time."""
    day: str
    """The day on which it happened."""


class MonthRelease(TypedDict):
    """A release. ``day`` is the day of the release if it is known."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The name of the entity at that time."""
    day: str
    """The day on which it happened."""
    version: Optional[str]
    """The new version; null if only its day is known."""
    previousVersion: Optional[str]
    """The version before the month; null if it is unknown."""


class MonthPrice(TypedDict):
    """A price that changed, in USD."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The name of the entity at that time."""
    day: str
    """The day on which it happened."""
    offer: str
    """The offer and its provider."""
    term: str
    """The price that changed."""
    old: float
    """The price before the month."""
    new: float
    """The price after the month."""
    percent: Optional[float]
    """The difference in percent; null if the old price was 0."""


class MonthAnnouncement(TypedDict):
    """A deprecation, a retirement, or an archived repository, on the day on which it was
    recorded.
    """

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The name of the entity at that time."""
    day: str
    """The day on which it happened."""
    event: Literal["deprecation", "retirement", "archived"]
    """What happens."""
    effective: Optional[str]
    """The day on which it takes effect, if it is known."""


class MonthRanked(TypedDict):
    """An entity with its first score."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The name of the entity at that time."""
    day: str
    """The day on which it happened."""
    score: Optional[float]
    """A score with one decimal; null if there is not enough data."""


class MonthMover(TypedDict):
    """A gain in score in a week, which ended on ``day``."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The name of the entity at that time."""
    day: str
    """The day on which it happened."""
    previousScore: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    score: Optional[float]
    """A score with one decimal; null if there is not enough data."""


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
