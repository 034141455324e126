"""Submissions: Propose new entities and track their status.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from ._entities import EntityType, Links, Modality, Mode, Status, Tier

SubmissionStatus = Literal["pending", "in-review", "accepted", "published", "rejected", "withdrawn"]
"""``pending``: it awaits review. ``in-review``: its pull request is open. ``accepted``: it
will be in the next build. ``published``: it is in the index. ``rejected``: it will not be
added, for the reason given in ``reason``. ``withdrawn``: the account withdrew it."""


class _NewSubmissionRequired(TypedDict):
    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    name: str
    """The entity's name, as its makers spell it."""
    description: str
    """The purpose of the entity and what sets it apart."""
    category: str
    """Lower-case letters and digits, with words separated by hyphens."""
    url: str
    """The main web page."""


class NewSubmission(_NewSubmissionRequired, total=False):
    """The fields of a content file. Each string must be a single line without control
    characters. No field can be null.
    """

    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    provider: str
    """The maker or provider."""
    version: Union[str, float]
    """The latest stable version. If it is a number, its digits are stored exactly as sent.
    """
    license: str
    """An SPDX expression."""
    pricingModel: Literal["open-source", "open-weights", "free", "freemium", "subscription", "usage-based", "proprietary"]
    """The pricing model."""
    links: Links
    """Further links. A link that is not known is omitted."""
    tags: List[str]
    """Free-form keywords."""
    capabilities: List[str]
    """What the entity can do."""
    status: Status
    """``active``: available, and not deprecated. ``deprecated``: still available, but no
    longer recommended by its makers. ``withdrawn``: no longer available; omitted from lists
    unless requested.
    """
    formerly: List[str]
    """Former slugs, whose addresses redirect to this entity."""
    addedDate: str
    """When it was added to the index; usually omitted."""
    lastUpdated: str
    """The day its record was last updated; usually omitted."""
    signals: SubmittedSignals
    """The facts that scores are calculated from, in the same form as in a record. Each should
    have a date and a source.
    """
    ids: Dict[str, Any]
    """The entity's identifiers in registries and at providers, by namespace: a string or a
    list.
    """
    family: str
    """Lower-case letters and digits, with words separated by hyphens."""
    openWeights: bool
    """Whether the weights can be downloaded."""
    modalities: SubmittedModalities
    """The kinds of data that a model reads and produces."""
    knowledge: str
    """The end of the training data, as YYYY, YYYY-MM or YYYY-MM-DD."""
    parameters: SubmittedParameters
    """The number of a model's parameters."""
    reasoning: bool
    """Whether the model can reason before it answers."""
    reasoningEfforts: List[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]]
    """The reasoning efforts that a request can ask for."""
    lifecycle: SubmittedLifecycle
    """The entity's announced end."""
    offersRead: OffersRead
    """When and where the offers were read; an offer can state its own."""
    offers: List[SubmittedOffer]
    """Who offers the model, at which prices in US dollars with at most six decimals."""


class _CorrectionRequired(TypedDict):
    amends: str
    """The entity: ``type/slug``."""


class Correction(_CorrectionRequired, total=False):
    """The fields of an existing entity that change, as in a content file. Null removes a field
    or, in an object, one of its members.
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
    version: Optional[Union[str, float]]
    """The latest stable version. If it is a number, its digits are stored exactly as sent.
    """
    license: Optional[str]
    """An SPDX expression."""
    pricingModel: Optional[Literal["open-source", "open-weights", "free", "freemium", "subscription", "usage-based", "proprietary"]]
    """The pricing model."""
    url: Optional[str]
    """The main web page."""
    links: Optional[Dict[str, Any]]
    """The links that change, as in ``NewSubmission``."""
    tags: Optional[List[str]]
    """All tags."""
    capabilities: Optional[List[str]]
    """All capabilities."""
    status: Optional[Literal["active", "deprecated", "withdrawn"]]
    """The status."""
    formerly: Optional[List[str]]
    """All former slugs."""
    addedDate: Optional[str]
    """When it was added to the index; usually omitted."""
    lastUpdated: Optional[str]
    """The day its record was last updated; usually omitted."""
    signals: Optional[Dict[str, Any]]
    """The signals that change, as in ``NewSubmission``, each with its source."""
    ids: Optional[Dict[str, Any]]
    """The identifiers that change, by namespace: a string or a list."""
    family: Optional[str]
    """The slug of the family."""
    openWeights: Optional[bool]
    """Whether the weights can be downloaded."""
    modalities: Optional[Dict[str, Any]]
    """The modalities that change: ``input``, ``output`` or both."""
    knowledge: Optional[str]
    """The end of the training data, as YYYY, YYYY-MM or YYYY-MM-DD."""
    parameters: Optional[Dict[str, Any]]
    """The numbers of parameters that change: ``total``, ``active`` or both."""
    reasoning: Optional[bool]
    """Whether the model can reason before it answers."""
    reasoningEfforts: Optional[List[str]]
    """All reasoning efforts."""
    lifecycle: Optional[Dict[str, Any]]
    """The members of the lifecycle that change, as in ``NewSubmission``."""
    offersRead: Optional[Dict[str, Any]]
    """When and where the offers were read."""
    offers: Optional[List[SubmittedOffer]]
    """All offers; those that change need a source."""


class _SubmissionFieldsRequired(TypedDict):
    name: str
    """The entity's name, as its makers spell it."""
    description: str
    """The purpose of the entity and what sets it apart."""
    category: str
    """Lower-case letters and digits, with words separated by hyphens."""


