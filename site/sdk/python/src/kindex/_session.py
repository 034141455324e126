"""Requests with retries, redirects and caching."""

from __future__ import annotations

import json
import logging
import ssl
from dataclasses import dataclass, replace
from email.message import Message
from typing import Any, Dict, Mapping, Optional, Tuple
from urllib.parse import urljoin, urlsplit

from ._addresses import Origin, base_of, origin_of
from ._cache import Cache, Kept
from ._connections import Pool, proxy_for, read_proxy
from ._exchange import Answer, Request, exchange
from ._waiting import RateLimit, backoff, cancellation, pause, rate_limit_of, retry_after
from .errors import KindexError, NetworkError, RateLimitedError, ServerError, error_class

log = logging.getLogger("kindex")

_MAX_REDIRECTS = 5
_MAX_ERROR_BYTES = 1 << 20
_TRY_AGAIN = frozenset([429, 502, 503, 504])


@dataclass(frozen=True)
class Options:
    """The options of requests."""

    timeout: float
    retries: int
    max_wait: float


@dataclass(frozen=True)
class Response:
    """A complete response."""

    status: int
    """The HTTP status; also 200 if the service confirmed a cached response."""
    headers: Message
    """The headers; names are case-insensitive."""
    content: bytes
    """The decoded body."""
    from_cache: bool = False
    """Whether the body is from the cache; if so, the request did not count towards the rate limit."""

    @property
    def text(self) -> str:
        """The body as text. The API always uses UTF-8."""
        return self.content.decode("utf-8")

    def json(self) -> Any:
        """Return the body parsed as JSON.

        Raises:
            NetworkError: It is not JSON, so the response is not from the service.
        """
        try:
            return json.loads(self.content)
        except ValueError as e:
            raise NetworkError(f"the response is not JSON: {self.content[:80]!r}") from e


class Session:
    """The connections, cache and headers of a client. It is thread-safe."""

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        cache: Cache,
        ssl_context: Optional[ssl.SSLContext],
        proxy: Optional[str],
        trust_env: bool,
    ) -> None:
        """Create a session without connections. ``headers`` are sent only to the service."""
        self.origin, self.prefix = base_of(base_url)
        self.rate_limit: Optional[RateLimit] = None
        self.cache = cache
        self._headers = dict(headers)
        self._context = ssl_context
        self._proxy = proxy
        self._trust_env = trust_env
        self._pool = self._pool_of(self.origin)

    def _pool_of(self, origin: Origin) -> Pool:
        proxy = read_proxy(self._proxy) if self._proxy else proxy_for(origin, self._trust_env)
        return Pool(origin, proxy, self._context)

    def close(self) -> None:
        """Close the idle connections now, and the connections in use when they become idle."""
        self._pool.close()

    def request(self, method: str, path: str, headers: Mapping[str, str], body: Optional[bytes] = None) -> Request:
        """Return a request that includes the headers sent with every request to the service."""
        return Request(method, self.origin, self.prefix + path, {**self._headers, **headers}, body)

    def fetch(self, request: Request, options: Options) -> Response:
        """Send a request and read the response, using the cached body if it has not changed.

        Raises:
            ApiError: The service returned an error.
            NetworkError: There was no complete response.
        """
        key = (request.path, request.headers.get("Accept", ""))
        kept = self.cache.get(key) if request.method == "GET" else None
        if kept is not None:
            request = replace(request, headers={**request.headers, "If-None-Match": kept.etag})
        attempt = 0
        while True:
            answer = self.open(request, options, attempt)
            if answer.status == 304 and kept is not None:
                answer.close()
                return Response(200, _updated(kept.headers, answer.headers), kept.body, True)
            try:
                response = Response(answer.status, answer.headers, answer.read())
            except NetworkError as e:
                attempt += 1
                self._wait_or_raise(request, options, attempt, e)
                continue
            if request.method == "GET":
                self._keep(key, response)
            return response

    def _keep(self, key: Tuple[str, str], response: Response) -> None:
        """Cache a response if it has an entity tag and may be stored."""
        etag = response.headers.get("ETag")
        if response.status == 200 and etag and "no-store" not in (response.headers.get("Cache-Control") or ""):
            self.cache.put(key, Kept(etag, tuple(response.headers.items()), response.content))

    def open(self, request: Request, options: Options, attempt: int = 0) -> Answer:
        """Send a request, with retries, and return the response without reading its body.

        ``attempt`` is the number of attempts that have already failed.
        """
        while True:
            try:
                return self._follow(request, options)
            except KindexError as e:
                attempt += 1
                self._wait_or_raise(request, options, attempt, e)

    def _wait_or_raise(self, request: Request, options: Options, attempt: int, error: KindexError) -> None:
        """Wait before retry number ``attempt``, or raise the error if it must not be retried."""
        cancel = cancellation.get()
        if attempt > options.retries or not _may_repeat(request, error) or (cancel is not None and cancel.ended):
            raise error
        asked = error.retry_after if isinstance(error, (RateLimitedError, ServerError)) else None
        if asked is not None and asked > options.max_wait:
            raise error
        # Wait slightly longer: clocks differ, and many clients may be waiting.
        seconds = min(backoff(attempt - 1), options.max_wait) if asked is None else asked + backoff(0) / 2
        log.debug("%s: %s; retrying in %.1f s", request.method, error, seconds)
        pause(seconds)

    def _follow(self, request: Request, options: Options) -> Answer:
        """Send a request once, and follow its redirects."""
        for _ in range(_MAX_REDIRECTS + 1):
            answer = self._once(request, options)
            location = answer.headers.get("Location")
            if answer.status not in (301, 302, 303, 307, 308) or location is None:
                return answer
            answer.read(_MAX_ERROR_BYTES)
            request = _redirected(request, location)
        raise NetworkError(f"{request}: more than {_MAX_REDIRECTS} redirects")

    def _once(self, request: Request, options: Options) -> Answer:
        home = request.origin == self.origin
        pool = self._pool if home else self._pool_of(request.origin)
        answer = exchange(pool, request, options.timeout)
        if not home:
            pool.close()  # the connection is closed after the response
        self.rate_limit = (home and rate_limit_of(answer.headers)) or self.rate_limit
        log.debug("%s: %d", request, answer.status)
        if answer.status < 400:
            return answer
        problem = _problem(answer)
        wait = retry_after(answer.headers.get("Retry-After"))
        raise error_class(answer.status)(answer.status, problem, wait, answer.headers.get("X-Request-Id") or "")


