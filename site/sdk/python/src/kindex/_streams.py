"""Exports as streams of records, in constant memory."""

from __future__ import annotations

import json
from collections import deque
from types import TracebackType
from typing import Any, Deque, Generic, Iterator, List, Optional, Type, TypeVar

from ._exchange import Answer
from .errors import NetworkError

T = TypeVar("T")


class RecordStream(Generic[T]):
    """An iterator over the records of a JSONL export, read from the connection as needed.

    To end the stream early, leave a ``with`` block or call :meth:`close`. This closes the
    connection; so does deleting the stream. Do not use a stream from several threads
    concurrently.
    """

    def __init__(self, answer: Answer) -> None:
        """Create a stream that reads a response."""
        self._answer = answer
        self._batches = _batches(answer)
        self._ready: Deque[T] = deque()
        self._broken: Optional[NetworkError] = None
        self.build: str = answer.headers.get("X-Build") or ""
        """The build that the records are from."""

    def __iter__(self) -> Iterator[T]:
        """Return the stream."""
        return self

    def __next__(self) -> T:
        """Return the next record.

        Raises:
            NetworkError: The connection broke. All records returned earlier are complete.
                Further calls raise the error again, so that a broken stream cannot be
                mistaken for a complete one.
        """
        while not self._ready:
            batch = self._more()
            if not batch:
                raise StopIteration
            self._ready.extend(batch)
        return self._ready.popleft()

    def next_batch(self) -> List[T]:
        """Return the next batch of records that arrived together, or an empty list at the end."""
        if self._ready:
            batch, self._ready = list(self._ready), deque()
            return batch
        return self._more()

    def _more(self) -> List[T]:
        """Read the next batch, which is empty at the end."""
        if self._broken is not None:
            raise self._broken
        try:
            for batch in self._batches:
                return batch
            return []
        except NetworkError as e:
            self._broken = e
            raise

    def close(self) -> None:
        """End the stream early."""
        self._answer.close()
        self._batches = iter(())
        self._ready.clear()
        self._broken = None

    def __enter__(self) -> RecordStream[T]:
        """Return the stream."""
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        """End the stream."""
        self.close()

    def __del__(self) -> None:
        """Close the connection if ``close`` was not called."""
        if hasattr(self, "_answer"):
            self._answer.close()


def _batches(answer: Answer) -> Iterator[List[Any]]:
    """Yield, for each chunk of the body, the records of the lines that it completes.

    The yielded lists are never empty.
    """
    rest = b""
    for chunk in answer.chunks():
        *lines, rest = (rest + chunk).split(b"\n")
        if lines:
            yield [_record(line, answer) for line in lines]
    if rest.strip():
        yield [_record(rest, answer)]


def _record(line: bytes, answer: Answer) -> Any:
    try:
        return json.loads(line)
    except ValueError as e:
        answer.close()
        raise NetworkError(f"{answer.request}: a line is not JSON: {line[:80]!r}") from e