class SubmissionFields(_SubmissionFieldsRequired, total=False):
    """The fields as they will be in the file; for a correction, based on the build at the
    time.
    """

    provider: str
    """The maker or provider."""
    version: str
    """The latest stable version."""
    license: str
    """An SPDX expression."""
    pricingModel: Literal["open-source", "open-weights", "free", "freemium", "subscription", "usage-based", "proprietary"]
    """The pricing model."""
    url: str
    """The main web page."""
    links: Links
    """Further links. A link that is not known is omitted."""
    tags: List[str]
    """Free-form keywords."""
    capabilities: List[str]
    """What the entity can do."""
    status: Status
    """``active``: available, and not deprecated. ``deprecated``: still available, but no
    longer recommended by its makers. ``withdrawn``: no longer available; omitted from lists
    unless requested.
    """
    formerly: List[str]
    """Former slugs, whose addresses redirect to this entity."""
    addedDate: str
    """When it was added to the index; by default, the day of its first version."""
    lastUpdated: str
    """The day its record was last updated; if omitted, the day of its latest change in the
    changelog.
    """
    signals: SubmittedSignals
    """The facts that scores are calculated from, in the same form as in a record. Each should
    have a date and a source.
    """
    ids: Dict[str, Any]
    """The entity's identifiers in registries and at providers, by namespace: a string or a
    list.
    """
    family: str
    """Lower-case letters and digits, with words separated by hyphens."""
    openWeights: bool
    """Whether the weights can be downloaded."""
    modalities: SubmittedModalities
    """The kinds of data that a model reads and produces."""
    knowledge: str
    """The end of the training data, as YYYY, YYYY-MM or YYYY-MM-DD."""
    parameters: SubmittedParameters
    """The number of a model's parameters."""
    reasoning: bool
    """Whether the model can reason before it answers."""
    reasoningEfforts: List[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]]
    """The reasoning efforts that a request can ask for."""
    lifecycle: SubmittedLifecycle
    """The entity's announced end."""
    offersRead: OffersRead
    """When and where the offers were read; an offer can state its own."""
    offers: List[SubmittedOffer]
    """Who offers the model, at which prices in US dollars with at most six decimals."""


class _SubmittedCountRequired(TypedDict):
    value: int
    """The value."""


class SubmittedCount(_SubmittedCountRequired, total=False):
    """A count, with the day it was observed and its source."""

    date: str
    """The day on which it was observed."""
    source: str
    """The page where the value was found."""


class _SubmittedOccasionRequired(TypedDict):
    value: str
    """A day, or a month if the day is not known."""


class SubmittedOccasion(_SubmittedOccasionRequired, total=False):
    """The date of an event, with the day it was observed and its source."""

    date: str
    """The day on which it was observed."""
    source: str
    """The page where the value was found."""


class _SubmittedBenchmarkRequired(TypedDict):
    name: str
    """The benchmark's name, as its makers spell it."""
    value: float
    """The result, in the benchmark's own unit."""


