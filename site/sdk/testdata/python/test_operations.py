"""Every operation, with both clients; the results must match their types."""

import asyncio
import datetime
import inspect
import json
import os
import tempfile
import typing
import unittest
import xml.etree.ElementTree
from typing import Any

import kindex
from support import KEY, URL, conform

TODAY = datetime.date(2026, 11, 21)  # edgetest.Today


class Blocking:
    """Calls methods of the blocking client."""

    def __init__(self) -> None:
        self.client = kindex.Client(URL, KEY)

    def do(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        result = getattr(self.client, name)(*args, **kwargs)
        return list(result) if hasattr(result, "__next__") else result

    def close(self) -> None:
        self.client.close()


class Asynchronous:
    """Calls methods of the asynchronous client."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.client = kindex.AsyncClient(URL, KEY)

    def do(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        async def call() -> Any:
            result = getattr(self.client, name)(*args, **kwargs)
            if hasattr(result, "__anext__"):
                return [item async for item in result]
            return await result

        return self.loop.run_until_complete(call())

    def close(self) -> None:
        self.loop.run_until_complete(self.client.aclose())
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()


class Operations(unittest.TestCase):
    caller: Any = Blocking

    def setUp(self) -> None:
        self.by = self.caller()
        self.addCleanup(self.by.close)

    def do(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call a method and compare the result with its type."""
        result = self.by.do(name, *args, **kwargs)
        hint = typing.get_type_hints(getattr(kindex.Client, name))["return"]
        if isinstance(result, list):
            hint = typing.List[typing.get_args(hint)[0]]  # type: ignore[misc]
        if hint not in (type(None), bytes, str, kindex.Downloaded):
            conform(result, hint, name, "fields" in kwargs)
        return result

    def test_entities(self) -> None:
        page = self.do("list_entities", type="tool", category=["ml-frameworks", "speech-audio"], min_score=40, sort="name", order="asc", limit=5)
        self.assertEqual(page["data"], sorted(page["data"], key=lambda e: e["name"].casefold()))
        self.assertEqual(len(page["data"]), 5)
        narrow = self.do("list_entities", fields=["slug", "composite"], at=TODAY, limit=2)
        self.assertEqual({k for e in narrow["data"] for k in e}, {"slug", "scores"})
        self.assertEqual(narrow["asOf"], TODAY.isoformat())
        both = self.do("list_entities", tag="python,deep-learning", limit=100)
        self.assertTrue(both["data"] and all({"python", "deep-learning"} <= set(e["tags"]) for e in both["data"]))
        entity = self.do("get_entity", "tool", "pytorch")
        self.assertEqual(entity["name"], "PyTorch")
        self.assertEqual(self.do("get_entity", type="tool", slug="pytorch", at=TODAY)["slug"], "pytorch")
        self.assertIn("# PyTorch", self.do("get_entity_markdown", "tool", "pytorch"))
        changes = self.do("list_entity_changes", "tool", "tensorlayer")
        self.assertEqual(changes["count"], len(self.do("iter_entity_changes", "tool", "tensorlayer", page_size=1)))
        score = self.do("get_entity_score", "tool", "pytorch")
        self.assertEqual(score["composite"], entity["scores"]["composite"])
        self.assertEqual(len(self.do("list_similar_entities", "tool", "pytorch", limit=3)["data"]), 3)

    def test_paging_to_the_end(self) -> None:
        first = self.do("list_entities", limit=1)
        everything = self.do("iter_entities", page_size=100)
        self.assertEqual(len(everything), first["count"])
        self.assertEqual(len({(e["type"], e["slug"]) for e in everything}), first["count"])
        pages = self.by.do("pages", self.by.client.list_entities, offset=10, limit=100, fields=["slug"])
        self.assertEqual([e["slug"] for p in pages for e in p["data"]], [e["slug"] for e in everything[10:]])
        rest = self.do("iter_entities", cursor=first["nextCursor"])
        self.assertEqual([e["slug"] for e in rest], [e["slug"] for e in everything[1:]])

    def test_search(self) -> None:
        found = self.do("search_entities", "pytrch", facets=["type", "category"], limit=3)
        self.assertEqual(found["data"][0]["slug"], "pytorch")
        self.assertIn("<mark>", found["data"][0]["highlights"]["name"])
        self.assertTrue(found["facets"]["type"])
        self.assertEqual(len(self.do("iter_search", "pytorch", page_size=50, fields=["slug"])), self.do("search_entities", q="pytorch")["count"])
        self.assertTrue(self.do("suggest_entities", "py", type="tool", limit=2)["data"])

    def test_leaderboards(self) -> None:
        board = self.do("get_leaderboard", "ml-frameworks", by="adoption", type="tool")
        self.assertEqual([e["rank"] for e in board["data"]], list(range(1, len(board["data"]) + 1)))
        self.assertEqual(len(self.do("iter_leaderboard", "all")), self.do("get_leaderboard", "all", limit=1)["count"])
        self.assertEqual(self.do("list_trending", window="30d", type=["tool"], limit=5)["window"], "30d")
        self.assertTrue(self.do("list_categories")["data"])
        self.assertTrue(self.do("list_kinds")["data"])
        self.assertIn("data", self.do("list_relations", "tool", "pytorch"))
        self.assertIn("count", self.do("list_boards")["data"][0])

    def test_history(self) -> None:
        since = datetime.datetime.combine(TODAY, datetime.time(), datetime.timezone.utc) - datetime.timedelta(days=3)
        changes = self.do("list_changes", since=since, event=["entity.updated"], type="tool", field="category", limit=1)
        self.assertEqual(changes["data"][0]["entity"]["slug"], "tensorlayer")
        self.assertEqual(len(self.do("iter_changes", since=since)), self.do("list_changes", since=since, limit=1)["count"])
        for format in ("rss", "atom"):
            xml.etree.ElementTree.fromstring(self.do("get_feed", format=format, type="tool"))
        feed = self.do("get_feed", format="json", entity="tool/pytorch")
        self.assertEqual(feed["version"], "https://jsonfeed.org/version/1.1")

    def test_exports(self) -> None:
        count = self.do("list_entities", limit=1)["count"]
        self.assertEqual(len(json.loads(self.do("export_entities"))), count)
        self.assertEqual(self.do("export_entities", format="parquet")[:4], b"PAR1")
        rows = self.do("stream_entities", type="model", fields=["slug", "composite"])
        self.assertEqual({k for r in rows for k in r}, {"slug", "composite"})
        self.assertEqual(len(self.do("stream_entities")), count)
        board = self.do("stream_leaderboard", category="speech-audio")
        self.assertEqual(self.do("export_leaderboard", category="speech-audio", format="csv").count(b"\n"), len(board) + 1)
        self.assertEqual(len(json.loads(self.do("export_changelog"))), len(self.do("stream_changelog")))
        month = self.do("get_changes_of_month", "2026-11")
        self.assertGreaterEqual(month["counts"]["created"], month["added"]["count"])
        self.assertIn("tool", [g["type"] for g in self.do("get_quality")["groups"]])
        croissant = self.do("get_croissant")
        self.assertEqual(croissant["@type"], "sc:Dataset")
        with tempfile.TemporaryDirectory() as folder:
            to = os.path.join(folder, "file")
            for name in ("download_entities", "download_leaderboard", "download_changelog"):
                got = self.do(name, to, format="csv")
                self.assertEqual(os.path.getsize(to), got.size)
            manifest = self.do("get_manifest")
            for f in [f for f in manifest["files"] if f["size"] < 100_000][:5]:
                got = self.do("download_data_file", manifest["id"], f["path"], to, sha256=f["sha256"])
                self.assertEqual((got.size, got.sha256, got.checked, got.build), (f["size"], f["sha256"], True, manifest["id"]))
            self.assertEqual(len(self.do("get_data_file", manifest["id"], f["path"])), f["size"])
            self.assertEqual(os.listdir(folder), ["file"])

    def test_prices(self) -> None:
        offers = self.do("list_offers", model="gpt-5", sort="input")
        self.assertTrue(offers["data"] and all(o["slug"] == "gpt-5" for o in offers["data"]))
        costs = self.do("get_cost", model="gpt-5", input=1_000_000, output=1000, provider="openai")
        self.assertEqual([c["provider"] for c in costs["data"]], ["openai"])
        self.assertGreater(costs["data"][0]["cost"], 0)

    def test_identifiers(self) -> None:
        self.assertEqual(self.do("resolve", id="pkg:pypi/torch@2.1.0")["data"][0]["matches"][0]["slug"], "pytorch")
        batch = self.do("resolve_batch", ["tool/pytorch", "pypi:no-such-package"])
        self.assertEqual([len(r["matches"]) for r in batch["data"]], [1, 0])

    def test_figures_over_time(self) -> None:
        points = self.do("list_entity_signals", "tool", "pytorch", name="stars")
        self.assertTrue(points["data"] and all(p["name"] == "stars" for p in points["data"]))
        self.assertTrue(self.do("get_calendar", type="model").startswith(b"BEGIN:VCALENDAR"))

    def test_long_tables(self) -> None:
        for table, has in (("signals", "stars"), ("benchmarks", "Aider Polyglot"), ("offers", "openai"), ("ids", "pypi")):
            self.assertIn(has, str(json.loads(self.do("export_" + table, format="json"))))
        rows = json.loads(self.do("export_entities", type="model", fields="all", format="json"))
        self.assertTrue(any(r["priceBlended"] is not None and r["rank"] is not None for r in rows))

    def test_service(self) -> None:
        description = self.do("get_openapi")
        self.assertEqual(description["info"]["version"], kindex.__version__)
        self.assertTrue(self.do("get_openapi", format="yaml").startswith("openapi: 3.0.3"))
        python = self.do("get_python_sdk")
        self.assertEqual(python, self.do("get_python_sdk_version", f"kindex-{kindex.__version__}.tar.gz"))
        self.assertEqual(self.do("get_typescript_sdk"), self.do("get_typescript_sdk_version", f"{kindex.__version__}.tgz"))
        self.assertIn("<svg", self.do("get_badge", "tool", "pytorch", show="rank", label="AI"))

    def test_keys(self) -> None:
        made = self.do("create_api_key", "for a test")
        self.assertEqual(len(self.do("list_api_keys")["data"]), 2)
        self.do("revoke_api_key", made["id"])
        self.assertEqual(len(self.do("list_api_keys")["data"]), 1)
        limited = self.do("create_api_key", "limited", scopes=("read",), expires_at="2028-01-01T00:00:00Z")
        self.assertEqual((limited["scopes"], limited["expiresAt"]), (["read"], "2028-01-01T00:00:00Z"))
        self.do("revoke_leaked_key", limited["key"])
        self.assertEqual(len(self.do("list_api_keys")["data"]), 1)
        actions = [e["action"] for e in self.do("list_audit_log", limit=2)["data"]]
        self.assertEqual(actions, ["key.reported", "key.created"])
        self.assertIn(limited["id"], [e["target"] for e in self.do("iter_audit_log", page_size=2)])

    def test_submissions(self) -> None:
        name = "Fine tool " + self.caller.__name__
        fields = {"type": "tool", "name": name, "description": "Fits models to small data.", "category": "ml-frameworks",
                  "url": f"https://{self.caller.__name__.lower()}.example/", "tags": ["small-data"]}
        made = self.do("submit_entity", fields, idempotency_key=name.replace(" ", "-"))
        again = self.do("submit_entity", fields, idempotency_key=name.replace(" ", "-"))
        self.assertEqual(made["id"], again["id"])
        self.assertEqual(self.do("get_submission", made["id"])["entity"]["name"], name)
        self.assertIn(made["id"], [s["id"] for s in self.do("iter_submissions", status="pending", page_size=1)])
        self.assertIn(made["id"], [s["id"] for s in self.do("list_submissions", limit=5)["data"]])
        self.assertIsNone(self.do("withdraw_submission", made["id"]))
        self.assertEqual(self.do("get_submission", made["id"])["status"], "withdrawn")

    def test_webhooks(self) -> None:
        made = self.do("create_webhook", "https://8.8.8.8/hook", ["entity.created", "entity.updated"])
        self.assertTrue(made["secret"].startswith("whsec_"))
        self.assertIn(made["id"], [w["id"] for w in self.do("list_webhooks")["data"]])
        self.assertTrue(self.do("get_webhook", made["id"])["active"])
        delivery = self.do("test_webhook", made["id"])
        self.assertEqual(delivery["event"], "webhook.test")
        self.assertEqual(self.do("replay_delivery", made["id"], delivery["id"])["kind"], "replay")
        self.assertEqual(len(self.do("list_deliveries", made["id"], limit=10)["data"]), 2)
        self.assertEqual(len(self.do("iter_deliveries", made["id"], page_size=1)), 2)
        self.assertNotEqual(self.do("rotate_webhook", made["id"])["secret"], made["secret"])
        self.do("delete_webhook", made["id"])
        with self.assertRaises(kindex.NotFoundError):
            self.do("get_webhook", made["id"])


class AsynchronousOperations(Operations):
    caller = Asynchronous


class Interface(unittest.TestCase):
    """There is a documented method for every operation of the API, with all of its parameters."""

    def test_parameters(self) -> None:
        with kindex.Client(URL, KEY) as c:
            description = c.get_openapi()
        shared = description["components"]["parameters"]  # type: ignore[typeddict-item]
        seen = 0
        for item in description["paths"].values():
            for operation in [o for o in item.values() if isinstance(o, dict) and "operationId" in o]:
                seen += 1
                name = "".join("_" + c.lower() if c.isupper() else c for c in operation["operationId"])
                for cls in (kindex.Client, kindex.AsyncClient):
                    known = inspect.signature(getattr(cls, name)).parameters
                    for p in operation.get("parameters", []):
                        p = shared[p["$ref"].rsplit("/", 1)[1]] if "$ref" in p else p
                        parameter = "".join("_" + c.lower() if c.isupper() else c for c in p["name"])
                        if p["in"] != "header":
                            self.assertIn(parameter, known, f"{name} of {cls.__name__}")
        self.assertGreater(seen, 30)

    def test_both_clients_are_alike(self) -> None:
        for method, function in vars(kindex.Client).items():
            if not method.startswith("_"):
                other = getattr(kindex.AsyncClient, method)
                self.assertEqual(list(inspect.signature(function).parameters.values()), list(inspect.signature(other).parameters.values()), method)
                self.assertEqual(function.__doc__, other.__doc__)

    def test_everything_is_explained(self) -> None:
        for name in kindex.__all__:
            thing = getattr(kindex, name)
            if not inspect.isclass(thing) and not inspect.isfunction(thing):
                continue
            self.assertTrue(thing.__doc__, name)
            for method, function in inspect.getmembers(thing, inspect.isfunction):
                if not method.startswith("_") and (function.__module__ or "").startswith("kindex"):
                    self.assertGreater(len(function.__doc__ or ""), 20, f"{name}.{method}")


if __name__ == "__main__":
    unittest.main()
