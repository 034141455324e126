"""Leaderboards: Entities ranked by score, and the categories that have a ranking.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict

from ._entities import (
    EntityType,
    Lifecycle,
    Links,
    Maintenance,
    Modalities,
    Parameters,
    PriceSummary,
    PricingModel,
    Scores,
    Signals,
    Status,
)

SignalName = Literal[
    "archived",
    "citations",
    "commits",
    "condaDownloads",
    "contextTokens",
    "contributors",
    "created",
    "dependents",
    "dockerPulls",
    "downloads",
    "forks",
    "huggingfaceDownloads",
    "lastCommit",
    "lastRelease",
    "likes",
    "npmDownloads",
    "openIssues",
    "outputTokens",
    "parameters",
    "pypiDownloads",
    "recentCommits",
    "released",
    "releases",
    "stars",
]
"""The name of a signal."""


class _RankedEntityRequired(TypedDict):
    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""
    provider: Optional[str]
    """The maker or provider."""
    description: str
    """The purpose of the entity and what sets it apart."""
    category: str
    """Lower-case letters and digits, with words separated by hyphens."""
    version: Optional[str]
    """The latest stable version of the entity, as a string."""
    pricingModel: Optional[PricingModel]
    """The pricing model."""
    license: Optional[str]
    """A licence, as an SPDX expression if possible."""
    url: Optional[str]
    """The main web page."""
    tags: List[str]
    """Free-form keywords."""
    capabilities: List[str]
    """What the entity can do."""
    scores: Scores
    """The scores, each calculated with the published formula."""
    addedDate: Optional[str]
    """A day, YYYY-MM-DD."""
    lastUpdated: Optional[str]
    """A day, YYYY-MM-DD."""
    status: Status
    """``active``: available, and not deprecated. ``deprecated``: still available, but no
    longer recommended by its makers. ``withdrawn``: no longer available; omitted from lists
    unless requested.
    """
    links: Links
    """Further links. A link that is not known is omitted."""
    signals: Signals
    """The facts that scores are calculated from, each with the day it was observed and its
    source. Unknown facts are omitted. ``stars``, ``forks``, ``commits`` and ``releases``
    are counted in the repository; ``contributors`` is the number of people who contributed
    code to it; ``downloads`` is per month, over all package registries; ``dependents`` is
    the number of projects that depend on it; ``citations`` is the number of publications
    that cite it; ``likes`` is from a model hub; ``parameters`` is the size of a model;
    ``contextTokens`` and ``outputTokens`` are the maximum lengths of its input and output,
    in tokens; ``lastRelease`` is the day of the latest release, and ``released`` the day of
    the first; ``created`` is the day the repository was created, ``lastCommit`` that of the
    latest commit on its default branch, and ``recentCommits`` is the number of commits
    there in the 90 days before it was read; ``openIssues`` excludes pull requests;
    ``archived`` is 1 if the repository is archived and 0 if not; ``pypiDownloads`` (without
    mirrors), ``npmDownloads`` and ``huggingfaceDownloads`` cover 30 days;
    ``condaDownloads`` and ``dockerPulls`` are totals.
    """
    ids: Dict[str, Any]
    """The entity's identifiers in registries and at providers, by namespace."""
    family: Optional[str]
    """The model family."""
    openWeights: Optional[bool]
    """Whether the weights can be downloaded."""
    modalities: Modalities
    """The kinds of data that a model reads and produces."""
    knowledge: Optional[str]
    """The end of the training data, as YYYY, YYYY-MM or YYYY-MM-DD."""
    parameters: Parameters
    """The number of a model's parameters."""
    reasoning: Optional[bool]
    """Whether the model can reason before it answers."""
    reasoningEfforts: List[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]]
    """The reasoning efforts that a request can ask for."""
    lifecycle: Optional[Lifecycle]
    """The entity's announced end."""
    maintenance: Optional[Maintenance]
    """How old the latest commit was when it was read: up to 180 days is active, up to 365
    slow, more is dormant. Null if nothing is known, or if it was read more than 400 days
    before the as-of date.
    """
    maintenanceAsOf: Optional[str]
    """The day when that was read."""
    price: Optional[PriceSummary]
    """The price of a million tokens in US dollars, at the model's maker or else the median of
    all offers that are not deprecated.
    """
    offerCount: int
    """The number of offers."""
    rank: int
    """The rank, starting at 1; equal scores are ranked by type, then slug."""
    previousRank: Optional[int]
    """The rank at the end of the day ``since``; null if there was none."""
    delta: Optional[int]
    """The number of places gained, compared with ``previousRank``; null if ``previousRank`` is
    null.
    """


