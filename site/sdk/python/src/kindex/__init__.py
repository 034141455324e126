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
from . import errors
from .errors import *  # noqa: F403
from .tables import flatten, flatten_record
from .webhooks import verify_webhook

__all__ = [
    "AsyncClient",
    "AsyncRecordStream",
    "Client",
    "DateLike",
    "Downloaded",
    "Name",
    "OneOrMore",
    "RateLimit",
    "RecordStream",
    "Response",
    "__version__",
    "flatten",
    "flatten_record",
    "verify_webhook",
]
__all__ += errors.__all__
