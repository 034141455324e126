"""Entities: Tools and models, one by one or as filtered lists.

Made from the description of the interface, version 0.8.1; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict, Union

EntityType = Literal["model", "tool"]
"""The type of an entity. Type and slug together identify an entity."""

PricingModel = Literal[
    "open-source",
    "open-weights",
    "free",
    "freemium",
    "subscription",
    "usage-based",
    "proprietary",
]
"""How it is offered."""

Status = Literal["active", "deprecated", "withdrawn"]
"""``active``; ``deprecated``: no longer recommended by its makers; ``withdrawn``: no longer
available, and left out of lists."""


class Scores(TypedDict):
    """The scores, each calculated with the published formula."""

    composite: Optional[float]
    """A score with one decimal; null if not enough is known."""
    adoption: Optional[float]
    """A score with one decimal; null if not enough is known."""
    quality: Optional[float]
    """A score with one decimal; null if not enough is known."""
    freshness: Optional[float]
    """A score with one decimal; null if not enough is known."""
    citations: Optional[float]
    """A score with one decimal; null if not enough is known."""
    engagement: Optional[float]
    """A score with one decimal; null if not enough is known."""


class Links(TypedDict, total=False):
    """More links. Unknown ones are left out."""

    homepage: str
    """The project's own site."""
    repository: str
    """The source code."""
    documentation: str
    """The documentation."""
    paper: str
    """The paper that describes it."""
    package: str
    """The page in a package registry."""
    modelCard: str
    """The model card."""
    weights: str
    """Where the weights can be downloaded."""
    demo: str
    """A demo."""
    changelog: str
    """The list of releases."""
    deprecation: str
    """The makers' announcement of deprecation or withdrawal."""


class Count(TypedDict):
    """A counted figure."""

    value: int
    """The value."""
    date: Optional[str]
    """A day, YYYY-MM-DD."""
    source: Optional[str]
    """The page where the value was found."""


class Occasion(TypedDict):
    """The date of an event."""

    value: str
    """A day, or a month if only that is known."""
    date: Optional[str]
    """A day, YYYY-MM-DD."""
    source: Optional[str]
    """The page where the value was found."""


class Benchmark(TypedDict):
    """One published result."""

    name: str
    """The benchmark, spelled as its makers do."""
    value: float
    """The result, in the benchmark's own unit."""
    date: Optional[str]
    """A day, or a month if only that is known."""
    source: Optional[str]
    """The page where the value was found."""


class Signals(TypedDict, total=False):
    """The facts that scores are calculated from, each with the day it was observed and its
    source. Unknown facts are left out. ``stars``, ``forks``, ``commits`` and ``releases``
    are counted in the repository; ``contributors`` is the number of people who contributed
    code to it; ``downloads`` is per month, over all package registries; ``dependents`` is
    the number of projects that depend on it; ``citations`` is the number of publications
    that cite it; ``likes`` is from a model hub; ``parameters`` is the size of a model,
    ``contextTokens`` and ``outputTokens`` its longest input and output, in tokens;
    ``lastRelease`` is the day of the latest release, ``released`` the day of the first.
    """

    citations: Count
    """A counted figure."""
    commits: Count
    """A counted figure."""
    contextTokens: Count
    """A counted figure."""
    contributors: Count
    """A counted figure."""
    dependents: Count
    """A counted figure."""
    downloads: Count
    """A counted figure."""
    forks: Count
    """A counted figure."""
    lastRelease: Occasion
    """The date of an event."""
    likes: Count
    """A counted figure."""
    outputTokens: Count
    """A counted figure."""
    parameters: Count
    """A counted figure."""
    released: Occasion
    """The date of an event."""
    releases: Count
    """A counted figure."""
    stars: Count
    """A counted figure."""
    benchmarks: List[Benchmark]
    """Published results, each in the unit of its benchmark."""


