"""Responses that no service should send."""

import gzip
import random
import socket
import threading
import unittest
from unittest import mock

import kindex
from support import PATIENCE

PAGE = b'{"data":[],"count":0,"nextCursor":null,"build":"b"}'


def no_names(lookup):  # type: ignore[no-untyped-def]
    """Return a name lookup that resolves only loopback."""

    def known(host, *args, **kwargs):  # type: ignore[no-untyped-def]
        if host != "127.0.0.1":
            raise OSError("no names in tests")
        return lookup(host, *args, **kwargs)

    return known


class Hostile(unittest.TestCase):
    """Every response quickly results in a value or a KindexError."""

    GOOD = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nETag: \"e\"\r\n\r\n" % len(PAGE) + PAGE,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"dat\r\n%x\r\n" % (len(PAGE) - 5) + PAGE[5:] + b"\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(PAGE, mtime=0),
        b"HTTP/1.1 429 No\r\nRetry-After: 3\r\nContent-Type: application/problem+json\r\nContent-Length: 12\r\n\r\n{\"code\":\"c\"}",
        b"HTTP/1.1 301 Moved\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n",
    )
    ODD = (
        b"", b"\r\n", b"hello", b"HTTP/1.1", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/9.9 200 OK\r\n\r\n", b"HTTP/1.1 999 ?\r\n\r\n", b"HTTP/1.1 100 Go on\r\n\r\n" * 5,
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}", b"HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n\r\n{}", b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n{}", b"HTTP/1.1 200 OK\r\nA: " + b"b" * 70000 + b"\r\n\r\n{}", b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nETag: \xff\x00\r\n\r\n[]", b"HTTP/1.1 200 OK\r\n\r\n[]", b"HTTP/1.1 200 OK\r\n\r\n3", b"HTTP/1.1 200 OK\r\n\r\n\xff", b"HTTP/1.1 200 OK\r\n\r\n{\"data\":3}",
        b"HTTP/1.1 304 Not modified\r\n\r\n", b"HTTP/1.1 301 Moved\r\nLocation: http://\x00/\r\n\r\n", b"HTTP/1.1 404 No\r\nContent-Type: application/json\r\n\r\n[]",
        b"HTTP/1.1 400 No\r\nContent-Type: application/json\r\n\r\n{\"errors\":[3],\"code\":3,\"suggestion\":[],\"detail\":null}",
        b"HTTP/1.1 429 No\r\nX-RateLimit-Limit: a\r\nX-RateLimit-Remaining: 1\r\nX-RateLimit-Reset: 99999999999999999999\r\nRetry-After: Mon, 99 Foo\r\n\r\n",
    )

    def test_answers(self) -> None:
        chance = random.Random(6)
        answers = list(self.ODD)
        for _ in range(300):
            text = bytearray(chance.choice(self.GOOD))
            for _ in range(chance.randint(1, 4)):
                at = chance.randrange(len(text))
                text[at : at + chance.randint(0, 3)] = chance.choice([b"", b"\x00", b"\r\n", b"9", b"\xff", b":", b"{", bytes(text[at : at + 20])])
            answers.append(bytes(text))
        outcomes = set()
        with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
            todo = list(answers)

            def serve() -> None:
                while todo:
                    connection, _ = listener.accept()
                    with connection:
                        connection.settimeout(PATIENCE)
                        if not connection.recv(65536):
                            continue
                        for text in todo[:1]:
                            connection.sendall(text)

            server = threading.Thread(target=serve)
            server.start()
            url = "http://127.0.0.1:%d" % listener.getsockname()[1]
            patch = mock.patch("socket.getaddrinfo", no_names(socket.getaddrinfo))
            patch.start()
            self.addCleanup(patch.stop)
            for answer in answers:
                with kindex.Client(url, retries=0, timeout=60) as c:
                    try:
                        outcomes.add(type(list(c.iter_changes())).__name__)
                    except kindex.KindexError as e:
                        outcomes.add(type(e).__name__)
                        self.assertTrue(str(e))
                    except Exception as e:
                        raise AssertionError(f"{answer!r} raised {e!r}") from e
                todo.pop(0)
            with socket.create_connection(listener.getsockname()):
                pass
            server.join()
        self.assertNotIn("RequestTimeoutError", outcomes)  # every connection was closed
        self.assertLessEqual({"list", "NetworkError", "RateLimitedError", "BadRequestError", "NotFoundError"}, outcomes)


if __name__ == "__main__":
    unittest.main()
