"""Submissions: Proposing new entities, and what becomes of them.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict, Union

from ._entities import EntityType, Links, Status

SubmissionStatus = Literal["pending", "in-review", "accepted", "published", "rejected", "withdrawn"]
"""``pending``: it waits to be reviewed. ``in-review``: its pull request is open. ``accepted``:
it will be in the next build. ``published``: it is in the index. ``rejected``: it will not
be, and ``reason`` says why. ``withdrawn``: the account withdrew it."""


class _NewSubmissionRequired(TypedDict):
    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    name: str
    """The name as its makers write it."""
    description: str
    """What it is for and what sets it apart."""
    category: str
    """Lower-case letters and digits, joined with hyphens."""
    url: str
    """The address that people should visit."""


class NewSubmission(_NewSubmissionRequired, total=False):
    """The fields of the file of an entity. Texts are one line, without control characters. No
    field may be null.
    """

    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    provider: str
    """Who makes or offers it."""
    version: Union[str, float]
    """The latest stable version; of a number, the digits as they are sent."""
    license: str
    """An SPDX expression."""
    pricingModel: Literal["open-source", "open-weights", "free", "freemium", "subscription", "usage-based", "proprietary"]
    """How one comes to use it."""
    links: Links
    """Further addresses. Those that are unknown are left out."""
    tags: List[str]
    """Free keywords."""
    capabilities: List[str]
    """What it can do."""
    status: Status
    """``active``; ``deprecated``: no longer recommended by its makers; ``withdrawn``: no
    longer to be had, and left out of lists.
    """
    formerly: List[str]
    """Earlier slugs, whose addresses lead here."""
    addedDate: str
    """When it was added to the index; better left out."""
    lastUpdated: str
    """When its entry last changed; better left out."""
    signals: SubmittedSignals
    """The facts that scores are made of, as in a record. Each should have its date and its
    source.
    """


class _SubmissionFieldsRequired(TypedDict):
    name: str
    """The name as its makers write it."""
    description: str
    """What it is for and what sets it apart."""
    category: str
    """Lower-case letters and digits, joined with hyphens."""
    url: str
    """The address that people should visit."""


class SubmissionFields(_SubmissionFieldsRequired, total=False):
    """The fields as they will be in the file."""

    provider: str
    """Who makes or offers it."""
    version: str
    """The latest stable version."""
    license: str
    """An SPDX expression."""
    pricingModel: Literal["open-source", "open-weights", "free", "freemium", "subscription", "usage-based", "proprietary"]
    """How one comes to use it."""
    links: Links
    """Further addresses. Those that are unknown are left out."""
    tags: List[str]
    """Free keywords."""
    capabilities: List[str]
    """What it can do."""
    status: Status
    """``active``; ``deprecated``: no longer recommended by its makers; ``withdrawn``: no
    longer to be had, and left out of lists.
    """
    formerly: List[str]
    """Earlier slugs, whose addresses lead here."""
    addedDate: str
    """When it was added to the index; the day of its first version unless given."""
    lastUpdated: str
    """When its entry last changed; the day of its latest change unless given."""
    signals: SubmittedSignals
    """The facts that scores are made of, as in a record. Each should have its date and its
    source.
    """


class _SubmittedCountRequired(TypedDict):
    value: int
    """The figure."""


class SubmittedCount(_SubmittedCountRequired, total=False):
    """A figure that was counted."""

    date: str
    """The day on which it was read."""
    source: str
    """The page where it was read."""


class _SubmittedOccasionRequired(TypedDict):
    value: str
    """A day, or a month where only that is known."""


class SubmittedOccasion(_SubmittedOccasionRequired, total=False):
    """A date on which something happened."""

    date: str
    """The day on which it was read."""
    source: str
    """The page where it was read."""


class _SubmittedBenchmarkRequired(TypedDict):
    name: str
    """The benchmark as its makers write it."""
    value: float
    """The result, in the benchmark's own unit."""


class SubmittedBenchmark(_SubmittedBenchmarkRequired, total=False):
    """One published result."""

    date: str
    """The day or month of the result."""
    source: str
    """The page where it was published."""


