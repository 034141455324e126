"""Entities: Tools and models, individually or as filtered lists.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

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

Modality = Literal["text", "image", "audio", "video", "pdf", "embedding", "score"]
"""A kind of data that a model reads or produces."""

Maintenance = Literal["active", "slow", "dormant", "archived"]
"""How old the latest commit was when it was read: up to 180 days is active, up to 365 slow,
more is dormant. Null if nothing is known, or if it was read more than 400 days before the
as-of date."""


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
    """The name of the benchmark, as its authors spell it."""
    value: float
    """The result, in the benchmark's own unit."""
    metric: Optional[str]
    """What was measured, such as pass@1."""
    harness: Optional[str]
    """The program that ran the model."""
    variant: Optional[str]
    """The variant of the model, such as a reasoning effort."""
    dataset: Optional[str]
    """The part of the benchmark that was run."""
    version: Optional[str]
    """The version of the benchmark."""
    by: Optional[Literal["maker", "independent", "community"]]
    """Who ran it: the model's maker, someone independent, or the community."""
    publisher: Optional[str]
    """Who published the result, if not the model's maker."""
    date: Optional[str]
    """A day, or a month if the day is not known."""
    source: Optional[str]
    """The page where the value was found."""


class Signals(TypedDict, total=False):
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

    archived: Count
    """A count, with the day it was observed and its source."""
    citations: Count
    """A count, with the day it was observed and its source."""
    commits: Count
    """A count, with the day it was observed and its source."""
    condaDownloads: Count
    """A count, with the day it was observed and its source."""
    contextTokens: Count
    """A count, with the day it was observed and its source."""
    contributors: Count
    """A count, with the day it was observed and its source."""
    created: Occasion
    """The date of an event, with the day it was observed and its source."""
    dependents: Count
    """A count, with the day it was observed and its source."""
    dockerPulls: Count
    """A count, with the day it was observed and its source."""
    downloads: Count
    """A count, with the day it was observed and its source."""
    forks: Count
    """A count, with the day it was observed and its source."""
    huggingfaceDownloads: Count
    """A count, with the day it was observed and its source."""
    lastCommit: Occasion
    """The date of an event, with the day it was observed and its source."""
    lastRelease: Occasion
    """The date of an event, with the day it was observed and its source."""
    likes: Count
    """A count, with the day it was observed and its source."""
    npmDownloads: Count
    """A count, with the day it was observed and its source."""
    openIssues: Count
    """A count, with the day it was observed and its source."""
    outputTokens: Count
    """A count, with the day it was observed and its source."""
    parameters: Count
    """A count, with the day it was observed and its source."""
    pypiDownloads: Count
    """A count, with the day it was observed and its source."""
    recentCommits: Count
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
    """One tool or model. Every field is always present. Lists contain entities without their
    offers; ``fields=offers`` selects them.
    """

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


class Modalities(TypedDict):
    """The kinds of data that a model reads and produces."""

    input: List[Modality]
    """What it reads."""
    output: List[Modality]
    """What it produces."""


class Parameters(TypedDict):
    """The number of a model's parameters."""

    total: Optional[int]
    """All parameters."""
    active: Optional[int]
    """The parameters used per token, in a mixture of experts."""


class Lifecycle(TypedDict):
    """The entity's announced end."""

    deprecated: Optional[str]
    """The day from which its makers advise against it."""
    retires: Optional[str]
    """The day from which it is no longer available."""
    replacedBy: Optional[str]
    """Its successor: ``type/slug``."""
    source: Optional[str]
    """The announcement."""


class PriceSummary(TypedDict):
    """The price of a million tokens in US dollars, at the model's maker or else the median of
    all offers that are not deprecated.
    """

    input: Optional[float]
    """The price of input."""
    output: Optional[float]
    """The price of output."""
    blended: Optional[float]
    """The price of three parts input and one part output."""
    provider: Optional[str]
    """The slug of the maker; null for a median."""
    date: Optional[str]
    """The earliest day on which one of its offers was read; null if that is unknown."""


class Offer(TypedDict):
    """One provider's prices for a model, in US dollars. An unknown price is null, never 0.
    """

    provider: str
    """The provider's slug."""
    id: str
    """The model's name at the provider."""
    input: Optional[float]
    """The price of a million input tokens."""
    output: Optional[float]
    """The price of a million output tokens."""
    cacheRead: Optional[float]
    """The price of a million input tokens that are read from a cache."""
    cacheWrite: Optional[float]
    """The price of a million input tokens that are written to a cache."""
    reasoningOutput: Optional[float]
    """The price of a million tokens of reasoning, if it differs from that of other output.
    """
    inputAudio: Optional[float]
    """The price of a million tokens of audio input."""
    outputAudio: Optional[float]
    """The price of a million tokens of audio output."""
    image: Optional[float]
    """The price of one image."""
    request: Optional[float]
    """The price of one request, in addition to its tokens."""
    context: Optional[int]
    """The maximum number of tokens in a request."""
    outputLimit: Optional[int]
    """The maximum number of tokens in an answer."""
    tiers: List[Tier]
    """The prices of longer requests, shortest first."""
    modes: Dict[str, Any]
    """The prices of other ways to send requests: ``batch``, ``flex`` and ``priority``."""
    free: bool
    """Whether a price of 0 is intended."""
    deprecated: bool
    """Whether the provider advises against it."""
    reviewed: List[str]
    """The rules whose warnings a reviewer has checked."""
    date: Optional[str]
    """The day it was read."""
    source: Optional[str]
    """The page it was read from."""


