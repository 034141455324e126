"""Retries, redirects and connections."""

import email.utils
import gzip
import os
import socket
import ssl
import threading
import time
import unittest
from unittest import mock

import kindex
from kindex import _waiting
from support import PATIENCE, Handler, Server, client

PAGE = b'{"data":[],"count":0,"nextCursor":null,"build":"b","neverSeenBefore":1}'


def once(first, then=lambda h: h.say(body=PAGE)):  # type: ignore[no-untyped-def]
    return lambda h, n: first(h) if n == 1 else then(h)


class Retries(unittest.TestCase):
    def test_busy_edge(self) -> None:
        began = time.monotonic()
        with kindex.Client(os.environ["KINDEX_BUSY"]) as c:  # 503 twice, each with Retry-After: 1
            self.assertTrue(c.list_categories()["data"])
        self.assertGreaterEqual(time.monotonic() - began, 2)

    def test_what_is_tried_again(self) -> None:
        for first in (
            lambda h: h.say(503, b"<h1>away</h1>", Retry_After="0", Content_Type="text/html"),
            lambda h: h.say(429, b"{}", Retry_After=email.utils.formatdate(time.time() + 1, usegmt=True)),
            lambda h: h.say(502, b""),
            lambda h: h.say(504, b"{"),
            lambda h: h.cut(),
            lambda h: (h.say(200, b'{"data":', Content_Length="100"), h.cut()),
            lambda h: (h.say(200, gzip.compress(PAGE)[:-9], Content_Encoding="gzip")),
            lambda h: (h.say(200, b"no zip", Content_Encoding="gzip")),
            lambda h: (h.say(200, b"5\r\nhello\r\n5\r\nhal", Transfer_Encoding="chunked"), h.cut()),
        ):
            with Server(once(first)) as s, kindex.Client(s.url) as c:
                self.assertEqual(c.list_changes()["count"], 0)
                self.assertEqual(len(s.seen), 2)

    def test_what_is_not(self) -> None:
        for status in (400, 401, 403, 404, 409, 410, 418, 422, 500, 501):
            with Server(lambda h, n: h.say(status, b'{"code":"c"}', Content_Type="application/problem+json")) as s, kindex.Client(s.url) as c:
                with self.assertRaises(kindex.ApiError) as caught:
                    c.list_changes()
                self.assertEqual((caught.exception.status, len(s.seen)), (status, 1))

    def test_waits_end(self) -> None:
        with Server(lambda h, n: h.say(429, b"{}", Retry_After="3600")) as s, kindex.Client(s.url) as c:
            with self.assertRaises(kindex.RateLimitedError) as caught:
                c.list_changes()
            self.assertEqual((caught.exception.retry_after, len(s.seen)), (3600, 1))
        with Server(lambda h, n: h.say(503, b"")) as s, kindex.Client(s.url, retries=2) as c:
            with mock.patch("kindex._waiting.random.uniform", lambda low, high: low), self.assertRaises(kindex.UnavailableError):
                c.list_changes()
            self.assertEqual(len(s.seen), 3)

    def test_pauses_grow(self) -> None:
        with mock.patch("kindex._waiting.random.uniform", lambda low, high: high):
            self.assertEqual([_waiting.backoff(n) for n in (0, 1, 2, 3, 4, 5)], [0.5, 1, 2, 4, 8, 8])

    def test_retry_after(self) -> None:
        read = lambda text: _waiting.retry_after(text, now=784111777)  # noqa: E731
        self.assertEqual([read("120"), read(" 0 "), read("Sun, 06 Nov 1994 08:49:47 GMT"), read("Sun, 06 Nov 1994 08:00:00 GMT")], [120, 0, 10, 0])
        self.assertEqual([read(None), read(""), read("soon"), read("-1"), read("9" * 20), read("1.5"), read("٣")], [None] * 7)

    def test_writes(self) -> None:
        with Server(once(lambda h: h.cut(), lambda h: h.say(201, b'{"id":"key_1"}'))) as s, kindex.Client(s.url, "kx_1") as c:
            self.assertEqual(c.create_api_key("n")["id"], "key_1")
            keys = {headers["Idempotency-Key"] for _, _, headers, _ in s.seen}
            self.assertEqual((len(s.seen), len(keys), len({body for *_, body in s.seen})), (2, 1, 1))
        with Server(once(lambda h: h.cut())) as s, kindex.Client(s.url) as c:
            with self.assertRaises(kindex.NetworkError):
                c.request("POST", "/api/submit", json_body={})  # without an idempotency key: it may have taken effect
            self.assertEqual(len(s.seen), 1)
        with Server(once(lambda h: h.cut())) as s, kindex.Client(s.url) as c:
            with self.assertRaises(kindex.NetworkError):
                c.delete_webhook("wh_1")
            self.assertEqual(len(s.seen), 1)
        with Server(once(lambda h: h.say(503, b"", Retry_After="0"), lambda h: h.say(204, b""))) as s, kindex.Client(s.url) as c:
            c.delete_webhook("wh_1")
            self.assertEqual(len(s.seen), 2)

    def test_somebody_else_answers(self) -> None:
        with Server(lambda h, n: h.say(body=b"<html>Please sign in to this network", Content_Type="text/html")) as s, kindex.Client(s.url) as c:
            with self.assertRaisesRegex(kindex.NetworkError, "is not JSON"):
                c.list_changes()

    def test_unknown_members_stay(self) -> None:
        with Server(lambda h, n: h.say(body=PAGE)) as s, kindex.Client(s.url) as c:
            self.assertEqual(c.list_changes()["neverSeenBefore"], 1)  # type: ignore[typeddict-item]

    def test_timeout(self) -> None:
        done = threading.Event()
        with Server(lambda h, n: done.wait(PATIENCE)) as s, kindex.Client(s.url, timeout=0.2, retries=1) as c:  # type: ignore[arg-type, return-value]
            began = time.monotonic()
            with mock.patch("kindex._waiting.random.uniform", lambda low, high: low), self.assertRaises(kindex.RequestTimeoutError):
                c.list_changes()
            self.assertGreaterEqual(time.monotonic() - began, 0.4)  # two attempts
            self.assertLessEqual(len(s.seen), 2)
            done.set()

    def test_nobody_there(self) -> None:
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            with kindex.Client("http://127.0.0.1:%d" % sock.getsockname()[1], retries=0) as c, self.assertRaises(kindex.NetworkError) as caught:
                c.list_changes()
        self.assertIsInstance(caught.exception.__cause__, ConnectionRefusedError)


