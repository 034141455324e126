"""Errors from a running service, redirects to new slugs, and cached responses."""

import datetime
import pickle
import unittest

import kindex
from support import URL, Server, client


class Errors(unittest.TestCase):
    def setUp(self) -> None:
        self.client = client()
        self.addCleanup(self.client.close)

    def test_wrong_value(self) -> None:
        with self.assertRaises(kindex.BadRequestError) as caught:
            self.client.list_entities(limit=5000)
        e = caught.exception
        self.assertEqual((e.status, e.code, e.suggestion), (400, "invalid-parameter", "1000"))
        self.assertEqual(e.errors[0]["field"], "limit")
        self.assertRegex(str(e), r'^400 invalid-parameter: limit: "5000" is not .* Did you mean 1000\? \[request \w+\]$')
        self.assertTrue(e.request_id and e.request_id in str(e))
        self.assertEqual(e.problem["instance"], "/api/entities")

    def test_unknown(self) -> None:
        with self.assertRaises(kindex.NotFoundError) as caught:
            self.client.get_entity("tool", "pytorhc")
        self.assertEqual(caught.exception.suggestion, "/api/entity/tool/pytorch")
        with self.assertRaises(kindex.NotFoundError) as caught:
            self.client.get_entity("tool", "pytorch", at="2001-01-01")
        self.assertEqual(caught.exception.code, "no-history")
        with self.assertRaises(kindex.BadRequestError) as wrong:
            self.client.request("GET", "/api/entities", {"limt": 3})
        self.assertEqual(wrong.exception.suggestion, "limit")
        with self.assertRaises(kindex.ApiError) as other:
            self.client.request("POST", "/api/categories")
        self.assertEqual((type(other.exception), other.exception.status), (kindex.ApiError, 405))

    def test_deleted(self) -> None:
        with self.assertRaises(kindex.GoneError) as caught:
            self.client.get_entity("tool", "agate")
        self.assertEqual(caught.exception.code, "deleted-entity")
        with self.assertRaises(kindex.GoneError) as badge:
            self.client.get_badge("tool", "agate")
        self.assertEqual((badge.exception.code, str(badge.exception)[:3]), ("", "410"))

    def test_renamed(self) -> None:
        self.assertEqual(self.client.get_entity("tool", "tensorlayer")["slug"], "tensor-layer")
        self.assertTrue(self.client.list_entity_changes("tool", "tensorlayer")["data"])

    def test_key(self) -> None:
        for key in ("wrong", "kx_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL"):
            with kindex.Client(URL, key) as c, self.assertRaises(kindex.UnauthorizedError) as caught:
                c.list_categories()
            self.assertNotIn(key, str(caught.exception) + repr(c) + repr(caught.exception.args))
        with kindex.Client(URL) as c, self.assertRaises(kindex.UnauthorizedError):
            c.list_api_keys()
        for key in ("", "a b\n", "ü", " kx"):
            with self.assertRaises(ValueError):
                kindex.Client(URL, key)

    def test_writes(self) -> None:
        fields = {"type": "tool", "name": "Nothing", "description": "", "category": "ml-framework", "url": "https://n.example/"}
        with self.assertRaises(kindex.BadRequestError) as caught:
            self.client.submit_entity(fields)  # type: ignore[arg-type]
        self.assertEqual({e["field"] for e in caught.exception.errors}, {"description", "category"})
        with self.assertRaises(kindex.ConflictError) as there:
            self.client.submit_entity({**fields, "name": "PyTorch", "slug": "pytorch", "description": "It is.", "category": "ml-frameworks"})  # type: ignore[arg-type]
        self.assertEqual(there.exception.code, "already-exists")
        made = self.client.create_api_key("one", idempotency_key="only-once")
        with self.assertRaises(kindex.ConflictError) as once:
            self.client.create_api_key("one", idempotency_key="only-once")
        self.assertEqual(once.exception.code, "secret-shown-once")
        with self.assertRaises(kindex.BadRequestError):
            self.client.create_api_key("two", idempotency_key="only-once")
        self.client.revoke_api_key(made["id"])
        with self.assertRaises(kindex.NotFoundError):
            self.client.revoke_api_key(made["id"])

    def test_wrong_arguments(self) -> None:
        for wrong in ("", ".", ".."):
            with self.assertRaises(ValueError):
                self.client.get_entity("tool", wrong)
        for path in ("/a", "a//b", "../b", ""):
            with self.assertRaises(ValueError):
                self.client.get_data_file("20260101-0000000000000000", path)
        with self.assertRaises(TypeError):
            self.client.get_entity("tool", 3)  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            self.client.list_changes(since=datetime.datetime(2026, 1, 1))
        with self.assertRaises(ValueError):
            self.client.list_entities(tag=[])
        with self.assertRaises(ValueError):
            self.client.list_entities(fields=[])
        with self.assertRaises(TypeError):
            self.client.list_entities(tag=True)  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            self.client.list_entities(limt=3)  # type: ignore[call-arg]
        for url in ("index.example.org", "ftp://h", "http://", "http://h/?a", "http://h/#a", "http://name:pw123@h/", "http://h:99999"):
            with self.assertRaises(ValueError) as caught:
                kindex.Client(url)
            self.assertNotIn("pw123", str(caught.exception))
        for options in ({"timeout": 0}, {"retries": -1}, {"max_wait": -1}, {"cache_size": -1}, {"user_agent": "a\nb"}):
            with self.assertRaises(ValueError):
                kindex.Client(URL, **options)  # type: ignore[arg-type]

    def test_names_that_the_index_declares(self) -> None:
        """Kinds, fields and filters that the package does not know need no new version of it."""
        page = b'{"data":[{"slug":"celadon","surface":"matte"}],"count":1,"nextCursor":null,"build":"b"}'
        with Server(lambda h, n: h.say(body=page)) as s, kindex.Client(s.url) as c:
            found = c.list_entities(
                type=kindex.Name("glaze"), open_weights=True, sort=kindex.Name("signal.firings"), fields=["slug", kindex.Name("surface")],
                extra={"surface": ["matte", "gloss"], "foodSafe": True, "minFirings": 3},
            )
            self.assertEqual(found["data"][0].get("surface"), "matte")
            c.get_entity(kindex.Name("glaze"), "celadon", extra={"lang": "en"})
            self.assertEqual([path for _, path, _, _ in s.seen], [
                "/api/entities?type=glaze&openWeights=true&sort=signal.firings&fields=slug%2Csurface&surface=matte&surface=gloss&foodSafe=true&minFirings=3",
                "/api/entity/glaze/celadon?lang=en",
            ])
        known = self.client.list_entities(open_weights=[True, "false"], limit=1)["count"]
        self.assertEqual(known, self.client.list_entities(extra={"openWeights": ["true", "false"]}, limit=1)["count"])
        with self.assertRaises(kindex.BadRequestError) as caught:
            self.client.list_entities(extra={"tagg": "python"})
        self.assertEqual(caught.exception.suggestion, "tag")

    def test_slugs_are_escaped(self) -> None:
        for slug in ("a/b", "a b", "ä", "a?b=c", "a%2fb", "a#b", "a\nb"):
            with self.assertRaises(kindex.NotFoundError) as caught:
                self.client.get_entity("tool", slug)
            self.assertIn(caught.exception.code, ("unknown-entity", "not-found"))

    def test_errors_survive_pickling(self) -> None:
        with self.assertRaises(kindex.NotFoundError) as caught:
            self.client.get_entity("tool", "pytorhc")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((type(again), str(again), again.request_id), (kindex.NotFoundError, str(caught.exception), caught.exception.request_id))

    def test_confirmed_answers_cost_nothing(self) -> None:
        first = self.client.request("GET", "/api/entity/tool/pytorch")
        before = self.client.rate_limit
        again = self.client.request("GET", "/api/entity/tool/pytorch")
        assert before is not None and self.client.rate_limit is not None
        self.assertEqual((first.from_cache, again.from_cache), (False, True))
        self.assertEqual((again.status, again.content, again.headers["ETag"]), (200, first.content, first.headers["ETag"]))
        self.assertEqual(self.client.rate_limit.remaining, before.remaining)
        self.assertEqual((before.tier, before.limit), ("authenticated", 100_000))
        self.assertGreater(before.reset, datetime.datetime.now(datetime.timezone.utc))
        one = self.client.get_entity("tool", "pytorch")
        one["name"] = "changed"  # the caller can modify the result
        self.assertEqual(self.client.get_entity("tool", "pytorch")["name"], "PyTorch")
        self.client.clear_cache()
        self.assertFalse(self.client.request("GET", "/api/entity/tool/pytorch").from_cache)
        with client(cache_size=0) as c:
            c.get_entity("tool", "pytorch")
            self.assertFalse(c.request("GET", "/api/entity/tool/pytorch", headers={"Accept": "application/json"}).from_cache)
        self.client.list_api_keys()  # private responses are not cached
        self.assertFalse(self.client.request("GET", "/api/developer/api-keys", headers={"Accept": "application/json"}).from_cache)


if __name__ == "__main__":
    unittest.main()
