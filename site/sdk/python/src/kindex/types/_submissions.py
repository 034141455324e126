"""Submissions: Propose new entities and track their status.

Generated from version 0.8.2 of the API description; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict, Union

from ._entities import EntityType, Links, Status

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


class _SubmissionFieldsRequired(TypedDict):
    name: str
    """The entity's name, as its makers spell it."""
    description: str
    """The purpose of the entity and what sets it apart."""
    category: str
    """Lower-case letters and digits, with words separated by hyphens."""
    url: str
    """The main web page."""


class SubmissionFields(_SubmissionFieldsRequired, total=False):
    """The fields as they will be in the file."""

    provider: str
    """The maker or provider."""
    version: str
    """The latest stable version."""
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
    """When it was added to the index; by default, the day of its first version."""
    lastUpdated: str
    """The day its record was last updated; if omitted, the day of its latest change in the
    changelog.
    """
    signals: SubmittedSignals
    """The facts that scores are calculated from, in the same form as in a record. Each should
    have a date and a source.
    """


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

    date: str
    """The day or month of the result."""
    source: str
    """The page where it was published."""


class SubmittedSignals(TypedDict, total=False):
    """The facts that scores are calculated from, in the same form as in a record. Each should
    have a date and a source.
    """

    citations: SubmittedCount
    """A count, with the day it was observed and its source."""
    commits: SubmittedCount
    """A count, with the day it was observed and its source."""
    contextTokens: SubmittedCount
    """A count, with the day it was observed and its source."""
    contributors: SubmittedCount
    """A count, with the day it was observed and its source."""
    dependents: SubmittedCount
    """A count, with the day it was observed and its source."""
    downloads: SubmittedCount
    """A count, with the day it was observed and its source."""
    forks: SubmittedCount
    """A count, with the day it was observed and its source."""
    lastRelease: SubmittedOccasion
    """The date of an event, with the day it was observed and its source."""
    likes: SubmittedCount
    """A count, with the day it was observed and its source."""
    outputTokens: SubmittedCount
    """A count, with the day it was observed and its source."""
    parameters: SubmittedCount
    """A count, with the day it was observed and its source."""
    released: SubmittedOccasion
    """The date of an event, with the day it was observed and its source."""
    releases: SubmittedCount
    """A count, with the day it was observed and its source."""
    stars: SubmittedCount
    """A count, with the day it was observed and its source."""
    benchmarks: List[SubmittedBenchmark]
    """Published results, each in its benchmark's own unit."""


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
    reason: Optional[str]
    """The reason for the rejection; null if the submission was not rejected."""
    pullRequest: Optional[PullRequest]
    """The pull request in which the submission is reviewed; null if there is none."""
    createdAt: str
    """When it was submitted."""
    updatedAt: str
    """When its status last changed."""


class SubmissionDocument(TypedDict):
    """A submission with the fields of its file."""

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
    reason: Optional[str]
    """The reason for the rejection; null if the submission was not rejected."""
    pullRequest: Optional[PullRequest]
    """The pull request in which the submission is reviewed; null if there is none."""
    createdAt: str
    """When it was submitted."""
    updatedAt: str
    """When its status last changed."""
    fields: SubmissionFields
    """The fields as they will be in the file."""


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
