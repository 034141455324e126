"""When a request is sent again, and what the service says about limits."""

from __future__ import annotations

import datetime
import email.utils
import random
import socket
import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass
from email.message import Message
from typing import Optional

__all__ = ["Cancellation", "RateLimit", "cancellation", "backoff", "pause", "rate_limit_of", "retry_after"]


@dataclass(frozen=True)
class RateLimit:
    """What the last answer has said about the limit of requests."""

    limit: int
    """How many requests there are in a window, which is a UTC day unless arranged otherwise."""
    remaining: int
    """How many are left."""
    reset: datetime.datetime
    """When the window ends, in UTC."""
    tier: str
    """By what is counted: ``anonymous``, ``authenticated`` or ``enterprise``."""


def rate_limit_of(headers: Message) -> Optional[RateLimit]:
    """Read the headers of an answer; None where they tell of no limit."""

    def number(name: str) -> int:
        return int(headers.get("X-RateLimit-" + name) or "")

    try:
        reset = datetime.datetime.fromtimestamp(number("Reset"), datetime.timezone.utc)
        return RateLimit(number("Limit"), number("Remaining"), reset, headers.get("X-RateLimit-Tier") or "")
    except (ValueError, OverflowError, OSError):
        return None


def retry_after(value: Optional[str], now: Optional[float] = None) -> Optional[float]:
    """Return how many seconds a ``Retry-After`` asks to wait.

    It is a number of seconds or an HTTP date (RFC 9110 section 10.2.3). None where
    there is none or it cannot be read.
    """
    text = (value or "").strip()
    if text.isascii() and text.isdecimal() and len(text) < 12:
        return float(text)
    try:
        at = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return None
    if at.tzinfo is None:  # "-0000"
        at = at.replace(tzinfo=datetime.timezone.utc)
    return max(0.0, at.timestamp() - (time.time() if now is None else now))


def backoff(attempt: int) -> float:
    """Return how long to wait behind a failed attempt, 0 being the first, in seconds.

    Up to half a second, doubled with each attempt, at most 8; at random, so that
    many clients do not come back at the same moment.
    """
    return random.uniform(0.05, min(8.0, 0.5 * 2.0**attempt))


class Cancellation:
    """Ends what a thread does for a call that nobody waits for any more."""

    def __init__(self) -> None:
        """Begin without a connection."""
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._socket: Optional[socket.socket] = None

    @property
    def ended(self) -> bool:
        """Whether nobody waits any more."""
        return self._ended.is_set()

    def use(self, sock: socket.socket) -> None:
        """Note the connection that the thread waits for."""
        with self._lock:
            self._socket = sock
        if self.ended:
            self.end()

    def leave(self, sock: socket.socket) -> None:
        """Note that the thread waits for this connection no more."""
        with self._lock:
            if self._socket is sock:
                self._socket = None

    def end(self) -> None:
        """Break the connection, and the pause between attempts, off."""
        self._ended.set()
        with self._lock:
            if self._socket is not None:
                shut(self._socket)

    def wait(self, seconds: float) -> bool:
        """Wait; True where the call has ended before."""
        return self._ended.wait(seconds)


def shut(sock: socket.socket) -> None:
    """Shut a connection down while another thread reads from it."""
    try:
        # Not the method of the TLS socket, which takes the state away that the
        # other thread works with.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        pass  # it is closed already


cancellation: "ContextVar[Optional[Cancellation]]" = ContextVar("kindex_cancellation", default=None)
"""What ends the call that the present thread works for, None where nothing does."""


def pause(seconds: float) -> None:
    """Wait between two attempts, or until the call is cancelled."""
    cancel = cancellation.get()
    if cancel is None:
        time.sleep(seconds)
    else:
        cancel.wait(seconds)
