"""The parts of :class:`kindex.AsyncClient` that all its methods share.

The blocking client does the work in threads. Cancelling a call shuts down its connection,
so that its thread is released immediately.
"""

from __future__ import annotations

import asyncio
import contextvars
import copy
import functools
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Deque, Dict, Generic, Mapping, Optional, Type, TypeVar

from ._core import Core, Page, Query, data_of
from ._session import Response
from ._streams import RecordStream
from ._waiting import Cancellation, RateLimit, cancellation
from .errors import NetworkError

if TYPE_CHECKING:
    from typing_extensions import Unpack  # type checkers include it

    from ._core import ClientOptions, P

T = TypeVar("T")
Self = TypeVar("Self", bound="AsyncCore")


class AsyncCore:
    """An asynchronous client without the methods for operations."""

    def __init__(self, base_url: str, api_key: Optional[str] = None, *, concurrency: int = 10, **options: Unpack[ClientOptions]) -> None:
        """Create a client for a service; nothing is sent yet.

        Args:
            base_url: The address of the service, such as ``https://index.example.org``.
            api_key: The key, or None to send requests without a key.
            concurrency: The maximum number of concurrent requests; further requests wait.
            options: The options that :class:`kindex.Client` describes.

        Raises:
            ValueError: An argument is invalid.
        """
        if concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        self._client = Core(base_url, api_key, **options)
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

    async def _call(self, method: str, *args: object, **kwargs: object) -> Any:
        """Call a method of the blocking client by its name."""
        return await self._run(getattr(self._client, method), *args, **kwargs)

    async def _items(self, path: str, query: Query) -> AsyncIterator[Any]:
        async def page(**cursor: str) -> Dict[str, Any]:
            return await self._call("_json", path, {**query, **cursor})

        async for p in self.pages(page):
            for item in data_of(p):
                yield item

    def _records(self, path: str, query: Query) -> AsyncRecordStream[Any]:
        return AsyncRecordStream(self._run, functools.partial(getattr(self._client, "_records"), path, query))


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
