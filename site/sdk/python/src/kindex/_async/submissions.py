"""Submissions: Propose new entities and track their status.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import AsyncIterator, Optional, Union

from .._acore import AsyncCore
from .._addresses import OneOrMore, path_to
from ..types import (
    Correction,
    CreatedSubmission,
    NewSubmission,
    Submission,
    SubmissionDocument,
    SubmissionList,
    SubmissionStatus,
)


class Submissions(AsyncCore):
    """Propose new entities and track their status."""

    async def submit_entity(
        self,
        entity: Union[NewSubmission, Correction],
        *,
        idempotency_key: Optional[str] = None,
    ) -> CreatedSubmission:
        """Submit an entity for review.

        Proposes a new tool or model, or corrects an existing one. The submission is
        converted to a content file, which is checked against the index and against the
        build's JSON Schema for content files, ``entity.schema.json``. If the submission is
        invalid, the response lists all invalid fields. If you do not pass a ``slug``, it is
        derived from the name. A valid submission awaits review; ``GET
        /api/submissions/{id}`` returns its status. The response is 409 if the index, or an
        open submission from the same account, already contains an entity with the same type
        and slug, or with the same name and URL.

        To correct an entity, name it in ``amends`` and send only the fields that change;
        null removes a field. In ``links``, ``ids``, ``modalities``, ``parameters``,
        ``lifecycle`` and ``signals``, members that are not sent stay as they are; lists are
        replaced as a whole. Every figure that changes (a signal, a benchmark result, an
        offer) needs a ``source``. The correction is reviewed as a change to the entity's
        file.

        Several accounts can propose the same entity. An account can have at most 20 open
        submissions (pending, in review or accepted); ``DELETE /api/submissions/{id}``
        withdraws one. The newest 200 closed submissions of an account are kept, up to a
        total of 2 MiB. ``similar`` lists existing entities that could be the same.

        Args:
            entity: The fields of a new entity, or a correction.
            idempotency_key: Identifies this write: if it is repeated within 24 hours, even
                by another process, it has no further effect. By default, a random value.

        Returns:
            The submission awaits review.

        Raises:
            BadRequestError: The body is invalid (``invalid-body``), with all invalid
                fields in ``errors``; or a parameter is invalid (``unknown-parameter``,
                ``invalid-parameter``); or the ``Idempotency-Key`` is invalid
                (``invalid-idempotency-key``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
            ConflictError: The index already has this entity, or an open submission of
                the same account proposes it (``already-exists``); ``suggestion`` is the
                address of that entity or submission. Or the account has reached its limit
                of open submissions (``too-many-submissions``).
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
            status: Only submissions with this status. Repeat the parameter to match any of
                several values.
            limit: Maximum number of records per page. Default: 20.
            cursor: The ``nextCursor`` of the previous page. All other parameters except
                ``limit`` must be the same as for that page.

        Returns:
            One page of submissions.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
        """
        return await self._json("/api/submissions", {"status": status, "limit": limit, "cursor": cursor})

    def iter_submissions(
        self,
        *,
        status: Optional[OneOrMore[SubmissionStatus]] = None,
        cursor: Optional[str] = None,
        page_size: int = 100,
    ) -> AsyncIterator[Submission]:
        """List your submissions, on all pages.

        Like :meth:`list_submissions`, which has the details. Each page is a request.

        Args:
            status: Only submissions with this status. Repeat the parameter to match any of
                several values.
            cursor: Where to continue: the ``nextCursor`` of a page.
            page_size: The number of records per request, up to 100.

        Returns:
            An iterator over the records of all pages, which are requested as needed.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
        """
        return self._items("/api/submissions", {"status": status, "cursor": cursor, "limit": page_size})

    async def get_submission(self, id: str) -> SubmissionDocument:
        """Read one of your submissions.

        The status of a submission, and its fields as they will appear in the content file.
        For submissions of other accounts, the response is 404.

        Args:
            id: The submission's id.

        Returns:
            The submission.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
            NotFoundError: Your account has no submission with this id
                (``unknown-submission``).
        """
        return await self._json(path_to("/api/submissions/{id}", id=id))

    async def withdraw_submission(self, id: str) -> None:
        """Withdraw one of your submissions.

        Withdraws a submission that is pending or in review. It remains listed as
        ``withdrawn``, and the same entity can be submitted again. An open pull request is
        closed shortly afterwards. Withdrawing a withdrawn submission has no effect.

        Args:
            id: The submission's id.

        Raises:
            BadRequestError: A parameter is unknown or has an invalid value
                (``unknown-parameter``, ``invalid-parameter``).
            UnauthorizedError: A key is required, but none was sent; or the key is
                malformed, unknown, revoked or expired, or was sent in a header other than
                ``x-api-key`` (``unauthorized``). The request counts towards the limit of
                the IP address.
            ForbiddenError: The key lacks the required scope (``insufficient-scope``),
                which ``WWW-Authenticate`` names. Or the key's account is suspended
                (``account-suspended``), in which case the request counts towards the limit
                of the IP address. Or the index is private and does not accept this host
                name (``foreign-host``), in which case the request does not count.
            NotFoundError: Your account has no submission with this id
                (``unknown-submission``).
            ConflictError: The submission has already been accepted, published or
                rejected (``cannot-withdraw``).
        """
        await self._delete(path_to("/api/submissions/{id}", id=id))
