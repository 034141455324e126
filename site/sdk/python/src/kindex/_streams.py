"""Exports as they stream: one record after the other, in constant memory."""

from __future__ import annotations

import json
from collections import deque
from types import TracebackType
from typing import Any, Deque, Generic, Iterator, List, Optional, Type, TypeVar

from ._exchange import Answer
from .errors import NetworkError

__all__ = ["RecordStream"]

T = TypeVar("T")


class RecordStream(Generic[T]):
    """The records of a JSONL export, read from the connection as they are asked for.

    It is an iterator. Leave a ``with`` block, or call :meth:`close`, to end it early;
    the connection is closed then, and also where the stream is dropped. It has one
    user at a time.
    """

    def __init__(self, answer: Answer) -> None:
        """Take over an answer."""
        self._answer = answer
        self._batches = _batches(answer)
        self._ready: Deque[T] = deque()
        self._broken: Optional[NetworkError] = None
        self.build: str = answer.headers.get("X-Build") or ""
        """The build that the records are from."""

    def __iter__(self) -> Iterator[T]:
        """Return itself."""
        return self

    def __next__(self) -> T:
        """Return the next record.

        Raises:
            NetworkError: The connection broke. The records before were whole. It is raised
                anew by every further call: a stream that broke has no end.
        """
        while not self._ready:
            batch = self._more()
            if not batch:
                raise StopIteration
            self._ready.extend(batch)
        return self._ready.popleft()

    def next_batch(self) -> List[T]:
        """Return the records that come next together, an empty list at the end."""
        if self._ready:
            batch, self._ready = list(self._ready), deque()
            return batch
        return self._more()

    def _more(self) -> List[T]:
        """Read the next batch, an empty one at the end."""
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
        """End the stream where it is."""
        self._answer.close()
        self._batches = iter(())
        self._ready.clear()
        self._broken = None

    def __enter__(self) -> RecordStream[T]:
        """Return itself."""
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        """End the stream."""
        self.close()

    def __del__(self) -> None:
        """End the stream where nobody has."""
        if hasattr(self, "_answer"):
            self._answer.close()


def _batches(answer: Answer) -> Iterator[List[Any]]:
    """Read the lines that each piece of the body completes. No list is empty."""
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
        raise NetworkError(f"{answer.request}: a line is no JSON: {line[:80]!r}") from e
