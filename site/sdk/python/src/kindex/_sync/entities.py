"""Entities: Tools and models, one by one or as filtered lists.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import Iterator, Literal, Optional, Sequence

from .._addresses import DateLike, joined, OneOrMore, path_to
from .._core import Core
from ..types import (
    Entity,
    EntityDocument,
    EntityField,
    EntityList,
    EntityType,
    ScoreExplanation,
    SimilarList,
    SortField,
    Status,
)


class Entities(Core):
    """Tools and models, one by one or as filtered lists."""

    def list_entities(
        self,
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
        sort: Optional[SortField] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        fields: Optional[Sequence[EntityField]] = None,
        at: Optional[DateLike] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> EntityList:
        """List and filter entities.

        All entities that the filters choose, by composite score, the best first, unless
        sorted otherwise. Records without a value in the sort key come last in both
        directions; ties are broken by type, then slug. With ``at``, the filters, the order
        and the records are those of the snapshot that ``asOf`` names; ``category`` may then
        be one that entities had before.

        Args:
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
            sort: What to sort by. "composite" unless given.
            order: The direction; ``asc`` unless given where ``sort=name``, else ``desc``.
            fields: The members of the records wanted, joined with commas, or the parameter
                repeated. The name of a score gives ``scores`` with just the scores named.
            at: The day, UTC, as at whose end to show it; the present without it.
            limit: How many records a page has at most. 20 unless given.
            offset: How many records to skip; not together with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters but
                ``limit`` must be as they were there, so no example would fit every request.

        Returns:
            One page of the entities.

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
            NotFoundError: Nothing is known of the day of ``at`` (``no-history``);
                ``suggestion`` is the first day of the history.
        """
        return self._json("/api/entities", {
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
            "sort": sort,
            "order": order,
            "fields": joined("fields", fields),
            "at": at,
            "limit": limit,
            "offset": offset,
            "cursor": cursor,
        })

    def iter_entities(
        self,
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
        sort: Optional[SortField] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        fields: Optional[Sequence[EntityField]] = None,
        at: Optional[DateLike] = None,
        cursor: Optional[str] = None,
        page_size: int = 100,
    ) -> Iterator[Entity]:
        """List and filter entities, over all pages.

        As :meth:`list_entities`, which tells more. Each page is a request.

        Args:
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
            sort: What to sort by. "composite" unless given.
            order: The direction; ``asc`` unless given where ``sort=name``, else ``desc``.
            fields: The members of the records wanted, joined with commas, or the parameter
                repeated. The name of a score gives ``scores`` with just the scores named.
            at: The day, UTC, as at whose end to show it; the present without it.
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
            NotFoundError: Nothing is known of the day of ``at`` (``no-history``);
                ``suggestion`` is the first day of the history.
        """
        return self._items("/api/entities", {
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
            "sort": sort,
            "order": order,
            "fields": joined("fields", fields),
            "at": at,
            "cursor": cursor,
            "limit": page_size,
        })

    def get_entity(self, type: EntityType, slug: str, *, at: Optional[DateLike] = None) -> EntityDocument:
        """Get one entity.

        The bare record of one entity, withdrawn ones included. An earlier slug is answered
        with 301 and the address under the present one.

        It is JSON, or Markdown for people and language models where ``Accept`` prefers
        ``text/markdown`` or ``.md`` stands behind the slug: the description, the facts with
        their sources, the scores and how they came about, what is like it and what has
        changed lately. Errors are JSON in any case.

        With ``at``, the record is that of the entity which had this address at the end of
        that day or, where there was none, of the one that has it now, under the slug that
        it had then; there is no redirect. An entity that came later answers 404
        ``no-history``, one that was deleted by then 410.

        Args:
            type: The type of the entity.
            slug: The slug of the entity, present or earlier; with ``.md`` behind it, the
                answer is Markdown.
            at: The day, UTC, as at whose end to show it; the present without it.

        Returns:
            The entity.

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
            NotFoundError: There is no such entity (``unknown-entity``), or nothing is
                known of it for the day of ``at`` (``no-history``).
            GoneError: The entity was deleted (``deleted-entity``), by the day of ``at``
                where that is given; ``suggestion`` is the address of its changelog.
        """
        return self._json(path_to("/api/entity/{type}/{slug}", type=type, slug=slug), {"at": at})

    def get_entity_markdown(self, type: EntityType, slug: str, *, at: Optional[DateLike] = None) -> str:
        """Read one entity as Markdown.

        What people and language models read: the facts with their sources, the scores, what
        is like it.

        Args:
            type: The type of the entity.
            slug: The slug of the entity, present or earlier; with ``.md`` behind it, the
                answer is Markdown.
            at: The day, UTC, as at whose end to show it; the present without it.

        Returns:
            The Markdown, as CommonMark.

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
            NotFoundError: There is no such entity (``unknown-entity``), or nothing is
                known of it for the day of ``at`` (``no-history``).
            GoneError: The entity was deleted (``deleted-entity``), by the day of ``at``
                where that is given; ``suggestion`` is the address of its changelog.
        """
        return self._text(path_to("/api/entity/{type}/{slug}", type=type, slug=slug), {"at": at}, "text/markdown")

    def get_entity_score(self, type: EntityType, slug: str) -> ScoreExplanation:
        """Explain the scores of an entity.

        How the scores of one entity came about: every dimension with its weight and prior,
        every measure with the observation, its date and its source. The numbers are not
        rounded, so that the scores can be computed again. This address takes no query
        parameters.

        Args:
            type: The type of the entity.
            slug: The slug of the entity, present or earlier.

        Returns:
            The explanation.

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
            NotFoundError: There is no such entity (``unknown-entity``); ``suggestion``
                is the address of the nearest one.
            GoneError: The entity was deleted (``deleted-entity``), by the day of ``at``
                where that is given; ``suggestion`` is the address of its changelog.
        """
        return self._json(path_to("/api/entity/{type}/{slug}/score", type=type, slug=slug))

    def list_similar_entities(self, type: EntityType, slug: str, *, limit: Optional[int] = None) -> SimilarList:
        """List similar entities.

        The entities that share most with this one, the most similar first, each with the
        reasons. At most 20 are kept for an entity; ``count`` is how many there are.

        Args:
            type: The type of the entity.
            slug: The slug of the entity, present or earlier.
            limit: How many to give at most. 10 unless given.

        Returns:
            The similar entities.

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
            NotFoundError: There is no such entity (``unknown-entity``); ``suggestion``
                is the address of the nearest one.
            GoneError: The entity was deleted (``deleted-entity``), by the day of ``at``
                where that is given; ``suggestion`` is the address of its changelog.
        """
        return self._json(path_to("/api/entity/{type}/{slug}/similar", type=type, slug=slug), {"limit": limit})
