"""History: What has changed, when and by whom.

Generated from version 0.9.0 of the API description; do not edit.
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
                longer has any entities. Repeat the parameter to match any of several
                values.
            field: Only changes to this field. ``links``, ``signals`` and ``scores`` include
                all fields nested in them. Repeat the parameter to match any of several
                values.
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
                longer has any entities. Repeat the parameter to match any of several
                values.
            field: Only changes to this field. ``links``, ``signals`` and ``scores`` include
                all fields nested in them. Repeat the parameter to match any of several
                values.
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
        """Subscribe to changes.

        A human-readable feed of the changes: each item has a one-sentence title and lists
        the old and new values. A document contains up to 200 changes, newest first. RSS and
        Atom documents link to the ``first``, ``previous``, ``next`` and ``last`` documents
        (RFC 5005 section 3); JSON Feed documents have ``next_url``. If you follow these
        links, you may see a change twice, but you will not miss any.

        Args:
            format: RSS 2.0, Atom (RFC 4287) or JSON Feed 1.1. Default: "rss".
            type: Only entities of this type. Repeat the parameter to match any of several
                values.
            category: Only changes to entities that were in this category after the change
                or, if the entity was deleted, before it. This can be a category that no
                longer has any entities. Repeat the parameter to match any of several
                values.
            entity: Only changes to this entity (``type/slug``), including changes under its
                former slugs. The entity may have been deleted.
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
        return self._document("/api/feed", {
            "format": format,
            "type": type,
            "category": category,
            "entity": entity,
            "page": page,
        })
