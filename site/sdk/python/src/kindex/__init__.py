"""A client for kindex, the knowledge index of AI tools and models.

>>> import kindex
>>> client = kindex.Client("https://index.example.org", api_key="kx_...")
>>> client.get_entity("tool", "pytorch")["name"]
'PyTorch'

The README in the package documents all features.
"""

from ._acore import AsyncRecordStream
from ._addresses import DateLike, Name, OneOrMore
from ._async_client import AsyncClient
from ._client import Client
from ._downloads import Downloaded
from ._session import Response
from ._streams import RecordStream
from ._version import __version__
from ._waiting import RateLimit
from .errors import (
    ApiError,
    BadRequestError,
    ConflictError,
    ForbiddenError,
    GoneError,
    IntegrityError,
    KindexError,
    NetworkError,
    NotFoundError,
    RateLimitedError,
    RequestTimeoutError,
    ServerError,
    UnauthorizedError,
    UnavailableError,
    WebhookVerificationError,
)
from .tables import flatten, flatten_record
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncClient",
    "AsyncRecordStream",
    "BadRequestError",
    "Client",
    "ConflictError",
    "DateLike",
    "Downloaded",
    "ForbiddenError",
    "GoneError",
    "IntegrityError",
    "KindexError",
    "Name",
    "NetworkError",
    "NotFoundError",
    "OneOrMore",
    "RateLimit",
    "RateLimitedError",
    "RecordStream",
    "RequestTimeoutError",
    "Response",
    "ServerError",
    "UnauthorizedError",
    "UnavailableError",
    "WebhookVerificationError",
    "__version__",
    "flatten",
    "flatten_record",
    "verify_webhook",
]
