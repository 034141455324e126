"""Entities: Tools and models, one by one or as filtered lists.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict, Union

EntityType = Literal["model", "tool"]
"""The kind of an entity. Together with the slug it is its address."""

PricingModel = Literal[
    "open-source",
    "open-weights",
    "free",
    "freemium",
    "subscription",
    "usage-based",
    "proprietary",
]
"""How one comes to use it."""

Status = Literal["active", "deprecated", "withdrawn"]
"""``active``; ``deprecated``: no longer recommended by its makers; ``withdrawn``: no longer to
be had, and left out of lists."""


class Scores(TypedDict):
    """The scores, each computed by the published formula."""

    composite: Optional[float]
    """A score with one decimal; null where too little is known."""
    adoption: Optional[float]
    """A score with one decimal; null where too little is known."""
    quality: Optional[float]
    """A score with one decimal; null where too little is known."""
    freshness: Optional[float]
    """A score with one decimal; null where too little is known."""
    citations: Optional[float]
    """A score with one decimal; null where too little is known."""
    engagement: Optional[float]
    """A score with one decimal; null where too little is known."""


class Links(TypedDict, total=False):
    """Further addresses. Those that are unknown are left out."""

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
    """A place to try it."""
    changelog: str
    """The list of releases."""
    deprecation: str
    """The makers' notice that it is deprecated or withdrawn."""


class Count(TypedDict):
    """A figure that was counted."""

    value: int
    """The figure."""
    date: Optional[str]
    """A day, YYYY-MM-DD."""
    source: Optional[str]
    """The page where it was read."""


class Occasion(TypedDict):
    """A date on which something happened."""

    value: str
    """A day, or a month where only that is known."""
    date: Optional[str]
    """A day, YYYY-MM-DD."""
    source: Optional[str]
    """The page where it was read."""


class Benchmark(TypedDict):
    """One published result."""

    name: str
    """The benchmark as its makers write it."""
    value: float
    """The result, in the benchmark's own unit."""
    date: Optional[str]
    """A day, or a month where only that is known."""
    source: Optional[str]
    """The page where it was read."""


class Signals(TypedDict, total=False):
    """The facts that scores are made of, each with the day it was observed and its source.
    Those that are unknown are left out. ``stars``, ``forks``, ``commits`` and ``releases``
    are those of the repository, ``contributors`` the people who have contributed code to
    it; ``downloads`` those of a month, over all package registries; ``dependents`` the
    projects that depend on it; ``citations`` the publications that cite it; ``likes`` those
    on a model hub; ``parameters`` those of a model, ``contextTokens`` and ``outputTokens``
    its longest input and output, in tokens; ``lastRelease`` is the day of the latest
    release, ``released`` that of the first.
    """

    citations: Count
    """A figure that was counted."""
    commits: Count
    """A figure that was counted."""
    contextTokens: Count
    """A figure that was counted."""
    contributors: Count
    """A figure that was counted."""
    dependents: Count
    """A figure that was counted."""
    downloads: Count
    """A figure that was counted."""
    forks: Count
    """A figure that was counted."""
    lastRelease: Occasion
    """A date on which something happened."""
    likes: Count
    """A figure that was counted."""
    outputTokens: Count
    """A figure that was counted."""
    parameters: Count
    """A figure that was counted."""
    released: Occasion
    """A date on which something happened."""
    releases: Count
    """A figure that was counted."""
    stars: Count
    """A figure that was counted."""
    benchmarks: List[Benchmark]
    """Published results, each in the own unit of its benchmark."""


