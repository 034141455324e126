"""What the methods of :class:`kindex.AsyncClient` are made of.

The work is done by the blocking client in threads of its own. A call that is cancelled
has its connection shut down, so that its thread is free at once.
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
    """An asynchronous client without the operations."""

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
        """Make a client of a service; nothing is sent yet.

        Args:
            base_url: The address of the service, as ``https://index.example.org``.
            api_key: The key, None for a caller without one.
            timeout: Seconds to connect, and to wait for each piece of an answer.
            retries: How many further attempts are made.
            max_wait: How many seconds a ``Retry-After`` may ask to wait.
            cache_size: How many bytes of answers to keep; 0 for none.
            ssl_context: How to check the service's certificate.
            proxy: The proxy to use.
            trust_env: Whether HTTPS_PROXY, HTTP_PROXY and NO_PROXY count.
            user_agent: What stands before the package's own name in ``User-Agent``.
            concurrency: How many requests are made at the same time; further ones wait.

        All but the last are as in :class:`kindex.Client`.

        Raises:
            ValueError: A value has no meaning.
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
        """What the last answer has said about the limit; None before the first, and
        where there is no limit."""
        return self._client.rate_limit

    def with_options(
        self: Self, *, timeout: Optional[float] = None, retries: Optional[int] = None, max_wait: Optional[float] = None
    ) -> Self:
        """Return a client with other options that shares threads, connections and cache."""
        other = copy.copy(self)
        other._client = self._client.with_options(timeout=timeout, retries=retries, max_wait=max_wait)
        return other

    def clear_cache(self) -> None:
        """Forget the answers that were kept."""
        self._client.clear_cache()

    async def aclose(self) -> None:
        """Close the connections and end the threads. Nothing can be asked afterwards."""
        self._client.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def __aenter__(self: Self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """Close the connections and end the threads."""
        await self.aclose()

    def __repr__(self) -> str:
        """Name the service, and not the key."""
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
        """Make any request of the service, as :meth:`kindex.Client.request` does."""
        return await self._run(self._client.request, method, path, query, json_body=json_body, headers=headers)

    async def pages(self, method: Callable[P, Awaitable[Page]], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[Page]:
        """Return all pages of a method that takes a ``cursor``, each as it is asked for.

        >>> async for page in client.pages(client.list_entities, type="tool"): ...
        """
        while True:
            page = await method(*args, **kwargs)
            if not isinstance(page, dict):
                raise NetworkError("the answer is no page of records")
            yield page
            cursor = page.get("nextCursor")
            if cursor is None:
                return
            kwargs.update(cursor=cursor)
            kwargs.pop("offset", None)

    async def _run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a call of the blocking client in a thread; cancelling ends it there too."""
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
    """The records of a JSONL export, read from the connection as they are asked for.

    It is an asynchronous iterator; the request is made with the first record. Leave an
    ``async with`` block, or await :meth:`aclose`, to end it early; the connection is
    closed then, and also where the stream is dropped. It has one user at a time.
    """

    def __init__(self, run: Callable[[Callable[[], Any]], Awaitable[Any]], begin: Callable[[], RecordStream[T]]) -> None:
        """Note how to begin."""
        self._run = run
        self._begin = begin
        self._stream: Optional[RecordStream[T]] = None
        self._ready: Deque[T] = deque()
        self._closed = False
        self._broken: Optional[NetworkError] = None

    def __aiter__(self) -> AsyncIterator[T]:
        """Return itself."""
        return self

    async def __anext__(self) -> T:
        """Return the next record. More is read only when what came was taken.

        Raises:
            ApiError: The service answered with an error.
            NetworkError: The connection broke, or an earlier call was cancelled. The
                records before were whole. Further calls raise it too: a stream that
                broke has no end.
        """
        if not self._ready and not self._closed:
            await self._read()
        if not self._ready:
            await self.aclose()
            raise StopAsyncIteration
        return self._ready.popleft()

    async def _read(self) -> None:
        """Wait for the records that come next."""
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
            # What the thread has read is lost, with the connection.
            self._broken = NetworkError("reading the stream was cancelled, which ended it before its end; ask again")
            raise

    async def aclose(self) -> None:
        """End the stream where it is."""
        self._closed = True
        self._ready.clear()
        if self._stream is not None:
            self._stream.close()

    async def __aenter__(self) -> AsyncRecordStream[T]:
        """Return itself."""
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """End the stream."""
        await self.aclose()
