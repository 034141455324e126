"""The asynchronous client: concurrency, cancellation and unfinished streams."""

import asyncio
import threading
import unittest
from typing import Any

import kindex
from support import KEY, PATIENCE, URL, Handler, Server
from test_streams import Streams


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_at_the_same_time(self) -> None:
        all_at_once = threading.Barrier(8, timeout=PATIENCE)

        def slow(h: Handler, n: int) -> None:
            all_at_once.wait()
            h.say(body=b'{"name":"%s"}' % h.path.rsplit("/", 1)[1].encode())

        with Server(slow) as s:
            async with kindex.AsyncClient(s.url, concurrency=8, timeout=PATIENCE) as c:
                got = await asyncio.gather(*(c.get_entity("tool", f"n{i}") for i in range(16)))
                self.assertEqual([e["name"] for e in got], [f"n{i}" for i in range(16)])
                self.assertLessEqual(s.connections, 16)

    async def test_cancel(self) -> None:
        """A cancelled task releases its thread, whatever the service does."""
        gone = threading.Event()
        asked = [threading.Event(), threading.Event()]

        def hang(h: Handler, n: int) -> None:
            if n == 1:
                asked[0].set()
                h.connection.settimeout(PATIENCE)
                if h.connection.recv(1) == b"":  # the client has disconnected
                    gone.set()
                h.cut()
            elif n == 2:
                h.say(503, b"", Retry_After="30")
                asked[1].set()
            else:
                h.say(body=b'{"name":"there"}')

        with Server(hang) as s:
            async with kindex.AsyncClient(s.url, concurrency=1) as c:
                for was_asked in asked:  # while waiting for a response, then between two attempts
                    task = asyncio.ensure_future(c.get_entity("tool", "a"))
                    while not was_asked.is_set():
                        await asyncio.sleep(0.01)
                    await asyncio.sleep(0.3)
                    task.cancel()
                    with self.assertRaises(asyncio.CancelledError):
                        await task
                self.assertEqual((await c.get_entity("tool", "b"))["name"], "there")
                self.assertEqual(len(s.seen), 3)  # the second was not retried after its 30 seconds
        self.assertTrue(gone.wait(PATIENCE))

    async def test_streams_are_left(self) -> None:
        for leave in ("break", "with", "aclose", "cancel"):
            answer, note = Streams().endless()
            with Server(answer) as s:
                async with kindex.AsyncClient(s.url, concurrency=1) as c:
                    if leave == "break":
                        async for row in c.stream_entities():
                            break
                    elif leave == "with":
                        async with c.stream_entities() as rows:
                            async for row in rows:
                                break
                    elif leave == "aclose":
                        stream = c.stream_entities()
                        await stream.__anext__()
                        await stream.aclose()
                        self.assertEqual([row async for row in stream], [])
                    else:
                        await self.cancelled(c)
                    for _ in range(20 * PATIENCE):
                        if note["gone"].is_set():
                            break
                        await asyncio.sleep(0.05)
                    self.assertTrue(note["gone"].is_set(), leave)
                    self.assertLess(note["sent"], 40_000_000)

    async def cancelled(self, c: kindex.AsyncClient) -> None:
        async def count() -> None:
            async for _ in c.stream_entities():
                await asyncio.sleep(0.001)

        task = asyncio.ensure_future(count())
        await asyncio.sleep(0.3)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task

    async def test_a_broken_stream_has_no_end(self) -> None:
        """Reading on after an error or a timeout does not look like the end of the stream."""

        too_late = threading.Event()

        def answer(h: Handler, n: int) -> None:
            h.say(200, b'{"n":1}\n', Content_Length="100")
            if n == 1:
                too_late.wait(PATIENCE)
            h.cut()

        with Server(answer) as s:
            async with kindex.AsyncClient(s.url) as c:
                for expected, seconds in ((asyncio.TimeoutError, 0.5), (kindex.NetworkError, PATIENCE)):
                    rows = c.stream_entities()
                    self.assertEqual((await rows.__anext__())["n"], 1)  # type: ignore[typeddict-item]
                    with self.assertRaises(expected):
                        await asyncio.wait_for(rows.__anext__(), seconds)
                    too_late.set()
                    for _ in range(2):
                        with self.assertRaises(kindex.NetworkError):
                            await rows.__anext__()
                    await rows.aclose()

    async def test_the_loop_stays_free(self) -> None:
        """Nothing blocks the event loop while responses are awaited and read: the loop itself releases them."""
        asked, go_on = threading.Event(), threading.Event()

        def answer(h: Handler, n: int) -> None:
            if n == 2:
                h.say(200, b'{"n":1}\n', Content_Length="16")
            asked.set()
            self.assertTrue(go_on.wait(PATIENCE))
            go_on.clear()
            h.wfile.write(b'{"n":2}\n') if n == 2 else h.say(body=b'{"name":"there"}')

        async def tick() -> None:
            for _ in range(2):
                while not asked.is_set():
                    await asyncio.sleep(0.01)
                asked.clear()
                go_on.set()

        with Server(answer) as s:
            async with kindex.AsyncClient(s.url, timeout=60, retries=0) as c:
                ticking = asyncio.ensure_future(tick())
                self.assertEqual((await c.get_entity("tool", "a"))["name"], "there")
                self.assertEqual([row["n"] async for row in c.stream_entities()], [1, 2])  # type: ignore[typeddict-item]
                await ticking

    async def test_pages(self) -> None:
        async with kindex.AsyncClient(URL, KEY) as c:
            sizes = [len(page["data"]) async for page in c.pages(c.list_entities, limit=100, type="tool")]
            self.assertEqual(sum(sizes), (await c.list_entities(type="tool", limit=1))["count"])
            async for entity in c.iter_entities(page_size=2):
                self.assertTrue(entity["slug"])
                break

    async def test_errors(self) -> None:
        async with kindex.AsyncClient(URL, KEY) as c:
            with self.assertRaises(kindex.NotFoundError):
                await c.get_entity("tool", "pytorhc")
            with self.assertRaises(kindex.BadRequestError):
                await c.stream_entities(min_score=101).__anext__()
            self.assertEqual(repr(c), f"AsyncClient('{URL}')")
            quick = c.with_options(timeout=60)
            self.assertTrue((await quick.list_categories())["data"])
            assert c.rate_limit is not None
        with self.assertRaises(ValueError):
            kindex.AsyncClient(URL, concurrency=0)

    async def test_closed(self) -> None:
        c = kindex.AsyncClient(URL, KEY)
        await c.list_categories()
        await c.aclose()
        with self.assertRaises(RuntimeError):
            await c.list_categories()


if __name__ == "__main__":
    unittest.main()