class Entity(TypedDict):
    """One tool or model. Every field is always present."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name, as its makers spell it."""
    provider: Optional[str]
    """The maker or provider."""
    description: str
    """What it is for and what sets it apart."""
    category: str
    """Lower-case letters and digits, joined with hyphens."""
    version: Optional[str]
    """The latest stable version of the entity, as text."""
    pricingModel: Optional[PricingModel]
    """How it is offered."""
    license: Optional[str]
    """A licence, as an SPDX expression if possible."""
    url: Optional[str]
    """The address for people to visit."""
    tags: List[str]
    """Free keywords."""
    capabilities: List[str]
    """What it can do."""
    scores: Scores
    """The scores, each calculated with the published formula."""
    addedDate: Optional[str]
    """A day, YYYY-MM-DD."""
    lastUpdated: Optional[str]
    """A day, YYYY-MM-DD."""
    status: Status
    """``active``; ``deprecated``: no longer recommended by its makers; ``withdrawn``: no
    longer available, and left out of lists.
    """
    links: Links
    """More links. Unknown ones are left out."""
    signals: Signals
    """The facts that scores are calculated from, each with the day it was observed and its
    source. Unknown facts are left out. ``stars``, ``forks``, ``commits`` and ``releases``
    are counted in the repository; ``contributors`` is the number of people who contributed
    code to it; ``downloads`` is per month, over all package registries; ``dependents`` is
    the number of projects that depend on it; ``citations`` is the number of publications
    that cite it; ``likes`` is from a model hub; ``parameters`` is the size of a model,
    ``contextTokens`` and ``outputTokens`` its longest input and output, in tokens;
    ``lastRelease`` is the day of the latest release, ``released`` the day of the first.
    """


class EntityDocument(TypedDict):
    """A single entity, with the build that it is from."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name, as its makers spell it."""
    provider: Optional[str]
    """The maker or provider."""
    description: str
    """What it is for and what sets it apart."""
    category: str
    """Lower-case letters and digits, joined with hyphens."""
    version: Optional[str]
    """The latest stable version of the entity, as text."""
    pricingModel: Optional[PricingModel]
    """How it is offered."""
    license: Optional[str]
    """A licence, as an SPDX expression if possible."""
    url: Optional[str]
    """The address for people to visit."""
    tags: List[str]
    """Free keywords."""
    capabilities: List[str]
    """What it can do."""
    scores: Scores
    """The scores, each calculated with the published formula."""
    addedDate: Optional[str]
    """A day, YYYY-MM-DD."""
    lastUpdated: Optional[str]
    """A day, YYYY-MM-DD."""
    status: Status
    """``active``; ``deprecated``: no longer recommended by its makers; ``withdrawn``: no
    longer available, and left out of lists.
    """
    links: Links
    """More links. Unknown ones are left out."""
    signals: Signals
    """The facts that scores are calculated from, each with the day it was observed and its
    source. Unknown facts are left out. ``stars``, ``forks``, ``commits`` and ``releases``
    are counted in the repository; ``contributors`` is the number of people who contributed
    code to it; ``downloads`` is per month, over all package registries; ``dependents`` is
    the number of projects that depend on it; ``citations`` is the number of publications
    that cite it; ``likes`` is from a model hub; ``parameters`` is the size of a model,
    ``contextTokens`` and ``outputTokens`` its longest input and output, in tokens;
    ``lastRelease`` is the day of the latest release, ``released`` the day of the first.
    """
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class SimilarEntity(TypedDict):
    """An entity and its similarity to the requested one."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name, as its makers spell it."""
    provider: Optional[str]
    """The maker or provider."""
    description: str
    """What it is for and what sets it apart."""
    category: str
    """Lower-case letters and digits, joined with hyphens."""
    version: Optional[str]
    """The latest stable version of the entity, as text."""
    pricingModel: Optional[PricingModel]
    """How it is offered."""
    license: Optional[str]
    """A licence, as an SPDX expression if possible."""
    url: Optional[str]
    """The address for people to visit."""
    tags: List[str]
    """Free keywords."""
    capabilities: List[str]
    """What it can do."""
    scores: Scores
    """The scores, each calculated with the published formula."""
    addedDate: Optional[str]
    """A day, YYYY-MM-DD."""
    lastUpdated: Optional[str]
    """A day, YYYY-MM-DD."""
    status: Status
    """``active``; ``deprecated``: no longer recommended by its makers; ``withdrawn``: no
    longer available, and left out of lists.
    """
    links: Links
    """More links. Unknown ones are left out."""
    signals: Signals
    """The facts that scores are calculated from, each with the day it was observed and its
    source. Unknown facts are left out. ``stars``, ``forks``, ``commits`` and ``releases``
    are counted in the repository; ``contributors`` is the number of people who contributed
    code to it; ``downloads`` is per month, over all package registries; ``dependents`` is
    the number of projects that depend on it; ``citations`` is the number of publications
    that cite it; ``likes`` is from a model hub; ``parameters`` is the size of a model,
    ``contextTokens`` and ``outputTokens`` its longest input and output, in tokens;
    ``lastRelease`` is the day of the latest release, ``released`` the day of the first.
    """
    similarity: float
    """From 0, nothing in common, to 1, identical in everything compared."""
    reasons: List[str]
    """What the two have in common, in words, most important first."""


