"""Submissions: Proposing new entities, and what becomes of them.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import AsyncIterator, Optional

from .._acore import AsyncCore
from .._addresses import OneOrMore, path_to
from ..types import (
    CreatedSubmission,
    NewSubmission,
    Submission,
    SubmissionDocument,
    SubmissionList,
    SubmissionStatus,
)


class Submissions(AsyncCore):
    """Proposing new entities, and what becomes of them."""

    async def submit_entity(self, entity: NewSubmission, *, idempotency_key: Optional[str] = None) -> CreatedSubmission:
        """Submit an entity for review.

        Proposes a new tool or model. What is sent becomes a file of the content, and is
        checked by the rules of such files, as the JSON Schema ``entity.schema.json`` of a
        build has them, and against the index: every faulty field is named at once. Without
        a ``slug`` one is made of the name. Then it waits to be reviewed, and ``GET
        /api/submissions/{id}`` tells what has become of it. If the index already has the
        entity, or an open submission of the same account proposes it, under the same type
        and slug or the same name and URL, the answer is 409; several accounts can propose
        the same entity. An account has at most 20 open submissions, which are those that
        are pending, in review or accepted; ``DELETE /api/submissions/{id}`` withdraws one.
        Its newest 200 closed submissions are kept, with files of 2 MiB in total.
        ``similar`` lists entities of the index that may be the one meant.

        Args:
            entity: Its fields.
            idempotency_key: What makes a repeat of this very write have no further effect
                for 24 hours, also from another process; a random one unless given.

        Returns:
            The submission waits to be reviewed.

        Raises:
            BadRequestError: The body cannot be used (``invalid-body``), with every
                faulty field in ``errors``; or a parameter cannot (``unknown-parameter``,
                ``invalid-parameter``), or the ``Idempotency-Key``
                (``invalid-idempotency-key``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
            ConflictError: The index already has this entity, or an open submission of
                the same account proposes it (``already-exists``); ``suggestion`` is its
                address. Or the account has reached its limit of open submissions
                (``too-many-submissions``).
            BadRequestError: The ``Idempotency-Key`` was sent with another body
                (``idempotency-key-reused``).
        """
        return await self._write("/api/submit", entity, idempotency_key)

    async def list_submissions(
        self,
        *,
        status: Optional[OneOrMore[SubmissionStatus]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> SubmissionList:
        """List your submissions.

        The submissions of the account that asks, the newest first, each with what has
        become of it so far. Those of others are not shown.

        Args:
            status: Only submissions of this status; repeat it for any of several.
            limit: How many records a page has at most. 20 unless given.
            cursor: The ``nextCursor`` of the previous page. All other parameters but
                ``limit`` must be as they were there, so no example would fit every request.

        Returns:
            A page of submissions.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
        """
        return await self._json("/api/submissions", {"status": status, "limit": limit, "cursor": cursor})

    def iter_submissions(
        self,
        *,
        status: Optional[OneOrMore[SubmissionStatus]] = None,
        cursor: Optional[str] = None,
        page_size: int = 100,
    ) -> AsyncIterator[Submission]:
        """List your submissions, over all pages.

        As :meth:`list_submissions`, which tells more. Each page is a request.

        Args:
            status: Only submissions of this status; repeat it for any of several.
            cursor: Where to go on, the ``nextCursor`` of a page.
            page_size: How many to ask for at a time, up to 100.

        Returns:
            An iterator over all of them, read page by page as needed.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
        """
        return self._items("/api/submissions", {"status": status, "cursor": cursor, "limit": page_size})

    async def get_submission(self, id: str) -> SubmissionDocument:
        """Read one of your submissions.

        How far a submission has come, and its fields as they will be in the file. A
        submission of another account does not exist here.

        Args:
            id: The id of the submission.

        Returns:
            The submission.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
            NotFoundError: The account that asks has no submission with this id
                (``unknown-submission``).
        """
        return await self._json(path_to("/api/submissions/{id}", id=id))

    async def withdraw_submission(self, id: str) -> None:
        """Withdraw one of your submissions.

        Withdraws a submission that is pending or in review. It stays in the list as
        ``withdrawn``, and the same entity can be submitted again. An open pull request is
        closed soon after. Withdrawing it again changes nothing.

        Args:
            id: The id of the submission.

        Raises:
            BadRequestError: A parameter is unknown or has no usable value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is needed and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not answer to this host name
                (``foreign-host``); the request does not count.
            NotFoundError: The account that asks has no submission with this id
                (``unknown-submission``).
            ConflictError: The submission is accepted, published or rejected
                (``cannot-withdraw``).
        """
        await self._delete(path_to("/api/submissions/{id}", id=id))
