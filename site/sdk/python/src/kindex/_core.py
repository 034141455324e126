"""The parts of :class:`kindex.Client` that all its methods share."""

from __future__ import annotations

import copy
import json
import platform
import ssl
import uuid
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Type, TypeVar, cast

from ._addresses import with_query
from ._cache import Cache
from ._downloads import Downloaded, PathLike, download
from ._session import Options, Response, Session
from ._streams import RecordStream
from ._version import __version__
from ._waiting import RateLimit
from .errors import NetworkError

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, TypedDict  # type checkers include it

    P = ParamSpec("P")

    class ClientOptions(TypedDict, total=False):
        """The optional arguments of both clients."""

        timeout: float
        retries: int
        max_wait: float
        cache_size: int
        ssl_context: Optional[ssl.SSLContext]
        proxy: Optional[str]
        trust_env: bool
        user_agent: Optional[str]

Query = Mapping[str, object]
Self = TypeVar("Self", bound="Core")
Page = TypeVar("Page", bound=Mapping[str, Any])

JSON = "application/json"


class Core:
    """A client without the methods for operations."""

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        *,
        timeout: float = 30.0,
        retries: int = 3,
        max_wait: float = 60.0,
        cache_size: int = 16 * 1024 * 1024,
        ssl_context: Optional[ssl.SSLContext] = None,
        proxy: Optional[str] = None,
        trust_env: bool = True,
        user_agent: Optional[str] = None,
    ) -> None:
        """Create a client for a service; nothing is sent yet.

        Args:
            base_url: The address of the service, such as ``https://index.example.org``.
            api_key: The key, or None to send requests without a key. It is sent only to
                this service, even if the service redirects to another host.
            timeout: Seconds to wait for the connection, and for each chunk of a response.
                The total duration is not limited.
            retries: The number of further attempts if the service is busy (429, 502, 503,
                504) or the connection fails. Reads are retried, and so are writes, because
                their ``Idempotency-Key`` makes sure that they take effect only once.
                Deletions are retried only if the service refused them.
            max_wait: The longest ``Retry-After`` to wait for, in seconds. If it is longer,
                the error is raised immediately.
            cache_size: The size of the response cache in bytes; 0 disables it. Unchanged
                responses do not count towards the rate limit.
            ssl_context: How to verify the service's certificate; by default, with the
                system's certificates.
            proxy: The proxy to use, ``http://[name:password@]host:port``.
            trust_env: Whether to use the proxies in HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
            user_agent: The string to put before the package's own name in ``User-Agent``.

        Raises:
            ValueError: An argument is invalid.
        """
        if not timeout > 0 or retries < 0 or max_wait < 0 or cache_size < 0:
            raise ValueError("timeout must be greater than 0; retries, max_wait and cache_size must be at least 0")
        headers = {"User-Agent": f"kindex-python/{__version__} Python/{platform.python_version()}", "Accept-Encoding": "gzip"}
        if user_agent:
            headers["User-Agent"] = _field("user_agent", user_agent) + " " + headers["User-Agent"]
        if api_key is not None:
            headers["x-api-key"] = _field("api_key", api_key)
        self._options = Options(timeout, retries, max_wait)
        self._session = Session(base_url, headers, Cache(cache_size), ssl_context, proxy, trust_env)

    @property
    def base_url(self) -> str:
        """The address of the service."""
        return str(self._session.origin) + self._session.prefix

    @property
    def rate_limit(self) -> Optional[RateLimit]:
        """The rate limit according to the latest response; None before the first response,
        or if there is no limit."""
        return self._session.rate_limit

    def with_options(
        self: Self, *, timeout: Optional[float] = None, retries: Optional[int] = None, max_wait: Optional[float] = None
    ) -> Self:
        """Return a client with different options that shares the connections and the cache.

        Options that are None are not changed. You can use this for a single call, because
        it costs almost nothing.
        """
        changes = {"timeout": timeout, "retries": retries, "max_wait": max_wait}
        other = copy.copy(self)
        other._options = replace(self._options, **{n: v for n, v in changes.items() if v is not None})
        return other

    def clear_cache(self) -> None:
        """Clear the response cache."""
        self._session.cache.clear()

    def close(self) -> None:
        """Close the connections. The client can still be used; it opens new ones."""
        self._session.close()

    def __enter__(self: Self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        """Close the connections."""
        self.close()

    def __repr__(self) -> str:
        """Show the address of the service, but not the key."""
        return f"{type(self).__name__}({self.base_url!r})"

    def request(
        self,
        method: str,
        path: str,
        query: Optional[Query] = None,
        *,
        json_body: Optional[object] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Response:
        """Send any request to the service, for example to an address without a method.

        Args:
            method: The HTTP method, such as ``GET``.
            path: The escaped path after the address of the service, such as
                ``/api/entities``.
            query: The parameters. A parameter that is None is left out; a sequence repeats
                its parameter.
            json_body: The object to send as JSON, or None for no body.
            headers: Additional headers. With an ``Idempotency-Key``, a write is retried if
                it may have failed.

        Raises:
            ApiError: The service returned an error.
            NetworkError: There was no complete response.
        """
        if not path.startswith("/"):
            raise ValueError("path must start with /")
        method = method.upper()
        fields = {"Accept": "*/*", **(headers or {})}
        body = None
        if json_body is not None:
            body = json.dumps(json_body, ensure_ascii=False, allow_nan=False).encode()
            fields["Content-Type"] = JSON
        elif method == "POST":
            body = b""  # otherwise, no length would be sent
        request = self._session.request(method, with_query(path, query or {}), fields, body)
        return self._session.fetch(request, self._options)

    def pages(self, method: Callable[P, Page], *args: P.args, **kwargs: P.kwargs) -> Iterator[Page]:
        """Iterate over the pages of a method with a ``cursor``; pages are requested as needed.

        >>> for page in client.pages(client.list_entities, type="tool", limit=100): ...
        """
        while True:
            page = method(*args, **kwargs)
            if not isinstance(page, dict):
                raise NetworkError("the response is not a page of records")
            yield page
            cursor = page.get("nextCursor")
            if cursor is None:
                return
            kwargs.update(cursor=cursor)
            kwargs.pop("offset", None)

    def _json(self, path: str, query: Optional[Query] = None) -> Any:
        return self.request("GET", path, query, headers={"Accept": JSON}).json()

    def _text(self, path: str, query: Optional[Query] = None, accept: str = "*/*") -> str:
        return self.request("GET", path, query, headers={"Accept": accept}).text

    def _document(self, path: str, query: Query) -> Any:
        return self._json(path, query) if query["format"] == "json" else self._text(path, query)

    def _bytes(self, path: str, query: Optional[Query] = None) -> bytes:
        return self.request("GET", path, query).content

    def _write(self, path: str, body: Optional[object], idempotency_key: Optional[str]) -> Any:
        key = str(uuid.uuid4()) if idempotency_key is None else _field("idempotency_key", idempotency_key)
        headers = {"Accept": JSON, "Idempotency-Key": key}
        return self.request("POST", path, json_body=body, headers=headers).json()

    def _post(self, path: str, body: object) -> None:
        self.request("POST", path, json_body=body, headers={"Accept": JSON})

    def _delete(self, path: str, query: Optional[Query] = None) -> None:
        self.request("DELETE", path, query, headers={"Accept": JSON})

    def _items(self, path: str, query: Query) -> Iterator[Any]:
        def page(**cursor: str) -> Dict[str, Any]:
            return self._json(path, {**query, **cursor})

        for p in self.pages(page):
            yield from data_of(p)

    def _records(self, path: str, query: Query) -> RecordStream[Any]:
        request = self._session.request("GET", with_query(path, query), {"Accept": "*/*"})
        return RecordStream(self._session.open(request, self._options))

    def _save(self, to: PathLike, path: str, query: Query, sha256: Optional[str] = None) -> Downloaded:
        return download(self._session, with_query(path, query), to, self._options, sha256)


def data_of(page: Mapping[str, Any]) -> List[Any]:
    """Return the records of a page.

    Raises:
        NetworkError: It is not a page, so the response is not from the service.
    """
    data = page.get("data")
    if not isinstance(data, list):
        raise NetworkError("the response is not a page of records")
    return cast("List[Any]", data)


def _field(name: str, value: str) -> str:
    """Return a value if it is allowed in a header.

    Raises:
        ValueError: It is not allowed. The message does not contain it, because it may be
            secret.
    """
    if not value:
        raise ValueError(f"{name} is empty; omit it if there is none")
    if value != value.strip() or not all(" " <= c <= "~" for c in value):
        raise ValueError(f"{name} must consist of printable ASCII characters, without leading or trailing spaces")
    return value
