"""Leaderboards: Entities ranked by score, and the categories that have a ranking.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import AsyncIterator, Literal, Optional

from .._acore import AsyncCore
from .._addresses import DateLike, OneOrMore, path_to
from ..types import BoardList, CategoryList, Dimension, EntityType, Leaderboard, RankedEntity, TrendingList


class Leaderboards(AsyncCore):
    """Entities ranked by score, and the categories that have a ranking."""

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

        The entities in a category (or, with ``all``, in every category) that have the
        requested score, highest score first. Withdrawn entities are left out. ``rank`` is
        the rank on the requested leaderboard, starting at 1; ties are broken by type, then
        slug.

        A board from ``GET /api/boards`` is a leaderboard too: it contains the entities of
        one type that meet its conditions, ranked by a formula of its own. Its records have
        a ``boardScore``, by which it is ranked by default; ``scores`` are those of the
        type's formula. In addition to ``data``, the response describes the board. With
        ``at``, the current definition of the board ranks the records of that day. A board
        with too few ranked entities is not published.

        ``previousRank`` is the rank on the same leaderboard seven days earlier, at the end
        of the day in ``comparedTo``, and ``delta`` is the number of places gained since
        then; both are null if the entity had no rank then. The seven days are counted back
        from the day that the scores were calculated for or, with ``at``, from ``asOf``. If
        the history begins later, ``comparedTo``, ``previousRank`` and ``delta`` are all
        null.

        Args:
            category: A category from ``GET /api/categories``, a board from ``GET
                /api/boards``, or ``all``. A former slug of a category redirects to the
                current one.
            type: Only entities of this type.
            by: The score to rank by. The default is ``boardScore`` for a board and
                ``composite`` otherwise; only boards have a ``boardScore``.
            at: Return data as of the end of this day (UTC). By default, current data is
                returned.
            limit: Maximum number of records per page. Default: 20.
            offset: Number of records to skip; cannot be combined with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters except
                ``limit`` must be the same as for that page.

        Returns:
            One page of the leaderboard.

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
            NotFoundError: There is no such category or board (``unknown-category``), in
                which case ``detail`` lists all of them, the board has too few ranked
                entities (``unpublished-board``), or there is no history for the day in
                ``at`` (``no-history``).
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
        """Read the ranking of a category, on all pages.

        Like :meth:`get_leaderboard`, which has the details. Each page is a request.

        Args:
            category: A category from ``GET /api/categories``, a board from ``GET
                /api/boards``, or ``all``. A former slug of a category redirects to the
                current one.
            type: Only entities of this type.
            by: The score to rank by. The default is ``boardScore`` for a board and
                ``composite`` otherwise; only boards have a ``boardScore``.
            at: Return data as of the end of this day (UTC). By default, current data is
                returned.
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
            NotFoundError: There is no such category or board (``unknown-category``), in
                which case ``detail`` lists all of them, the board has too few ranked
                entities (``unpublished-board``), or there is no history for the day in
                ``at`` (``no-history``).
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
        by: Optional[Dimension] = None,
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        limit: Optional[int] = None,
    ) -> TrendingList:
        """List trending entities.

        Entities that changed within the window and whose composite score did not fall,
        sorted by the increase in composite score, then by number of changes, type and slug.
        Withdrawn entities are left out.

        ``gain`` is ``score`` minus ``previousScore``: the entity's current state and its
        state at the end of the day ``since``, both scored by the current formula and for
        the same time. Only increases that result from changes count. An entity is left out
        if the difference contains a figure that appeared, that vanished or was missing at
        some point within the window, or that was read more than twice the window after the
        previous reading. An entity created within the window has no previous score and a
        gain of 0. If the index did not exist on the day ``since``, ``data`` is empty.

        ``rank`` and ``previousRank`` are ranks among the entities that were ranked at both
        ends of the window, regardless of filters, so that entities that came or went move
        nobody.

        With ``by`` set to a signal, such as ``stars``, the list contains the entities whose
        figure grew, sorted by ``growth.gain``. A first figure does not count as a gain, nor
        does one that was missing at some point within the window, nor one that was read
        more than twice the window after the previous one. ``trend`` is then null if the
        score fell or cannot be compared. ``GET /api/entity/{type}/{slug}/signals`` returns
        the growth of one entity's figures.

        Args:
            window: How far to look back from the day that the scores were calculated for.
                Default: "7d".
            by: What must have grown, the composite score or a signal. Default: "score".
            type: Only entities of this type. Repeat the parameter to match any of several
                values.
            category: Only entities in this category; ``GET /api/categories`` lists the
                categories. A former slug of a category means the category. Repeat the
                parameter to match any of several values.
            limit: Maximum number of entities to return. Default: 20.

        Returns:
            The trending entities, largest gain first.

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
        return await self._json("/api/trending", {
            "window": window,
            "by": by,
            "type": type,
            "category": category,
            "limit": limit,
        })

    async def list_boards(self) -> BoardList:
        """List the boards.

        The boards: leaderboards of the entities of one type that meet certain conditions,
        each ranked by its own formula. Boards with fewer than eight ranked entities are
        left out. Read a board with ``GET /api/leaderboard/{slug}``. This endpoint takes no
        query parameters.

        Returns:
            The boards.

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
        return await self._json("/api/boards")

    async def list_categories(self) -> CategoryList:
        """List the categories.

        All categories, each with its number of entities (excluding withdrawn ones) and its
        number of ranked entities. This endpoint takes no query parameters.

        Returns:
            The categories.

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
        return await self._json("/api/categories")
