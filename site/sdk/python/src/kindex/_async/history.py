"""History: What has changed, when and by whom.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import AsyncIterator, Literal, Optional, Union, overload

from .._acore import AsyncCore
from .._addresses import DateLike, OneOrMore, path_to
from ..types import (
    Change,
    ChangedField,
    ChangeEvent,
    ChangeList,
    EntityType,
    JSONFeed,
    Month,
    SignalName,
    SignalPointList,
)


class History(AsyncCore):
    """What has changed, when and by whom."""

    async def list_entity_changes(
        self,
        type: EntityType,
        slug: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> ChangeList:
        """List the changes to one entity.

        All changes to one entity, newest first, including changes under its former slugs.
        The changelog of a deleted entity remains available, and continues if the entity is
        created again. An entity that has not been committed yet has no changes. A former
        slug redirects (301); the cursor remains valid.

        Args:
            type: The entity's type.
            slug: The entity's slug, current or former.
            limit: Maximum number of records per page. Default: 20.
            offset: Number of records to skip; cannot be combined with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters except
                ``limit`` must be the same as for that page.

        Returns:
            One page of the changes.

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
            NotFoundError: The entity does not exist (``unknown-entity``);
                ``suggestion`` is the address of the nearest one.
        """
        return await self._json(path_to("/api/entity/{type}/{slug}/changelog", type=type, slug=slug), {
            "limit": limit,
            "offset": offset,
            "cursor": cursor,
        })

    def iter_entity_changes(
        self,
        type: EntityType,
        slug: str,
        *,
        cursor: Optional[str] = None,
        page_size: int = 100,
    ) -> AsyncIterator[Change]:
        """List the changes to one entity, on all pages.

        Like :meth:`list_entity_changes`, which has the details. Each page is a request.

        Args:
            type: The entity's type.
            slug: The entity's slug, current or former.
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
            NotFoundError: The entity does not exist (``unknown-entity``);
                ``suggestion`` is the address of the nearest one.
        """
        return self._items(path_to("/api/entity/{type}/{slug}/changelog", type=type, slug=slug), {
            "cursor": cursor,
            "limit": page_size,
        })

    async def list_entity_signals(
        self,
        type: EntityType,
        slug: str,
        *,
        name: Optional[OneOrMore[SignalName]] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> SignalPointList:
        """List the values of an entity's signals over time.

        The values that the signals of one entity had, from its history, sorted by name and
        oldest first, including those under its former slugs. There is one point for each
        commit that changed the value, or the day or source of its reading. Where a signal
        disappeared, because its value or the entity was removed, ``value`` is null. Series
        of a deleted entity remain available. They are read from the newest 10,000 versions
        of the entity. A former slug redirects (301).

        Every page contains, in ``growth``, the growth of each of these signals over 7, 30
        and 365 days. The rules are those of ``GET /api/trending`` with ``by``: the latest
        reading is compared with the one that was valid at the start of the window. A window
        starts at the end of the day that is 7, 30 or 365 days before the day that the
        scores were calculated for. If the growth over a window is unknown, it is null,
        never 0: this is the case if there was no reading yet at its start, or none since;
        if the signal was missing at some point in between; or if the two readings are more
        than twice the window apart. There is no growth for dates, for quantities that do
        not grow, such as the context length, and for signals that the entity no longer has.

        Args:
            type: The entity's type.
            slug: The entity's slug, current or former.
            name: Only this signal. Repeat the parameter for several signals; without it,
                the response contains all of them.
            limit: Maximum number of points per page. Default: 1000.
            offset: Number of records to skip; cannot be combined with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters except
                ``limit`` must be the same as for that page.

        Returns:
            One page of the points.

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
            NotFoundError: The entity does not exist (``unknown-entity``);
                ``suggestion`` is the address of the nearest one.
        """
        return await self._json(path_to("/api/entity/{type}/{slug}/signals", type=type, slug=slug), {
            "name": name,
            "limit": limit,
            "offset": offset,
            "cursor": cursor,
        })

    async def list_changes(
        self,
        *,
        since: Optional[DateLike] = None,
        until: Optional[DateLike] = None,
        event: Optional[OneOrMore[ChangeEvent]] = None,
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        field: Optional[OneOrMore[ChangedField]] = None,
        figures: Optional[Literal["true", "false"]] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> ChangeList:
        """List changes.

        The changes to all entities that match the filters, newest first. Changes in the
        same commit are sorted by type and slug, in reverse order. A cursor continues after
        the last change returned, regardless of newer changes.

        Args:
            since: Only changes on or after this day, or at or after this RFC 3339 time. If
                the value is the id of a change, only changes after that change are
                returned.
            until: Only changes up to and including this day, RFC 3339 time or change id.
            event: Only changes of this kind. Repeat the parameter to match any of several
                values.
            type: Only entities of this type. Repeat the parameter to match any of several
                values.
            category: Only changes to entities that were in this category after the change
                or, if the entity was deleted, before it. This can be a category that no
                longer has any entities. A category includes the changes under its former
                slugs. Repeat the parameter to match any of several values.
            field: Only changes to this field. ``links``, ``signals`` and ``scores`` include
                all fields nested in them. Repeat the parameter to match any of several
                values.
            figures: With ``false``, changes of figures alone (``signals`` and the scores
                that follow from them) are left out. That a repository was archived is more
                than a figure. Default: "true".
            limit: Maximum number of records per page. Default: 20.
            offset: Number of records to skip; cannot be combined with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters except
                ``limit`` must be the same as for that page.

        Returns:
            One page of the changes.

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
        return await self._json("/api/changelog", {
            "since": since,
            "until": until,
            "event": event,
            "type": type,
            "category": category,
            "field": field,
            "figures": figures,
            "limit": limit,
            "offset": offset,
            "cursor": cursor,
        })

    def iter_changes(
        self,
        *,
        since: Optional[DateLike] = None,
        until: Optional[DateLike] = None,
        event: Optional[OneOrMore[ChangeEvent]] = None,
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        field: Optional[OneOrMore[ChangedField]] = None,
        figures: Optional[Literal["true", "false"]] = None,
        cursor: Optional[str] = None,
        page_size: int = 100,
    ) -> AsyncIterator[Change]:
        """List changes, on all pages.

        Like :meth:`list_changes`, which has the details. Each page is a request.

        Args:
            since: Only changes on or after this day, or at or after this RFC 3339 time. If
                the value is the id of a change, only changes after that change are
                returned.
            until: Only changes up to and including this day, RFC 3339 time or change id.
            event: Only changes of this kind. Repeat the parameter to match any of several
                values.
            type: Only entities of this type. Repeat the parameter to match any of several
                values.
            category: Only changes to entities that were in this category after the change
                or, if the entity was deleted, before it. This can be a category that no
                longer has any entities. A category includes the changes under its former
                slugs. Repeat the parameter to match any of several values.
            field: Only changes to this field. ``links``, ``signals`` and ``scores`` include
                all fields nested in them. Repeat the parameter to match any of several
                values.
            figures: With ``false``, changes of figures alone (``signals`` and the scores
                that follow from them) are left out. That a repository was archived is more
                than a figure. Default: "true".
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
        return self._items("/api/changelog", {
            "since": since,
            "until": until,
            "event": event,
            "type": type,
            "category": category,
            "field": field,
            "figures": figures,
            "cursor": cursor,
            "limit": page_size,
        })

    async def get_calendar(
        self,
        *,
        entity: Optional[OneOrMore[str]] = None,
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        provider: Optional[OneOrMore[str]] = None,
    ) -> bytes:
        """Subscribe to releases, deprecations and retirements.

        A calendar (iCalendar, RFC 5545) of all-day events, for calendar programs. With
        ``entity``, it contains all events of these entities. Otherwise, it contains the
        deprecations and retirements of the past year and the future (of each, the 1,000
        closest to the as-of time) and the releases of the last 90 days (the latest 500).

        A release is a change of an entity's version or of ``signals.lastRelease``, or the
        day in ``signals.released``. If only the version was recorded, the event is on the
        day when it was recorded, and says so. Withdrawn entities keep their retirement.

        The UID of an event is the same in every build, unless the entity is renamed.
        Clients should ask again every 12 hours.

        Args:
            entity: Only events of this entity (``type/slug``), which may be a former slug.
                The entity may have been deleted. Repeat the parameter to get the events of
                up to 50 entities.
            type: Only entities of this type. Repeat the parameter to match any of several
                values.
            category: Only entities in this category; ``GET /api/categories`` lists the
                categories. A former slug of a category means the category. Repeat the
                parameter to match any of several values.
            provider: Only entities from this provider, given by its full name. Repeat the
                parameter to match any of several values.

        Returns:
            The bytes of the file.

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
        return await self._bytes("/api/calendar", {
            "entity": entity,
            "type": type,
            "category": category,
            "provider": provider,
        })

    async def get_changes_of_month(self, month: str) -> Month:
        """Sum up a month.

        What changed in a calendar month: new entries, releases, price changes, announced
        deprecations and retirements, newly ranked entities, and the largest gains in score.
        Of each list, the first 20 are returned, and the number of all. Within a list,
        entities with a better score come first unless stated otherwise. This endpoint takes
        no query parameters.

        Args:
            month: The month, from that of the first change to that of the build's as-of
                day.

        Returns:
            The summary of the month.

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
            NotFoundError: There are no changes of that month (``no-history``);
                ``suggestion`` is the address of another month.
        """
        return await self._json(path_to("/api/changelog/{month}", month=month))

    @overload
    async def get_feed(
        self,
        *,
        format: Literal["json"],
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        entity: Optional[str] = None,
        figures: Optional[Literal["true", "false"]] = None,
        page: Optional[int] = None,
    ) -> JSONFeed: ...

    @overload
    async def get_feed(
        self,
        *,
        format: Literal["rss", "atom"] = "rss",
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        entity: Optional[str] = None,
        figures: Optional[Literal["true", "false"]] = None,
        page: Optional[int] = None,
    ) -> str: ...

    async def get_feed(
        self,
        *,
        format: Literal["rss", "atom", "json"] = "rss",
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        entity: Optional[str] = None,
        figures: Optional[Literal["true", "false"]] = None,
        page: Optional[int] = None,
    ) -> Union[JSONFeed, str]:
        """Subscribe to changes.

        A human-readable feed of the changes: each item has a one-sentence title and lists
        the old and new values. A document contains up to 200 items, newest first. RSS and
        Atom documents link to the ``first``, ``previous``, ``next`` and ``last`` documents
        (RFC 5005 section 3); JSON Feed documents have ``next_url``. If you follow these
        links, you may see a change twice, but you will not miss any.

        A commit that changes nothing but figures of several entities is a single item,
        which names the largest movements, and so is a commit that only edits how at least
        20 entities are described. Whatever else such a commit changes, such as versions,
        prices and retirements, has items of its own. With ``figures=false``, the feed has
        neither changes of figures alone nor weeks.

        Without ``type``, ``category`` and ``entity``, the feed also has an item for each of
        the last eleven completed weeks (Monday to Sunday, UTC) in which something moved up:
        the ten largest gains in score, with score and rank before and after, and the three
        largest growths of each figure, by the rules of ``GET /api/trending``. The item is
        dated by the end of its week and describes the catalogue at that time. Later changes
        do not alter it.

        Args:
            format: RSS 2.0, Atom (RFC 4287) or JSON Feed 1.1. Default: "rss".
            type: Only entities of this type. Repeat the parameter to match any of several
                values.
            category: Only changes to entities that were in this category after the change
                or, if the entity was deleted, before it. This can be a category that no
                longer has any entities. A category includes the changes under its former
                slugs. Repeat the parameter to match any of several values.
            entity: Only changes to this entity (``type/slug``), including changes under its
                former slugs. The entity may have been deleted.
            figures: With ``false``, changes of figures alone (``signals`` and the scores
                that follow from them) are left out. That a repository was archived is more
                than a figure. Default: "true".
            page: The page number. Page 1 contains the newest changes. Default: 1.

        Returns:
            The document: parsed if it is JSON, otherwise as text.

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
        return await self._document("/api/feed", {
            "format": format,
            "type": type,
            "category": category,
            "entity": entity,
            "figures": figures,
            "page": page,
        })
