"""Entities: Tools and models, individually or as filtered lists.

Generated from version 0.8.2 of the API description; do not edit.
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
"""The pricing model."""

Status = Literal["active", "deprecated", "withdrawn"]
"""``active``: available, and not deprecated. ``deprecated``: still available, but no longer
recommended by its makers. ``withdrawn``: no longer available; omitted from lists unless
requested."""


class Scores(TypedDict):
    """The scores, each calculated with the published formula."""

    composite: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    adoption: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    quality: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    freshness: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    citations: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    engagement: Optional[float]
    """A score with one decimal; null if there is not enough data."""


class Links(TypedDict, total=False):
    """Further links. A link that is not known is omitted."""

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
    """The makers' announcement of the deprecation or withdrawal."""


class Count(TypedDict):
    """A count, with the day it was observed and its source."""

    value: int
    """The value."""
    date: Optional[str]
    """A day, YYYY-MM-DD."""
    source: Optional[str]
    """The page where the value was found."""


class Occasion(TypedDict):
    """The date of an event, with the day it was observed and its source."""

    value: str
    """A day, or a month if the day is not known."""
    date: Optional[str]
    """A day, YYYY-MM-DD."""
    source: Optional[str]
    """The page where the value was found."""


class Benchmark(TypedDict):
    """A published benchmark result."""

    name: str
    """The benchmark's name, as its makers spell it."""
    value: float
    """The result, in the benchmark's own unit."""
    date: Optional[str]
    """A day, or a month if the day is not known."""
    source: Optional[str]
    """The page where the value was found."""


class Signals(TypedDict, total=False):
    """The facts that scores are calculated from, each with the day it was observed and its
    source. Unknown facts are omitted. ``stars``, ``forks``, ``commits`` and ``releases``
    are counted in the repository. ``contributors`` is the number of people who contributed
    code to the repository. ``downloads`` is the number of downloads per month from all
    package registries. ``dependents`` is the number of projects that depend on the entity,
    and ``citations`` is the number of publications that cite it. ``likes`` is the number of
    likes on a model hub. ``parameters`` is the number of parameters of a model, and
    ``contextTokens`` and ``outputTokens`` are the maximum lengths of its input and output,
    in tokens. ``lastRelease`` is the day of the latest release, and ``released`` is the day
    of the first.
    """

    citations: Count
    """A count, with the day it was observed and its source."""
    commits: Count
    """A count, with the day it was observed and its source."""
    contextTokens: Count
    """A count, with the day it was observed and its source."""
    contributors: Count
    """A count, with the day it was observed and its source."""
    dependents: Count
    """A count, with the day it was observed and its source."""
    downloads: Count
    """A count, with the day it was observed and its source."""
    forks: Count
    """A count, with the day it was observed and its source."""
    lastRelease: Occasion
    """The date of an event, with the day it was observed and its source."""
    likes: Count
    """A count, with the day it was observed and its source."""
    outputTokens: Count
    """A count, with the day it was observed and its source."""
    parameters: Count
    """A count, with the day it was observed and its source."""
    released: Occasion
    """The date of an event, with the day it was observed and its source."""
    releases: Count
    """A count, with the day it was observed and its source."""
    stars: Count
    """A count, with the day it was observed and its source."""
    benchmarks: List[Benchmark]
    """Published results, each in its benchmark's own unit."""


