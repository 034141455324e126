"""The parts of :class:`kindex.AsyncClient` that all its methods share.

The blocking client does the work in threads. Cancelling a call shuts down its connection,
so that its thread is released immediately.
"""

from __future__ import annotations

import asyncio
import contextvars
import copy
import functools
import ssl
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Deque, Dict, Generic, Mapping, Optional, Type, TypeVar

from ._core import JSON, Core, Page, Query, data_of
from ._downloads import Downloaded, PathLike
from ._session import Response
from ._streams import RecordStream
from ._waiting import Cancellation, RateLimit, cancellation
from .errors import NetworkError

if TYPE_CHECKING:
    from ._core import P

__all__ = ["AsyncCore", "AsyncRecordStream"]

T = TypeVar("T")
Self = TypeVar("Self", bound="AsyncCore")


class AsyncCore:
    """An asynchronous client without the methods for operations."""

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
        concurrency: int = 10,
    ) -> None:
        """Create a client for a service; nothing is sent yet.

        Args:
            base_url: The address of the service, such as ``https://index.example.org``.
            api_key: The key, or None to send requests without a key.
            timeout: Seconds to wait for the connection, and for each chunk of a response.
            retries: The number of further attempts.
            max_wait: The longest ``Retry-After`` to wait for, in seconds.
            cache_size: The size of the response cache in bytes; 0 disables it.
            ssl_context: How to verify the service's certificate.
            proxy: The proxy to use.
            trust_env: Whether to use the proxies in HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
            user_agent: Text that precedes the package's own name in ``User-Agent``.
            concurrency: The maximum number of concurrent requests; further requests wait.

        :class:`kindex.Client` describes all of these except ``concurrency`` in more detail.

        Raises:
            ValueError: An argument is invalid.
        """
        if concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        self._client = Core(
            base_url,
            api_key,
            timeout=timeout,
            retries=retries,
            max_wait=max_wait,
            cache_size=cache_size,
            ssl_context=ssl_context,
            proxy=proxy,
            trust_env=trust_env,
            user_agent=user_agent,
        )
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="kindex")

    @property
    def base_url(self) -> str:
        """The address of the service."""
        return self._client.base_url

    @property
    def rate_limit(self) -> Optional[RateLimit]:
        """The rate limit according to the latest response; None before the first response,
        or if there is no limit."""
        return self._client.rate_limit

    def with_options(
        self: Self, *, timeout: Optional[float] = None, retries: Optional[int] = None, max_wait: Optional[float] = None
    ) -> Self:
        """Return a client with different options that shares threads, connections and cache."""
        other = copy.copy(self)
        other._client = self._client.with_options(timeout=timeout, retries=retries, max_wait=max_wait)
        return other

    def clear_cache(self) -> None:
        """Clear the response cache."""
        self._client.clear_cache()

    async def aclose(self) -> None:
        """Close the connections and end the threads. The client cannot be used afterwards."""
        self._client.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def __aenter__(self: Self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """Close the connections and end the threads."""
        await self.aclose()

    def __repr__(self) -> str:
        """Show the address of the service, but not the key."""
        return f"{type(self).__name__}({self.base_url!r})"

    async def request(
        self,
        method: str,
        path: str,
        query: Optional[Query] = None,
        *,
        json_body: Optional[object] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Response:
        """Send any request to the service, like :meth:`kindex.Client.request`."""
        return await self._run(self._client.request, method, path, query, json_body=json_body, headers=headers)

    async def pages(self, method: Callable[P, Awaitable[Page]], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[Page]:
        """Iterate over the pages of a method with a ``cursor``; pages are requested as needed.

        >>> async for page in client.pages(client.list_entities, type="tool"): ...
        """
        while True:
            page = await method(*args, **kwargs)
            if not isinstance(page, dict):
                raise NetworkError("the response is not a page of records")
            yield page
            cursor = page.get("nextCursor")
            if cursor is None:
                return
            kwargs.update(cursor=cursor)
            kwargs.pop("offset", None)

    async def _run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a call to the blocking client in a thread; cancelling it also stops the thread's work."""
        cancel = Cancellation()
        context = contextvars.copy_context()
        context.run(cancellation.set, cancel)
        work = functools.partial(context.run, functools.partial(call, *args, **kwargs))
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except asyncio.CancelledError:
            cancel.end()
            raise

    async def _json(self, path: str, query: Optional[Query] = None) -> Any:
        return (await self.request("GET", path, query, headers={"Accept": JSON})).json()

    async def _text(self, path: str, query: Optional[Query] = None, accept: str = "*/*") -> str:
        return (await self.request("GET", path, query, headers={"Accept": accept})).text

    async def _document(self, path: str, query: Query) -> Any:
        return await (self._json(path, query) if query["format"] == "json" else self._text(path, query))

    async def _bytes(self, path: str, query: Optional[Query] = None) -> bytes:
        return (await self.request("GET", path, query)).content

    async def _write(self, path: str, body: Optional[object], idempotency_key: Optional[str]) -> Any:
        return await self._run(self._client._write, path, body, idempotency_key)  # pyright: ignore[reportPrivateUsage]

    async def _post(self, path: str, body: object) -> None:
        await self.request("POST", path, json_body=body, headers={"Accept": JSON})

    async def _delete(self, path: str, query: Optional[Query] = None) -> None:
        await self.request("DELETE", path, query, headers={"Accept": JSON})

    async def _items(self, path: str, query: Query) -> AsyncIterator[Any]:
        async def page(**cursor: str) -> Dict[str, Any]:
            return await self._json(path, {**query, **cursor})

        async for p in self.pages(page):
            for item in data_of(p):
                yield item

    def _records(self, path: str, query: Query) -> AsyncRecordStream[Any]:
        return AsyncRecordStream(self._run, functools.partial(self._client._records, path, query))  # pyright: ignore[reportPrivateUsage]

    async def _save(self, to: PathLike, path: str, query: Query, sha256: Optional[str] = None) -> Downloaded:
        return await self._run(self._client._save, to, path, query, sha256)  # pyright: ignore[reportPrivateUsage]


class AsyncRecordStream(Generic[T]):
    """An asynchronous iterator over the records of a JSONL export, read as needed.

    The request is sent when you get the first record. To end the stream early, leave an
    ``async with`` block or await :meth:`aclose`. This closes the connection; so does
    deleting the stream. Do not use a stream from several tasks concurrently.
    """

    def __init__(self, run: Callable[[Callable[[], Any]], Awaitable[Any]], begin: Callable[[], RecordStream[T]]) -> None:
        """Create the stream; the request is sent later, by calling ``begin``."""
        self._run = run
        self._begin = begin
        self._stream: Optional[RecordStream[T]] = None
        self._ready: Deque[T] = deque()
        self._closed = False
        self._broken: Optional[NetworkError] = None

    def __aiter__(self) -> AsyncIterator[T]:
        """Return the stream."""
        return self

    async def __anext__(self) -> T:
        """Return the next record. More records are read only when they are needed.

        Raises:
            ApiError: The service returned an error.
            NetworkError: The connection broke, or an earlier call was cancelled. All
                records returned earlier are complete. Further calls raise the error again,
                so that a broken stream cannot be mistaken for a complete one.
        """
        if not self._ready and not self._closed:
            await self._read()
        if not self._ready:
            await self.aclose()
            raise StopAsyncIteration
        return self._ready.popleft()

    async def _read(self) -> None:
        """Wait for the next records."""
        if self._broken is not None:
            raise self._broken
        try:
            stream = self._stream
            if stream is None:
                stream = self._stream = await self._run(self._begin)
            self._ready.extend(await self._run(stream.next_batch))
        except NetworkError as e:
            self._broken = e
            raise
        except asyncio.CancelledError:
            # The records that the thread has already read are lost.
            self._broken = NetworkError("reading the stream was cancelled, so it is incomplete; request it again")
            raise

    async def aclose(self) -> None:
        """End the stream early."""
        self._closed = True
        self._ready.clear()
        if self._stream is not None:
            self._stream.close()

    async def __aenter__(self) -> AsyncRecordStream[T]:
        """Return the stream."""
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """End the stream."""
        await self.aclose()
