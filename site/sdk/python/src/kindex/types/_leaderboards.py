"""Leaderboards: Entities in the order of their scores, and the categories that have such an order.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

from ._entities import EntityType, Links, PricingModel, Scores, Signals, Status


class RankedEntity(TypedDict):
    """An entity and its rank."""

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
    rank: int
    """The rank, from 1; equal scores are ranked by type, then slug."""
    previousRank: Optional[int]
    """The rank at the end of the day that is compared with; null where there was none."""
    delta: Optional[int]
    """By how many places it has climbed since; null where it had no rank then."""


class TrendingEntity(TypedDict):
    """An entity and what it has gained."""

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
    trend: Trend
    """What an entity has gained within the window."""


class Trend(TypedDict):
    """What an entity has gained within the window."""

    score: Optional[float]
    """A score with one decimal; null where too little is known."""
    previousScore: Optional[float]
    """The composite score at the end of the day ``since``, as of that day; null where there
    was none.
    """
    gain: float
    """By how much changes raised the composite score."""
    rank: Optional[int]
    """The rank among all entities; null where there is none."""
    previousRank: Optional[int]
    """The rank at the end of the day that is compared with; null where there was none."""
    changes: int
    """How many changes there were within the window."""


class TrendingList(TypedDict):
    """What has gained most, the greatest gain first."""

    data: List[TrendingEntity]
    """The entities that have gained."""
    count: int
    """How many there are over all pages."""
    window: Literal["7d", "30d"]
    """The window, in days."""
    since: str
    """The day whose end is compared with."""
    build: str
    """The id of a build; the day its scores were computed for, and a hash."""


class _LeaderboardRequired(TypedDict):
    data: List[RankedEntity]
    """The entities, in the order of their ranks."""
    count: int
    """How many there are over all pages."""
    comparedTo: Optional[str]
    """The day whose end ``previousRank`` is of; null where the build has no snapshot of it.
    """
    nextCursor: Optional[str]
    """Goes on with the next page as ``cursor``; null on the last one."""
    build: str
    """The id of a build; the day its scores were computed for, and a hash."""


class Leaderboard(_LeaderboardRequired, total=False):
    """One page of a ranking, the first rank first."""

    asOf: str
    """The day of the snapshot; only where ``at`` asks for one."""


class Category(TypedDict):
    """A category and what it holds."""

    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    title: str
    """What people call it."""
    description: Optional[str]
    """What belongs here."""
    count: int
    """How many entities lists show."""
    ranked: int
    """How many entities its leaderboard has."""


class CategoryList(TypedDict):
    """All categories, by slug."""

    data: List[Category]
    """The categories."""
    count: int
    """How many there are over all pages."""
    build: str
    """The id of a build; the day its scores were computed for, and a hash."""
