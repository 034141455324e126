"""Exports as streams and as files: early ends, broken connections and partial files."""

import gzip
import hashlib
import json
import os
import tempfile
import threading
import unittest
from typing import Any

import kindex
from support import PATIENCE, Handler, Server, client

CUT = os.environ["KINDEX_CUT"]  # breaks the first two downloads of each path


class Streams(unittest.TestCase):
    def endless(self) -> Any:
        """Return a handler that sends until the client disconnects, and its record of what happened."""
        note: Any = {"sent": 0, "gone": threading.Event()}

        def answer(h: Handler, n: int) -> None:
            h.send_response(200)
            h.send_header("Transfer-Encoding", "chunked")
            h.send_header("X-Build", "b")
            h.end_headers()
            lines = b"".join(b'{"n":%d,"text":"%s"}\n' % (i, b"x" * 50) for i in range(1000))
            try:
                while note["sent"] < 1 << 28:
                    h.wfile.write(b"%x\r\n%s\r\n" % (len(lines), lines))
                    note["sent"] += len(lines)
            except OSError:
                pass
            note["gone"].set()
            h.close_connection = True

        return answer, note

    def test_early_end(self) -> None:
        for leave in ("break", "with", "close", "drop"):
            answer, note = self.endless()
            with Server(answer) as s, kindex.Client(s.url) as c:
                if leave == "break":
                    for row in c.stream_entities():
                        if row["n"] == 5:  # type: ignore[typeddict-item]
                            break
                elif leave == "with":
                    with c.stream_entities() as rows:
                        next(rows)
                elif leave == "close":
                    rows = c.stream_entities()
                    next(rows)
                    rows.close()
                    self.assertEqual(list(rows), [])
                else:
                    c.stream_entities()
                self.assertTrue(note["gone"].wait(5), leave)
                self.assertLess(note["sent"], 20_000_000, "more was read than needed")

    def test_whole_stream_frees_the_connection(self) -> None:
        with client() as c:
            rows = c.stream_entities()
            self.assertTrue(rows.build)
            count = sum(1 for _ in rows)
            self.assertEqual(count, c.list_entities(limit=1)["count"])
            self.assertEqual(len(c._session._pool._idle), 1)

    def test_broken(self) -> None:
        """Complete records are returned, then the error; never an incomplete line or a silent end."""
        body = b'{"n":1}\n{"n":2}\n{"n":'
        for headers in ({"Content_Length": "100"}, {"Content_Encoding": "gzip"}):
            sent = gzip.compress(body)[:-8] if "Content_Encoding" in headers else body
            with Server(lambda h, n: (h.say(200, sent, **headers), h.cut())) as s, kindex.Client(s.url, retries=0) as c:
                rows = c.stream_entities()
                self.assertEqual([next(rows)["n"], next(rows)["n"]], [1, 2])  # type: ignore[typeddict-item]
                for _ in range(2):  # the error is not followed by an end
                    with self.assertRaises(kindex.NetworkError):
                        next(rows)
        with Server(lambda h, n: h.say(200, b'{"n":1}\nnot json\n')) as s, kindex.Client(s.url) as c, self.assertRaises(kindex.NetworkError):
            list(c.stream_entities())

    def test_broken_between_chunks(self) -> None:
        """A response without a length that ends after a complete chunk is incomplete too."""
        for sent in (b'8\r\n{"n":1}\n\r\n', b'8\r\n{"n":1}\n\r\n8\r\n{"n"'):

            def answer(h: Handler, n: int) -> None:
                h.send_response(200)
                h.send_header("Transfer-Encoding", "chunked")
                h.end_headers()
                h.wfile.write(sent)
                h.cut()

            with Server(answer) as s, kindex.Client(s.url, retries=0) as c:
                rows = c.stream_entities()
                self.assertEqual(next(rows)["n"], 1)  # type: ignore[typeddict-item]
                with self.assertRaises(kindex.NetworkError):
                    next(rows)
                with self.assertRaises(kindex.NetworkError):
                    c.export_entities()

    def test_records_come_when_they_are_sent(self) -> None:
        """Records are returned as they arrive, not in large batches."""
        go_on = threading.Event()

        def answer(h: Handler, n: int) -> None:
            h.say(200, b'{"n":1}\n', Content_Length="16")
            go_on.wait(PATIENCE)
            h.wfile.write(b'{"n":2}\n')

        with Server(answer) as s, kindex.Client(s.url, timeout=60) as c, c.stream_entities() as rows:
            self.assertEqual(next(rows)["n"], 1)  # type: ignore[typeddict-item]
            go_on.set()
            self.assertEqual([r["n"] for r in rows], [2])  # type: ignore[typeddict-item]

    def test_gzip_of_several_members(self) -> None:
        body = gzip.compress(b'{"n":1}\n{"n"') + gzip.compress(b":2}\n")
        with Server(lambda h, n: h.say(200, body, Content_Encoding="gzip")) as s, kindex.Client(s.url) as c:
            self.assertEqual([r["n"] for r in c.stream_entities()], [1, 2])  # type: ignore[typeddict-item]

    def test_errors_come_first(self) -> None:
        with client() as c, self.assertRaises(kindex.BadRequestError):
            c.stream_entities(type="toll")  # type: ignore[arg-type]