class Entity(TypedDict):
    """One tool or model. Every member is always there."""

    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name as its makers write it."""
    provider: Optional[str]
    """Who makes or offers it."""
    description: str
    """What it is for and what sets it apart."""
    category: str
    """Lower-case letters and digits, joined with hyphens."""
    version: Optional[str]
    """The latest stable version of the entity, as text."""
    pricingModel: Optional[PricingModel]
    """How one comes to use it."""
    license: Optional[str]
    """A licence, as an SPDX expression where it has one."""
    url: Optional[str]
    """The address that people should visit."""
    tags: List[str]
    """Free keywords."""
    capabilities: List[str]
    """What it can do."""
    scores: Scores
    """The scores, each computed by the published formula."""
    addedDate: Optional[str]
    """A day, YYYY-MM-DD."""
    lastUpdated: Optional[str]
    """A day, YYYY-MM-DD."""
    status: Status
    """``active``; ``deprecated``: no longer recommended by its makers; ``withdrawn``: no
    longer to be had, and left out of lists.
    """
    links: Links
    """Further addresses. Those that are unknown are left out."""
    signals: Signals
    """The facts that scores are made of, each with the day it was observed and its source.
    Those that are unknown are left out. ``stars``, ``forks``, ``commits`` and ``releases``
    are those of the repository, ``contributors`` the people who have contributed code to
    it; ``downloads`` those of a month, over all package registries; ``dependents`` the
    projects that depend on it; ``citations`` the publications that cite it; ``likes`` those
    on a model hub; ``parameters`` those of a model, ``contextTokens`` and ``outputTokens``
    its longest input and output, in tokens; ``lastRelease`` is the day of the latest
    release, ``released`` that of the first.
    """


class EntityDocument(TypedDict):
    """One entity on its own, with the build that it is from."""

    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name as its makers write it."""
    provider: Optional[str]
    """Who makes or offers it."""
    description: str
    """What it is for and what sets it apart."""
    category: str
    """Lower-case letters and digits, joined with hyphens."""
    version: Optional[str]
    """The latest stable version of the entity, as text."""
    pricingModel: Optional[PricingModel]
    """How one comes to use it."""
    license: Optional[str]
    """A licence, as an SPDX expression where it has one."""
    url: Optional[str]
    """The address that people should visit."""
    tags: List[str]
    """Free keywords."""
    capabilities: List[str]
    """What it can do."""
    scores: Scores
    """The scores, each computed by the published formula."""
    addedDate: Optional[str]
    """A day, YYYY-MM-DD."""
    lastUpdated: Optional[str]
    """A day, YYYY-MM-DD."""
    status: Status
    """``active``; ``deprecated``: no longer recommended by its makers; ``withdrawn``: no
    longer to be had, and left out of lists.
    """
    links: Links
    """Further addresses. Those that are unknown are left out."""
    signals: Signals
    """The facts that scores are made of, each with the day it was observed and its source.
    Those that are unknown are left out. ``stars``, ``forks``, ``commits`` and ``releases``
    are those of the repository, ``contributors`` the people who have contributed code to
    it; ``downloads`` those of a month, over all package registries; ``dependents`` the
    projects that depend on it; ``citations`` the publications that cite it; ``likes`` those
    on a model hub; ``parameters`` those of a model, ``contextTokens`` and ``outputTokens``
    its longest input and output, in tokens; ``lastRelease`` is the day of the latest
    release, ``released`` that of the first.
    """
    build: str
    """The id of a build; the day its scores were computed for, and a hash."""


class SimilarEntity(TypedDict):
    """An entity and how much it has in common with another one."""

    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name as its makers write it."""
    provider: Optional[str]
    """Who makes or offers it."""
    description: str
    """What it is for and what sets it apart."""
    category: str
    """Lower-case letters and digits, joined with hyphens."""
    version: Optional[str]
    """The latest stable version of the entity, as text."""
    pricingModel: Optional[PricingModel]
    """How one comes to use it."""
    license: Optional[str]
    """A licence, as an SPDX expression where it has one."""
    url: Optional[str]
    """The address that people should visit."""
    tags: List[str]
    """Free keywords."""
    capabilities: List[str]
    """What it can do."""
    scores: Scores
    """The scores, each computed by the published formula."""
    addedDate: Optional[str]
    """A day, YYYY-MM-DD."""
    lastUpdated: Optional[str]
    """A day, YYYY-MM-DD."""
    status: Status
    """``active``; ``deprecated``: no longer recommended by its makers; ``withdrawn``: no
    longer to be had, and left out of lists.
    """
    links: Links
    """Further addresses. Those that are unknown are left out."""
    signals: Signals
    """The facts that scores are made of, each with the day it was observed and its source.
    Those that are unknown are left out. ``stars``, ``forks``, ``commits`` and ``releases``
    are those of the repository, ``contributors`` the people who have contributed code to
    it; ``downloads`` those of a month, over all package registries; ``dependents`` the
    projects that depend on it; ``citations`` the publications that cite it; ``likes`` those
    on a model hub; ``parameters`` those of a model, ``contextTokens`` and ``outputTokens``
    its longest input and output, in tokens; ``lastRelease`` is the day of the latest
    release, ``released`` that of the first.
    """
    similarity: float
    """From 0, nothing in common, to 1, the same in everything that is compared."""
    reasons: List[str]
    """What the two share, in words, the weightiest first."""


class _EntityListRequired(TypedDict):
    data: List[Entity]
    """The entities."""
    count: int
    """How many there are over all pages."""
    nextCursor: Optional[str]
    """Goes on with the next page as ``cursor``; null on the last one."""
    build: str
    """The id of a build; the day its scores were computed for, and a hash."""


class EntityList(_EntityListRequired, total=False):
    """One page of entities. Records are whole unless ``fields`` narrows them."""

    asOf: str
    """The day of the snapshot; only where ``at`` asks for one."""


class SimilarList(TypedDict):
    """The entities that are most like one, the most similar first."""

    data: List[SimilarEntity]
    """The entities."""
    count: int
    """How many there are over all pages."""
    build: str
    """The id of a build; the day its scores were computed for, and a hash."""


class ScoreExplanation(TypedDict):
    """The composite is the mean of the dimensions by weight, an unknown dimension counting
    with its prior, and at most the cap.
    """

    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name as its makers write it."""
    formulaVersion: str
    """The version of the scoring file."""
    asOf: str
    """The time that the scores were computed for."""
    composite: Optional[float]
    """A score with one decimal; null where too little is known."""
    uncapped: Optional[float]
    """The composite before the cap and the rounding; null where there is none."""
    cap: Optional[float]
    """The cap that was applied, for deprecated entities; null for none."""
    coverage: float
    """The share of the weights whose dimension is known."""
    minimumCoverage: float
    """The share that must be known for a composite."""
    ranked: bool
    """Whether there is a composite, and so a rank."""
    reason: Optional[str]
    """Why there is no composite; null where there is one."""
    dimensions: List[ScoreDimension]
    """The dimensions that the formula has for this type."""
    build: str
    """The id of a build; the day its scores were computed for, and a hash."""