class _EntityListRequired(TypedDict):
    data: List[Entity]
    """The entities."""
    count: int
    """The number of records on all pages."""
    nextCursor: Optional[str]
    """The ``cursor`` of the next page; null on the last page."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class EntityList(_EntityListRequired, total=False):
    """One page of entities. Records are complete unless ``fields`` selects fields."""

    asOf: str
    """The day of the snapshot; present only with ``at``."""


class SimilarList(TypedDict):
    """The entities most similar to one entity, most similar first."""

    data: List[SimilarEntity]
    """The entities."""
    count: int
    """The number of records on all pages."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class ScoreExplanation(TypedDict):
    """The composite is the weighted mean of the dimensions, using the prior for each unknown
    dimension, limited by the cap.
    """

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name, as its makers spell it."""
    formulaVersion: str
    """The version of the scoring file."""
    asOf: str
    """The time that the scores were calculated for."""
    composite: Optional[float]
    """A score with one decimal; null if not enough is known."""
    uncapped: Optional[float]
    """The composite before the cap and rounding; null if there is none."""
    cap: Optional[float]
    """The cap that was applied, for deprecated entities; null for none."""
    coverage: float
    """The share of the weights whose dimension is known."""
    minimumCoverage: float
    """The share that must be known for a composite."""
    ranked: bool
    """Whether there is a composite score, and therefore a rank."""
    reason: Optional[str]
    """Why there is no composite; null if there is one."""
    dimensions: List[ScoreDimension]
    """The dimensions of the formula for this type."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class ScoreDimension(TypedDict):
    """The weighted mean of its known measures; unknown if their share of the weights is below
    ``minimumCoverage``.
    """

    name: Literal["adoption", "quality", "freshness", "citations", "engagement"]
    """The name of the score."""
    score: Optional[float]
    """A score with one decimal; null if not enough is known."""
    value: Optional[float]
    """The score before rounding."""
    weight: float
    """Its weight in the composite."""
    prior: float
    """The value used if the dimension is unknown."""
    counted: float
    """The value used: the score of the dimension or, if it is unknown, the prior."""
    coverage: float
    """The share of the weights whose measure is counted."""
    minimumCoverage: float
    """The share that must be counted for a score."""
    measures: List[MeasureResult]
    """The measures of the dimension."""


class MeasureResult(TypedDict):
    """A measure, its observation and its score."""

    name: str
    """The signal, or the benchmark."""
    state: Literal["counted", "missing", "stale", "future"]
    """``counted``; ``missing``: there is no observation; ``stale``: the observation is too
    old; ``future``: it is later than the time of the scores.
    """
    score: Optional[float]
    """Null unless counted."""
    result: Optional[str]
    """The name of the benchmark result used; null for a signal, or if missing."""
    value: Optional[Union[float, str]]
    """The observed value, a number or a date; null if missing."""
    date: Optional[str]
    """A day, or a month if only that is known."""
    source: Optional[str]
    """The page where the value was found."""
    measure: Measure
    """How the scoring file maps one signal or benchmark to 0 to 100."""


_MeasureOptionalOdd = TypedDict(
    "_MeasureOptionalOdd",
    {
        "from": 'float',
    }, total=False,
)


class _MeasureRequired(TypedDict):
    map: Literal["log", "linear", "age"]
    """``log``: 100·ln(1+v)/ln(1+full); ``linear``: 0 at ``from``, 100 at ``to``; ``age``:
    100·2^(−days/halfLife). Results are limited to 0 to 100.
    """
    weight: float
    """Its weight in the dimension."""


class Measure(_MeasureOptionalOdd, _MeasureRequired, total=False):
    """How the scoring file maps one signal or benchmark to 0 to 100."""

    signal: Literal["citations", "commits", "contextTokens", "contributors", "dependents", "downloads", "forks", "lastRelease", "likes", "outputTokens", "parameters", "released", "releases", "stars"]
    """The signal; absent for a benchmark."""
    benchmark: str
    """The benchmark; absent for a signal."""
    variants: bool
    """Whether results also count if their name has more text in its parentheses than
    ``benchmark``; the newest matching result is used, or the highest of the newest day.
    """
    full: float
    """The value that maps to 100, with ``log``."""
    to: float
    """The value that maps to 100, with ``linear``."""
    halfLife: float
    """In days."""
    staleAfter: float
    """The age in days from which an observation is too old to count; absent if there is no
    such limit.
    """
