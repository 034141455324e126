"""Leaderboards: Entities in the order of their scores, and the categories that have such an order.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import AsyncIterator, Literal, Optional

from .._acore import AsyncCore
from .._addresses import DateLike, OneOrMore, path_to
from ..types import CategoryList, Dimension, EntityType, Leaderboard, RankedEntity, TrendingList


class Leaderboards(AsyncCore):
    """Entities in the order of their scores, and the categories that have such an order."""

    async def get_leaderboard(
        self,
        category: str,
        *,
        type: Optional[EntityType] = None,
        by: Optional[Dimension] = None,
        at: Optional[DateLike] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> Leaderboard:
        """Read the ranking of a category.

        The entities of a category, or of ``all``, that have the score, the best first.
        Withdrawn entities are left out. ``rank`` counts within the board as asked for, from
        1; ties are broken by type, then slug.

        ``previousRank`` is the rank on the same board seven days before, at the end of the
        day that ``comparedTo`` names, and ``delta`` by how many places the entity has
        climbed since; both are null where it had no rank then. The day is counted from that
        of the scores or, with ``at``, from ``asOf``. Where the build has no snapshot of
        that very day, ``comparedTo`` is null too.

        Args:
            category: A category from ``GET /api/categories``, or ``all``.
            type: Only entities of this type.
            by: The score to rank by. "composite" unless given.
            at: The day, UTC, as at whose end to show it; the present without it.
            limit: How many records a page has at most. 20 unless given.
            offset: How many records to skip; not together with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters but
                ``limit`` must be as they were there, so no example would fit every request.

        Returns:
            One page of the leaderboard.

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
            NotFoundError: There is no such category (``unknown-category``), where
                ``detail`` lists those that exist, or nothing is known of the day of ``at``
                (``no-history``).
        """
        return await self._json(path_to("/api/leaderboard/{category}", category=category), {
            "type": type,
            "by": by,
            "at": at,
            "limit": limit,
            "offset": offset,
            "cursor": cursor,
        })

    def iter_leaderboard(
        self,
        category: str,
        *,
        type: Optional[EntityType] = None,
        by: Optional[Dimension] = None,
        at: Optional[DateLike] = None,
        cursor: Optional[str] = None,
        page_size: int = 100,
    ) -> AsyncIterator[RankedEntity]:
        """Read the ranking of a category, over all pages.

        As :meth:`get_leaderboard`, which tells more. Each page is a request.

        Args:
            category: A category from ``GET /api/categories``, or ``all``.
            type: Only entities of this type.
            by: The score to rank by. "composite" unless given.
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
            NotFoundError: There is no such category (``unknown-category``), where
                ``detail`` lists those that exist, or nothing is known of the day of ``at``
                (``no-history``).
        """
        return self._items(path_to("/api/leaderboard/{category}", category=category), {
            "type": type,
            "by": by,
            "at": at,
            "cursor": cursor,
            "limit": page_size,
        })

    async def list_trending(
        self,
        *,
        window: Optional[Literal["7d", "30d"]] = None,
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        limit: Optional[int] = None,
    ) -> TrendingList:
        """List what has gained.

        The entities that changed within the window and have not lost by it, by the
        composite score gained, then by the number of changes, then by type and slug.
        Withdrawn ones are left out.

        Only what came by changes is a gain. Both states, that of the end of the day
        ``since`` and that of now, are scored for the time of the build's scores and with
        the dates that the signals have now, so that neither the fading of time nor a figure
        that was merely looked up again is a gain. A signal counts as far as the entity has
        it now, with the value that it had then or, where it had vanished, the one last
        known before. So ``gain`` need not be ``score`` less ``previousScore``: these are
        the scores of the two days. An entity that was created within the window has no
        previous score and gains 0. Where the index did not exist on the day ``since``,
        ``data`` is empty.

        ``rank`` and ``previousRank`` count among all ranked entities, whatever is filtered.

        Args:
            window: How far to look back from the day of the scores. "7d" unless given.
            type: Only entities of this type. Repeat for any of several.
            category: Only entities of this category, one that ``GET /api/categories``
                lists. Repeat for any of several.
            limit: How many to give at most. 20 unless given.

        Returns:
            What is trending, the greatest gain first.

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
        return await self._json("/api/trending", {"window": window, "type": type, "category": category, "limit": limit})

    async def list_categories(self) -> CategoryList:
        """List the categories.

        All categories with the number of entities that lists show and the number of those
        that have a rank. This address takes no query parameters.

        Returns:
            The categories.

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
        return await self._json("/api/categories")