class ScoreDimension(TypedDict):
    """The mean of its known measures by weight; unknown where they carry less of the weights
    than ``minimumCoverage``.
    """

    name: Literal["adoption", "quality", "freshness", "citations", "engagement"]
    """The score that it is."""
    score: Optional[float]
    """A score with one decimal; null where too little is known."""
    value: Optional[float]
    """The score before rounding."""
    weight: float
    """Its weight within the composite."""
    prior: float
    """What it counts as where it is unknown."""
    counted: float
    """What it counted as, the value or the prior."""
    coverage: float
    """The share of the weights whose measure is counted."""
    minimumCoverage: float
    """The share that must be counted for a score."""
    measures: List[MeasureResult]
    """The measures that it is made of."""


class MeasureResult(TypedDict):
    """A measure, what it found and what it gave."""

    name: str
    """The signal, or the benchmark."""
    state: Literal["counted", "missing", "stale", "future"]
    """``counted``; ``missing``: there is no such observation; ``stale``: it is too old;
    ``future``: it is from after the time of the scores.
    """
    score: Optional[float]
    """Null unless counted."""
    result: Optional[str]
    """The name of the benchmark result that was taken; null for a signal, and where missing.
    """
    value: Optional[Union[float, str]]
    """What was observed, a number or a date; null where missing."""
    date: Optional[str]
    """A day, or a month where only that is known."""
    source: Optional[str]
    """The page where it was read."""
    measure: Measure
    """How the scoring file maps one signal, or one benchmark, to 0 to 100."""


_MeasureOptionalOdd = TypedDict(
    "_MeasureOptionalOdd",
    {
        "from": 'float',
    }, total=False,
)


class _MeasureRequired(TypedDict):
    map: Literal["log", "linear", "age"]
    """``log``: 100·ln(1+v)/ln(1+full); ``linear``: 0 at ``from``, 100 at ``to``; ``age``:
    100·2^(−days/halfLife). All within 0 to 100.
    """
    weight: float
    """Its weight within the dimension."""


class Measure(_MeasureOptionalOdd, _MeasureRequired, total=False):
    """How the scoring file maps one signal, or one benchmark, to 0 to 100."""

    signal: Literal["citations", "commits", "contextTokens", "contributors", "dependents", "downloads", "forks", "lastRelease", "likes", "outputTokens", "parameters", "released", "releases", "stars"]
    """The signal that is looked at; left out for a benchmark."""
    benchmark: str
    """The benchmark that is looked at; left out for a signal."""
    variants: bool
    """Whether results count too whose name has more in its parentheses than ``benchmark``; of
    several the newest is taken, of one day the highest.
    """
    full: float
    """What gives 100, with ``log``."""
    to: float
    """What gives 100, with ``linear``."""
    halfLife: float
    """In days."""
    staleAfter: float
    """From how many days on an observation counts as missing; never where it is left out.
    """
