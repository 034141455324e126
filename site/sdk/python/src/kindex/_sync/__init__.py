"""The methods of the blocking client.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from .entities import Entities
from .exports import Exports
from .history import History
from .keys import Keys
from .leaderboards import Leaderboards
from .prices import Prices
from .search import Search
from .service import Service
from .submissions import Submissions
from .webhooks import Webhooks

__all__ = ["Entities", "Exports", "History", "Keys", "Leaderboards", "Prices", "Search", "Service", "Submissions", "Webhooks"]
