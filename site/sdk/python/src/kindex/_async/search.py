"""Search: Full-text search for entities.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import AsyncIterator, Literal, Optional, Sequence

from .._acore import AsyncCore
from .._addresses import DateLike, joined, OneOrMore
from ..types import EntityField, EntityType, FacetField, SearchHit, SearchResult, Status, SuggestionList


class Search(AsyncCore):
    """Full-text search for entities."""

    async def search_entities(
        self,
        q: str,
        *,
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        provider: Optional[OneOrMore[str]] = None,
        tag: Optional[OneOrMore[str]] = None,
        capability: Optional[OneOrMore[str]] = None,
        license: Optional[OneOrMore[str]] = None,
        pricing_model: Optional[OneOrMore[Literal["open-source", "open-weights", "free", "freemium", "subscription", "usage-based", "proprietary"]]] = None,
        status: Optional[OneOrMore[Status]] = None,
        min_score: Optional[float] = None,
        added_since: Optional[DateLike] = None,
        updated_since: Optional[DateLike] = None,
        family: Optional[OneOrMore[str]] = None,
        modality: Optional[OneOrMore[str]] = None,
        output_modality: Optional[OneOrMore[str]] = None,
        open_weights: Optional[OneOrMore[Literal["true", "false"]]] = None,
        maintenance: Optional[OneOrMore[Literal["active", "slow", "dormant", "archived"]]] = None,
        min_context: Optional[int] = None,
        min_parameters: Optional[int] = None,
        max_parameters: Optional[int] = None,
        max_price: Optional[float] = None,
        retires_before: Optional[DateLike] = None,
        signal: Optional[OneOrMore[str]] = None,
        facets: Optional[Sequence[FacetField]] = None,
        fields: Optional[Sequence[EntityField]] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> SearchResult:
        """Search entities.

        Entities that match the search words, most relevant first. The beginning of a word
        is enough to match it. Search words of at least four letters can contain one typo,
        and words of at least eight letters can contain two; words with digits cannot
        contain any. Entities whose name or slug matches exactly come first. Words in
        "double quotes" must occur as an exact phrase in the name, the description or
        another text field of the entity. A single letter matches names that start with it,
        and text that contains it as a word. A word after a minus sign excludes entities
        that contain it: ``pytorch -torchvision``. If few entities match all words, entities
        follow that lack only the least telling words, which ``dropped`` lists: words that
        no entity has and at most half of the others, but no phrases. Only the first twelve
        words and phrases are used.

        The names of packages and of the modules that programs import, model names as
        programs send them, and addresses find the entities that they identify: ``sklearn``,
        ``pip install torch``, ``openrouter/deepseek/deepseek-v3.2``. Deprecated and
        withdrawn entities come after others unless the query names them.

        Words and phrases also match their synonyms, which rank a little lower; those in
        double quotes do not. Words that say only what kind of thing is wanted, such as
        "best", "open source" or "framework", need not match if the query has other words.
        Entities rank higher if the query names their category or one of their capabilities,
        tags, family or provider. "Alternatives to X" also finds what is in the category of
        X.

        Every match has ``relevance`` and ``highlights``, regardless of ``fields``. If
        nothing is found, ``suggestions`` contains up to five entities: those that would be
        found without the filters or, if there are none, those with the most similar names.

        Args:
            q: The search words, at most 500 bytes in UTF-8.
            type: Only entities of this type. Repeat the parameter to match any of several
                values.
            category: Only entities in this category; ``GET /api/categories`` lists the
                categories. A former slug of a category means the category. Repeat the
                parameter to match any of several values.
            provider: Only entities from this provider, given by its full name. Repeat the
                parameter to match any of several values.
            tag: Only entities with this tag. A synonym, according to the vocabulary of the
                index, means the preferred tag. Repeat the parameter to match any of several
                values; use ``a,b`` to match both.
            capability: Only entities with this capability. A synonym, according to the
                vocabulary of the index, means the preferred capability. Repeat the
                parameter to match any of several values; use ``a,b`` to match both.
            license: Only entities with this licence, given as its full SPDX expression.
                Repeat the parameter to match any of several values.
            pricing_model: Only entities with this pricing model. Repeat the parameter to
                match any of several values.
            status: Only entities with this status. By default, withdrawn entities are left
                out. Repeat the parameter to match any of several values.
            min_score: Only entities with at least this composite score, which can have one
                decimal; entities without a composite score are left out.
            added_since: Only entities added on this day or later; entities without a date
                are left out.
            updated_since: Only entities last updated on this day or later; entities without
                a date are left out.
            family: Only models of this family. Repeat the parameter to match any of several
                values.
            modality: Only models that read this kind of data. Repeat the parameter to match
                any of several values; use ``a,b`` to match both.
            output_modality: Only models that produce this kind of data. Repeat the
                parameter to match any of several values; use ``a,b`` to match both.
            open_weights: Only models whose weights can be downloaded (``true``) or cannot
                (``false``). Models for which this is unknown match neither.
            maintenance: Only entities whose repository is in this state. Entities for which
                it is unknown, or was last read more than 400 days before, do not match.
                Repeat the parameter to match any of several values.
            min_context: Only entities whose context window has at least this many tokens;
                entities without a known context window are left out. The number may also be
                written as 200k, 200,000 or 1M.
            min_parameters: Only models with at least this many parameters, in all; entities
                without a known number are left out. The number may also be written as 7B or
                1.5T.
            max_parameters: Only models with at most this many parameters, in all; entities
                without a known number are left out. The number may also be written as 70B
                or 1.5T.
            max_price: Only entities whose blended price is at most this many US dollars for
                a million tokens, with at most six decimals; entities without a known price
                are left out. The amount may also be written as $2.50 or 2,5.
            retires_before: Only entities that retire, or have retired, before this day;
                entities without an announced retirement are left out.
            signal: Only entities that meet this condition on a signal: its name, ``>=`` or
                ``<=``, and a number or, for a signal that is a date, a day. Repeat the
                parameter to require several conditions. An entity without the signal does
                not meet the condition; a month counts as its first day.
            facets: Fields whose values are counted over all matches, not only those on this
                page. Separate fields with commas, or repeat the parameter. For each field,
                the 20 most frequent values are returned.
            fields: The fields to return. Separate them with commas, or repeat the
                parameter. If you list individual scores, ``scores`` contains only those.
            limit: Maximum number of records per page. Default: 20.
            offset: Number of records to skip; cannot be combined with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters except
                ``limit`` must be the same as for that page.

        Returns:
            One page of matches.

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
        """
        return await self._json("/api/search", {
            "q": q,
            "type": type,
            "category": category,
            "provider": provider,
            "tag": tag,
            "capability": capability,
            "license": license,
            "pricingModel": pricing_model,
            "status": status,
            "minScore": min_score,
            "addedSince": added_since,
            "updatedSince": updated_since,
            "family": family,
            "modality": modality,
            "outputModality": output_modality,
            "openWeights": open_weights,
            "maintenance": maintenance,
            "minContext": min_context,
            "minParameters": min_parameters,
            "maxParameters": max_parameters,
            "maxPrice": max_price,
            "retiresBefore": retires_before,
            "signal": signal,
            "facets": joined("facets", facets),
            "fields": joined("fields", fields),
            "limit": limit,
            "offset": offset,
            "cursor": cursor,
        })

    def iter_search(
        self,
        q: str,
        *,
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        provider: Optional[OneOrMore[str]] = None,
        tag: Optional[OneOrMore[str]] = None,
        capability: Optional[OneOrMore[str]] = None,
        license: Optional[OneOrMore[str]] = None,
        pricing_model: Optional[OneOrMore[Literal["open-source", "open-weights", "free", "freemium", "subscription", "usage-based", "proprietary"]]] = None,
        status: Optional[OneOrMore[Status]] = None,
        min_score: Optional[float] = None,
        added_since: Optional[DateLike] = None,
        updated_since: Optional[DateLike] = None,
        family: Optional[OneOrMore[str]] = None,
        modality: Optional[OneOrMore[str]] = None,
        output_modality: Optional[OneOrMore[str]] = None,
        open_weights: Optional[OneOrMore[Literal["true", "false"]]] = None,
        maintenance: Optional[OneOrMore[Literal["active", "slow", "dormant", "archived"]]] = None,
        min_context: Optional[int] = None,
        min_parameters: Optional[int] = None,
        max_parameters: Optional[int] = None,
        max_price: Optional[float] = None,
        retires_before: Optional[DateLike] = None,
        signal: Optional[OneOrMore[str]] = None,
        facets: Optional[Sequence[FacetField]] = None,
        fields: Optional[Sequence[EntityField]] = None,
        cursor: Optional[str] = None,
        page_size: int = 100,
    ) -> AsyncIterator[SearchHit]:
        """Search entities, on all pages.

        Like :meth:`search_entities`, which has the details. Each page is a request.

        Args:
            q: The search words, at most 500 bytes in UTF-8.
            type: Only entities of this type. Repeat the parameter to match any of several
                values.
            category: Only entities in this category; ``GET /api/categories`` lists the
                categories. A former slug of a category means the category. Repeat the
                parameter to match any of several values.
            provider: Only entities from this provider, given by its full name. Repeat the
                parameter to match any of several values.
            tag: Only entities with this tag. A synonym, according to the vocabulary of the
                index, means the preferred tag. Repeat the parameter to match any of several
                values; use ``a,b`` to match both.
            capability: Only entities with this capability. A synonym, according to the
                vocabulary of the index, means the preferred capability. Repeat the
                parameter to match any of several values; use ``a,b`` to match both.
            license: Only entities with this licence, given as its full SPDX expression.
                Repeat the parameter to match any of several values.
            pricing_model: Only entities with this pricing model. Repeat the parameter to
                match any of several values.
            status: Only entities with this status. By default, withdrawn entities are left
                out. Repeat the parameter to match any of several values.
            min_score: Only entities with at least this composite score, which can have one
                decimal; entities without a composite score are left out.
            added_since: Only entities added on this day or later; entities without a date
                are left out.
            updated_since: Only entities last updated on this day or later; entities without
                a date are left out.
            family: Only models of this family. Repeat the parameter to match any of several
                values.
            modality: Only models that read this kind of data. Repeat the parameter to match
                any of several values; use ``a,b`` to match both.
            output_modality: Only models that produce this kind of data. Repeat the
                parameter to match any of several values; use ``a,b`` to match both.
            open_weights: Only models whose weights can be downloaded (``true``) or cannot
                (``false``). Models for which this is unknown match neither.
            maintenance: Only entities whose repository is in this state. Entities for which
                it is unknown, or was last read more than 400 days before, do not match.
                Repeat the parameter to match any of several values.
            min_context: Only entities whose context window has at least this many tokens;
                entities without a known context window are left out. The number may also be
                written as 200k, 200,000 or 1M.
            min_parameters: Only models with at least this many parameters, in all; entities
                without a known number are left out. The number may also be written as 7B or
                1.5T.
            max_parameters: Only models with at most this many parameters, in all; entities
                without a known number are left out. The number may also be written as 70B
                or 1.5T.
            max_price: Only entities whose blended price is at most this many US dollars for
                a million tokens, with at most six decimals; entities without a known price
                are left out. The amount may also be written as $2.50 or 2,5.
            retires_before: Only entities that retire, or have retired, before this day;
                entities without an announced retirement are left out.
            signal: Only entities that meet this condition on a signal: its name, ``>=`` or
                ``<=``, and a number or, for a signal that is a date, a day. Repeat the
                parameter to require several conditions. An entity without the signal does
                not meet the condition; a month counts as its first day.
            facets: Fields whose values are counted over all matches, not only those on this
                page. Separate fields with commas, or repeat the parameter. For each field,
                the 20 most frequent values are returned.
            fields: The fields to return. Separate them with commas, or repeat the
                parameter. If you list individual scores, ``scores`` contains only those.
            cursor: Where to continue: the ``nextCursor`` of a page.
            page_size: The number of records per request, up to 100.

        Returns:
            An iterator over the records of all pages, which are requested as needed.

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
        """
        return self._items("/api/search", {
            "q": q,
            "type": type,
            "category": category,
            "provider": provider,
            "tag": tag,
            "capability": capability,
            "license": license,
            "pricingModel": pricing_model,
            "status": status,
            "minScore": min_score,
            "addedSince": added_since,
            "updatedSince": updated_since,
            "family": family,
            "modality": modality,
            "outputModality": output_modality,
            "openWeights": open_weights,
            "maintenance": maintenance,
            "minContext": min_context,
            "minParameters": min_parameters,
            "maxParameters": max_parameters,
            "maxPrice": max_price,
            "retiresBefore": retires_before,
            "signal": signal,
            "facets": joined("facets", facets),
            "fields": joined("fields", fields),
            "cursor": cursor,
            "limit": page_size,
        })

    async def suggest_entities(
        self,
        q: str,
        *,
        type: Optional[EntityType] = None,
        limit: Optional[int] = None,
    ) -> SuggestionList:
        """Autocomplete the name of an entity.

        Entities whose name, or a word in it, starts with the search text, best matches
        first. Withdrawn entities are left out. ``count`` is the total number of matching
        names; only the best matches are returned.

        Args:
            q: The search words, at most 500 bytes in UTF-8.
            type: Only entities of this type.
            limit: Maximum number of entities to return. Default: 10.

        Returns:
            The suggestions, best first.

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
        """
        return await self._json("/api/suggest", {"q": q, "type": type, "limit": limit})
