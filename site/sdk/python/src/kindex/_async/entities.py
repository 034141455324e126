"""Entities: Tools and models, individually or as filtered lists.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import AsyncIterator, Literal, Optional, Sequence

from .._acore import AsyncCore
from .._addresses import DateLike, joined, OneOrMore, path_to
from ..types import (
    Entity,
    EntityDocument,
    EntityField,
    EntityList,
    EntityType,
    ResolutionList,
    ScoreExplanation,
    SimilarList,
    SortField,
    Status,
)


class Entities(AsyncCore):
    """Tools and models, individually or as filtered lists."""

    async def list_entities(
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
        sort: Optional[SortField] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        fields: Optional[Sequence[EntityField]] = None,
        at: Optional[DateLike] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> EntityList:
        """List and filter entities.

        All entities that match the filters. By default, they are sorted by composite score,
        highest first. Records without a value for the sort key come last in both
        directions; ties are broken by type, then slug. With ``at``, the filters, order and
        records are those of that day, and ``category`` can be a category that existed only
        at that time.

        Args:
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
            sort: The field, score or signal to sort by. ``price`` is the blended price, and
                ``context`` the size of the context window in tokens. Default: "composite".
            order: The sort direction. Default: ``asc`` with ``sort=name`` and
                ``sort=price``, otherwise ``desc``.
            fields: The fields to return. Separate them with commas, or repeat the
                parameter. If you list individual scores, ``scores`` contains only those.
            at: Return data as of the end of this day (UTC). By default, current data is
                returned.
            limit: Maximum number of records per page. Default: 20.
            offset: Number of records to skip; cannot be combined with ``cursor``.
            cursor: The ``nextCursor`` of the previous page. All other parameters except
                ``limit`` must be the same as for that page.

        Returns:
            One page of entities.

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
        """
        return await self._json("/api/entities", {
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
        sort: Optional[SortField] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        fields: Optional[Sequence[EntityField]] = None,
        at: Optional[DateLike] = None,
        cursor: Optional[str] = None,
        page_size: int = 100,
    ) -> AsyncIterator[Entity]:
        """List and filter entities, on all pages.

        Like :meth:`list_entities`, which has the details. Each page is a request.

        Args:
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
            sort: The field, score or signal to sort by. ``price`` is the blended price, and
                ``context`` the size of the context window in tokens. Default: "composite".
            order: The sort direction. Default: ``asc`` with ``sort=name`` and
                ``sort=price``, otherwise ``desc``.
            fields: The fields to return. Separate them with commas, or repeat the
                parameter. If you list individual scores, ``scores`` contains only those.
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
            NotFoundError: There is no history for the day in ``at`` (``no-history``);
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
            "sort": sort,
            "order": order,
            "fields": joined("fields", fields),
            "at": at,
            "cursor": cursor,
            "limit": page_size,
        })

    async def get_entity(self, type: EntityType, slug: str, *, at: Optional[DateLike] = None) -> EntityDocument:
        """Get one entity.

        The record of one entity, even if the entity is withdrawn. A former slug redirects
        (301) to the address with the current slug.

        The response is JSON or, if ``Accept`` prefers ``text/markdown`` or ``.md`` follows
        the slug, Markdown for people and language models. The Markdown contains the
        description, the facts with their sources, the scores and how they are calculated,
        similar entities, and recent changes. Errors are always JSON.

        With ``at``, the response is the entity that had this slug at the end of that day.
        If no entity had the slug then, the response is the entity that has it now, as it
        was on that day and with the slug it had then. There is no redirect. If the entity
        was added later, the response is 404 (``no-history``); if it had been deleted by
        then, the response is 410.

        Args:
            type: The entity's type.
            slug: The entity's slug, current or former; followed by ``.md`` for Markdown.
            at: Return data as of the end of this day (UTC). By default, current data is
                returned.

        Returns:
            The entity.

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
            NotFoundError: The entity does not exist (``unknown-entity``), or there is
                no history for the day in ``at`` (``no-history``).
            GoneError: The entity was deleted (``deleted-entity``) or, with ``at``, had
                been deleted by that day; ``suggestion`` is the address of its changelog.
        """
        return await self._json(path_to("/api/entity/{type}/{slug}", type=type, slug=slug), {"at": at})

    async def get_entity_markdown(self, type: EntityType, slug: str, *, at: Optional[DateLike] = None) -> str:
        """Read one entity as Markdown.

        For people and language models: the facts with their sources, the scores, similar
        entities and recent changes.

        Args:
            type: The entity's type.
            slug: The entity's slug, current or former; followed by ``.md`` for Markdown.
            at: Return data as of the end of this day (UTC). By default, current data is
                returned.

        Returns:
            The Markdown (CommonMark with tables).

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
            NotFoundError: The entity does not exist (``unknown-entity``), or there is
                no history for the day in ``at`` (``no-history``).
            GoneError: The entity was deleted (``deleted-entity``) or, with ``at``, had
                been deleted by that day; ``suggestion`` is the address of its changelog.
        """
        return await self._text(path_to("/api/entity/{type}/{slug}", type=type, slug=slug), {"at": at}, "text/markdown")

    async def get_entity_score(self, type: EntityType, slug: str, *, board: Optional[str] = None) -> ScoreExplanation:
        """Explain the scores of an entity.

        How the scores of one entity are calculated: every dimension with its weight and
        prior, and every measure with the observed value, its date and its source. The
        numbers are not rounded, so that you can recalculate the scores. With ``board``, the
        score on that board is explained instead: ``composite`` is then calculated with the
        board's formula, and ``board`` states what the board needs and what the entity has.

        Args:
            type: The entity's type.
            slug: The entity's slug, current or former.
            board: A board from ``GET /api/boards``, or one that is not published.

        Returns:
            The explanation.

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
            GoneError: The entity was deleted (``deleted-entity``) or, with ``at``, had
                been deleted by that day; ``suggestion`` is the address of its changelog.
        """
        return await self._json(path_to("/api/entity/{type}/{slug}/score", type=type, slug=slug), {"board": board})

    async def list_similar_entities(
        self,
        type: EntityType,
        slug: str,
        *,
        kind: Optional[Literal["alternatives", "related"]] = None,
        limit: Optional[int] = None,
    ) -> SimilarList:
        """List similar entities.

        The entities that have the most in common with this one, most similar first. Each
        has ``reasons``, which describe what the two have in common, and a ``kind``. An
        alternative does the same job: it has the same type and category, shares a
        capability if both state any, is not tagged with the other's name, and is at least a
        third as similar as the first alternative. Every other entity is related: it is used
        together with this one, or is about the same subject. At most 20 entities of both
        kinds are stored per entity; ``count`` is the number stored of the requested kind.

        Args:
            type: The entity's type.
            slug: The entity's slug, current or former.
            kind: Only alternatives, or only related entities. By default, both.
            limit: Maximum number of entities to return. Default: 10.

        Returns:
            The similar entities.

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
            GoneError: The entity was deleted (``deleted-entity``) or, with ``at``, had
                been deleted by that day; ``suggestion`` is the address of its changelog.
        """
        return await self._json(path_to("/api/entity/{type}/{slug}/similar", type=type, slug=slug), {
            "kind": kind,
            "limit": limit,
        })

    async def resolve(self, *, id: OneOrMore[str]) -> ResolutionList:
        """Find the entities that identifiers refer to.

        What each ``id`` refers to, in the order of the request. An identifier is one of
        these:

        - a package URL, such as ``pkg:pypi/torch@2.1.0``; its version and qualifiers are
        ignored and returned - the address of a repository, a package, a model or a paper,
        such as ``https://github.com/pytorch/pytorch``, or the address of an entity's
        ``repository``, ``package`` or ``weights`` - a namespace of ``ids``, a colon and an
        identifier, such as ``pypi:torch`` or ``huggingface:gpt2``; the slug of a provider
        is a namespace, too - a DOI, or an arXiv identifier with or without a version - the
        name of a model at any provider or hub, such as ``gpt-4o`` - a type and a slug,
        current or former, such as ``tool/pytorch``, or a slug alone

        The name of a model may have parts that only programs add: the prefix of a gateway
        or a provider, a region, a path, an ARN, a date, ``-latest``, a variant such as
        ``:free``, a fine-tuning, a quantization. If the name as it stands is unknown, those
        parts are left out, as few as possible, and ``match`` is ``weaker``. ``dropped``
        lists them. A name that could then be that of several models, or of a model of
        another size, has no match.

        An unknown identifier has no matches. The first 50 of them have suggestions: up to
        three entities with the same slug or name, or with a similar identifier.

        Withdrawn entities are included. To resolve more identifiers at once, use ``POST``.

        Args:
            id: An identifier. Repeat the parameter for several, up to 50.

        Returns:
            What the identifiers refer to.

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
        return await self._json("/api/resolve", {"id": id})

    async def resolve_batch(self, ids: Sequence[str], *, idempotency_key: Optional[str] = None) -> ResolutionList:
        """Find the entities that up to 1,000 identifiers refer to.

        Like ``GET``, for a batch of identifiers. Each hundred identifiers, or part of a
        hundred, counts as one request: 101 identifiers count as two. If fewer requests
        remain, the response is 429 and nothing is counted. The response is not cached.

        Args:
            ids: The identifiers.
            idempotency_key: Identifies this write: if it is repeated within 24 hours, even
                by another process, it has no further effect. By default, a random value.

        Returns:
            What the identifiers refer to.

        Raises:
            BadRequestError: The body is invalid, for example because it contains too
                many identifiers (``invalid-body``); or a parameter was given
                (``unknown-parameter``).
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
        return await self._write("/api/resolve", {"ids": list(ids)}, idempotency_key)
