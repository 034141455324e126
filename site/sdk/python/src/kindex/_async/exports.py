"""Exports: Everything in bulk, as files.

Made from the description of the interface, version 0.8.0; do not edit.
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
    Status,
)


class Exports(AsyncCore):
    """Everything in bulk, as files."""

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
    ) -> bytes:
        """Export entities in bulk.

        Entities as a flat table, sorted by type and slug. Without filters and ``fields``
        the answer is a file of the build, with ``Repr-Digest`` and ranges on its
        uncompressed form; with them it is made on the way, without.

        CSV has a header row, CRLF line ends, empty cells for null, and lists joined with
        ``|`` (RFC 4180). JSONL has one object a line. Parquet has real lists, numbers and
        dates. JSON is one array.

        Args:
            format: The format of the file. "json" unless given.
            csv: How CSV is written; allowed only with ``format=csv``, otherwise 400.
                ``spreadsheet`` puts an apostrophe before every text that a spreadsheet
                would take for a formula: one that starts with ``=``, ``+``, ``-``, ``@``, a
                tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` changes nothing: programs read exactly
                the text of the index. "plain" unless given.
            fields: The fields wanted, joined with commas, or the parameter repeated. They
                always come in the order of the whole table.
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

        Returns:
            The bytes of the file.

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
    ) -> AsyncRecordStream[ExportedEntity]:
        """Export entities in bulk, record by record as they stream.

        As :meth:`export_entities`, which tells more, in JSONL. One request, whatever its
        length; memory stays small.

        Args:
            csv: How CSV is written; allowed only with ``format=csv``, otherwise 400.
                ``spreadsheet`` puts an apostrophe before every text that a spreadsheet
                would take for a formula: one that starts with ``=``, ``+``, ``-``, ``@``, a
                tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` changes nothing: programs read exactly
                the text of the index. "plain" unless given.
            fields: The fields wanted, joined with commas, or the parameter repeated. They
                always come in the order of the whole table.
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

        Returns:
            The records, as a stream to iterate over and to close.

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
    ) -> Downloaded:
        """Download the file of this export.

        As :meth:`export_entities`, which tells more, without holding it in memory. A
        connection that breaks is gone on from, also by a later call: until the file is
        whole, its beginning is in NAME.part. The SHA-256 is checked where it is known.

        Args:
            to: The file to write.
            format: The format of the file. "json" unless given.
            csv: How CSV is written; allowed only with ``format=csv``, otherwise 400.
                ``spreadsheet`` puts an apostrophe before every text that a spreadsheet
                would take for a formula: one that starts with ``=``, ``+``, ``-``, ``@``, a
                tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` changes nothing: programs read exactly
                the text of the index. "plain" unless given.
            fields: The fields wanted, joined with commas, or the parameter repeated. They
                always come in the order of the whole table.
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

        Returns:
            What has come.

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
            IntegrityError: The file is not what it should be; it was removed.
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

        The ranking by composite score of a category, or of all, as a flat table in the
        order of rank. The formats are those of the entity export; JSON is a file of the
        build, with ``Repr-Digest`` and ranges on its uncompressed form. With ``at``, it is
        made on the way from the latest snapshot not of a later day, which the file name in
        ``Content-Disposition`` ends with.

        Args:
            format: The format of the file. "json" unless given.
            csv: How CSV is written; allowed only with ``format=csv``, otherwise 400.
                ``spreadsheet`` puts an apostrophe before every text that a spreadsheet
                would take for a formula: one that starts with ``=``, ``+``, ``-``, ``@``, a
                tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` changes nothing: programs read exactly
                the text of the index. "plain" unless given.
            category: A category from ``GET /api/categories``, or ``all``. "all" unless
                given.
            at: The day, UTC, as at whose end to show it; the present without it.

        Returns:
            The bytes of the file.

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
        """Export a leaderboard in bulk, record by record as they stream.

        As :meth:`export_leaderboard`, which tells more, in JSONL. One request, whatever its
        length; memory stays small.

        Args:
            csv: How CSV is written; allowed only with ``format=csv``, otherwise 400.
                ``spreadsheet`` puts an apostrophe before every text that a spreadsheet
                would take for a formula: one that starts with ``=``, ``+``, ``-``, ``@``, a
                tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` changes nothing: programs read exactly
                the text of the index. "plain" unless given.
            category: A category from ``GET /api/categories``, or ``all``. "all" unless
                given.
            at: The day, UTC, as at whose end to show it; the present without it.

        Returns:
            The records, as a stream to iterate over and to close.

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
        """Download the file of this export.

        As :meth:`export_leaderboard`, which tells more, without holding it in memory. A
        connection that breaks is gone on from, also by a later call: until the file is
        whole, its beginning is in NAME.part. The SHA-256 is checked where it is known.

        Args:
            to: The file to write.
            format: The format of the file. "json" unless given.
            csv: How CSV is written; allowed only with ``format=csv``, otherwise 400.
                ``spreadsheet`` puts an apostrophe before every text that a spreadsheet
                would take for a formula: one that starts with ``=``, ``+``, ``-``, ``@``, a
                tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` changes nothing: programs read exactly
                the text of the index. "plain" unless given.
            category: A category from ``GET /api/categories``, or ``all``. "all" unless
                given.
            at: The day, UTC, as at whose end to show it; the present without it.

        Returns:
            What has come.

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
            IntegrityError: The file is not what it should be; it was removed.
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

        All changes, the oldest first. Without ``since`` and ``type`` the answer is a file
        of the build, with ``Repr-Digest`` and ranges on its uncompressed form; with them it
        is made on the way, without. Ask with the id of the last change that you hold in
        ``since`` for what has been added behind it.

        JSON and JSONL have the objects of the changelog. CSV and Parquet are flat, with the
        columns ``id``, ``event``, ``timestamp``, ``type``, ``slug``, ``name``, ``changes``
        (the list, as JSON), ``commit``, ``author`` and ``pullRequest``.

        Args:
            format: The format of the file. "json" unless given.
            csv: How CSV is written; allowed only with ``format=csv``, otherwise 400.
                ``spreadsheet`` puts an apostrophe before every text that a spreadsheet
                would take for a formula: one that starts with ``=``, ``+``, ``-``, ``@``, a
                tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` changes nothing: programs read exactly
                the text of the index. "plain" unless given.
            since: Only changes from this moment on: a day, an RFC 3339 time or, for those
                behind it, the id of a change.
            type: Only entities of this type. Repeat for any of several.

        Returns:
            The bytes of the file.

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
        return await self._bytes("/api/export/changelog", {"format": format, "csv": csv, "since": since, "type": type})

    def stream_changelog(
        self,
        *,
        csv: Optional[Literal["plain", "spreadsheet"]] = None,
        since: Optional[DateLike] = None,
        type: Optional[OneOrMore[EntityType]] = None,
    ) -> AsyncRecordStream[Change]:
        """Export the changelog in bulk, record by record as they stream.

        As :meth:`export_changelog`, which tells more, in JSONL. One request, whatever its
        length; memory stays small.

        Args:
            csv: How CSV is written; allowed only with ``format=csv``, otherwise 400.
                ``spreadsheet`` puts an apostrophe before every text that a spreadsheet
                would take for a formula: one that starts with ``=``, ``+``, ``-``, ``@``, a
                tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` changes nothing: programs read exactly
                the text of the index. "plain" unless given.
            since: Only changes from this moment on: a day, an RFC 3339 time or, for those
                behind it, the id of a change.
            type: Only entities of this type. Repeat for any of several.

        Returns:
            The records, as a stream to iterate over and to close.

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
        """Download the file of this export.

        As :meth:`export_changelog`, which tells more, without holding it in memory. A
        connection that breaks is gone on from, also by a later call: until the file is
        whole, its beginning is in NAME.part. The SHA-256 is checked where it is known.

        Args:
            to: The file to write.
            format: The format of the file. "json" unless given.
            csv: How CSV is written; allowed only with ``format=csv``, otherwise 400.
                ``spreadsheet`` puts an apostrophe before every text that a spreadsheet
                would take for a formula: one that starts with ``=``, ``+``, ``-``, ``@``, a
                tab or a line break. Such a file is generated on request, without
                ``Repr-Digest`` or ranges. ``plain`` changes nothing: programs read exactly
                the text of the index. "plain" unless given.
            since: Only changes from this moment on: a day, an RFC 3339 time or, for those
                behind it, the id of a change.
            type: Only entities of this type. Repeat for any of several.

        Returns:
            What has come.

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
            IntegrityError: The file is not what it should be; it was removed.
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

        What the build was made from and when its scores were computed, its numbers and
        licences, and every file with its size, its SHA-256 and the address where its bytes
        never change. This address takes no query parameters.

        Returns:
            The manifest.

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
        return await self._json("/api/export/manifest")

    async def get_croissant(self) -> CroissantDataset:
        """Read the dataset's description in Croissant.

        The files of the build as an MLCommons Croissant 1.1 dataset, in JSON-LD: each with
        its lasting address, its size and its SHA-256, the fields of the records in them
        with their types, the licences and how to cite it. Loaders of Croissant read it from
        this address. This address takes no query parameters.

        Returns:
            The dataset.

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
        return await self._json("/api/export/croissant")

    async def get_data_file(self, build: str, file: str) -> bytes:
        """Download a file of a build.

        One file of the current build, or of an earlier one that is still kept. The bytes at
        an address never change, so any cache may keep them for good. Files are sent as they
        are: compressed variants have addresses of their own, with the extensions ``.gz``,
        ``.zst`` and ``.br``. Files below ``lookup/`` are the service's own and may change
        their form from build to build. This address takes no query parameters.

        Args:
            build: The id of a build.
            file: The ``path`` of a file from the manifest. Its slashes may stand as they
                are.

        Returns:
            The bytes of the file.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            NotFoundError: The build is not there, or not any more, or has no such file
                (``unknown-build``).
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

        As :meth:`get_data_file`, which tells more, without holding it in memory. A
        connection that breaks is gone on from, also by a later call: until the file is
        whole, its beginning is in NAME.part. The SHA-256 is checked where it is known.

        Args:
            build: The id of a build.
            file: The ``path`` of a file from the manifest. Its slashes may stand as they
                are.
            to: The file to write.
            sha256: What the file's SHA-256 must be, from the manifest.

        Returns:
            What has come.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            NotFoundError: The build is not there, or not any more, or has no such file
                (``unknown-build``).
            IntegrityError: The file is not what it should be; it was removed.
            OSError: The file cannot be written.
        """
        return await self._save(to, path_to("/data/{build}/{file}", build=build, file=file), {}, sha256)
