"""Rate limits, waits between attempts, and cancellation."""

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


@dataclass(frozen=True)
class RateLimit:
    """The rate limit according to the latest response."""

    limit: int
    """The number of requests allowed per window, which is a UTC day by default."""
    remaining: int
    """The number of requests left in the window."""
    reset: datetime.datetime
    """When the window ends, in UTC."""
    tier: str
    """The tier of the caller: ``anonymous``, ``authenticated`` or ``enterprise``."""


def rate_limit_of(headers: Message) -> Optional[RateLimit]:
    """Return the rate limit in the headers of a response, or None if there is none."""

    def number(name: str) -> int:
        return int(headers.get("X-RateLimit-" + name) or "")

    try:
        reset = datetime.datetime.fromtimestamp(number("Reset"), datetime.timezone.utc)
        return RateLimit(number("Limit"), number("Remaining"), reset, headers.get("X-RateLimit-Tier") or "")
    except (ValueError, OverflowError, OSError):
        return None


def retry_after(value: Optional[str], now: Optional[float] = None) -> Optional[float]:
    """Return the number of seconds to wait according to a ``Retry-After`` header.

    Its value is a number of seconds or an HTTP date (RFC 9110 section 10.2.3). Return
    None if it is missing or invalid.
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
    """Return how many seconds to wait after a failed attempt; 0 is the first attempt.

    The wait is random, so that many clients do not retry at the same time. Its maximum is
    half a second at first, doubles with each attempt, and never exceeds 8 seconds.
    """
    return random.uniform(0.05, min(8.0, 0.5 * 2.0**attempt))


class Cancellation:
    """Ends the work of a thread when the caller cancels the call."""

    def __init__(self) -> None:
        """Create it without a registered connection."""
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._socket: Optional[socket.socket] = None

    @property
    def ended(self) -> bool:
        """Whether the call was cancelled."""
        return self._ended.is_set()

    def use(self, sock: socket.socket) -> None:
        """Register the connection that the thread is waiting for."""
        with self._lock:
            self._socket = sock
        if self.ended:
            self.end()

    def leave(self, sock: socket.socket) -> None:
        """Unregister a connection that the thread is no longer waiting for."""
        with self._lock:
            if self._socket is sock:
                self._socket = None

    def end(self) -> None:
        """Cancel the call: shut down its connection and end the wait between attempts."""
        self._ended.set()
        with self._lock:
            if self._socket is not None:
                shut(self._socket)

    def wait(self, seconds: float) -> bool:
        """Wait, and return whether the call was cancelled."""
        return self._ended.wait(seconds)


def shut(sock: socket.socket) -> None:
    """Shut down a connection that another thread is reading from."""
    try:
        # The method of the TLS socket would remove state that the other thread still uses.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        pass  # it is already closed


cancellation: "ContextVar[Optional[Cancellation]]" = ContextVar("kindex_cancellation", default=None)
"""The cancellation of the current call, or None if it cannot be cancelled."""


def pause(seconds: float) -> None:
    """Wait between two attempts, or until the call is cancelled."""
    cancel = cancellation.get()
    if cancel is None:
        time.sleep(seconds)
    else:
        cancel.wait(seconds)
