"""The methods of the asynchronous client.

Made from the description of the interface, version 0.8.1; do not edit.
"""

from __future__ import annotations

from .entities import Entities
from .exports import Exports
from .history import History
from .keys import Keys
from .leaderboards import Leaderboards
from .search import Search
from .service import Service
from .submissions import Submissions
from .webhooks import Webhooks

__all__ = ["Entities", "Exports", "History", "Keys", "Leaderboards", "Search", "Service", "Submissions", "Webhooks"]
