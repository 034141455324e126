"""Builds and parses the addresses of requests."""

from __future__ import annotations

import datetime
from typing import Collection, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union, cast
from urllib.parse import quote, urlencode, urlsplit

T = TypeVar("T")

OneOrMore = Union[T, Sequence[T]]
"""One value, or a sequence of values; any of them may match."""

DateLike = Union[str, datetime.date]
"""A day, as a ``date`` or as ``YYYY-MM-DD``. Parameters that accept a time also accept a
``datetime`` with a time zone."""


class Name(str):
    """A name that the index declares, but this version of the package does not know.

    It is accepted in place of the names that are known, such as those of types, fields and
    sort keys: ``client.list_entities(type=Name("dataset"), sort=Name("signal.rows"))``.
    """


_PORTS = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """The scheme, host and port of an address. A key is sent only to the origin it belongs to."""

    scheme: str
    host: str
    port: int

    @property
    def authority(self) -> str:
        """The host and port, as in an address and in the ``Host`` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        """Return the origin as an address."""
        return f"{self.scheme}://{self.authority}"


def base_of(address: str) -> Tuple[Origin, str]:
    """Split the address of a service into its origin and its path.

    Returns:
        The origin, and the path that all requests start with, or "" if there is none.

    Raises:
        ValueError: It is not a valid address of a service.
    """
    shown = repr(address)
    parts = urlsplit(address)
    if parts.username is not None or parts.password is not None:
        raise ValueError("base_url contains a user name or password; pass the key as api_key")
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError(f"base_url is {shown}; it must start with https:// or http://")
    if parts.query or parts.fragment:
        raise ValueError(f"base_url is {shown}; it must not contain ? or #")
    return origin_of(address), quote(parts.path.rstrip("/"), safe="/%")


def origin_of(address: str) -> Origin:
    """Return the origin of an absolute http or https address.

    Raises:
        ValueError: It is not such an address.
    """
    parts = urlsplit(address)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError(f"{address!r} is not an http or https address")
    host = parts.hostname if parts.hostname.isascii() else parts.hostname.encode("idna").decode("ascii")
    return Origin(parts.scheme, host, parts.port or _PORTS[parts.scheme])


def path_to(template: str, **values: str) -> str:
    """Fill in the placeholders of a path such as ``/api/entity/{type}/{slug}``.

    Special characters in the values are escaped, except for slashes in ``file``.

    Raises:
        ValueError: A value is empty, ``.`` or ``..``, which would change the address.
        TypeError: A value is not a string.
    """
    escaped: Dict[str, str] = {}
    for name, value in values.items():
        if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"{name} must be a str, not {type(value).__name__}")
        if any(step in ("", ".", "..") for step in (value.split("/") if name == "file" else [value])):
            raise ValueError(f"{name} cannot be {value!r}")
        escaped[name] = quote(value, safe="/" if name == "file" else "")
    return template.format(**escaped)


def with_query(path: str, query: Mapping[str, object]) -> str:
    """Append the parameters that are not None to a path.

    A sequence repeats its parameter, in the order of its values.
    """
    pairs: List[Tuple[str, str]] = []
    for name, value in query.items():
        if value is None:
            continue
        if isinstance(value, (list, tuple, set, frozenset)):
            several = cast("Collection[object]", value)
            if not several:
                raise ValueError(f"{name} is empty; omit it if you do not want to filter")
            pairs += [(name, text_of(name, v)) for v in several]
        else:
            pairs.append((name, text_of(name, value)))
    return f"{path}?{urlencode(pairs)}" if pairs else path


def text_of(name: str, value: object) -> str:
    """Return the value of a parameter as the string to send.

    Raises:
        TypeError: No parameter accepts values of this type.
        ValueError: It is a time without a time zone, which would be ambiguous.
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


def joined(name: str, value: Optional[OneOrMore[str]]) -> Optional[str]:
    """Join the values of a parameter whose value is a comma-separated list."""
    if value is None or isinstance(value, str):
        return value
    if not value:
        raise ValueError(f"{name} is empty; omit it to use the default")
    return ",".join(value)


def flags(value: Optional[OneOrMore[Union[bool, str]]]) -> Optional[List[str]]:
    """Return the values of a parameter that is true or false."""
    if value is None:
        return None
    several = [value] if isinstance(value, (bool, str)) else value
    return [str(v).lower() if isinstance(v, bool) else v for v in several]


def more(extra: Optional[Mapping[str, object]]) -> Dict[str, object]:
    """Return the parameters that a caller adds by their names in the API."""
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in (extra or {}).items()}


def given(**fields: object) -> Dict[str, object]:
    """Return the fields of a body without those that are None."""
    return {name: value for name, value in fields.items() if value is not None}