class Connections(unittest.TestCase):
    def test_are_used_again(self) -> None:
        with Server(lambda h, n: h.say(body=PAGE)) as s, kindex.Client(s.url, cache_size=0) as c:
            for _ in range(20):
                c.list_changes()
            self.assertEqual((s.connections, len(s.seen)), (1, 20))
        with Server(lambda h, n: h.say(404)) as s, kindex.Client(s.url) as c:  # also after errors
            for _ in range(5):
                with self.assertRaises(kindex.NotFoundError):
                    c.list_changes()
            self.assertEqual(s.connections, 1)

    def test_that_were_closed_meanwhile(self) -> None:
        def leave(h: Handler, n: int) -> None:
            h.say(body=PAGE)
            h.close_connection = True  # without announcing it

        with Server(leave) as s, kindex.Client(s.url, retries=0) as c:
            for n in range(20):
                c.list_changes()
                time.sleep(0.01 * (n % 3))  # the client sometimes notices the end first, and sometimes not
            self.assertEqual((s.connections, len(s.seen)), (20, 20))

    def test_that_close_while_they_are_used(self) -> None:
        def second(h: Handler, n: int) -> None:
            h.cut() if n == 2 else h.say(body=PAGE)

        with Server(second) as s, kindex.Client(s.url, retries=0) as c:
            c.list_changes()
            with mock.patch("kindex._connections._alive", lambda connection: True):
                c.list_changes()  # not a retry: the first connection was simply old
            self.assertEqual(len(s.seen), 3)

    def test_writes_have_new_ones(self) -> None:
        with Server(lambda h, n: h.say(body=PAGE)) as s, kindex.Client(s.url) as c:
            c.list_changes()
            c.request("POST", "/api/submit", json_body={})
            self.assertEqual(s.connections, 2)

    def test_threads(self) -> None:
        """Threads share a client: each gets its own answer, over few connections."""

        def echo(h: Handler, n: int) -> None:
            time.sleep(0.001)
            h.say(body=b'{"name":"%s"}' % h.path.rsplit("/", 1)[1].encode(), ETag='"%s"' % h.path)

        problems = []

        def work(thread: int) -> None:
            for n in range(40):
                slug = f"t{thread}-{n % 20}"
                got = c.get_entity("tool", slug)["name"]
                if got != slug:
                    problems.append((slug, got))

        with Server(echo) as s, kindex.Client(s.url) as c:
            threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual((problems, len(s.seen)), ([], 640))
            self.assertLess(s.connections, 200)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
    def test_fork(self) -> None:
        with Server(lambda h, n: h.say(body=PAGE)) as s, kindex.Client(s.url, cache_size=0) as c:
            c.list_changes()
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # about forking with threads
                child = os.fork()
            if child == 0:
                try:
                    os._exit(c.list_changes()["count"])
                finally:
                    os._exit(1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            c.list_changes()
            self.assertEqual(s.connections, 2)

    def test_options_share_them(self) -> None:
        with Server(lambda h, n: h.say(body=PAGE)) as s, kindex.Client(s.url) as c:
            c.list_changes()
            c.with_options(timeout=60, retries=0).list_changes()
            self.assertEqual(s.connections, 1)

    def test_left_open(self) -> None:
        with Server(lambda h, n: h.say(body=PAGE)) as s:
            kindex.Client(s.url).list_changes()  # it is not closed, and there is no warning

    def test_headers(self) -> None:
        with Server(lambda h, n: h.say(body=PAGE)) as s, kindex.Client(s.url + "/below/", "kx_1", user_agent="crawler/1") as c:
            c.list_changes(event=["entity.created", "entity.deleted"], type="tool")
            method, path, headers, body = s.seen[0]
            self.assertEqual((method, path, body), ("GET", "/below/api/changelog?event=entity.created&event=entity.deleted&type=tool", b""))
            self.assertRegex(headers["User-Agent"], r"^crawler/1 kindex-python/\d+\.\d+\.\d+ Python/3\.\d+")
            self.assertEqual((headers["x-api-key"], headers["Accept"], headers["Accept-Encoding"]), ("kx_1", "application/json", "gzip"))
            self.assertEqual(headers["Host"], s.url[len("http://") :])


    def test_the_key_is_nowhere(self) -> None:
        with Server(once(lambda h: h.say(503, b"", Retry_After="0"))) as s, kindex.Client(s.url, "kx_verysecret") as c:
            with self.assertLogs("kindex", "DEBUG") as logs:
                c.list_changes()
            self.assertEqual(len(logs.output), 3)  # two responses and one retry
            self.assertNotIn("kx_verysecret", str(logs.output) + repr(c) + str(c._session.request("GET", "/", {})) + repr(c._session.request("GET", "/", {})))

    def test_names_of_hosts(self) -> None:
        for url, origin in {"http://bücher.example": "http://xn--bcher-kva.example", "https://[::1]:443/": "https://[::1]", "HTTP://A.example:8080/b/": "http://a.example:8080/b"}.items():
            self.assertEqual(kindex.Client(url).base_url, origin)


class Redirects(unittest.TestCase):
    def test_the_key_stays(self) -> None:
        with Server(lambda h, n: h.say(body=PAGE)) as other:
            with Server(lambda h, n: h.say(302, Location=other.url + "/elsewhere?a=b")) as s, kindex.Client(s.url, "kx_1") as c:
                self.assertEqual(c.list_changes()["count"], 0)
                self.assertEqual(s.seen[0][2]["x-api-key"], "kx_1")
            _, path, headers, _ = other.seen[0]
            self.assertEqual(path, "/elsewhere?a=b")
            self.assertNotIn("x-api-key", {n.lower() for n in headers})
            self.assertEqual(headers["Host"], other.url[len("http://") :])

    def test_within_the_service(self) -> None:
        with Server(once(lambda h: h.say(301, Location="/api/entity/tool/new"))) as s, kindex.Client(s.url, "kx_1") as c:
            c.get_entity("tool", "old")
            self.assertEqual([(path, headers["x-api-key"]) for _, path, headers, _ in s.seen], [("/api/entity/tool/old", "kx_1"), ("/api/entity/tool/new", "kx_1")])

    def test_refused(self) -> None:
        for to in ("file:///etc/passwd", "//", "http://", "http://[", "javascript:1"):
            with Server(lambda h, n: h.say(301, Location=to)) as s, kindex.Client(s.url, retries=0) as c, self.assertRaises(kindex.NetworkError):
                c.list_changes()
        with Server(lambda h, n: h.say(301, Location="/again")) as s, kindex.Client(s.url, retries=0) as c:
            with self.assertRaisesRegex(kindex.NetworkError, "redirects"):
                c.list_changes()
            self.assertEqual(len(s.seen), 6)
        with Server(lambda h, n: h.say(307, Location="/there")) as s, kindex.Client(s.url, retries=0) as c:
            with self.assertRaisesRegex(kindex.NetworkError, "writes are not redirected"):
                c.create_api_key("n")


class TLSAndProxies(unittest.TestCase):
    def test_tls(self) -> None:
        url, ca = os.environ["KINDEX_TLS"], os.environ["KINDEX_CA"]
        with kindex.Client(url, ssl_context=ssl.create_default_context(cafile=ca)) as c:
            self.assertTrue(c.list_categories()["data"])
            self.assertTrue(c.list_categories()["data"])
        with kindex.Client(url) as c, self.assertRaisesRegex(kindex.NetworkError, "certificate"):
            c.list_categories()

    def test_proxy(self) -> None:
        with Server(lambda h, n: h.say(body=PAGE)) as proxy:
            with kindex.Client("http://index.invalid:8080", "kx_1", proxy=proxy.url.replace("//", "//me:a%20word@")) as c:
                c.list_changes()
            _, path, headers, _ = proxy.seen[0]
            self.assertEqual(path, "http://index.invalid:8080/api/changelog")
            self.assertEqual((headers["Host"], headers["Proxy-Authorization"]), ("index.invalid:8080", "Basic bWU6YSB3b3Jk"))
            with mock.patch.dict(os.environ, {"http_proxy": proxy.url, "no_proxy": "other.invalid"}):
                with kindex.Client("http://index.invalid") as c:
                    c.list_changes()
                with kindex.Client("http://other.invalid", retries=0) as c, mock.patch("socket.getaddrinfo", side_effect=OSError("no names in tests")):
                    with self.assertRaises(kindex.NetworkError):
                        c.list_changes()
                with kindex.Client("http://third.invalid", retries=0, trust_env=False) as c, mock.patch("socket.getaddrinfo", side_effect=OSError("no names in tests")):
                    with self.assertRaises(kindex.NetworkError):
                        c.list_changes()
            self.assertEqual(len(proxy.seen), 2)
        for wrong in ("socks5://127.0.0.1:1", "http://"):
            with self.assertRaises(ValueError):
                kindex.Client("http://index.invalid", proxy=wrong)

    def test_tls_through_a_proxy(self) -> None:
        def tunnel(h: Handler, n: int) -> None:
            host, _, port = h.path.rpartition(":")
            with socket.create_connection((host, int(port))) as there:
                h.send_response(200)
                h.end_headers()
                h.wfile.flush()
                h.close_connection = True
                back = threading.Thread(target=pump, args=(there, h.connection))
                back.start()
                pump(h.connection, there)
                back.join()

        def pump(source: socket.socket, to: socket.socket) -> None:
            try:
                while True:
                    data = source.recv(65536)
                    if not data:
                        break
                    to.sendall(data)
                to.shutdown(socket.SHUT_WR)
            except OSError:
                pass

        url, ca = os.environ["KINDEX_TLS"], os.environ["KINDEX_CA"]
        context = ssl.create_default_context(cafile=ca)
        with Server(tunnel) as proxy, kindex.Client(url, "kx_1", ssl_context=context, proxy=proxy.url.replace("//", "//me:word@")) as c:
            with self.assertRaises(kindex.UnauthorizedError):
                c.list_categories()
            method, path, headers, _ = proxy.seen[0]
            self.assertEqual((method, path), ("CONNECT", url[len("https://") :]))
            self.assertEqual(headers["Proxy-Authorization"], "Basic bWU6d29yZA==")
            self.assertNotIn("x-api-key", headers)


if __name__ == "__main__":
    unittest.main()
