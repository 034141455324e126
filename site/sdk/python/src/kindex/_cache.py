"""Answers that are kept, to be asked for again at no cost."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple, Optional, Tuple

__all__ = ["Cache", "Kept"]


class Kept(NamedTuple):
    """An answer that the service may confirm with 304."""

    etag: str
    headers: Tuple[Tuple[str, str], ...]
    body: bytes


class Cache:
    """The answers used last, up to a number of bytes. Threads may share it."""

    def __init__(self, size: int) -> None:
        """Make an empty cache of so many bytes; 0 keeps nothing."""
        self._size = size
        self._used = 0
        self._lock = threading.Lock()
        self._kept: "OrderedDict[Tuple[str, str], Kept]" = OrderedDict()

    def get(self, key: Tuple[str, str]) -> Optional[Kept]:
        """Return what is kept under a key, None for nothing."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
            return kept

    def put(self, key: Tuple[str, str], kept: Kept) -> None:
        """Keep an answer, in the place of those that were not used for longest."""
        if len(kept.body) > self._size // 4:
            return  # it would drive out everything else
        with self._lock:
            self._drop(key)
            self._kept[key] = kept
            self._used += _weight(kept)
            while self._used > self._size:
                self._drop(next(iter(self._kept)))

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._used = 0

    def _drop(self, key: Tuple[str, str]) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._used -= _weight(kept)


def _weight(kept: Kept) -> int:
    """Return about how much memory an answer takes, in bytes."""
    return len(kept.body) + sum(len(n) + len(v) + 150 for n, v in kept.headers) + 500