class SubmittedBenchmark(_SubmittedBenchmarkRequired, total=False):
    """A published benchmark result."""

    metric: str
    """What was measured, such as pass@1."""
    harness: str
    """The program that ran the model."""
    variant: str
    """The variant of the model, such as a reasoning effort."""
    dataset: str
    """The part of the benchmark that was run."""
    version: str
    """The version of the benchmark."""
    by: Literal["maker", "independent", "community"]
    """Who ran it: the model's maker, someone independent, or the community."""
    publisher: str
    """Who published the result, if not the model's maker."""
    date: str
    """The day or month of the result."""
    source: str
    """The page where it was published."""


class SubmittedSignals(TypedDict, total=False):
    """The facts that scores are calculated from, in the same form as in a record. Each should
    have a date and a source.
    """

    archived: SubmittedCount
    """A count, with the day it was observed and its source."""
    citations: SubmittedCount
    """A count, with the day it was observed and its source."""
    commits: SubmittedCount
    """A count, with the day it was observed and its source."""
    condaDownloads: SubmittedCount
    """A count, with the day it was observed and its source."""
    contextTokens: SubmittedCount
    """A count, with the day it was observed and its source."""
    contributors: SubmittedCount
    """A count, with the day it was observed and its source."""
    created: SubmittedOccasion
    """The date of an event, with the day it was observed and its source."""
    dependents: SubmittedCount
    """A count, with the day it was observed and its source."""
    dockerPulls: SubmittedCount
    """A count, with the day it was observed and its source."""
    downloads: SubmittedCount
    """A count, with the day it was observed and its source."""
    forks: SubmittedCount
    """A count, with the day it was observed and its source."""
    huggingfaceDownloads: SubmittedCount
    """A count, with the day it was observed and its source."""
    lastCommit: SubmittedOccasion
    """The date of an event, with the day it was observed and its source."""
    lastRelease: SubmittedOccasion
    """The date of an event, with the day it was observed and its source."""
    likes: SubmittedCount
    """A count, with the day it was observed and its source."""
    npmDownloads: SubmittedCount
    """A count, with the day it was observed and its source."""
    openIssues: SubmittedCount
    """A count, with the day it was observed and its source."""
    outputTokens: SubmittedCount
    """A count, with the day it was observed and its source."""
    parameters: SubmittedCount
    """A count, with the day it was observed and its source."""
    pypiDownloads: SubmittedCount
    """A count, with the day it was observed and its source."""
    recentCommits: SubmittedCount
    """A count, with the day it was observed and its source."""
    released: SubmittedOccasion
    """The date of an event, with the day it was observed and its source."""
    releases: SubmittedCount
    """A count, with the day it was observed and its source."""
    stars: SubmittedCount
    """A count, with the day it was observed and its source."""
    benchmarks: List[SubmittedBenchmark]
    """Published results, each in its benchmark's own unit."""


class SubmittedModalities(TypedDict, total=False):
    """The kinds of data that a model reads and produces."""

    input: List[Modality]
    """What it reads."""
    output: List[Modality]
    """What it produces."""


class SubmittedParameters(TypedDict, total=False):
    """The number of a model's parameters."""

    total: int
    """All parameters."""
    active: int
    """The parameters used per token, in a mixture of experts."""


class SubmittedLifecycle(TypedDict, total=False):
    """The entity's announced end."""

    deprecated: str
    """The day from which its makers advise against it."""
    retires: str
    """The day from which it is no longer available."""
    replacedBy: str
    """Its successor: ``type/slug``."""
    source: str
    """The announcement."""


class OffersRead(TypedDict, total=False):
    """When and where the offers were read; an offer can state its own."""

    date: str
    """The day on which the offers were read."""
    source: str
    """The page they were read from."""


class SubmittedOfferModes(TypedDict, total=False):
    """The prices of other ways to send requests."""

    batch: Mode
    """The prices of another way to send requests. Prices that it omits are unknown."""
    flex: Mode
    """The prices of another way to send requests. Prices that it omits are unknown."""
    priority: Mode
    """The prices of another way to send requests. Prices that it omits are unknown."""


class _SubmittedOfferRequired(TypedDict):
    provider: str
    """Lower-case letters and digits, with words separated by hyphens."""
    id: str
    """The model's name at the provider."""


