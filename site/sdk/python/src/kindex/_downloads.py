"""Downloads, which can be resumed and are verified."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import re
from contextlib import closing
from dataclasses import dataclass
from typing import Optional, Union

from ._exchange import Answer
from ._session import Options, Session
from ._waiting import backoff, cancellation, pause
from .errors import ApiError, IntegrityError, NetworkError

PathLike = Union[str, os.PathLike[str]]


@dataclass(frozen=True)
class Downloaded:
    """A completed download."""

    path: str
    size: int
    """In bytes."""
    sha256: str
    """The SHA-256 of the file, in hexadecimal."""
    checked: bool
    """Whether the SHA-256 was compared with the one from the service or the caller. The service
    does not send it for exports with filters or fields, which are generated on request."""
    resumed: bool
    """Whether an earlier attempt or connection had already downloaded a part of the file."""
    build: str
    """The build that the file is from."""


def download(session: Session, path: str, to: PathLike, options: Options, sha256: Optional[str] = None) -> Downloaded:
    """Download a path of the service to a file.

    Until the download is complete, the data is stored next to the file as ``NAME.part``,
    with a note that identifies the source, so that a later call can resume the download.
    The file itself is created only when the download is complete.

    Raises:
        IntegrityError: The SHA-256 is wrong; the partial file was removed.
        NetworkError: More than ``retries`` attempts in a row made no progress. Call the
            function again to resume the download.
        ApiError: The service returned an error.
        OSError: The file cannot be written.
    """
    part = _Part(os.fspath(to), path)
    failures, resumed = 0, False
    while True:
        have = part.size()
        try:
            answer = _ask(session, path, part, have, options)
        except ApiError as e:
            if e.status != 416 or not have:
                raise
            part.remove()  # it has at least as many bytes as the complete file
            continue
        goes_on = answer.status == 206
        if goes_on and not _begins_at(answer, have):
            answer.close()
            part.remove()
            raise NetworkError(f"{answer.request}: the service sent a different range than requested")
        resumed = goes_on
        try:
            part.take(answer, goes_on)
            break
        except NetworkError:
            failures = 1 if part.size() > have else failures + 1
            cancel = cancellation.get()
            if failures > options.retries or (cancel is not None and cancel.ended):
                if not part.etag:
                    part.remove()  # it cannot be resumed
                raise
            pause(min(backoff(failures - 1), options.max_wait))
    return part.finish(answer, sha256, resumed)


def _ask(session: Session, path: str, part: _Part, have: int, options: Options) -> Answer:
    headers = {"Accept": "*/*", "Accept-Encoding": "identity"}  # ranges refer to the uncompressed file
    if have:
        headers.update({"Range": f"bytes={have}-", "If-Range": part.etag})
    return session.open(session.request("GET", path, headers), options)


def _begins_at(answer: Answer, have: int) -> bool:
    m = re.match(r"bytes (\d+)-\d+/\d+$", answer.headers.get("Content-Range") or "")
    return m is not None and int(m[1]) == have


class _Part:
    """A partial download."""

    def __init__(self, to: str, path: str) -> None:
        self._to = to
        self._name = to + ".part"
        self._note = to + ".part.json"
        self._path = path
        self.etag = self._known()
        if not self.etag:
            self.remove()

    def _known(self) -> str:
        """Return the entity tag of the partially downloaded file, or "" if there is none."""
        try:
            with open(self._note, encoding="utf-8") as f:
                note = json.load(f)
            return str(note["etag"]) if note["path"] == self._path else ""
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def size(self) -> int:
        """Return the number of bytes after which the download can be resumed."""
        try:
            return os.path.getsize(self._name) if self.etag else 0
        except OSError:
            return 0

    def take(self, answer: Answer, goes_on: bool) -> None:
        """Write the body of a response to the partial file."""
        with closing(answer), open(self._name, "ab" if goes_on else "wb") as f:
            if not goes_on:
                self._remember(answer)
            for chunk in answer.raw_chunks():
                f.write(chunk)
            f.flush()
            os.fsync(f.fileno())

    def _remember(self, answer: Answer) -> None:
        etag = answer.headers.get("ETag") or ""
        self.etag = etag if answer.headers.get("Accept-Ranges") == "bytes" and etag.startswith('"') else ""
        if self.etag:
            with open(self._note, "w", encoding="utf-8") as f:
                json.dump({"path": self._path, "etag": self.etag}, f)
        else:
            _unlink(self._note)

    def finish(self, answer: Answer, sha256: Optional[str], resumed: bool) -> Downloaded:
        """Verify the file and move it to its final path."""
        want = (sha256 or _digest(answer.headers.get("Repr-Digest"))).lower()
        got, size = _sum(self._name)
        if want and got != want:
            self.remove()
            raise IntegrityError(f"{answer.request}: the SHA-256 of {size} bytes is {got}, but should be {want}")
        os.replace(self._name, self._to)
        _unlink(self._note)
        return Downloaded(self._to, size, got, bool(want), resumed, answer.headers.get("X-Build") or "")

    def remove(self) -> None:
        """Remove the partial file, so that the download starts from the beginning."""
        self.etag = ""
        _unlink(self._name)
        _unlink(self._note)


def _digest(header: Optional[str]) -> str:
    """Return the SHA-256 in a Repr-Digest (RFC 9530) in hexadecimal, or "" if there is none."""
    m = re.search(r"sha-256=:([A-Za-z0-9+/=]+):", header or "")
    try:
        return base64.b64decode(m[1], validate=True).hex() if m else ""
    except binascii.Error:
        return ""


def _sum(name: str) -> "tuple[str, int]":
    """Return the SHA-256 and the size of a file."""
    h, size = hashlib.sha256(), 0
    with open(name, "rb") as f:
        while True:
            data = f.read(1 << 20)
            if not data:
                return h.hexdigest(), size
            h.update(data)
            size += len(data)


def _unlink(name: str) -> None:
    try:
        os.unlink(name)
    except FileNotFoundError:
        pass