class Entity(TypedDict):
    """One tool or model. Every field is always present."""

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
    are counted in the repository. ``contributors`` is the number of people who contributed
    code to the repository. ``downloads`` is the number of downloads per month from all
    package registries. ``dependents`` is the number of projects that depend on the entity,
    and ``citations`` is the number of publications that cite it. ``likes`` is the number of
    likes on a model hub. ``parameters`` is the number of parameters of a model, and
    ``contextTokens`` and ``outputTokens`` are the maximum lengths of its input and output,
    in tokens. ``lastRelease`` is the day of the latest release, and ``released`` is the day
    of the first.
    """


class EntityDocument(TypedDict):
    """A single entity, and the build that it is from."""

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
    are counted in the repository. ``contributors`` is the number of people who contributed
    code to the repository. ``downloads`` is the number of downloads per month from all
    package registries. ``dependents`` is the number of projects that depend on the entity,
    and ``citations`` is the number of publications that cite it. ``likes`` is the number of
    likes on a model hub. ``parameters`` is the number of parameters of a model, and
    ``contextTokens`` and ``outputTokens`` are the maximum lengths of its input and output,
    in tokens. ``lastRelease`` is the day of the latest release, and ``released`` is the day
    of the first.
    """
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class SimilarEntity(TypedDict):
    """An entity and its similarity to the requested one."""

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
    are counted in the repository. ``contributors`` is the number of people who contributed
    code to the repository. ``downloads`` is the number of downloads per month from all
    package registries. ``dependents`` is the number of projects that depend on the entity,
    and ``citations`` is the number of publications that cite it. ``likes`` is the number of
    likes on a model hub. ``parameters`` is the number of parameters of a model, and
    ``contextTokens`` and ``outputTokens`` are the maximum lengths of its input and output,
    in tokens. ``lastRelease`` is the day of the latest release, and ``released`` is the day
    of the first.
    """
    similarity: float
    """From 0 (nothing in common) to 1 (identical in all compared properties)."""
    reasons: List[str]
    """Descriptions of what the two entities have in common, most important first."""


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
    """One page of entities. Records are complete unless ``fields`` is set."""

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
    """How the scores of an entity are calculated. The composite score is the weighted mean of
    the dimensions; for an unknown dimension, its prior is used. If there is a cap, the
    composite score cannot exceed it.
    """

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""
    formulaVersion: str
    """The scoring file's version."""
    asOf: str
    """The time that the scores were calculated for."""
    composite: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    uncapped: Optional[float]
    """The composite score before the cap and rounding; null if there is none."""
    cap: Optional[float]
    """The cap that was applied because the entity is deprecated; null if there is none.
    """
    coverage: float
    """The share of the total weight that belongs to known dimensions."""
    minimumCoverage: float
    """The minimum coverage for a composite score."""
    ranked: bool
    """Whether there is a composite score, and therefore a rank."""
    reason: Optional[str]
    """Why there is no composite score; null if there is one."""
    dimensions: List[ScoreDimension]
    """The formula's dimensions for this type."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class ScoreDimension(TypedDict):
    """One dimension. Its score is the weighted mean of the counted measures; the score is
    unknown if ``coverage`` is below ``minimumCoverage``.
    """

    name: Literal["adoption", "quality", "freshness", "citations", "engagement"]
    """The dimension's name."""
    score: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    value: Optional[float]
    """The score before rounding."""
    weight: float
    """Its weight in the composite."""
    prior: float
    """The value used if the dimension is unknown."""
    counted: float
    """The value used: the score of the dimension or, if it is unknown, the prior."""
    coverage: float
    """The share of the total weight that belongs to counted measures."""
    minimumCoverage: float
    """The minimum coverage for a score."""
    measures: List[MeasureResult]
    """The dimension's measures."""


class MeasureResult(TypedDict):
    """A measure, its observed value and the resulting score."""

    name: str
    """The name of the signal or benchmark."""
    state: Literal["counted", "missing", "stale", "future"]
    """``counted``: the observation is used. ``missing``: there is no observation. ``stale``:
    the observation is too old. ``future``: the observation is later than the time of the
    scores.
    """
    score: Optional[float]
    """The measure's score; null unless it is counted."""
    result: Optional[str]
    """The name of the benchmark result that was used; null for a signal, or if no result was
    used.
    """
    value: Optional[Union[float, str]]
    """The observed value, which is a number or a date; null if there is none."""
    date: Optional[str]
    """A day, or a month if the day is not known."""
    source: Optional[str]
    """The page where the value was found."""
    measure: Measure
    """How the scoring file converts one signal or benchmark to a score from 0 to 100."""


_MeasureOptionalOdd = TypedDict(
    "_MeasureOptionalOdd",
    {
        "from": 'float',
    }, total=False,
)


class _MeasureRequired(TypedDict):
    map: Literal["log", "linear", "age"]
    """How a value ``v`` is converted. ``log``: 100·ln(1+v)/ln(1+full). ``linear``:
    proportionally, from 0 at ``from`` to 100 at ``to``. ``age``: 100·2^(−days/halfLife),
    where ``days`` is the number of days from the observed date to the time of the scores.
    Results are limited to the range from 0 to 100.
    """
    weight: float
    """Its weight in the dimension."""


class Measure(_MeasureOptionalOdd, _MeasureRequired, total=False):
    """How the scoring file converts one signal or benchmark to a score from 0 to 100."""

    signal: Literal["citations", "commits", "contextTokens", "contributors", "dependents", "downloads", "forks", "lastRelease", "likes", "outputTokens", "parameters", "released", "releases", "stars"]
    """The signal; absent for a benchmark."""
    benchmark: str
    """The benchmark; absent for a signal."""
    variants: bool
    """Whether results whose names have additional details in parentheses match too. ``B
    (2.1)`` then also matches ``B (2.1, Codex)``, and ``B`` matches both. If several results
    match, the newest is used; if several of them are from the same day, the highest of
    these is used.
    """
    full: float
    """With ``log``, the value that maps to 100."""
    to: float
    """With ``linear``, the value that maps to 100."""
    halfLife: float
    """With ``age``, the number of days it takes for the score to halve."""
    staleAfter: float
    """The age, in days, above which an observation is too old to be used; absent if there is
    no limit.
    """
