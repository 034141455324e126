"""Submissions: Proposing new entities and following their status.

Made from the description of the interface, version 0.8.1; do not edit.
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
    """Proposing new entities and following their status."""

    async def submit_entity(self, entity: NewSubmission, *, idempotency_key: Optional[str] = None) -> CreatedSubmission:
        """Submit an entity for review.

        Proposes a new tool or model. The submission becomes a content file and is checked
        against the rules for such files, the build's JSON Schema ``entity.schema.json``,
        and against the index; the response lists all invalid fields. Without a ``slug``,
        one is derived from the name. The submission then awaits review; ``GET
        /api/submissions/{id}`` returns its status. If the index already has the entity, or
        an open submission of the same account proposes it, with the same type and slug or
        the same name and URL, the response is 409; several accounts can propose the same
        entity. An account can have at most 20 open submissions (pending, in review or
        accepted); ``DELETE /api/submissions/{id}`` withdraws one. The newest 200 closed
        submissions are kept, with up to 2 MiB of files in total. ``similar`` lists existing
        entities that could be the same.

        Args:
            entity: Its fields.
            idempotency_key: What makes a repeat of this very write have no further effect
                for 24 hours, also from another process; a random one unless given.

        Returns:
            The submission awaits review.

        Raises:
            BadRequestError: The body is invalid (``invalid-body``), with all invalid
                fields in ``errors``; or a parameter is invalid (``unknown-parameter``,
                ``invalid-parameter``), or the ``Idempotency-Key`` is
                (``invalid-idempotency-key``).
            UnauthorizedError: A key is required and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not accept this host name (``foreign-host``);
                the request does not count towards the limit.
            ConflictError: The index already has this entity, or an open submission of
                the same account proposes it (``already-exists``); ``suggestion`` is its
                address. Or the account has reached its limit of open submissions
                (``too-many-submissions``).
            BadRequestError: The ``Idempotency-Key`` was already used with a different
                body (``idempotency-key-reused``).
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

        The submissions of your account, newest first, with their current status.
        Submissions of other accounts are not included.

        Args:
            status: Only submissions with this status. Repeat to match any of several.
            limit: Maximum number of records per page. 20 unless given.
            cursor: The ``nextCursor`` of the previous page. All other parameters except
                ``limit`` must be the same as for that page.

        Returns:
            One page of submissions.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not accept this host name (``foreign-host``);
                the request does not count towards the limit.
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
            status: Only submissions with this status. Repeat to match any of several.
            cursor: Where to go on, the ``nextCursor`` of a page.
            page_size: How many to ask for at a time, up to 100.

        Returns:
            An iterator over all of them, read page by page as needed.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not accept this host name (``foreign-host``);
                the request does not count towards the limit.
        """
        return self._items("/api/submissions", {"status": status, "cursor": cursor, "limit": page_size})

    async def get_submission(self, id: str) -> SubmissionDocument:
        """Read one of your submissions.

        The status of a submission, and its fields as they will be in the file. Submissions
        of other accounts get a 404.

        Args:
            id: The id of the submission.

        Returns:
            The submission.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not accept this host name (``foreign-host``);
                the request does not count towards the limit.
            NotFoundError: Your account has no submission with this id
                (``unknown-submission``).
        """
        return await self._json(path_to("/api/submissions/{id}", id=id))

    async def withdraw_submission(self, id: str) -> None:
        """Withdraw one of your submissions.

        Withdraws a submission that is pending or in review. It remains listed as
        ``withdrawn``, and the same entity can be submitted again. An open pull request is
        closed shortly afterwards. Withdrawing a withdrawn submission changes nothing.

        Args:
            id: The id of the submission.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required and none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts against the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or its account is suspended
                (``account-suspended``); the request then counts against the IP address. Or
                the index is private and does not accept this host name (``foreign-host``);
                the request does not count towards the limit.
            NotFoundError: Your account has no submission with this id
                (``unknown-submission``).
            ConflictError: The submission is accepted, published or rejected
                (``cannot-withdraw``).
        """
        await self._delete(path_to("/api/submissions/{id}", id=id))
