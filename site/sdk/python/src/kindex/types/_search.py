"""Search: Finding entities by words.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import List, Optional, TypedDict

from ._entities import EntityType, Links, PricingModel, Scores, Signals, Status


class SearchHit(TypedDict):
    """An entity that was found."""

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
    relevance: float
    """How well it fits the words; comparable within one search only."""
    highlights: Highlights
    """The texts in which words were found, at least one, with ``<mark>`` around these and all
    else escaped for HTML. A word of which only the beginning was asked for is marked as a
    whole. Lists are joined with commas. ``categoryTitle``, ``slug``, ``type`` and
    ``formerly``, the earlier slugs, are there only where nothing else was met.
    """


class Highlights(TypedDict, total=False):
    """The texts in which words were found, at least one, with ``<mark>`` around these and all
    else escaped for HTML. A word of which only the beginning was asked for is marked as a
    whole. Lists are joined with commas. ``categoryTitle``, ``slug``, ``type`` and
    ``formerly``, the earlier slugs, are there only where nothing else was met.
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
    """The slug of the category."""
    categoryTitle: str
    """The title of the category."""
    slug: str
    """The slug."""
    type: str
    """The type."""
    formerly: str
    """Earlier slugs."""


class FacetCount(TypedDict):
    """How many hits have a value."""

    value: str
    """The value."""
    count: int
    """How many hits have it."""


class Facets(TypedDict, total=False):
    """The most frequent values of the fields that ``facets`` names, over all hits."""

    capability: List[FacetCount]
    """Capabilities."""
    category: List[FacetCount]
    """Categories."""
    license: List[FacetCount]
    """Licences."""
    pricingModel: List[FacetCount]
    """Pricing models."""
    provider: List[FacetCount]
    """Providers."""
    status: List[FacetCount]
    """States."""
    tag: List[FacetCount]
    """Tags."""
    type: List[FacetCount]
    """Types."""


class _SearchResultRequired(TypedDict):
    data: List[SearchHit]
    """The hits."""
    count: int
    """How many there are over all pages."""
    nextCursor: Optional[str]
    """Goes on with the next page as ``cursor``; null on the last one."""
    suggestions: List[Suggestion]
    """What may have been meant where nothing was found, the nearest first; empty where
    something was.
    """
    build: str
    """The id of a build; the day its scores were computed for, and a hash."""


class SearchResult(_SearchResultRequired, total=False):
    """One page of what was found, the most relevant first."""

    facets: Facets
    """The most frequent values of the fields that ``facets`` names, over all hits."""


class Suggestion(TypedDict):
    """An entity by its address and name."""

    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name as its makers write it."""


class SuggestionList(TypedDict):
    """Entities whose names go on as asked."""

    data: List[Suggestion]
    """The entities."""
    count: int
    """How many there are over all pages."""
    build: str
    """The id of a build; the day its scores were computed for, and a hash."""
