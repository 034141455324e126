"""Search: Finding entities by words.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import AsyncIterator, Literal, Optional, Sequence

from .._acore import AsyncCore
from .._addresses import DateLike, joined, OneOrMore
from ..types import EntityField, EntityType, FacetField, SearchHit, SearchResult, Status, SuggestionList


class Search(AsyncCore):
    """Finding entities by words."""

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
        facets: Optional[Sequence[FacetField]] = None,
        fields: Optional[Sequence[EntityField]] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> SearchResult:
        """Search all entities by words.

        Entities that match the words, the most relevant first. Prefixes find, and so do
        words with one letter wrong (four letters or more) or two (eight or more); words
        with digits must be right. An exact name or slug comes first. Words in "double
        quotes" must stand exactly like this, next to each other, in a name, a description
        or another text of the entity. A single letter finds names that begin with it, and
        what has it as a word. Where no entity has all words, those that have the most of
        them are found, as long as it is half of them and every phrase in quotes. The first
        twelve words and phrases count.

        Every hit has its ``relevance`` and its ``highlights``, whatever ``fields`` asks
        for. Where nothing is found, ``suggestions`` has up to five others: what the same
        words find without the filters or, where that is nothing, the nearest names.

        Args:
            q: The words, at most 500 bytes in UTF-8.
            type: Only entities of this type. Repeat for any of several.
            category: Only entities of this category, one that ``GET /api/categories``
                lists. Repeat for any of several.
            provider: Only entities of this provider, the whole name. Repeat for any of
                several.
            tag: Only entities with this tag. Repeat for any of several; ``a,b`` for all of
                them.
            capability: Only entities with this capability. Repeat for any of several;
                ``a,b`` for all of them.
            license: Only entities under this licence, the whole SPDX expression. Repeat for
                any of several.
            pricing_model: Only entities with this pricing model. Repeat for any of several.
            status: Only entities in this state. Withdrawn ones are left out unless asked
                for here. Repeat for any of several.
            min_score: Only entities with at least this composite score, to one decimal;
                those without one are left out.
            added_since: Only entities added on this day or later; those without a date are
                left out.
            updated_since: Only entities last updated on this day or later; those without a
                date are left out.
            facets: Fields whose values to count over all hits, not only those of this page;
                joined with commas, or the parameter repeated. Each gives the 20 most
                frequent values.
            fields: The members of the records wanted, joined with commas, or the parameter
                repeated. The name of a score gives ``scores`` with just the scores named.
            limit: How many records a page has at most. 20 unless given.
            offset: How many records to skip; not together with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters but
                ``limit`` must be as they were there, so no example would fit every request.

        Returns:
            One page of the hits.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
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
        facets: Optional[Sequence[FacetField]] = None,
        fields: Optional[Sequence[EntityField]] = None,
        cursor: Optional[str] = None,
        page_size: int = 100,
    ) -> AsyncIterator[SearchHit]:
        """Search all entities by words, over all pages.

        As :meth:`search_entities`, which tells more. Each page is a request.

        Args:
            q: The words, at most 500 bytes in UTF-8.
            type: Only entities of this type. Repeat for any of several.
            category: Only entities of this category, one that ``GET /api/categories``
                lists. Repeat for any of several.
            provider: Only entities of this provider, the whole name. Repeat for any of
                several.
            tag: Only entities with this tag. Repeat for any of several; ``a,b`` for all of
                them.
            capability: Only entities with this capability. Repeat for any of several;
                ``a,b`` for all of them.
            license: Only entities under this licence, the whole SPDX expression. Repeat for
                any of several.
            pricing_model: Only entities with this pricing model. Repeat for any of several.
            status: Only entities in this state. Withdrawn ones are left out unless asked
                for here. Repeat for any of several.
            min_score: Only entities with at least this composite score, to one decimal;
                those without one are left out.
            added_since: Only entities added on this day or later; those without a date are
                left out.
            updated_since: Only entities last updated on this day or later; those without a
                date are left out.
            facets: Fields whose values to count over all hits, not only those of this page;
                joined with commas, or the parameter repeated. Each gives the 20 most
                frequent values.
            fields: The members of the records wanted, joined with commas, or the parameter
                repeated. The name of a score gives ``scores`` with just the scores named.
            cursor: Where to go on, the ``nextCursor`` of a page.
            page_size: How many to ask for at a time, up to 100.

        Returns:
            An iterator over all of them, read page by page as needed.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
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
        """Complete the name of an entity.

        Entities whose name begins with the text, or does so from one of its words on, for
        completion while somebody types; the best first. Withdrawn ones are left out.
        ``count`` is the number of names that match, of which the best are given.

        Args:
            q: The words, at most 500 bytes in UTF-8.
            type: Only entities of this type.
            limit: How many to give at most. 10 unless given.

        Returns:
            The suggestions, the best first.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
        """
        return await self._json("/api/suggest", {"q": q, "type": type, "limit": limit})
