"""Connections, which are kept open for later requests and can use TLS and proxies."""

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

Connection = http.client.HTTPConnection

_IDLE_SECONDS = 30.0
_MAX_IDLE = 10


class Proxy(NamedTuple):
    """The address of an HTTP proxy, and the headers that authenticate the client to it."""

    host: str
    port: int
    headers: Dict[str, str]


def read_proxy(address: str) -> Proxy:
    """Parse the address of a proxy, ``http://[name:password@]host[:port]``.

    Raises:
        ValueError: The address is invalid, or its scheme is not ``http``.
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
    """Return the proxy that the environment sets for an origin, or None if there is none.

    :func:`urllib.request.getproxies` reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper
    or lower case, and the system settings of macOS and Windows.
    """
    if not trust_env:
        return None
    address = urllib.request.getproxies().get(origin.scheme)
    if not address or urllib.request.proxy_bypass(origin.authority):
        return None
    return read_proxy(address)


class Pool:
    """A thread-safe pool of connections to one origin."""

    def __init__(self, origin: Origin, proxy: Optional[Proxy], context: Optional[ssl.SSLContext]) -> None:
        """Create an empty pool. ``context`` is used for ``https``; None selects the default context."""
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
        """Return a connection, and whether it has been used before.

        Args:
            timeout: Seconds to wait for the connection, and for each chunk of the response.
            fresh: Always open a new connection, because the service may be closing an idle one.
        """
        if self._process != os.getpid():
            # After a fork, the connections belong to the parent process. Closing them here
            # does not affect the parent.
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
        """Return a connection to the pool after its response has been read completely."""
        if self._process == os.getpid():
            with self._lock:
                if not self._closed and len(self._idle) < _MAX_IDLE:
                    self._idle.append((time.monotonic(), connection))
                    return
        connection.close()

    def close(self) -> None:
        """Close the idle connections now, and the connections in use when they become idle."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def __del__(self) -> None:
        """Close the connections if ``close`` was not called."""
        try:
            if self._process == os.getpid():
                self.close()
        except AttributeError:
            pass  # the interpreter is exiting, or __init__ failed

    def target(self, path: str) -> str:
        """Return the request target for a path, which is the complete address if a proxy forwards the request."""
        if self._proxy is not None and self.origin.scheme == "http":
            return str(self.origin) + path
        return path

    def headers(self) -> Dict[str, str]:
        """Return the additional headers for the proxy."""
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
    """Return whether the server has kept an idle connection open.

    Nothing should arrive on an idle connection: if it is readable, the server closed it.
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