def _may_repeat(request: Request, error: KindexError) -> bool:
    """Return whether another attempt is safe and may succeed."""
    if isinstance(error, (RateLimitedError, ServerError)):
        # After an error from a proxy, it is unknown whether a write without an idempotency key
        # took effect.
        sure = {"DELETE": (429, 503)}.get(request.method, (429,))
        return error.status in (_TRY_AGAIN if request.repeatable else sure)
    if isinstance(error.__cause__, ssl.SSLCertVerificationError):
        return False
    return isinstance(error, NetworkError) and request.repeatable


def _redirected(request: Request, location: str) -> Request:
    """Return the request for the address that a response redirects to.

    Raises:
        NetworkError: The redirect is not followed, because the address is invalid, the
            request is a write, or the redirect leads from https to http.
    """
    if request.method not in ("GET", "HEAD"):
        raise NetworkError(f"{request}: redirected to {location}; writes are not redirected")
    try:
        address = urljoin(f"{request.origin}{request.path}", location)
        origin = origin_of(address)
    except ValueError as e:
        raise NetworkError(f"{request}: redirected to {location!r}, which is not a valid address") from e
    if request.origin.scheme == "https" and origin.scheme != "https":
        raise NetworkError(f"{request}: redirected from https to {location}")
    parts = urlsplit(address)
    path = (parts.path or "/") + ("?" + parts.query if parts.query else "")
    headers = dict(request.headers)
    if origin != request.origin:  # other headers may identify the caller
        headers = {n: v for n, v in headers.items() if n in ("Accept", "Accept-Encoding", "User-Agent", "Range", "If-Range")}
    return Request(request.method, origin, path, headers)


def _problem(answer: Answer) -> Dict[str, Any]:
    """Read the problem document of an error response, or {} if there is none."""
    try:
        body = answer.read(_MAX_ERROR_BYTES)
        if "json" not in (answer.headers.get("Content-Type") or ""):
            return {}
        document = json.loads(body)
    except (NetworkError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _updated(kept: Tuple[Tuple[str, str], ...], new: Message) -> Message:
    """Return the headers of a cached response, updated with those of the 304."""
    headers = Message()
    names = {n.lower() for n in new.keys()}
    for name, value in [*((n, v) for n, v in kept if n.lower() not in names), *new.items()]:
        headers[name] = value
    return headers
