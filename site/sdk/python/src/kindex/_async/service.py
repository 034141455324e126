"""Service: The service itself.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import Literal, Optional, Union, overload

from .._acore import AsyncCore
from .._addresses import path_to
from ..types import EntityType, OpenAPIDocument


class Service(AsyncCore):
    """The service itself."""

    async def get_badge(
        self,
        type: EntityType,
        slug: str,
        *,
        show: Optional[Literal["score", "rank", "trend"]] = None,
        label: Optional[str] = None,
    ) -> str:
        """Show an entity's score as a badge.

        A small picture with the score, the rank or the trend of an entity, for a README or
        a page. It needs no key and has no limit; caches keep it for an hour. Where there is
        no such entity, or it was deleted, the picture says so, with the status 404 or 410.
        An earlier slug is answered with 301.

        Args:
            type: The type of the entity.
            slug: The slug of the entity, present or earlier.
            show: What it shows: the composite score, the rank on the leaderboard ``all``,
                or how many places it has moved there in seven days. "score" unless given.
            label: The text of the left half, instead of the usual one.

        Returns:
            The badge.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            NotFoundError: There is no such entity, and the picture says so.
            GoneError: The entity was deleted, and the picture says so.
        """
        return await self._text(path_to("/badge/{type}/{slug}.svg", type=type, slug=slug), {
            "show": show,
            "label": label,
        }, accept="image/svg+xml")

    async def get_typescript_sdk(self) -> bytes:
        """Install the TypeScript client.

        The newest version of the client for TypeScript and JavaScript, as a package that
        ``npm install`` takes from this address. ``Content-Location`` is the address of this
        version, whose bytes never change. This address takes no query parameters and costs
        nothing.

        Returns:
            The bytes of the file.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The account of the key is suspended (``account-suspended``);
                the request counts against the IP address. Or the index is private and does
                not answer to this host name (``foreign-host``); the request does not count.
        """
        return await self._bytes("/api/sdk/typescript")

    async def get_typescript_sdk_version(self, file: str) -> bytes:
        """Install a version of the TypeScript client.

        One version of the client for TypeScript and JavaScript. The bytes at this address
        never change, so a lock file that names it stays good. Versions are those of this
        description, from 0.5.0 on. This address takes no query parameters and costs
        nothing.

        Args:
            file: The version, and ``.tgz``.

        Returns:
            The bytes of the file.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The account of the key is suspended (``account-suspended``);
                the request counts against the IP address. Or the index is private and does
                not answer to this host name (``foreign-host``); the request does not count.
            NotFoundError: There is no such version of this client
                (``unknown-version``); ``suggestion`` is the address of the nearest one.
        """
        return await self._bytes(path_to("/api/sdk/typescript/{file}", file=file))

    async def get_python_sdk(self) -> bytes:
        """Install the Python client.

        The newest version of the client for Python, as a package that ``pip install`` takes
        from this address. ``Content-Location`` is the address of this version, whose bytes
        never change. This address takes no query parameters and costs nothing.

        Returns:
            The bytes of the file.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The account of the key is suspended (``account-suspended``);
                the request counts against the IP address. Or the index is private and does
                not answer to this host name (``foreign-host``); the request does not count.
        """
        return await self._bytes("/api/sdk/python")

    async def get_python_sdk_version(self, file: str) -> bytes:
        """Install a version of the Python client.

        One version of the client for Python. The bytes at this address never change, so a
        requirements file that names it with its hash stays good. Versions are those of this
        description, from 0.5.0 on. This address takes no query parameters and costs
        nothing.

        Args:
            file: The name of the archive, which is ``kindex-``, the version and
                ``.tar.gz``.

        Returns:
            The bytes of the file.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The account of the key is suspended (``account-suspended``);
                the request counts against the IP address. Or the index is private and does
                not answer to this host name (``foreign-host``); the request does not count.
            NotFoundError: There is no such version of this client
                (``unknown-version``); ``suggestion`` is the address of the nearest one.
        """
        return await self._bytes(path_to("/api/sdk/python/{file}", file=file))

    @overload
    async def get_openapi(self, *, format: Literal["json"] = "json") -> OpenAPIDocument: ...

    @overload
    async def get_openapi(self, *, format: Literal["yaml"]) -> str: ...

    async def get_openapi(self, *, format: Literal["json", "yaml"] = "json") -> Union[OpenAPIDocument, str]:
        """Read this description.

        This description, in JSON, or in YAML where ``format`` says so or ``Accept`` names
        it first. Its version follows semantic versioning and changes with every change of
        the description.

        Args:
            format: The form; without it, ``Accept`` decides.

        Returns:
            The document: of JSON what it holds, else its text.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The account of the key is suspended (``account-suspended``);
                the request counts against the IP address. Or the index is private and does
                not answer to this host name (``foreign-host``); the request does not count.
        """
        return await self._document("/api/openapi", {"format": format})
