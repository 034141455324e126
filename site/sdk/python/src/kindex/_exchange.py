"""One request and its answer over one connection."""

from __future__ import annotations

import http.client
import socket
import ssl
import zlib
from dataclasses import dataclass, field
from email.message import Message
from typing import Dict, Iterator, Optional, cast

from ._addresses import Origin
from ._connections import Connection, Pool
from ._waiting import cancellation
from .errors import NetworkError, RequestTimeoutError

__all__ = ["Answer", "Request", "exchange"]

CHUNK = 64 * 1024


@dataclass
class Request:
    """What is asked of a service."""

    method: str
    origin: Origin
    path: str
    """With its query."""
    headers: Dict[str, str] = field(repr=False)
    body: Optional[bytes] = None

    @property
    def repeatable(self) -> bool:
        """Whether it may be sent twice with the effect of once."""
        return self.method in ("GET", "HEAD") or "Idempotency-Key" in self.headers

    def __str__(self) -> str:
        """Name it, for messages; without headers, which hold the key."""
        return f"{self.method} {self.origin}{self.path}"


class Answer:
    """An answer whose body has not been read yet. It has one user; close it."""

    def __init__(
        self,
        request: Request,
        response: http.client.HTTPResponse,
        connection: Connection,
        sock: socket.socket,
        pool: Pool,
    ) -> None:
        """Take over a connection with the answer's head read."""
        self.request = request
        self.status: int = response.status
        self.headers: Message = response.headers
        self._response = response
        self._connection: Optional[Connection] = connection
        self._socket = sock  # that of the connection may be gone, where this answer is its last
        self._pool = pool
        self._received = 0
        self._length = _number(self.headers.get("Content-Length"))
        if self.headers.get("Transfer-Encoding") or request.method == "HEAD" or self.status in (204, 304):
            self._length = None

    def chunks(self) -> Iterator[bytes]:
        """Read the body as it comes, without its content coding.

        Raises:
            NetworkError: It broke off, or is not coded as it says.
        """
        coding = (self.headers.get("Content-Encoding") or "identity").strip().lower()
        if coding == "identity":
            return self.raw_chunks()
        if coding not in ("gzip", "x-gzip"):
            self.close()
            raise NetworkError(f"{self.request}: the answer has the content coding {coding}, which was not asked for")
        return self._unzipped()

    def raw_chunks(self) -> Iterator[bytes]:
        """Read the body as it is sent, to its end."""
        while True:
            data = self._read()
            if not data:
                return
            yield data

    def _unzipped(self) -> Iterator[bytes]:
        unzip = zlib.decompressobj(wbits=31)
        try:
            for data in self.raw_chunks():
                while data:
                    out = unzip.decompress(data, CHUNK * 4)
                    if out:
                        yield out
                    data = unzip.unconsumed_tail
                    if unzip.eof and unzip.unused_data:  # members may follow each other
                        data, unzip = unzip.unused_data, zlib.decompressobj(wbits=31)
            out = unzip.flush()
        except zlib.error as e:
            self.close()
            raise NetworkError(f"{self.request}: the answer cannot be unzipped: {e}") from e
        if out:
            yield out
        if not unzip.eof:
            raise NetworkError(f"{self.request}: the zipped answer ends too early")

    def _read(self) -> bytes:
        if self._connection is None:
            return b""
        _watch(self._socket)
        try:
            # What is there, not until so much is there. Of a chunked answer that breaks off,
            # read would hand out what came before, and say of the next read that it is the end.
            data = self._response.read1(CHUNK)
        except http.client.IncompleteRead as e:
            self.close()
            raise NetworkError(f"{self.request}: the answer broke off after {self._received} bytes") from e
        except (OSError, http.client.HTTPException, ValueError) as e:
            self.close()
            raise _network_error(self.request, e) from e
        self._received += len(data)
        if not data:
            self._end()
        elif self._length is not None and self._received >= self._length:
            self._release()
        return data

    def _end(self) -> None:
        """Meet the end of the body."""
        if self._length is not None and self._received < self._length:
            self.close()
            raise NetworkError(f"{self.request}: the answer broke off after {self._received} of {self._length} bytes")
        self._release()

    def read(self, most: Optional[int] = None) -> bytes:
        """Read the whole body, or what begins with ``most`` bytes of it; then close."""
        parts = bytearray()
        try:
            for data in self.chunks():
                parts += data
                if most is not None and len(parts) >= most:
                    break
        finally:
            self.close()
        return bytes(parts)

    def _release(self) -> None:
        """Give the connection back: the body was read to its end."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        _leave(self._socket)
        closes = self._response.will_close
        self._response.close()
        if closes:
            connection.close()
        else:
            self._pool.give(connection)

    def close(self) -> None:
        """End the answer where it is. What was not read is lost, with the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            _leave(self._socket)
            self._response.close()
            connection.close()


def exchange(pool: Pool, request: Request, timeout: float) -> Answer:
    """Send a request and read the head of its answer.

    A connection that was kept open may have been closed by the service meanwhile:
    then a repeatable request is sent over a new one. All others never go over one
    that was used before, since nobody would know what had become of them.

    Raises:
        NetworkError: There was no answer.
    """
    while True:
        try:
            connection, used = pool.take(timeout, fresh=not request.repeatable)
        except http.client.InvalidURL as e:
            raise _network_error(request, e) from e
        try:
            if connection.sock is None:
                connection.connect()
            sock = cast("socket.socket", connection.sock)
            _watch(sock)
            headers = {**request.headers, **pool.headers(), "Host": request.origin.authority}
            connection.request(request.method, pool.target(request.path), request.body, headers)
            return Answer(request, connection.getresponse(), connection, sock, pool)
        except (OSError, http.client.HTTPException, ValueError) as e:
            _abandon(connection)
            if used and isinstance(e, (ConnectionError, http.client.BadStatusLine)) and not _cancelled():
                continue
            raise _network_error(request, e) from e
        except BaseException:
            _abandon(connection)
            raise


def _abandon(connection: Connection) -> None:
    """Close a connection of which nothing more is expected."""
    if connection.sock is not None:
        _leave(connection.sock)
    connection.close()


def _watch(sock: socket.socket) -> None:
    """Let the call that the thread works for break the connection off."""
    cancel = cancellation.get()
    if cancel is not None:
        cancel.use(sock)


def _leave(sock: socket.socket) -> None:
    cancel = cancellation.get()
    if cancel is not None:
        cancel.leave(sock)


def _cancelled() -> bool:
    cancel = cancellation.get()
    return cancel is not None and cancel.ended


def _network_error(request: Request, error: Exception) -> NetworkError:
    """Say what has happened, without what may be secret."""
    if isinstance(error, socket.timeout):  # TimeoutError from Python 3.10 on
        return RequestTimeoutError(f"{request}: no answer in time")
    if isinstance(error, ssl.SSLCertVerificationError):
        return NetworkError(f"{request}: the certificate is not good: {error.verify_message}")
    if isinstance(error, http.client.RemoteDisconnected):
        return NetworkError(f"{request}: the connection was closed without an answer")
    return NetworkError(f"{request}: {error or type(error).__name__}")


def _number(text: Optional[str]) -> Optional[int]:
    return int(text) if text is not None and text.isascii() and text.isdecimal() else None