class _TierRequired(TypedDict):
    over: int
    """The number of input tokens above which the prices apply."""


class Tier(_TierRequired, total=False):
    """The prices of requests with more than ``over`` input tokens. Prices that it omits are
    unknown.
    """

    input: float
    """The price of a million input tokens."""
    output: float
    """The price of a million output tokens."""
    cacheRead: float
    """The price of a million input tokens that are read from a cache."""
    cacheWrite: float
    """The price of a million input tokens that are written to a cache."""
    reasoningOutput: float
    """The price of a million tokens of reasoning, if it differs from that of other output.
    """
    inputAudio: float
    """The price of a million tokens of audio input."""
    outputAudio: float
    """The price of a million tokens of audio output."""
    image: float
    """The price of one image."""
    request: float
    """The price of one request, in addition to its tokens."""


class Mode(TypedDict, total=False):
    """The prices of another way to send requests. Prices that it omits are unknown."""

    input: float
    """The price of a million input tokens."""
    output: float
    """The price of a million output tokens."""
    cacheRead: float
    """The price of a million input tokens that are read from a cache."""
    cacheWrite: float
    """The price of a million input tokens that are written to a cache."""
    reasoningOutput: float
    """The price of a million tokens of reasoning, if it differs from that of other output.
    """
    inputAudio: float
    """The price of a million tokens of audio input."""
    outputAudio: float
    """The price of a million tokens of audio output."""
    image: float
    """The price of one image."""
    request: float
    """The price of one request, in addition to its tokens."""
    tiers: List[Tier]
    """The prices of longer requests, shortest first."""


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
    offers: List[Offer]
    """Who offers the model, at which prices in US dollars."""
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
    kind: Literal["alternative", "related"]
    """Whether the entity does the same job as the requested one, or is related to it."""
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
    """The day in ``at``; present only with ``at``."""


class SimilarList(TypedDict):
    """The entities most similar to one entity, most similar first."""

    data: List[SimilarEntity]
    """The entities."""
    count: int
    """The number of records on all pages."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class Suggestion(TypedDict):
    """The address and name of an entity."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""


class IdentifierBatch(TypedDict):
    """A batch of identifiers."""

    ids: List[str]
    """The identifiers."""


class ResolutionList(TypedDict):
    """What identifiers refer to."""

    data: List[Resolution]
    """One item for each identifier, in the order of the request."""
    count: int
    """The number of records on all pages."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


_ResolutionRequiredOdd = TypedDict(
    "_ResolutionRequiredOdd",
    {
        "as": 'Optional[str]',
    },
)


class _ResolutionRequired(TypedDict):
    id: str
    """An identifier, such as ``pkg:pypi/torch@2.1.0``."""
    version: Optional[str]
    """The version in the identifier, which does not affect the matches."""
    qualifiers: Optional[str]
    """The qualifiers of a package URL, which do not affect the matches."""
    match: Optional[Literal["exact", "weaker"]]
    """How the identifier matches: as it stands (``exact``), or only without the parts in
    ``dropped`` or in another spelling (``weaker``). Null without matches.
    """
    dropped: List[str]
    """What was left out of the name of a model, such as ``region: us.`` or ``date:
    -20251101``. The text before the colon is one of ARN, address, alias, command, date,
    fine-tuning, path, prefix, provider, quantization, region, revision, suffix, tag and
    version. Empty unless ``match`` is ``weaker``, and if only the spelling or the owner
    differs.
    """
    matches: List[Match]
    """The entities, best first; at most 20."""
    suggestions: List[Suggestion]
    """Entities that may have been meant, if there is no match."""


class Resolution(_ResolutionRequiredOdd, _ResolutionRequired, total=False):
    """What an identifier refers to."""


class Match(TypedDict):
    """An entity that an identifier refers to."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""
    status: Status
    """``active``: available, and not deprecated. ``deprecated``: still available, but no
    longer recommended by its makers. ``withdrawn``: no longer available; omitted from lists
    unless requested.
    """
    maintenance: Optional[Maintenance]
    """How old the latest commit was when it was read: up to 180 days is active, up to 365
    slow, more is dormant. Null if nothing is known, or if it was read more than 400 days
    before the as-of date.
    """
    maintenanceAsOf: Optional[str]
    """The day when that was read."""
    license: Optional[str]
    """A licence, as an SPDX expression if possible."""
    version: Optional[str]
    """The latest stable version of the entity, as a string."""
    versionDate: Optional[str]
    """The day or month of the latest release, if it is known (``signals.lastRelease``)."""
    lastUpdated: Optional[str]
    """A day, YYYY-MM-DD."""
    lifecycle: Optional[Lifecycle]
    """The entity's announced end."""


