"""Service: The service itself.

Generated from version 0.15.0 of the API description; do not edit.
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
        show: Optional[Literal["score", "rank", "trend", "status", "price"]] = None,
        label: Optional[str] = None,
    ) -> str:
        """Show an entity's score as a badge.

        A small image that shows the score, rank or trend of an entity, for use in a README
        or on a web page. Requests for badges do not require a key and have no daily limit.
        Caches can keep a badge for an hour. If the entity does not exist or was deleted,
        the image says so, and the status is 404 or 410. A former slug redirects (301).

        Args:
            type: The entity's type.
            slug: The entity's slug, current or former.
            show: What to show: the composite score, the rank on the entity's own board with
                the title of the board, the number of places gained or lost there in seven
                days, the status (with an announced retirement, and whether the project is
                dormant or archived), or the price of a million input and output tokens in
                US dollars. Default: "score".
            label: The text on the left side of the badge, instead of the default text.

        Returns:
            The badge.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            NotFoundError: The entity does not exist; the image says so.
            GoneError: The entity was deleted; the image says so.
        """
        return await self._text(path_to("/badge/{type}/{slug}.svg", type=type, slug=slug), {
            "show": show,
            "label": label,
        }, accept="image/svg+xml")

    async def get_typescript_sdk(self) -> bytes:
        """Install the TypeScript client.

        The latest version of the TypeScript and JavaScript client, as a package that npm
        can install from this address. ``Content-Location`` is the permanent address of this
        version; the bytes there never change. This endpoint takes no query parameters and
        does not count towards the limit.

        Returns:
            The bytes of the file.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key's account is suspended (``account-suspended``), in
                which case the request counts towards the limit of the IP address. Or the
                index is private and does not accept this host name (``foreign-host``), in
                which case the request does not count.
        """
        return await self._bytes("/api/sdk/typescript")

    async def get_typescript_sdk_version(self, file: str) -> bytes:
        """Install a version of the TypeScript client.

        One version of the TypeScript and JavaScript client. The bytes at this address never
        change, so a lock file that contains the address stays valid. The client has the
        same version numbers as this description, starting with 0.5.0. This endpoint takes
        no query parameters and does not count towards the limit.

        Args:
            file: The version, followed by ``.tgz``.

        Returns:
            The bytes of the file.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key's account is suspended (``account-suspended``), in
                which case the request counts towards the limit of the IP address. Or the
                index is private and does not accept this host name (``foreign-host``), in
                which case the request does not count.
            NotFoundError: This client has no such version (``unknown-version``);
                ``suggestion`` is the address of the nearest version.
        """
        return await self._bytes(path_to("/api/sdk/typescript/{file}", file=file))

    async def get_python_sdk(self) -> bytes:
        """Install the Python client.

        The latest version of the Python client, as a package that pip can install from this
        address. ``Content-Location`` is the permanent address of this version; the bytes
        there never change. This endpoint takes no query parameters and does not count
        towards the limit.

        Returns:
            The bytes of the file.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key's account is suspended (``account-suspended``), in
                which case the request counts towards the limit of the IP address. Or the
                index is private and does not accept this host name (``foreign-host``), in
                which case the request does not count.
        """
        return await self._bytes("/api/sdk/python")

    async def get_python_sdk_version(self, file: str) -> bytes:
        """Install a version of the Python client.

        One version of the Python client. The bytes at this address never change, so a
        requirements file that contains the address and the hash of the file stays valid.
        The client has the same version numbers as this description, starting with 0.5.0.
        This endpoint takes no query parameters and does not count towards the limit.

        Args:
            file: The file name of the archive: ``kindex-``, the version and ``.tar.gz``.

        Returns:
            The bytes of the file.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key's account is suspended (``account-suspended``), in
                which case the request counts towards the limit of the IP address. Or the
                index is private and does not accept this host name (``foreign-host``), in
                which case the request does not count.
            NotFoundError: This client has no such version (``unknown-version``);
                ``suggestion`` is the address of the nearest version.
        """
        return await self._bytes(path_to("/api/sdk/python/{file}", file=file))

    @overload
    async def get_openapi(self, *, format: Literal["json"] = "json") -> OpenAPIDocument: ...

    @overload
    async def get_openapi(self, *, format: Literal["yaml"]) -> str: ...

    async def get_openapi(self, *, format: Literal["json", "yaml"] = "json") -> Union[OpenAPIDocument, str]:
        """Read this description.

        This description, in JSON, or in YAML if ``format`` or ``Accept`` selects it. Its
        version follows semantic versioning and changes whenever the description does.

        Args:
            format: The format of the response. By default, ``Accept`` determines it.

        Returns:
            The document: parsed if it is JSON, otherwise as text.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key's account is suspended (``account-suspended``), in
                which case the request counts towards the limit of the IP address. Or the
                index is private and does not accept this host name (``foreign-host``), in
                which case the request does not count.
        """
        return await self._document("/api/openapi", {"format": format})
