"""Prices: What providers charge for models, and what using them costs.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import Literal, Optional

from .._addresses import DateLike, OneOrMore
from .._core import Core
from ..types import CostList, OfferList, PriceSort


class Prices(Core):
    """What providers charge for models, and what using them costs."""

    def list_offers(
        self,
        *,
        model: Optional[OneOrMore[str]] = None,
        provider: Optional[OneOrMore[str]] = None,
        family: Optional[OneOrMore[str]] = None,
        modality: Optional[OneOrMore[Literal["text", "image", "audio", "video", "pdf", "embedding", "score"]]] = None,
        max_input: Optional[str] = None,
        max_output: Optional[str] = None,
        min_context: Optional[int] = None,
        sort: Optional[PriceSort] = None,
        at: Optional[DateLike] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> OfferList:
        """List and filter offers of models.

        What providers charge for the listed models, cheapest first. Offers whose price is
        unknown come last; ties are broken by model, provider and id. The blended price is
        the price of three parts input and one part output. A limit on a price or on the
        context leaves out offers that do not state it. With ``at``, the offers are those of
        that day.

        Args:
            model: Only offers of this model, by its slug (also a former one), its name or
                an identifier. Repeat the parameter to match any of several values.
            provider: Only offers of this provider, by its slug. Repeat the parameter to
                match any of several values.
            family: Only offers of models of this family. Repeat the parameter to match any
                of several values.
            modality: Only offers of models that take this kind of input. Repeat the
                parameter to match any of several values.
            max_input: The maximum price of a million input tokens in dollars, with at most
                six decimals. It may also be written as $2.50 or 2,5.
            max_output: The maximum price of a million output tokens in dollars, with at
                most six decimals. It may also be written as $2.50 or 2,5.
            min_context: The minimum context length in tokens, as stated by the offer. It
                may also be written as 200k, 200,000 or 1M.
            sort: The price to sort by. Default: "blended".
            at: Return data as of the end of this day (UTC). By default, current data is
                returned.
            limit: Maximum number of records per page. Default: 20.
            offset: Number of records to skip; cannot be combined with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters except
                ``limit`` must be the same as for that page.

        Returns:
            One page of offers.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
            NotFoundError: There is no history for the day in ``at`` (``no-history``);
                ``suggestion`` is the first day of the history.
            GoneError: The entity was deleted (``deleted-entity``) or, with ``at``, had
                been deleted by that day; ``suggestion`` is the address of its changelog.
        """
        return self._json("/api/offers", {
            "model": model,
            "provider": provider,
            "family": family,
            "modality": modality,
            "maxInput": max_input,
            "maxOutput": max_output,
            "minContext": min_context,
            "sort": sort,
            "at": at,
            "limit": limit,
            "offset": offset,
            "cursor": cursor,
        })

    def get_cost(
        self,
        *,
        model: str,
        input: int,
        output: Optional[int] = None,
        cached: Optional[int] = None,
        cache_write: Optional[int] = None,
        cache_write1h: Optional[int] = None,
        input_audio: Optional[int] = None,
        reasoning: Optional[int] = None,
        output_audio: Optional[int] = None,
        images: Optional[int] = None,
        requests: Optional[int] = None,
        mode: Optional[Literal["batch", "flex", "priority"]] = None,
        provider: Optional[str] = None,
        at: Optional[DateLike] = None,
    ) -> CostList:
        """Calculate what using a model costs.

        What a number of identical requests costs at each offer of a model, cheapest first,
        with the calculation. All quantities except ``requests`` are tokens of one request.

        ``cached``, ``cacheWrite``, ``cacheWrite1h`` and ``inputAudio`` are parts of
        ``input``; ``reasoning`` and ``outputAudio`` are parts of ``output``. Reasoning
        without a price of its own is billed as output. If a request has more input tokens
        than the ``over`` of a tier, the tier's prices apply to the whole request; an offer
        without tiers has no known prices for requests to which a tier of another offer of
        the model applies. If a price that is needed is unknown, the cost is null,
        ``unknown`` names the price, and the offer is listed last; so is one whose
        ``context`` or ``outputLimit`` the request exceeds. ``reason`` says why a cost is
        null. Lines are exact; their sum is rounded once, half up, to a millionth of a
        dollar.

        With ``at``, the prices are those that the index stated at the end of that day.

        Args:
            model: The model, by its slug (also a former one), its name or an identifier.
            input: All input tokens of one request.
            output: All output tokens of one request. Default: 0.
            cached: The part of ``input`` that is read from a cache. Default: 0.
            cache_write: The part of ``input`` that is written to a cache. Default: 0.
            cache_write1h: The part of ``input`` that is written to a cache for an hour.
                Offers do not state this price, so the cost is unknown. Default: 0.
            input_audio: The part of ``input`` that is audio. Default: 0.
            reasoning: The part of ``output`` that is reasoning. Default: 0.
            output_audio: The part of ``output`` that is audio. Default: 0.
            images: Images of one request that have a price of their own. Default: 0.
            requests: The number of requests. Default: 1.
            mode: How the requests are sent. By default, the standard way.
            provider: Only offers of this provider, by its slug.
            at: Return data as of the end of this day (UTC). By default, current data is
                returned.

        Returns:
            The costs.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
            NotFoundError: There is no history for the day in ``at`` (``no-history``);
                ``suggestion`` is the first day of the history.
            GoneError: The entity was deleted (``deleted-entity``) or, with ``at``, had
                been deleted by that day; ``suggestion`` is the address of its changelog.
        """
        return self._json("/api/cost", {
            "model": model,
            "input": input,
            "output": output,
            "cached": cached,
            "cacheWrite": cache_write,
            "cacheWrite1h": cache_write1h,
            "inputAudio": input_audio,
            "reasoning": reasoning,
            "outputAudio": output_audio,
            "images": images,
            "requests": requests,
            "mode": mode,
            "provider": provider,
            "at": at,
        })
