"""History: What has changed, when and by whom.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import Iterator, Literal, Optional, Union, overload

from .._addresses import DateLike, OneOrMore, path_to
from .._core import Core
from ..types import Change, ChangedField, ChangeEvent, ChangeList, EntityType, JSONFeed


class History(Core):
    """What has changed, when and by whom."""

    def list_entity_changes(
        self,
        type: EntityType,
        slug: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> ChangeList:
        """List the changes of one entity.

        Every change of one entity, the newest first, across all slugs that it has had. A
        deleted entity has one too, and where it was created again it goes on. An entity
        that is not committed yet has no changes. An earlier slug is answered with 301; a
        cursor goes on behind it.

        Args:
            type: The type of the entity.
            slug: The slug of the entity, present or earlier.
            limit: How many records a page has at most. 20 unless given.
            offset: How many records to skip; not together with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters but
                ``limit`` must be as they were there, so no example would fit every request.

        Returns:
            One page of the changes.

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
        """
        return self._json(path_to("/api/entity/{type}/{slug}/changelog", type=type, slug=slug), {
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
    ) -> Iterator[Change]:
        """List the changes of one entity, over all pages.

        As :meth:`list_entity_changes`, which tells more. Each page is a request.

        Args:
            type: The type of the entity.
            slug: The slug of the entity, present or earlier.
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
            NotFoundError: There is no such entity (``unknown-entity``); ``suggestion``
                is the address of the nearest one.
        """
        return self._items(path_to("/api/entity/{type}/{slug}/changelog", type=type, slug=slug), {
            "cursor": cursor,
            "limit": page_size,
        })

    def list_changes(
        self,
        *,
        since: Optional[DateLike] = None,
        until: Optional[DateLike] = None,
        event: Optional[OneOrMore[ChangeEvent]] = None,
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        field: Optional[OneOrMore[ChangedField]] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> ChangeList:
        """List what has changed.

        The changes of all entities that the filters choose, the newest first. Those of one
        commit stand in the reverse order of type and slug. A cursor goes on behind the
        change that it was given with, whatever comes on top meanwhile.

        Args:
            since: Only changes from this moment on: a day, an RFC 3339 time or, for those
                behind it, the id of a change.
            until: Only changes up to this moment, all of it included: a day, an RFC 3339
                time or the id of a change.
            event: Only changes of this kind. Repeat for any of several.
            type: Only entities of this type. Repeat for any of several.
            category: Only changes of entities of this category, as they were behind the
                change or, of deleted ones, before it. It may be one that no entity has any
                more. Repeat for any of several.
            field: Only changes of this field. ``links``, ``signals`` and ``scores`` stand
                for every one that is nested in them. Repeat for any of several.
            limit: How many records a page has at most. 20 unless given.
            offset: How many records to skip; not together with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters but
                ``limit`` must be as they were there, so no example would fit every request.

        Returns:
            One page of the changes.

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
        return self._json("/api/changelog", {
            "since": since,
            "until": until,
            "event": event,
            "type": type,
            "category": category,
            "field": field,
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
        cursor: Optional[str] = None,
        page_size: int = 100,
    ) -> Iterator[Change]:
        """List what has changed, over all pages.

        As :meth:`list_changes`, which tells more. Each page is a request.

        Args:
            since: Only changes from this moment on: a day, an RFC 3339 time or, for those
                behind it, the id of a change.
            until: Only changes up to this moment, all of it included: a day, an RFC 3339
                time or the id of a change.
            event: Only changes of this kind. Repeat for any of several.
            type: Only entities of this type. Repeat for any of several.
            category: Only changes of entities of this category, as they were behind the
                change or, of deleted ones, before it. It may be one that no entity has any
                more. Repeat for any of several.
            field: Only changes of this field. ``links``, ``signals`` and ``scores`` stand
                for every one that is nested in them. Repeat for any of several.
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
        return self._items("/api/changelog", {
            "since": since,
            "until": until,
            "event": event,
            "type": type,
            "category": category,
            "field": field,
            "cursor": cursor,
            "limit": page_size,
        })

    @overload
    def get_feed(
        self,
        *,
        format: Literal["json"],
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        entity: Optional[str] = None,
        page: Optional[int] = None,
    ) -> JSONFeed: ...

    @overload
    def get_feed(
        self,
        *,
        format: Literal["rss", "atom"] = "rss",
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        entity: Optional[str] = None,
        page: Optional[int] = None,
    ) -> str: ...

    def get_feed(
        self,
        *,
        format: Literal["rss", "atom", "json"] = "rss",
        type: Optional[OneOrMore[EntityType]] = None,
        category: Optional[OneOrMore[str]] = None,
        entity: Optional[str] = None,
        page: Optional[int] = None,
    ) -> Union[JSONFeed, str]:
        """Subscribe to what has changed.

        The changes as a feed for people: each is an item with a sentence for a title and
        what was before and after. A document has up to 200, the newest first; RSS and Atom
        link the ``first``, ``previous``, ``next`` and ``last`` of them (RFC 5005 section
        3), JSON Feed the ``next_url``. While somebody follows these links a change may be
        met twice, but none is missed.

        Args:
            format: RSS 2.0, Atom (RFC 4287) or JSON Feed 1.1. "rss" unless given.
            type: Only entities of this type. Repeat for any of several.
            category: Only changes of entities of this category, as they were behind the
                change or, of deleted ones, before it. It may be one that no entity has any
                more. Repeat for any of several.
            entity: Only changes of this entity, ``type/slug``, across all slugs that it has
                had; one that was deleted is known too.
            page: Which document, from 1, the one with the newest changes, to the last that
                there is. 1 unless given.

        Returns:
            The document: of JSON what it holds, else its text.

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
        return self._document("/api/feed", {
            "format": format,
            "type": type,
            "category": category,
            "entity": entity,
            "page": page,
        })
