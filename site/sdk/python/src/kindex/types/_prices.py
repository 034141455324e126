"""Prices: What providers charge for models, and what using them costs.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict

from ._entities import EntityType, Tier


class ListedOffer(TypedDict):
    """One provider's prices for a model, in US dollars, with the model. An unknown price is
    null, never 0.
    """

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""
    blended: Optional[float]
    """The price of a million tokens, three parts input and one part output, rounded half up to
    a millionth of a dollar.
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


class _OfferListRequired(TypedDict):
    data: List[ListedOffer]
    """The offers."""
    count: int
    """The number of records on all pages."""
    nextCursor: Optional[str]
    """The ``cursor`` of the next page; null on the last page."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class OfferList(_OfferListRequired, total=False):
    """One page of offers."""

    asOf: str
    """The day in ``at``; present only with ``at``."""


class CostListModel(TypedDict):
    """The model, with the slug that it has or, with ``at``, had on that day."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""


class _CostListRequired(TypedDict):
    data: List[Cost]
    """The costs."""
    count: int
    """The number of records on all pages."""
    model: CostListModel
    """The model, with the slug that it has or, with ``at``, had on that day."""
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class CostList(_CostListRequired, total=False):
    """What using a model costs at each offer, cheapest first, unknown costs last."""

    asOf: str
    """The day in ``at``; present only with ``at``."""


class Cost(TypedDict):
    """The cost at one offer."""

    provider: str
    """The provider's slug."""
    id: str
    """The model's name at the provider."""
    cost: Optional[float]
    """The cost of all requests in dollars, rounded half up to a millionth; null if it is
    unknown.
    """
    over: Optional[int]
    """The number of input tokens above which the applied tier is valid; null if the offer's
    own prices apply.
    """
    lines: List[CostLine]
    """The calculation, one line for each price that is needed."""
    unknown: List[str]
    """The prices that are needed but unknown: items, or the mode as in ``modes.batch``."""
    exceeds: List[Literal["context", "outputLimit"]]
    """The limits of the offer that the request exceeds."""
    reason: Optional[str]
    """Why the cost is unknown, as a sentence; null if it is known."""
    deprecated: bool
    """Whether the provider advises against the offer."""
    date: Optional[str]
    """The day the prices were read."""
    source: Optional[str]
    """The page they were read from."""


class CostLine(TypedDict):
    """One item of a calculation."""

    item: Literal["input", "output", "cacheRead", "cacheWrite", "reasoningOutput", "inputAudio", "outputAudio", "image", "request", "cacheWrite1h"]
    """The price that applies."""
    quantity: int
    """The number of tokens, images or requests over all requests."""
    price: Optional[float]
    """The price of a million tokens, or of one image or request, in dollars; null if unknown.
    """
    cost: Optional[float]
    """The exact cost in dollars; null if the price is unknown."""
