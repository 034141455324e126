"""Reaching the rate limit, and waiting for the next day of an edge whose day ends soon."""

import os
import time
import unittest

import kindex

LIMITED = os.environ["KINDEX_LIMITED"]  # three requests a day; the day ends after the second refusal


class Limits(unittest.TestCase):
    def test_wait(self) -> None:
        with kindex.Client(LIMITED) as c:
            for left in (2, 1, 0):
                c.list_categories()
                c.clear_cache()
                assert c.rate_limit is not None
                self.assertEqual((c.rate_limit.limit, c.rate_limit.remaining, c.rate_limit.tier), (3, left, "anonymous"))
            began = time.monotonic()
            with self.assertRaises(kindex.RateLimitedError) as caught:
                c.with_options(max_wait=0).list_categories()
            e = caught.exception
            assert e.retry_after is not None
            self.assertTrue(0 < e.retry_after < 30, e.retry_after)
            self.assertEqual((e.status, e.code), (429, "rate-limited"))
            self.assertTrue(c.list_categories()["data"])  # on the next day
            self.assertGreaterEqual(time.monotonic() - began, e.retry_after - 1)


if __name__ == "__main__":
    unittest.main()
