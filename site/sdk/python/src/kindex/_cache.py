"""A response cache. Each response is revalidated before it is used."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple, Optional, Tuple


class Kept(NamedTuple):
    """A cached response. The service returns 304 if it is still current."""

    etag: str
    headers: Tuple[Tuple[str, str], ...]
    body: bytes


class Cache:
    """Keeps the most recently used responses, up to a number of bytes. It is thread-safe."""

    def __init__(self, size: int) -> None:
        """Create an empty cache of at most ``size`` bytes; with 0, nothing is cached."""
        self._size = size
        self._used = 0
        self._lock = threading.Lock()
        self._kept: "OrderedDict[Tuple[str, str], Kept]" = OrderedDict()

    def get(self, key: Tuple[str, str]) -> Optional[Kept]:
        """Return the response cached under a key, or None if there is none."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
            return kept

    def put(self, key: Tuple[str, str], kept: Kept) -> None:
        """Cache a response, and evict the least recently used responses if there is no space."""
        if len(kept.body) > self._size // 4:
            return  # it would evict too many other responses
        with self._lock:
            self._drop(key)
            self._kept[key] = kept
            self._used += _weight(kept)
            while self._used > self._size:
                self._drop(next(iter(self._kept)))

    def clear(self) -> None:
        """Remove all responses."""
        with self._lock:
            self._kept.clear()
            self._used = 0

    def _drop(self, key: Tuple[str, str]) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._used -= _weight(kept)


def _weight(kept: Kept) -> int:
    """Return approximately how much memory a response uses, in bytes."""
    return len(kept.body) + sum(len(n) + len(v) + 150 for n, v in kept.headers) + 500