class SubmittedOffer(_SubmittedOfferRequired, total=False):
    """One provider's prices for a model. A price of 0 is accepted only with ``free``."""

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
    context: int
    """The maximum number of tokens in a request."""
    outputLimit: int
    """The maximum number of tokens in an answer."""
    tiers: List[Tier]
    """The prices of longer requests, shortest first."""
    modes: SubmittedOfferModes
    """The prices of other ways to send requests."""
    free: bool
    """Whether a price of 0 is intended; the source must say so."""
    deprecated: bool
    """Whether the provider advises against it."""
    reviewed: List[Literal["implausible", "far-from-median", "output-below-input", "cache-above-input", "cheaper-than-smaller"]]
    """The rules whose warnings have been checked."""
    date: str
    """The day it was read; ``offersRead`` by default."""
    source: str
    """The page it was read from; ``offersRead`` by default."""


class CreatedSubmissionSimilar(TypedDict):
    """An existing entity that could be the same."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""
    url: Optional[str]
    """The main web page."""


class CreatedSubmission(TypedDict):
    """A new submission, and existing entities that could be the same."""

    id: str
    """A submission's id."""
    status: SubmissionStatus
    """``pending``: it awaits review. ``in-review``: its pull request is open. ``accepted``: it
    will be in the next build. ``published``: it is in the index. ``rejected``: it will not
    be added, for the reason given in ``reason``. ``withdrawn``: the account withdrew it.
    """
    url: str
    """The submission's address."""
    similar: List[CreatedSubmissionSimilar]
    """Existing entities that could be the same."""
    warnings: List[FieldError]
    """Possible mistakes that do not make the submission invalid."""


class SubmittedEntity(TypedDict):
    """The proposed entity."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""
    url: str
    """The address of the entity's page, which exists once the entity is published."""


class PullRequest(TypedDict):
    """The pull request in which the submission is reviewed; null if there is none."""

    number: int
    """The pull request's number."""
    url: Optional[str]
    """The pull request's address, if known."""


class Submission(TypedDict):
    """A submission and its status."""

    id: str
    """A submission's id."""
    status: SubmissionStatus
    """``pending``: it awaits review. ``in-review``: its pull request is open. ``accepted``: it
    will be in the next build. ``published``: it is in the index. ``rejected``: it will not
    be added, for the reason given in ``reason``. ``withdrawn``: the account withdrew it.
    """
    url: str
    """The submission's address."""
    entity: SubmittedEntity
    """The proposed entity."""
    amends: Optional[str]
    """The entity that the submission corrects, as ``type/slug``; null if it proposes a new
    one.
    """
    reason: Optional[str]
    """The reason for the rejection; null if the submission was not rejected."""
    pullRequest: Optional[PullRequest]
    """The pull request in which the submission is reviewed; null if there is none."""
    createdAt: str
    """When it was submitted."""
    updatedAt: str
    """When its status last changed."""


class _SubmissionDocumentRequired(TypedDict):
    id: str
    """A submission's id."""
    status: SubmissionStatus
    """``pending``: it awaits review. ``in-review``: its pull request is open. ``accepted``: it
    will be in the next build. ``published``: it is in the index. ``rejected``: it will not
    be added, for the reason given in ``reason``. ``withdrawn``: the account withdrew it.
    """
    url: str
    """The submission's address."""
    entity: SubmittedEntity
    """The proposed entity."""
    amends: Optional[str]
    """The entity that the submission corrects, as ``type/slug``; null if it proposes a new
    one.
    """
    reason: Optional[str]
    """The reason for the rejection; null if the submission was not rejected."""
    pullRequest: Optional[PullRequest]
    """The pull request in which the submission is reviewed; null if there is none."""
    createdAt: str
    """When it was submitted."""
    updatedAt: str
    """When its status last changed."""
    fields: SubmissionFields
    """The fields as they will be in the file; for a correction, based on the build at the
    time.
    """


class SubmissionDocument(_SubmissionDocumentRequired, total=False):
    """A submission with the fields of its file."""

    changes: Dict[str, Any]
    """What a correction changes: new values, and null for fields that it removes. Only in
    corrections.
    """


class SubmissionList(TypedDict):
    """One page of submissions, newest first."""

    data: List[Submission]
    """The submissions."""
    count: int
    """The number of records on all pages."""
    nextCursor: Optional[str]
    """The ``cursor`` of the next page; null on the last page."""


class FieldError(TypedDict):
    """An error in one parameter or field."""

    field: str
    """The parameter or field; the names of nested fields are joined with dots."""
    message: str
    """What is wrong, and which values are valid."""
