"""Addresses: from names and values to what is sent."""

from __future__ import annotations

import datetime
from typing import Collection, Dict, List, Mapping, NamedTuple, Sequence, Tuple, TypeVar, Union, cast
from urllib.parse import quote, urlencode, urlsplit

__all__ = ["DateLike", "OneOrMore", "Origin", "base_of", "given", "origin_of", "path_to", "with_query"]

T = TypeVar("T")

OneOrMore = Union[T, Sequence[T]]
"""One value, or several of which any may hold."""

DateLike = Union[str, datetime.date]
"""A day as a ``date`` or ``YYYY-MM-DD``. Where a moment may stand, also a ``datetime``
with a time zone."""

_PORTS = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """Whom a key is meant for: scheme, host and port."""

    scheme: str
    host: str
    port: int

    @property
    def authority(self) -> str:
        """The host and port as they stand in an address and in ``Host``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        """Return the origin as an address."""
        return f"{self.scheme}://{self.authority}"


def base_of(address: str) -> Tuple[Origin, str]:
    """Take the address of a service apart.

    Returns:
        The origin, and the path that all others stand behind, "" for none.

    Raises:
        ValueError: It is no address that a service can have.
    """
    shown = repr(address)
    parts = urlsplit(address)
    if parts.username is not None or parts.password is not None:
        raise ValueError("base_url holds a name or a password; give the key as api_key")
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError(f"base_url is {shown}; it must begin with https:// or http://")
    if parts.query or parts.fragment:
        raise ValueError(f"base_url is {shown}; it must end before ? and #")
    return origin_of(address), quote(parts.path.rstrip("/"), safe="/%")


def origin_of(address: str) -> Origin:
    """Return the origin of an absolute http or https address; ValueError if it is none."""
    parts = urlsplit(address)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError(f"{address!r} is no http or https address")
    host = parts.hostname if parts.hostname.isascii() else parts.hostname.encode("idna").decode("ascii")
    return Origin(parts.scheme, host, parts.port or _PORTS[parts.scheme])


def path_to(template: str, **values: str) -> str:
    """Fill the places of a path, as in ``/api/entity/{type}/{slug}``.

    The slashes of a value named ``file`` may stay; all other special characters of
    values are escaped.

    Raises:
        ValueError: A value is empty or a step of dots, which is another address.
        TypeError: A value is no text.
    """
    escaped: Dict[str, str] = {}
    for name, value in values.items():
        if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"{name} must be a str, not {type(value).__name__}")
        if any(step in ("", ".", "..") for step in (value.split("/") if name == "file" else [value])):
            raise ValueError(f"{name} is {value!r}, which names nothing")
        escaped[name] = quote(value, safe="/" if name == "file" else "")
    return template.format(**escaped)


def with_query(path: str, query: Mapping[str, object]) -> str:
    """Add the parameters that are not None to a path.

    Sequences repeat a parameter. Their order is kept.
    """
    pairs: List[Tuple[str, str]] = []
    for name, value in query.items():
        if value is None:
            continue
        if isinstance(value, (list, tuple, set, frozenset)):
            several = cast("Collection[object]", value)
            if not several:
                raise ValueError(f"{name} is empty; leave it out for no filter")
            pairs += [(name, text_of(name, v)) for v in several]
        else:
            pairs.append((name, text_of(name, value)))
    return f"{path}?{urlencode(pairs)}" if pairs else path


def text_of(name: str, value: object) -> str:
    """Return how a value of a parameter is sent.

    Raises:
        TypeError: It is of a kind that no parameter takes.
        ValueError: It is a time without a zone, which may be any of 24.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, datetime.datetime):
        if value.utcoffset() is None:
            raise ValueError(f"{name} has no time zone; use datetime.now(timezone.utc), or a date")
        utc = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return utc.isoformat() + "Z"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    raise TypeError(f"{name} cannot be a {type(value).__name__}")


def joined(name: str, value: Union[None, str, Sequence[str]]) -> Union[None, str]:
    """Join the names of a parameter that takes a list in one value."""
    if value is None or isinstance(value, str):
        return value
    if not value:
        raise ValueError(f"{name} is empty; leave it out for all")
    return ",".join(value)


def given(fields: Mapping[str, object]) -> Dict[str, object]:
    """Return the fields of a body without those that are None."""
    return {name: value for name, value in fields.items() if value is not None}