class SubmittedSignals(TypedDict, total=False):
    """The facts that scores are made of, as in a record. Each should have its date and its
    source.
    """

    citations: SubmittedCount
    """A figure that was counted."""
    commits: SubmittedCount
    """A figure that was counted."""
    contextTokens: SubmittedCount
    """A figure that was counted."""
    contributors: SubmittedCount
    """A figure that was counted."""
    dependents: SubmittedCount
    """A figure that was counted."""
    downloads: SubmittedCount
    """A figure that was counted."""
    forks: SubmittedCount
    """A figure that was counted."""
    lastRelease: SubmittedOccasion
    """A date on which something happened."""
    likes: SubmittedCount
    """A figure that was counted."""
    outputTokens: SubmittedCount
    """A figure that was counted."""
    parameters: SubmittedCount
    """A figure that was counted."""
    released: SubmittedOccasion
    """A date on which something happened."""
    releases: SubmittedCount
    """A figure that was counted."""
    stars: SubmittedCount
    """A figure that was counted."""
    benchmarks: List[SubmittedBenchmark]
    """Published results, each in the own unit of its benchmark."""


class CreatedSubmissionSimilar(TypedDict):
    """An entity of the index that may be what is meant."""

    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name as its makers write it."""
    url: Optional[str]
    """The address that people should visit."""


class CreatedSubmission(TypedDict):
    """A submission that was taken in, and what may be like it."""

    id: str
    """The id of a submission."""
    status: SubmissionStatus
    """``pending``: it waits to be reviewed. ``in-review``: its pull request is open.
    ``accepted``: it will be in the next build. ``published``: it is in the index.
    ``rejected``: it will not be, and ``reason`` says why. ``withdrawn``: the account
    withdrew it.
    """
    url: str
    """The address of the submission."""
    similar: List[CreatedSubmissionSimilar]
    """Entities of the index that may be what is meant."""
    warnings: List[FieldError]
    """What is not wrong, and may not be meant."""


class SubmittedEntity(TypedDict):
    """The entity that it is to become."""

    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name as its makers write it."""
    url: str
    """Its address, there once it is published."""


class PullRequest(TypedDict):
    """Where it is reviewed; null where there is no pull request."""

    number: int
    """Its number."""
    url: Optional[str]
    """Its address, where that is known."""


class Submission(TypedDict):
    """A submission and what became of it."""

    id: str
    """The id of a submission."""
    status: SubmissionStatus
    """``pending``: it waits to be reviewed. ``in-review``: its pull request is open.
    ``accepted``: it will be in the next build. ``published``: it is in the index.
    ``rejected``: it will not be, and ``reason`` says why. ``withdrawn``: the account
    withdrew it.
    """
    url: str
    """The address of the submission."""
    entity: SubmittedEntity
    """The entity that it is to become."""
    reason: Optional[str]
    """Why it was rejected; null unless it was."""
    pullRequest: Optional[PullRequest]
    """Where it is reviewed; null where there is no pull request."""
    createdAt: str
    """When it was submitted."""
    updatedAt: str
    """When it came to its present status."""


class SubmissionDocument(TypedDict):
    """A submission with the fields of its file."""

    id: str
    """The id of a submission."""
    status: SubmissionStatus
    """``pending``: it waits to be reviewed. ``in-review``: its pull request is open.
    ``accepted``: it will be in the next build. ``published``: it is in the index.
    ``rejected``: it will not be, and ``reason`` says why. ``withdrawn``: the account
    withdrew it.
    """
    url: str
    """The address of the submission."""
    entity: SubmittedEntity
    """The entity that it is to become."""
    reason: Optional[str]
    """Why it was rejected; null unless it was."""
    pullRequest: Optional[PullRequest]
    """Where it is reviewed; null where there is no pull request."""
    createdAt: str
    """When it was submitted."""
    updatedAt: str
    """When it came to its present status."""
    fields: SubmissionFields
    """The fields as they will be in the file."""


class SubmissionList(TypedDict):
    """One page of submissions, the newest first."""

    data: List[Submission]
    """The submissions."""
    count: int
    """How many there are over all pages."""
    nextCursor: Optional[str]
    """Goes on with the next page as ``cursor``; null on the last one."""


class FieldError(TypedDict):
    """What is wrong with one parameter or field."""

    field: str
    """The parameter or field, nested ones with dots."""
    message: str
    """What is wrong with it, and what would be right."""
