"""One request and its response over one connection."""

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

CHUNK = 64 * 1024


@dataclass
class Request:
    """A request to a service."""

    method: str
    origin: Origin
    path: str
    """Including the query."""
    headers: Dict[str, str] = field(repr=False)
    body: Optional[bytes] = None

    @property
    def repeatable(self) -> bool:
        """Whether the request has the same effect if it is sent more than once."""
        return self.method in ("GET", "HEAD") or "Idempotency-Key" in self.headers

    def __str__(self) -> str:
        """Describe the request in messages, without the headers, which contain the key."""
        return f"{self.method} {self.origin}{self.path}"


class Answer:
    """A response whose body has not been read yet. The caller must close it. It is not thread-safe."""

    def __init__(
        self,
        request: Request,
        response: http.client.HTTPResponse,
        connection: Connection,
        sock: socket.socket,
        pool: Pool,
    ) -> None:
        """Take over a connection after the status line and headers have been read."""
        self.request = request
        self.status: int = response.status
        self.headers: Message = response.headers
        self._response = response
        self._connection: Optional[Connection] = connection
        self._socket = sock  # connection.sock is None if this is its last response
        self._pool = pool
        self._received = 0
        self._length = _number(self.headers.get("Content-Length"))
        if self.headers.get("Transfer-Encoding") or request.method == "HEAD" or self.status in (204, 304):
            self._length = None

    def chunks(self) -> Iterator[bytes]:
        """Iterate over the decoded body as it arrives.

        Raises:
            NetworkError: The body is incomplete, or its content coding is wrong.
        """
        coding = (self.headers.get("Content-Encoding") or "identity").strip().lower()
        if coding == "identity":
            return self.raw_chunks()
        if coding not in ("gzip", "x-gzip"):
            self.close()
            raise NetworkError(f"{self.request}: the response has the content coding {coding}, which was not requested")
        return self._unzipped()

    def raw_chunks(self) -> Iterator[bytes]:
        """Iterate over the body as it is sent, without decoding it."""
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
                    if unzip.eof and unzip.unused_data:  # another gzip member follows
                        data, unzip = unzip.unused_data, zlib.decompressobj(wbits=31)
            out = unzip.flush()
        except zlib.error as e:
            self.close()
            raise NetworkError(f"{self.request}: the response cannot be decompressed: {e}") from e
        if out:
            yield out
        if not unzip.eof:
            raise NetworkError(f"{self.request}: the compressed response is incomplete")

    def _read(self) -> bytes:
        if self._connection is None:
            return b""
        _watch(self._socket)
        try:
            # read1 returns what has arrived instead of waiting for a full chunk. Also, if a chunked
            # response is cut off, read would return the data received so far and then report the end.
            data = self._response.read1(CHUNK)
        except http.client.IncompleteRead as e:
            self.close()
            raise NetworkError(f"{self.request}: the response ended after {self._received} bytes, before it was complete") from e
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
        """Check that the body is complete, and release the connection."""
        if self._length is not None and self._received < self._length:
            self.close()
            raise NetworkError(f"{self.request}: the response ended after {self._received} of {self._length} bytes")
        self._release()

    def read(self, most: Optional[int] = None) -> bytes:
        """Read the whole body, or stop after at least ``most`` bytes of it; then close."""
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
        """Return the connection to the pool after the body has been read completely."""
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
        """Stop reading and close the connection, unless the body has been read completely."""
        connection, self._connection = self._connection, None
        if connection is not None:
            _leave(self._socket)
            self._response.close()
            connection.close()


def exchange(pool: Pool, request: Request, timeout: float) -> Answer:
    """Send a request and read the status line and headers of the response.

    The service may have closed a connection that was kept open; repeatable requests are then
    sent again over a new connection. All other requests always use a new connection, because
    after a failure it would be unknown whether they had taken effect.

    Raises:
        NetworkError: There was no response.
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
    """Close a connection that is no longer needed."""
    if connection.sock is not None:
        _leave(connection.sock)
    connection.close()


def _watch(sock: socket.socket) -> None:
    """Allow cancelling the current call to shut down this connection."""
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
    """Return the error with a message that contains no secrets."""
    if isinstance(error, socket.timeout):  # TimeoutError from Python 3.10 on
        return RequestTimeoutError(f"{request}: timed out waiting for the response")
    if isinstance(error, ssl.SSLCertVerificationError):
        return NetworkError(f"{request}: the certificate is invalid: {error.verify_message}")
    if isinstance(error, http.client.RemoteDisconnected):
        return NetworkError(f"{request}: the connection was closed without a response")
    return NetworkError(f"{request}: {error or type(error).__name__}")


def _number(text: Optional[str]) -> Optional[int]:
    return int(text) if text is not None and text.isascii() and text.isdecimal() else None
