"""The two clients."""

from __future__ import annotations

from . import _async as a
from . import _sync as s
from ._acore import AsyncCore
from ._core import Core

__all__ = ["AsyncClient", "Client"]


class Client(s.Entities, s.Search, s.Leaderboards, s.Prices, s.History, s.Exports, s.Keys, s.Submissions, s.Webhooks, s.Service, Core):
    """A client for a kindex service.

    It has a method for every operation of the API, named after the operation. Methods
    return the JSON objects of the API as dictionaries, with all members that the service
    sends; :mod:`kindex.types` describes them for type checkers.

    Threads can share a client: each concurrent request has its own connection, which is
    kept open for the next request. You can modify what a method returns, because no
    other caller has the same object. After a fork, the child process can use the client
    too; it opens its own connections.

    >>> with Client("https://index.example.org", api_key="kx_...") as client:
    ...     print(client.get_entity("tool", "pytorch")["scores"]["composite"])
    """


class AsyncClient(
    a.Entities, a.Search, a.Leaderboards, a.Prices, a.History, a.Exports, a.Keys, a.Submissions, a.Webhooks, a.Service, AsyncCore
):
    """An asyncio client for a kindex service.

    It has the methods of :class:`Client` as coroutines; iterators and streams are
    asynchronous. Use each client in only one event loop. Threads make the requests, at
    most ``concurrency`` at a time. Cancelling a task shuts down its connection, which
    releases the thread; if the connection is still being established, that can take up
    to ``timeout`` seconds.
    """
