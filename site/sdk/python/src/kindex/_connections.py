"""Connections: kept open for the next request, by TLS, through proxies."""

from __future__ import annotations

import base64
import http.client
import os
import selectors
import ssl
import threading
import time
import urllib.request
from typing import Dict, List, NamedTuple, Optional, Tuple
from urllib.parse import unquote, urlsplit

from ._addresses import Origin

__all__ = ["Connection", "Pool", "Proxy", "proxy_for", "read_proxy"]

Connection = http.client.HTTPConnection

_IDLE_SECONDS = 30.0
_MAX_IDLE = 10


class Proxy(NamedTuple):
    """An HTTP proxy, and how it is told who asks."""

    host: str
    port: int
    headers: Dict[str, str]


def read_proxy(address: str) -> Proxy:
    """Read the address of a proxy, ``http://[name:password@]host[:port]``.

    Raises:
        ValueError: It is none, or one of another kind.
    """
    parts = urlsplit(address if "://" in address else "http://" + address)
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError(f"a proxy must be http://host:port, not {parts.scheme}://{parts.hostname or ''}")
    headers: Dict[str, str] = {}
    if parts.username is not None:
        who = unquote(parts.username) + ":" + unquote(parts.password or "")
        headers["Proxy-Authorization"] = "Basic " + base64.b64encode(who.encode()).decode("ascii")
    return Proxy(parts.hostname, parts.port or 80, headers)


def proxy_for(origin: Origin, trust_env: bool) -> Optional[Proxy]:
    """Return the proxy that the environment names for an origin, None for none.

    What counts are HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in small letters too, and the
    settings of macOS and Windows, as :func:`urllib.request.getproxies` reads them.
    """
    if not trust_env:
        return None
    address = urllib.request.getproxies().get(origin.scheme)
    if not address or urllib.request.proxy_bypass(origin.authority):
        return None
    return read_proxy(address)


class Pool:
    """Connections to one origin. Threads may share it; each connection has one user."""

    def __init__(self, origin: Origin, proxy: Optional[Proxy], context: Optional[ssl.SSLContext]) -> None:
        """Begin without connections. ``context`` is that of ``https``, None for the default."""
        self.origin = origin
        self._proxy = proxy
        self._context = context
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._idle: List[Tuple[float, Connection]] = []
        self._closed = False
        self._process = os.getpid()

    def take(self, timeout: float, fresh: bool) -> Tuple[Connection, bool]:
        """Return a connection, and whether it was used before.

        Args:
            timeout: Seconds to connect, and to wait for each piece of an answer.
            fresh: Take none that was used before: the service may just be closing it.
        """
        if self._process != os.getpid():
            # Connections belong to the process that made them; to close them here ends
            # nothing there.
            for _, connection in self._idle:
                connection.close()
            self._reset()
        while not fresh:
            with self._lock:
                if not self._idle:
                    break
                since, connection = self._idle.pop()
            if time.monotonic() - since < _IDLE_SECONDS and _alive(connection):
                connection.timeout = timeout
                connection.sock.settimeout(timeout)
                return connection, True
            connection.close()
        return self._connection(timeout), False

    def give(self, connection: Connection) -> None:
        """Take a connection back whose answer was read to its end."""
        if self._process == os.getpid():
            with self._lock:
                if not self._closed and len(self._idle) < _MAX_IDLE:
                    self._idle.append((time.monotonic(), connection))
                    return
        connection.close()

    def close(self) -> None:
        """Close the connections that nobody uses, and from now on each one behind its use."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def __del__(self) -> None:
        """Close what is open, where nobody has."""
        try:
            if self._process == os.getpid():
                self.close()
        except AttributeError:
            pass  # the interpreter ends, or __init__ has failed

    def target(self, path: str) -> str:
        """Return what stands in the request line for a path: through a proxy, all of it."""
        if self._proxy is not None and self.origin.scheme == "http":
            return str(self.origin) + path
        return path

    def headers(self) -> Dict[str, str]:
        """Return the headers that are for the proxy, beside those for the service."""
        if self._proxy is not None and self.origin.scheme == "http":
            return dict(self._proxy.headers)
        return {}

    def _connection(self, timeout: float) -> Connection:
        host, port = self.origin.host, self.origin.port
        if self._proxy is not None:
            host, port = self._proxy.host, self._proxy.port
        if self.origin.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=timeout)
        if self._context is None:
            self._context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=self._context)
        if self._proxy is not None:
            connection.set_tunnel(self.origin.host, self.origin.port, self._proxy.headers)
        return connection


def _alive(connection: Connection) -> bool:
    """Tell whether the other side has left an idle connection open.

    An idle one has nothing to read: what there is, is its end.
    """
    sock = connection.sock
    if sock is None:
        return False
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(sock, selectors.EVENT_READ)
            return not selector.select(0)
    except (OSError, ValueError):
        return False
