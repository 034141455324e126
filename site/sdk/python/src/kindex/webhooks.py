"""Verifies webhook deliveries."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import math
import time
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Tuple, Union, cast

from .errors import WebhookVerificationError

if TYPE_CHECKING:
    from .types import WebhookEvent

__all__ = ["verify_webhook"]


def verify_webhook(
    secret: Union[str, Sequence[str]],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
) -> WebhookEvent:
    """Check the signature of a delivery and return its event.

    Deliveries are signed according to Standard Webhooks, with an HMAC-SHA256 of the id,
    the timestamp and the body. An event can be delivered more than once, with the same
    ``id``.

    Args:
        secret: The secret that :meth:`Client.create_webhook` returned: ``whsec_`` and
            base64. While you are rotating the secret, pass both secrets.
        headers: The headers of the request; names are case-insensitive.
        body: The unchanged bytes of the request body, not parsed JSON.
        tolerance: How many seconds the timestamp of the delivery can differ from now.
        now: The current time as a Unix timestamp in seconds; by default, the system time.

    Raises:
        WebhookVerificationError: The delivery is forged or was modified, its timestamp is
            too old or in the future, or a header is missing. Respond with 400 or 401, and
            do not use its content.
        ValueError: A secret is invalid, or ``now`` or ``tolerance`` is negative or not a
            finite number.
        TypeError: The body is not bytes.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("body must be the unchanged bytes of the request body")
    # os.environ.get returns None if the secret is not set.
    keys = [_key(s) for s in ([secret] if isinstance(secret, str) else secret or [])]
    if not keys:
        raise ValueError("there is no secret")
    found = _headers(headers)
    event_id, sent_at, signatures = (_one(found, "webhook-" + n) for n in ("id", "timestamp", "signature"))
    if not (sent_at.isascii() and sent_at.isdigit() and len(sent_at) < 15):
        raise WebhookVerificationError("webhook-timestamp is not a number of seconds")
    away = _seconds("now", time.time() if now is None else now) - int(sent_at)
    if not abs(away) <= _seconds("tolerance", tolerance):
        raise WebhookVerificationError(f"the delivery is {away:.0f} seconds old; up to {tolerance:.0f} are allowed")
    signed = b".".join([event_id.encode("utf-8", "replace"), sent_at.encode(), bytes(body)])
    if not _signed_by_any(keys, signed, signatures):
        raise WebhookVerificationError("no signature matches: the delivery is not from the service, or was modified")
    return cast("WebhookEvent", _event(body))


def _seconds(name: str, value: float) -> float:
    """Return a number of seconds after checking it: comparisons with NaN would always be false."""
    try:
        usable = not isinstance(value, bool) and math.isfinite(value) and value >= 0
    except (OverflowError, TypeError):  # an int that is too large for a float, or a value that is not a number
        usable = False
    if not usable:
        raise ValueError(f"{name} must be a finite number of seconds that is not negative")
    return value


def _key(secret: str) -> bytes:
    """Return the key in a secret."""
    try:
        key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("a secret must be whsec_ followed by base64")  # not the secret itself: errors are logged
    return key


def _headers(headers: Mapping[str, str]) -> List[Tuple[str, str]]:
    return [(name.lower(), value) for name, value in headers.items()]


def _one(headers: Sequence[Tuple[str, str]], name: str) -> str:
    values = [value for n, value in headers if n == name]
    if len(values) != 1 or not values[0]:
        raise WebhookVerificationError(f"{'there is no' if not values else 'there must be exactly one'} {name}")
    return values[0]


def _signed_by_any(keys: Sequence[bytes], signed: bytes, signatures: str) -> bool:
    """Return whether one of the signatures was made with one of the keys.

    Every signature is compared with every key, each time in constant time.
    """
    fits = False
    for key in keys:
        want = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        for signature in signatures.split():
            version, _, value = signature.partition(",")
            if version == "v1":
                fits = hmac.compare_digest(want, value.encode("utf-8", "replace")) or fits
    return fits


def _event(body: Union[bytes, bytearray, memoryview]) -> Any:
    try:
        event = json.loads(bytes(body))
    except ValueError as e:
        raise WebhookVerificationError("the body is not JSON") from e
    if not isinstance(event, dict) or "event" not in event:
        raise WebhookVerificationError("the body is not an event")
    return event  # pyright: ignore[reportUnknownVariableType]