class Downloads(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.to = os.path.join(folder.name, "entities.jsonl")

    def names(self) -> Any:
        return sorted(os.listdir(os.path.dirname(self.to)))

    def test_broken_within_a_call(self) -> None:
        with kindex.Client(CUT) as c:
            got = c.download_entities(self.to, format="jsonl")
            self.assertTrue(got.resumed and got.checked)
            whole = c.export_entities(format="jsonl")
        with open(self.to, "rb") as f:
            self.assertEqual(f.read(), whole)
        self.assertEqual((got.sha256, got.size), (hashlib.sha256(whole).hexdigest(), len(whole)))
        self.assertEqual(self.names(), ["entities.jsonl"])

    def test_broken_between_calls(self) -> None:
        with kindex.Client(CUT) as c:
            manifest = c.get_manifest()
            file = next(f for f in manifest["files"] if f["path"] == "entities.json")
            asked = (manifest["id"], file["path"], self.to)
            for n in (1, 2):
                with self.assertRaises(kindex.NetworkError):
                    c.with_options(retries=0).download_data_file(*asked, sha256=file["sha256"])
                self.assertEqual(os.path.getsize(self.to + ".part"), n * 50_000)
                self.assertEqual(self.names(), ["entities.jsonl.part", "entities.jsonl.part.json"])
            got = c.download_data_file(*asked, sha256=file["sha256"])
        self.assertEqual((got.size, got.sha256, got.resumed), (file["size"], file["sha256"], True))
        self.assertEqual(self.names(), ["entities.jsonl"])

    def test_broken_without_a_length(self) -> None:
        """A filtered export has no length or digest; an incomplete one must not become the file."""
        with kindex.Client(CUT) as c:
            got = c.download_changelog(self.to, format="jsonl", type="tool")
            whole = c.export_changelog(format="jsonl", type="tool")
        self.assertEqual((got.size, got.sha256), (len(whole), hashlib.sha256(whole).hexdigest()))

    def test_another_file_meanwhile(self) -> None:
        """A partial file is never continued with a different file, because of If-Range."""
        files = [b"a" * 100, b"b" * 120]

        def answer(h: Handler, n: int) -> None:
            if n == 1:
                h.say(200, files[0][:50], Content_Length="100", Accept_Ranges="bytes", ETag='"a"')
                h.cut()
            else:
                self.assertEqual((h.headers["Range"], h.headers["If-Range"]), ("bytes=50-", '"a"'))
                h.say(200, files[1], Accept_Ranges="bytes", ETag='"b"')

        with Server(answer) as s, kindex.Client(s.url) as c:
            got = c.download_entities(self.to)
        with open(self.to, "rb") as f:
            self.assertEqual((f.read(), got.resumed, got.checked), (files[1], False, False))

    def test_parts_that_do_not_fit(self) -> None:
        for status, headers in ((206, {"Content_Range": "bytes 40-99/100"}), (206, {}), (416, {"Content_Range": "bytes */30"})):

            def answer(h: Handler, n: int) -> None:
                if n == 1:
                    h.say(200, b"a" * 50, Content_Length="100", Accept_Ranges="bytes", ETag='"a"')
                    h.cut()
                elif n == 2:
                    h.say(status, b"", **headers)
                else:
                    self.assertNotIn("Range", h.headers)
                    h.say(200, b"a" * 100, Accept_Ranges="bytes", ETag='"a"')

            with Server(answer) as s, kindex.Client(s.url) as c:
                if status == 206:
                    with self.assertRaises(kindex.NetworkError):
                        c.download_entities(self.to)
                self.assertEqual(c.download_entities(self.to).size, 100)

    def test_altered(self) -> None:
        digest = "sha-256=:" + "A" * 43 + "=:"
        with Server(lambda h, n: h.say(200, b"abc", ETag='"a"', Accept_Ranges="bytes", Repr_Digest=digest)) as s, kindex.Client(s.url) as c:
            with open(self.to, "w") as f:
                f.write("before")
            with self.assertRaises(kindex.IntegrityError):
                c.download_entities(self.to)
            with self.assertRaises(kindex.IntegrityError):
                c.download_data_file("b", "f", self.to, sha256="00" * 32)
            with open(self.to) as f:
                self.assertEqual(f.read(), "before")  # the existing file is kept
            self.assertEqual(self.names(), ["entities.jsonl"])

    def test_notes_that_cannot_be_read(self) -> None:
        for note in ("", "[]", "{}", '{"path": 3, "etag": "x"}', json.dumps({"path": "/api/other", "etag": '"a"'})):
            with open(self.to + ".part.json", "w") as f, open(self.to + ".part", "w") as g:
                f.write(note)
                g.write("something else")
            with Server(lambda h, n: h.say(200, b"abc")) as s, kindex.Client(s.url) as c:
                self.assertEqual(c.download_entities(self.to).size, 3)
                self.assertNotIn("Range", s.seen[0][2])
            self.assertEqual(self.names(), ["entities.jsonl"])

    def test_no_such_folder(self) -> None:
        with client() as c, self.assertRaises(FileNotFoundError):
            c.download_entities(os.path.join(self.to, "nowhere"))


if __name__ == "__main__":
    unittest.main()