class RankedEntity(_RankedEntityRequired, total=False):
    """An entity and its rank."""

    boardScore: float
    """The score on the board; present only on a board."""


class TrendingEntity(TypedDict):
    """An entity and its gain."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""
    provider: Optional[str]
    """The maker or provider."""
    description: str
    """The purpose of the entity and what sets it apart."""
    category: str
    """Lower-case letters and digits, with words separated by hyphens."""
    version: Optional[str]
    """The latest stable version of the entity, as a string."""
    pricingModel: Optional[PricingModel]
    """The pricing model."""
    license: Optional[str]
    """A licence, as an SPDX expression if possible."""
    url: Optional[str]
    """The main web page."""
    tags: List[str]
    """Free-form keywords."""
    capabilities: List[str]
    """What the entity can do."""
    scores: Scores
    """The scores, each calculated with the published formula."""
    addedDate: Optional[str]
    """A day, YYYY-MM-DD."""
    lastUpdated: Optional[str]
    """A day, YYYY-MM-DD."""
    status: Status
    """``active``: available, and not deprecated. ``deprecated``: still available, but no
    longer recommended by its makers. ``withdrawn``: no longer available; omitted from lists
    unless requested.
    """
    links: Links
    """Further links. A link that is not known is omitted."""
    signals: Signals
    """The facts that scores are calculated from, each with the day it was observed and its
    source. Unknown facts are omitted. ``stars``, ``forks``, ``commits`` and ``releases``
    are counted in the repository; ``contributors`` is the number of people who contributed
    code to it; ``downloads`` is per month, over all package registries; ``dependents`` is
    the number of projects that depend on it; ``citations`` is the number of publications
    that cite it; ``likes`` is from a model hub; ``parameters`` is the size of a model;
    ``contextTokens`` and ``outputTokens`` are the maximum lengths of its input and output,
    in tokens; ``lastRelease`` is the day of the latest release, and ``released`` the day of
    the first; ``created`` is the day the repository was created, ``lastCommit`` that of the
    latest commit on its default branch, and ``recentCommits`` is the number of commits
    there in the 90 days before it was read; ``openIssues`` excludes pull requests;
    ``archived`` is 1 if the repository is archived and 0 if not; ``pypiDownloads`` (without
    mirrors), ``npmDownloads`` and ``huggingfaceDownloads`` cover 30 days;
    ``condaDownloads`` and ``dockerPulls`` are totals.
    """
    ids: Dict[str, Any]
    """The entity's identifiers in registries and at providers, by namespace."""
    family: Optional[str]
    """The model family."""
    openWeights: Optional[bool]
    """Whether the weights can be downloaded."""
    modalities: Modalities
    """The kinds of data that a model reads and produces."""
    knowledge: Optional[str]
    """The end of the training data, as YYYY, YYYY-MM or YYYY-MM-DD."""
    parameters: Parameters
    """The number of a model's parameters."""
    reasoning: Optional[bool]
    """Whether the model can reason before it answers."""
    reasoningEfforts: List[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]]
    """The reasoning efforts that a request can ask for."""
    lifecycle: Optional[Lifecycle]
    """The entity's announced end."""
    maintenance: Optional[Maintenance]
    """How old the latest commit was when it was read: up to 180 days is active, up to 365
    slow, more is dormant. Null if nothing is known, or if it was read more than 400 days
    before the as-of date.
    """
    maintenanceAsOf: Optional[str]
    """The day when that was read."""
    price: Optional[PriceSummary]
    """The price of a million tokens in US dollars, at the model's maker or else the median of
    all offers that are not deprecated.
    """
    offerCount: int
    """The number of offers."""
    trend: Optional[Trend]
    """How an entity's score and rank changed within the window; null if the score fell or
    cannot be compared, which happens only if ``by`` is a signal.
    """
    growth: Optional[Growth]
    """How much the signal in ``by`` grew within the window; null if ``by`` is ``score``."""


