"""Genuine and forged deliveries."""

import base64
import hashlib
import hmac
import json
import os
import time
import unittest
from typing import Any, Dict

import kindex
from support import conform


class Webhooks(unittest.TestCase):
    """Tests with a delivery from a running edge."""

    def setUp(self) -> None:
        with open(os.environ["KINDEX_DELIVERY"], encoding="utf-8") as f:
            delivery = json.load(f)
        self.headers: Dict[str, str] = delivery["headers"]
        self.body = base64.b64decode(delivery["body"])
        self.secret = os.environ["KINDEX_SECRET"]

    def test_genuine(self) -> None:
        event = kindex.verify_webhook(self.secret, self.headers, self.body)
        conform(event, kindex.types.WebhookEvent)
        self.assertEqual((event["event"], event["entity"], event["id"]), ("webhook.test", None, self.headers["webhook-id"]))
        shouted = {n.upper(): v for n, v in self.headers.items()}
        self.assertEqual(kindex.verify_webhook([self.secret, other_secret()], shouted, bytearray(self.body)), event)
        self.assertEqual(kindex.verify_webhook([other_secret(), self.secret], shouted, self.body), event)
        several = {**self.headers, "webhook-signature": "v2,xyz v1,AAAA v1,ü " + self.headers["webhook-signature"] + " v1a,b"}
        self.assertEqual(kindex.verify_webhook(self.secret, several, self.body), event)

    def refused(self, why: str, *, secret: Any = None, body: Any = None, now: Any = None, drop: str = "", **headers: str) -> None:
        fields = {**self.headers, **{n.replace("_", "-"): v for n, v in headers.items()}}
        fields.pop(drop, None)
        with self.assertRaisesRegex(kindex.WebhookVerificationError, why):
            kindex.verify_webhook(secret or self.secret, fields, self.body if body is None else body, now=now)

    def test_forged(self) -> None:
        self.refused("no signature matches", body=self.body.replace(b"webhook.test", b"entity.deleted"))
        self.refused("no signature matches", body=self.body + b" ")
        self.refused("no signature matches", body=b"")
        self.refused("no signature matches", secret=other_secret())
        self.refused("no signature matches", secret=[other_secret(), other_secret()])
        self.refused("no signature matches", webhook_id="evt_another")
        self.refused("no signature matches", webhook_timestamp=str(int(self.headers["webhook-timestamp"]) + 1))
        signature = self.headers["webhook-signature"]
        for wrong in ("v1,", "v1", ",", "v1,AAAA", signature[:-1], signature + "=", signature.replace("v1,", "v2,"), signature.replace("v1,", ""), "ü", signature.lower()):
            self.refused("no signature matches|there is no", webhook_signature=wrong)

    def test_old(self) -> None:
        sent = int(self.headers["webhook-timestamp"])
        for now in (sent + 301, sent - 301, sent + 10**9):
            self.refused("seconds old", now=now)
        for now in (sent + 299, sent - 299):
            kindex.verify_webhook(self.secret, self.headers, self.body, now=now)
        kindex.verify_webhook(self.secret, self.headers, self.body, now=sent + 3000, tolerance=3600)
        for wrong in ("", "soon", "-1", "1e9", "9" * 30, "٣", str(sent) + ".5", " " + str(sent)):
            self.refused("webhook-timestamp", webhook_timestamp=wrong)

    def test_invalid_times(self) -> None:
        old = {**self.headers, "webhook-timestamp": "1"}
        wrong: Any
        for wrong in (float("nan"), float("inf"), -float("inf"), -1.0, True, 10**400, "1"):
            for options in ({"now": wrong}, {"tolerance": wrong}):
                for headers in (self.headers, old):
                    with self.assertRaisesRegex(ValueError, f"{next(iter(options))} must be a finite number"):
                        kindex.verify_webhook(self.secret, headers, self.body, **options)

    def test_absent(self) -> None:
        for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
            self.refused(name, drop=name)
        self.refused("must be exactly one", Webhook_Id="evt_second")

    def test_no_event(self) -> None:
        for body in (b"", b"[]", b'"event"', b"{}", b"\xff", b"{"):
            now = str(int(time.time()))
            signed = b"evt_1." + now.encode() + b"." + body
            key = base64.b64decode(self.secret[len("whsec_") :])
            signature = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
            headers = {"webhook-id": "evt_1", "webhook-timestamp": now, "webhook-signature": signature}
            with self.assertRaisesRegex(kindex.WebhookVerificationError, "the body is not"):
                kindex.verify_webhook(self.secret, headers, body)

    def test_mistakes_of_the_program(self) -> None:
        for secret in ("", "whsec_", "whsec_?", "no base64!", [], None):
            with self.assertRaises(ValueError):
                kindex.verify_webhook(secret, self.headers, self.body)
        with self.assertRaises(ValueError) as caught:
            kindex.verify_webhook("whsec_verysecret!", self.headers, self.body)
        self.assertNotIn("verysecret", str(caught.exception))
        with self.assertRaises(TypeError):
            kindex.verify_webhook(self.secret, self.headers, self.body.decode())  # type: ignore[arg-type]


def other_secret() -> str:
    return "whsec_" + base64.b64encode(os.urandom(32)).decode()


class Tables(unittest.TestCase):
    def test_flatten(self) -> None:
        rows = kindex.flatten([
            {"slug": "a", "scores": {"composite": 1.5, "quality": None}, "links": {}, "tags": ["x"]},
            {"slug": "b", "scores": {"composite": 2}, "signals": {"stars": {"value": 3, "date": None}}},
        ])
        columns = ["slug", "scores.composite", "scores.quality", "tags", "signals.stars.value", "signals.stars.date"]
        self.assertEqual([list(r) for r in rows], [columns, columns])
        self.assertEqual([list(r.values()) for r in rows], [["a", 1.5, None, ["x"], None, None], ["b", 2, None, None, 3, None]])
        self.assertEqual(kindex.flatten([]), [])
        self.assertEqual(kindex.flatten_record({"a": {"b": {"c": 1}}}, "_"), {"a_b_c": 1})


if __name__ == "__main__":
    unittest.main()
