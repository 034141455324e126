"""Search: Full-text search for entities.

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
    Suggestion,
)


class SearchHit(TypedDict):
    """A matching entity."""

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
    relevance: float
    """How well the entity matches the search words; values are comparable only within one
    search.
    """
    highlights: Highlights
    """The text of each matching field, with ``<mark>`` around matching words and everything
    else escaped for HTML. There is always at least one field. If only the beginning of a
    word matches, the whole word is marked. If only an identifier or the category matches,
    the whole name is marked. Lists are joined with commas. ``categoryTitle``, ``license``,
    ``slug``, ``type`` and ``formerly`` (the former slugs) are present only if no other
    field matches.
    """


class Highlights(TypedDict, total=False):
    """The text of each matching field, with ``<mark>`` around matching words and everything
    else escaped for HTML. There is always at least one field. If only the beginning of a
    word matches, the whole word is marked. If only an identifier or the category matches,
    the whole name is marked. Lists are joined with commas. ``categoryTitle``, ``license``,
    ``slug``, ``type`` and ``formerly`` (the former slugs) are present only if no other
    field matches.
    """

    name: str
    """The name."""
    description: str
    """The description."""
    provider: str
    """The provider."""
    tags: str
    """The tags."""
    capabilities: str
    """The capabilities."""
    category: str
    """The category's slug."""
    license: str
    """The license."""
    categoryTitle: str
    """The category's title."""
    slug: str
    """The slug."""
    type: str
    """The type."""
    formerly: str
    """Former slugs."""


class FacetCount(TypedDict):
    """A value and the number of matches that have it."""

    value: str
    """The value."""
    count: int
    """The number of matches with this value."""


class Facets(TypedDict, total=False):
    """The most frequent values of the fields listed in ``facets``, over all matches."""

    capability: List[FacetCount]
    """Capabilities."""
    category: List[FacetCount]
    """Categories."""
    family: List[FacetCount]
    """Families of models."""
    license: List[FacetCount]
    """Licences."""
    maintenance: List[FacetCount]
    """States of maintenance."""
    modality: List[FacetCount]
    """Kinds of data that models read."""
    openWeights: List[FacetCount]
    """Whether the weights of models can be downloaded."""
    outputModality: List[FacetCount]
    """Kinds of data that models produce."""
    pricingModel: List[FacetCount]
    """Pricing models."""
    provider: List[FacetCount]
    """Providers."""
    status: List[FacetCount]
    """Statuses."""
    tag: List[FacetCount]
    """Tags."""
    type: List[FacetCount]
    """Types."""


class _SearchResultRequired(TypedDict):
    data: List[SearchHit]
    """The matches."""
    count: int
    """The number of records on all pages."""
    nextCursor: Optional[str]
    """The ``cursor`` of the next page; null on the last page."""
    suggestions: List[Suggestion]
    """If nothing was found, entities that you may have been looking for, best matches first;
    otherwise empty.
    """
    dropped: List[str]
    """Words that some matches lack, because few entities have all words; otherwise empty.
    """
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class SearchResult(_SearchResultRequired, total=False):
    """One page of search results, most relevant first."""

    facets: Facets
    """The most frequent values of the fields listed in ``facets``, over all matches."""


class SuggestionList(TypedDict):
    """Entities with matching names."""

    data: List[Suggestion]
    """The entities."""
    count: int
    """The number of records on all pages."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""
