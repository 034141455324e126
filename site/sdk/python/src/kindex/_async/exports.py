"""Exports: Bulk downloads as files.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import Literal, Optional, Sequence

from .._acore import AsyncCore, AsyncRecordStream
from .._addresses import DateLike, joined, OneOrMore, path_to
from .._downloads import Downloaded, PathLike
from ..types import (
    Change,
    CroissantDataset,
    EntityType,
    ExportedEntity,
    ExportedRank,
    ExportField,
    Manifest,
    Quality,
    Status,
)


class Exports(AsyncCore):
    """Bulk downloads as files."""

    async def get_quality(self) -> Quality:
        """Measure the quality of the data.

        How complete, how old and how consistent the data of the build is: for each type and
        each of its categories, the number of entities with each fact and the days on which
        their figures were read; when each source was last read; the values that guards
        stopped; and offers that contradict their model or its other offers. The build's
        file ``quality.json`` has the same content. This endpoint takes no query parameters.

        Returns:
            The quality of the data.

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
        return await self._json("/api/quality")

    async def export_entities(
        self,
        *,
        format: Optional[Literal["json", "csv", "jsonl", "parquet"]] = None,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
        fields: Optional[Sequence[ExportField]] = None,
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
    ) -> bytes:
        """Export entities in bulk.

        Entities as a flat table, sorted by type and slug, with 20 columns. ``fields``
        selects columns, more than those 20 among them; ``fields=all`` selects every column.
        If you pass no filters, and ``fields`` is missing or ``all``, the response is a file
        of the build; if that file is sent uncompressed, it has a ``Repr-Digest`` and
        supports ranges. Otherwise the response is generated on request, without a
        ``Repr-Digest`` or support for ranges.

        CSV follows RFC 4180, with a header row and CRLF line endings; null is an empty
        cell, and the items of a list are joined with ``|``. JSONL has one object per line.
        Parquet has native lists, numbers and dates. JSON is a single array.

        Args:
            format: The format of the file. Default: "json".
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
            fields: The fields to return, or ``all``. Separate them with commas, or repeat
                the parameter. The columns are always in the order of the complete table.
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
        return await self._bytes("/api/export/entities", {
            "format": format,
            "csv": csv,
            "fields": joined("fields", fields),
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
        })

    def stream_entities(
        self,
        *,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
        fields: Optional[Sequence[ExportField]] = None,
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
    ) -> AsyncRecordStream[ExportedEntity]:
        """Export entities in bulk, as a stream of records.

        Like :meth:`export_entities`, which has the details, in JSONL. An export of any size
        is one request and uses constant memory.

        Args:
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
            fields: The fields to return, or ``all``. Separate them with commas, or repeat
                the parameter. The columns are always in the order of the complete table.
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

        Returns:
            A stream of the records; close it after use.

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
        return self._records("/api/export/entities", {
            "csv": csv,
            "fields": joined("fields", fields),
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
            "format": "jsonl",
        })

    async def download_entities(
        self,
        to: PathLike,
        *,
        format: Optional[Literal["json", "csv", "jsonl", "parquet"]] = None,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
        fields: Optional[Sequence[ExportField]] = None,
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
    ) -> Downloaded:
        """Download this export to a file.

        Like :meth:`export_entities`, which has the details, but without holding the file in
        memory. If the connection breaks, the download is resumed, in the same call or in a
        later one; until it is complete, the partial file is NAME.part. The SHA-256 is
        verified if it is known.

        Args:
            to: The file to write.
            format: The format of the file. Default: "json".
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
            fields: The fields to return, or ``all``. Separate them with commas, or repeat
                the parameter. The columns are always in the order of the complete table.
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

        Returns:
            The completed download.

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
            IntegrityError: The SHA-256 of the file is wrong; the file was removed.
            OSError: The file cannot be written.
        """
        return await self._save(to, "/api/export/entities", {
            "format": format,
            "csv": csv,
            "fields": joined("fields", fields),
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
        })

    async def export_signals(
        self,
        *,
        format: Optional[Literal["json", "csv", "jsonl", "parquet"]] = None,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
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
    ) -> bytes:
        """Export signals in bulk.

        The figures of all entities as a flat table, one row per signal, sorted by type,
        slug and signal.

        The formats and filters are those of the entity export. Without filters, Parquet,
        and CSV and JSON Lines compressed with gzip, are files of the build, with a
        ``Repr-Digest`` and support for ranges. Other forms are made from them.

        Args:
            format: The format of the file. Default: "json".
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
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
        return await self._bytes("/api/export/signals", {
            "format": format,
            "csv": csv,
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
        })

    async def export_benchmarks(
        self,
        *,
        format: Optional[Literal["json", "csv", "jsonl", "parquet"]] = None,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
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
    ) -> bytes:
        """Export benchmark results in bulk.

        The benchmark results of all models as a flat table, one row per result, sorted by
        type and slug.

        The formats and filters are those of the entity export. Without filters, Parquet,
        and CSV and JSON Lines compressed with gzip, are files of the build, with a
        ``Repr-Digest`` and support for ranges. Other forms are made from them.

        Args:
            format: The format of the file. Default: "json".
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
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
        return await self._bytes("/api/export/benchmarks", {
            "format": format,
            "csv": csv,
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
        })

    async def export_offers(
        self,
        *,
        format: Optional[Literal["json", "csv", "jsonl", "parquet"]] = None,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
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
    ) -> bytes:
        """Export offers in bulk.

        The offers of all models as a flat table, sorted by type, slug, provider and id. An
        offer has a row for its own prices, in which ``mode`` and ``over`` are null, and a
        row for each of its tiers, its modes and their tiers. A null price is unknown, never
        0.

        The formats and filters are those of the entity export. Without filters, Parquet,
        and CSV and JSON Lines compressed with gzip, are files of the build, with a
        ``Repr-Digest`` and support for ranges. Other forms are made from them.

        Args:
            format: The format of the file. Default: "json".
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
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
        return await self._bytes("/api/export/offers", {
            "format": format,
            "csv": csv,
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
        })

    async def export_ids(
        self,
        *,
        format: Optional[Literal["json", "csv", "jsonl", "parquet"]] = None,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
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
    ) -> bytes:
        """Export identifiers in bulk.

        The identifiers of all entities in registries and at providers as a flat table, one
        row per identifier, sorted by type, slug and namespace.

        The formats and filters are those of the entity export. Without filters, Parquet,
        and CSV and JSON Lines compressed with gzip, are files of the build, with a
        ``Repr-Digest`` and support for ranges. Other forms are made from them.

        Args:
            format: The format of the file. Default: "json".
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
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
        return await self._bytes("/api/export/ids", {
            "format": format,
            "csv": csv,
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
        })

    async def export_leaderboard(
        self,
        *,
        format: Optional[Literal["json", "csv", "jsonl", "parquet"]] = None,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
        category: Optional[str] = None,
        at: Optional[DateLike] = None,
    ) -> bytes:
        """Export a leaderboard in bulk.

        The ranking of a category, or of all entities, by composite score, as a flat table
        in rank order. A board is ranked by its own score, and its rows have the additional
        field ``boardScore`` after ``category``. The formats are those of the entity export.
        With ``format=json`` and without ``at``, the response is a file of the build; if
        that file is sent uncompressed, it has a ``Repr-Digest`` and supports ranges. All
        other responses are generated on request. With ``at``, the data is that of the end
        of that day, and the file name in ``Content-Disposition`` ends with the day.

        Args:
            format: The format of the file. Default: "json".
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
            category: A category from ``GET /api/categories``, a board from ``GET
                /api/boards``, or ``all``. A former slug of a category means the category.
                Default: "all".
            at: Return data as of the end of this day (UTC). By default, current data is
                returned.

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
            NotFoundError: There is no history for the day in ``at`` (``no-history``),
                or the board has too few ranked entities (``unpublished-board``).
        """
        return await self._bytes("/api/export/leaderboard", {
            "format": format,
            "csv": csv,
            "category": category,
            "at": at,
        })

    def stream_leaderboard(
        self,
        *,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
        category: Optional[str] = None,
        at: Optional[DateLike] = None,
    ) -> AsyncRecordStream[ExportedRank]:
        """Export a leaderboard in bulk, as a stream of records.

        Like :meth:`export_leaderboard`, which has the details, in JSONL. An export of any
        size is one request and uses constant memory.

        Args:
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
            category: A category from ``GET /api/categories``, a board from ``GET
                /api/boards``, or ``all``. A former slug of a category means the category.
                Default: "all".
            at: Return data as of the end of this day (UTC). By default, current data is
                returned.

        Returns:
            A stream of the records; close it after use.

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
            NotFoundError: There is no history for the day in ``at`` (``no-history``),
                or the board has too few ranked entities (``unpublished-board``).
        """
        return self._records("/api/export/leaderboard", {"csv": csv, "category": category, "at": at, "format": "jsonl"})

    async def download_leaderboard(
        self,
        to: PathLike,
        *,
        format: Optional[Literal["json", "csv", "jsonl", "parquet"]] = None,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
        category: Optional[str] = None,
        at: Optional[DateLike] = None,
    ) -> Downloaded:
        """Download this export to a file.

        Like :meth:`export_leaderboard`, which has the details, but without holding the file
        in memory. If the connection breaks, the download is resumed, in the same call or in
        a later one; until it is complete, the partial file is NAME.part. The SHA-256 is
        verified if it is known.

        Args:
            to: The file to write.
            format: The format of the file. Default: "json".
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
            category: A category from ``GET /api/categories``, a board from ``GET
                /api/boards``, or ``all``. A former slug of a category means the category.
                Default: "all".
            at: Return data as of the end of this day (UTC). By default, current data is
                returned.

        Returns:
            The completed download.

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
            NotFoundError: There is no history for the day in ``at`` (``no-history``),
                or the board has too few ranked entities (``unpublished-board``).
            IntegrityError: The SHA-256 of the file is wrong; the file was removed.
            OSError: The file cannot be written.
        """
        return await self._save(to, "/api/export/leaderboard", {
            "format": format,
            "csv": csv,
            "category": category,
            "at": at,
        })

    async def export_changelog(
        self,
        *,
        format: Optional[Literal["json", "csv", "jsonl", "parquet"]] = None,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
        since: Optional[DateLike] = None,
        type: Optional[OneOrMore[EntityType]] = None,
    ) -> bytes:
        """Export the changelog in bulk.

        All changes, oldest first. If you pass neither ``since`` nor ``type``, the response
        is a file of the build as Parquet, as uncompressed JSON Lines and as CSV with gzip,
        with a ``Repr-Digest`` and support for ranges. All other responses are generated on
        request. To get only new changes, set ``since`` to the id of the last change you
        received.

        JSON and JSONL contain the same objects as ``GET /api/changelog``. CSV and Parquet
        are flat, with the columns ``id``, ``event``, ``timestamp``, ``type``, ``slug``,
        ``name``, ``changes`` (the list of changed fields, encoded as JSON), ``commit``,
        ``author`` and ``pullRequest``.

        Args:
            format: The format of the file. Default: "json".
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
            since: Only changes on or after this day, or at or after this RFC 3339 time. If
                the value is the id of a change, only changes after that change are
                returned.
            type: Only entities of this type. Repeat the parameter to match any of several
                values.

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
        return await self._bytes("/api/export/changelog", {"format": format, "csv": csv, "since": since, "type": type})

    def stream_changelog(
        self,
        *,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
        since: Optional[DateLike] = None,
        type: Optional[OneOrMore[EntityType]] = None,
    ) -> AsyncRecordStream[Change]:
        """Export the changelog in bulk, as a stream of records.

        Like :meth:`export_changelog`, which has the details, in JSONL. An export of any
        size is one request and uses constant memory.

        Args:
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
            since: Only changes on or after this day, or at or after this RFC 3339 time. If
                the value is the id of a change, only changes after that change are
                returned.
            type: Only entities of this type. Repeat the parameter to match any of several
                values.

        Returns:
            A stream of the records; close it after use.

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
        return self._records("/api/export/changelog", {"csv": csv, "since": since, "type": type, "format": "jsonl"})

    async def download_changelog(
        self,
        to: PathLike,
        *,
        format: Optional[Literal["json", "csv", "jsonl", "parquet"]] = None,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
        since: Optional[DateLike] = None,
        type: Optional[OneOrMore[EntityType]] = None,
    ) -> Downloaded:
        """Download this export to a file.

        Like :meth:`export_changelog`, which has the details, but without holding the file
        in memory. If the connection breaks, the download is resumed, in the same call or in
        a later one; until it is complete, the partial file is NAME.part. The SHA-256 is
        verified if it is known.

        Args:
            to: The file to write.
            format: The format of the file. Default: "json".
            csv: How values are written in CSV; allowed only with ``format=csv``.
                ``spreadsheet`` puts an apostrophe before every value that a spreadsheet
                would interpret as a formula: text that starts with ``=``, ``+``, ``-``,
                ``@``, a tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` leaves all values unchanged, for
                programs. Default: "plain".
            since: Only changes on or after this day, or at or after this RFC 3339 time. If
                the value is the id of a change, only changes after that change are
                returned.
            type: Only entities of this type. Repeat the parameter to match any of several
                values.

        Returns:
            The completed download.

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
            IntegrityError: The SHA-256 of the file is wrong; the file was removed.
            OSError: The file cannot be written.
        """
        return await self._save(to, "/api/export/changelog", {
            "format": format,
            "csv": csv,
            "since": since,
            "type": type,
        })

    async def get_manifest(self) -> Manifest:
        """Read the manifest of the build.

        Describes the build: what it was created from, the time that its scores were
        calculated for, its statistics and licences, who signed it, and every file with its
        size, SHA-256 and immutable URL. A build can be signed after it is published, so
        ``signature`` can change, and with it the ETag. This endpoint takes no query
        parameters.

        Returns:
            The manifest.

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
        return await self._json("/api/export/manifest")

    async def get_croissant(self) -> CroissantDataset:
        """Read the Croissant description of the dataset.

        The files of the build as an MLCommons Croissant 1.1 dataset, in JSON-LD: each file
        with its immutable URL, size and SHA-256, the fields of its records with their
        types, the licences, and how to cite the dataset. Croissant loaders can read it from
        this address. This endpoint takes no query parameters.

        Returns:
            The dataset.

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
        return await self._json("/api/export/croissant")

    async def get_data_file(self, build: str, file: str) -> bytes:
        """Download a file of a build.

        One file of the current build, or of an earlier one that is still kept. The bytes at
        an address never change, so any cache can keep them forever. Files are sent
        unchanged: the gzip form of a table has an address of its own, with the extension
        ``.gz``. Files under ``lookup/`` are internal, and their format can change between
        builds. This endpoint takes no query parameters.

        Args:
            build: A build's id.
            file: The ``path`` of a file from the manifest. Its slashes need not be escaped.

        Returns:
            The bytes of the file.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            NotFoundError: The build does not exist or is no longer kept, or has no such
                file (``unknown-build``).
        """
        return await self._bytes(path_to("/data/{build}/{file}", build=build, file=file))

    async def download_data_file(
        self,
        build: str,
        file: str,
        to: PathLike,
        *,
        sha256: Optional[str] = None,
    ) -> Downloaded:
        """Download a file of a build.

        Like :meth:`get_data_file`, which has the details, but without holding the file in
        memory. If the connection breaks, the download is resumed, in the same call or in a
        later one; until it is complete, the partial file is NAME.part. The SHA-256 is
        verified if it is known.

        Args:
            build: A build's id.
            file: The ``path`` of a file from the manifest. Its slashes need not be escaped.
            to: The file to write.
            sha256: The expected SHA-256 of the file, from the manifest.

        Returns:
            The completed download.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            NotFoundError: The build does not exist or is no longer kept, or has no such
                file (``unknown-build``).
            IntegrityError: The SHA-256 of the file is wrong; the file was removed.
            OSError: The file cannot be written.
        """
        return await self._save(to, path_to("/data/{build}/{file}", build=build, file=file), {}, sha256)
