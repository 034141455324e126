"""Receiving webhooks: is this delivery from the service, and what does it say?"""

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

    Deliveries are signed as Standard Webhooks has it: HMAC-SHA256 over the id, the
    time and the body. An event may be delivered more than once; its ``id`` is the
    same then.

    Args:
        secret: The secret of the webhook, as :meth:`Client.create_webhook` has shown
            it: ``whsec_`` and base64. While one replaces another, both.
        headers: The headers of the request; names are found in any case.
        body: The very bytes of the request, before anything has read them as JSON.
        tolerance: How many seconds the time of the delivery may differ from now.
        now: The present time in seconds since 1970; the clock's unless given.

    Raises:
        WebhookVerificationError: It is forged, or was altered, or is from another time,
            or a header is missing. Answer with 400 or 401 and do not read it.
        ValueError: A secret is none, or ``now`` or ``tolerance`` is not a finite number
            of seconds from zero up.
        TypeError: The body is not bytes.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("body must be the bytes of the request as they came, not what was read from them")
    # None is what os.environ.get finds where nobody has set the secret.
    keys = [_key(s) for s in ([secret] if isinstance(secret, str) else secret or [])]
    if not keys:
        raise ValueError("there is no secret to check with")
    found = _headers(headers)
    event_id, sent_at, signatures = (_one(found, "webhook-" + n) for n in ("id", "timestamp", "signature"))
    if not (sent_at.isascii() and sent_at.isdigit() and len(sent_at) < 15):
        raise WebhookVerificationError("webhook-timestamp is no number of seconds")
    away = _seconds("now", time.time() if now is None else now) - int(sent_at)
    if not abs(away) <= _seconds("tolerance", tolerance):
        raise WebhookVerificationError(f"the delivery is {away:.0f} seconds old; up to {tolerance:.0f} are allowed")
    signed = b".".join([event_id.encode("utf-8", "replace"), sent_at.encode(), bytes(body)])
    if not _signed_by_any(keys, signed, signatures):
        raise WebhookVerificationError("no signature fits: the delivery is not from the service, or was altered")
    return cast("WebhookEvent", _event(body))


def _seconds(name: str, value: float) -> float:
    """Return a number of seconds; every comparison with NaN would be false."""
    try:
        usable = not isinstance(value, bool) and math.isfinite(value) and value >= 0
    except (OverflowError, TypeError):  # an int that no float can hold; no number at all
        usable = False
    if not usable:
        raise ValueError(f"{name} must be a finite number of seconds from zero up")
    return value


def _key(secret: str) -> bytes:
    """Return the key that a secret holds."""
    try:
        key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("a secret is whsec_ and base64")  # without the secret: errors are logged
    return key


def _headers(headers: Mapping[str, str]) -> List[Tuple[str, str]]:
    return [(name.lower(), value) for name, value in headers.items()]


def _one(headers: Sequence[Tuple[str, str]], name: str) -> str:
    values = [value for n, value in headers if n == name]
    if len(values) != 1 or not values[0]:
        raise WebhookVerificationError(f"there {'is no' if not values else 'must be one'} {name}")
    return values[0]


def _signed_by_any(keys: Sequence[bytes], signed: bytes, signatures: str) -> bool:
    """Tell whether one of the signatures is that of one of the keys.

    All are compared, each in constant time.
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
        raise WebhookVerificationError("the body is no JSON") from e
    if not isinstance(event, dict) or "event" not in event:
        raise WebhookVerificationError("the body is no event")
    return event  # pyright: ignore[reportUnknownVariableType]