class Growth(TypedDict):
    """How much the signal in ``by`` grew within the window; null if ``by`` is ``score``."""

    signal: SignalName
    """The name of a signal."""
    value: float
    """The latest figure."""
    previousValue: float
    """The figure at the end of the day ``since``."""
    gain: float
    """The difference."""
    percent: Optional[float]
    """The difference as a percentage of the previous figure; null if that was 0."""


class Trend(TypedDict):
    """How an entity's score and rank changed within the window; null if the score fell or
    cannot be compared, which happens only if ``by`` is a signal.
    """

    score: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    previousScore: Optional[float]
    """The composite score of the entity's state at the end of the day ``since``, by the
    current formula and as of now; null if there was none.
    """
    gain: float
    """``score`` minus ``previousScore``, or 0 if one of them is null."""
    rank: Optional[int]
    """The rank among the entities that were ranked at both ends of the window; null if this
    one was not.
    """
    previousRank: Optional[int]
    """The rank among the same entities at the end of the day ``since``; null if there is none.
    """
    changes: int
    """The number of changes within the window."""


class TrendingList(TypedDict):
    """Trending entities, largest gain first."""

    data: List[TrendingEntity]
    """The trending entities."""
    count: int
    """The number of records on all pages."""
    window: Literal["7d", "30d"]
    """The window's length."""
    since: str
    """The comparison starts at the end of this day."""
    by: Literal["score", "citations", "commits", "condaDownloads", "contributors", "dependents", "dockerPulls", "downloads", "forks", "huggingfaceDownloads", "likes", "npmDownloads", "pypiDownloads", "releases", "stars"]
    """What has grown."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class _LeaderboardRequired(TypedDict):
    data: List[RankedEntity]
    """The entities, in rank order."""
    count: int
    """The number of records on all pages."""
    comparedTo: Optional[str]
    """The day that ``previousRank`` refers to; null if the history begins later."""
    nextCursor: Optional[str]
    """The ``cursor`` of the next page; null on the last page."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class Leaderboard(_LeaderboardRequired, total=False):
    """One page of a ranking, in rank order. The members from ``slug`` to ``figuresOf``
    describe a board and are present only on a board.
    """

    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    title: str
    """The display name of a board."""
    description: str
    """What a board compares, and who measured it."""
    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    needs: Optional[str]
    """What must be known about an entity on a board, as a sentence; null if nothing is needed
    besides the formula's coverage. A source of benchmark results is their publisher or, if
    none is named, the source that the formula states for the benchmark, or the benchmark;
    the maker of a model does not count.
    """
    figuresOf: FiguresOf
    """The dates of the oldest and the newest figure in the scores on a board. A month counts
    as its first day.
    """
    asOf: str
    """The day in ``at``; present only with ``at``."""


class FiguresOf(TypedDict):
    """The dates of the oldest and the newest figure in the scores on a board. A month counts
    as its first day.
    """

    oldest: Optional[str]
    """A day, YYYY-MM-DD."""
    newest: Optional[str]
    """A day, YYYY-MM-DD."""


class Board(TypedDict):
    """A board and its number of ranked entities."""

    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    title: str
    """The display name of a board."""
    description: str
    """What a board compares, and who measured it."""
    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    needs: Optional[str]
    """What must be known about an entity on a board, as a sentence; null if nothing is needed
    besides the formula's coverage. A source of benchmark results is their publisher or, if
    none is named, the source that the formula states for the benchmark, or the benchmark;
    the maker of a model does not count.
    """
    figuresOf: FiguresOf
    """The dates of the oldest and the newest figure in the scores on a board. A month counts
    as its first day.
    """
    count: int
    """The number of ranked entities."""


class BoardList(TypedDict):
    """The published boards, in the order in which pages show them."""

    data: List[Board]
    """The boards."""
    count: int
    """The number of records on all pages."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class Category(TypedDict):
    """A category and its number of entities."""

    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    formerly: List[str]
    """Earlier slugs. Filters accept them, and addresses under them redirect."""
    title: str
    """The display name."""
    description: Optional[str]
    """What belongs in the category."""
    count: int
    """The number of entities, excluding withdrawn ones."""
    ranked: int
    """The number of entities on its leaderboard."""


class CategoryList(TypedDict):
    """All categories, sorted by slug."""

    data: List[Category]
    """The categories."""
    count: int
    """The number of records on all pages."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""