class BoardPlacement(TypedDict):
    """What a board requires and what an entity has."""

    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    title: str
    """The display name of a board."""
    boardScore: Optional[float]
    """The score on the board; null if the entity is not on it."""
    matches: bool
    """Whether the entity meets the conditions of the board."""
    needs: Optional[str]
    """What must be known about an entity on a board, as a sentence; null if nothing is needed
    besides the formula's coverage. A source of benchmark results is their publisher or, if
    none is named, the source that the formula states for the benchmark, or the benchmark;
    the maker of a model does not count.
    """
    sources: List[str]
    """The sources of the benchmark results that count, without the maker of the model."""
    measures: int
    """The number of measures that count."""


class _ScoreExplanationRequired(TypedDict):
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
    """Whether there is a composite score, and therefore a rank; with ``board``, whether the
    entity is on the board.
    """
    reason: Optional[str]
    """Why the entity is not ranked; null if it is."""
    dimensions: List[ScoreDimension]
    """The formula's dimensions for this type."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class ScoreExplanation(_ScoreExplanationRequired, total=False):
    """How the scores of an entity are calculated. The composite score is the weighted mean of
    the dimensions; for an unknown dimension, its prior is used. If there is a cap, the
    composite score cannot exceed it.
    """

    board: BoardPlacement
    """What a board requires and what an entity has."""


class ScoreDimension(TypedDict):
    """One dimension. Its score is the weighted mean of its measures, in which one that is not
    counted has the value of ``prior``; the score is unknown if ``coverage`` is below
    ``minimumCoverage``.
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
    """The value used for what is unknown, a measure or the dimension."""
    counted: float
    """The value used: that of the dimension or, if its score is unknown, the prior, or less if
    the known measures are poor.
    """
    coverage: float
    """The share of the total weight that belongs to counted measures."""
    minimumCoverage: float
    """The minimum coverage for a score."""
    measures: List[MeasureResult]
    """The dimension's measures."""


class _MeasureResultRequired(TypedDict):
    name: str
    """The name of the signal or benchmark."""
    state: Literal["counted", "missing", "stale", "future"]
    """``counted``: the observation is used. ``missing``: there is no observation. ``stale``:
    the observation is too old. ``future``: the observation is later than the time of the
    scores.
    """
    score: Optional[float]
    """The measure's score; null unless it is counted. A measure that is not counted has the
    value of the dimension's prior.
    """
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


class MeasureResult(_MeasureResultRequired, total=False):
    """A measure, its observed value and the resulting score."""

    parts: List[SumPart]
    """The signals of a sum, as far as they are known; absent if the measure is no sum, or none
    of them is known. The sum has the date of its oldest part.
    """


class SumPart(TypedDict):
    """A signal in a sum."""

    signal: str
    """The signal."""
    value: float
    """Its value."""
    date: Optional[str]
    """A day, or a month if the day is not known."""
    source: Optional[str]
    """The page where the value was found."""


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
    where ``days`` is the number of days from the observed date to the day on which it was
    read or, if that is unknown, to the time of the scores. Results are limited to the range
    from 0 to 100.
    """
    weight: float
    """Its weight in the dimension."""


class Measure(_MeasureOptionalOdd, _MeasureRequired, total=False):
    """How the scoring file converts one signal or benchmark to a score from 0 to 100."""

    signal: Literal["archived", "citations", "commits", "condaDownloads", "contextTokens", "contributors", "created", "dependents", "dockerPulls", "downloads", "forks", "huggingfaceDownloads", "lastCommit", "lastRelease", "likes", "npmDownloads", "openIssues", "outputTokens", "parameters", "pypiDownloads", "recentCommits", "released", "releases", "stars"]
    """The signal; absent for a benchmark."""
    sum: List[str]
    """Signals that count together, as far as they are known. If none of them is, ``signal``
    counts. Absent if the measure is no sum.
    """
    benchmark: str
    """The benchmark; absent for a signal."""
    source: str
    """Who publishes the benchmark, for results that name no publisher."""
    variants: bool
    """Whether results whose names have additional details in parentheses match too. ``B
    (2.1)`` then also matches ``B (2.1, Codex)``, and ``B`` matches both. If several results
    match, the newest is used; if several of them are from the same day, the best of these
    is used.
    """
    full: float
    """With ``log``, the value that maps to 100."""
    to: float
    """With ``linear``, the value that maps to 100."""
    halfLife: float
    """With ``age``, the number of days it takes for the score to halve."""
    staleAfter: float
    """The age, in days, above which an observation is missing; absent if there is no limit.
    """
