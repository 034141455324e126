"""The two clients."""

from __future__ import annotations

from . import _async as a
from . import _sync as s
from ._acore import AsyncCore
from ._core import Core

__all__ = ["AsyncClient", "Client"]


class Client(s.Entities, s.Search, s.Leaderboards, s.History, s.Exports, s.Keys, s.Submissions, s.Webhooks, s.Service, Core):
    """A client of a kindex service.

    It has a method for every operation of the interface, named like it. Answers are
    the objects of the interface as dictionaries, with all members that the service
    sends; :mod:`kindex.types` describes them for type checkers.

    Threads may share a client: each request has a connection of its own, which is kept
    open for the next one. What came back is yours; nobody else has it. A client goes
    on in a process that was forked, with connections of its own.

    >>> with Client("https://index.example.org", api_key="kx_...") as client:
    ...     print(client.get_entity("tool", "pytorch")["scores"]["composite"])
    """


class AsyncClient(
    a.Entities, a.Search, a.Leaderboards, a.History, a.Exports, a.Keys, a.Submissions, a.Webhooks, a.Service, AsyncCore
):
    """A client of a kindex service for asyncio.

    The methods are those of :class:`Client`, to be awaited; iterators and streams are
    asynchronous. Use it within one event loop. Requests are made by threads, at most
    ``concurrency`` at a time; a task that is cancelled frees its thread by shutting
    the connection down, at the latest ``timeout`` seconds later where the connection
    was still being made.
    """
