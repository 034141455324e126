package storage

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"kindex/edge/submission"
)

const submissionColumns = `s.id, s.account_id, a.name, s.status, s.type, s.slug, s.name, s.url, s.yaml, s.changes, s.reason,
	s.branch, s.commit_hash, s.pull_request, s.pull_request_url, s.created_at, s.updated_at
	FROM submissions s JOIN accounts a ON a.id = s.account_id `

func submissionInto(s *submission.Submission) []any {
	return []any{&s.ID, &s.AccountID, &s.Account, &s.Status, &s.Type, &s.Slug, &s.Name, &s.URL, &s.YAML, &s.Changes, &s.Reason,
		&s.Branch, &s.Commit, &s.PullRequest.Number, &s.PullRequest.URL, moment(&s.CreatedAt), moment(&s.UpdatedAt)}
}

// openStatuses lists the statuses in submission.Open, in the same form as in the table's
// indexes.
const openStatuses = `('pending', 'in-review', 'accepted')`

// CreateSubmission stores an account's submission and returns it as stored. The error is a
// *submission.TakenError if an open submission of the same account proposes the same entity, and
// submission.ErrTooManyOpen if the account has submission.MaxOpen open ones. The account's oldest
// closed submissions beyond submission.MaxClosed or MaxClosedBytes are deleted.
func (tx *Tx) CreateSubmission(s submission.Submission) (submission.Submission, error) {
	if _, err := tx.lockAccount(s.AccountID); err != nil {
		return submission.Submission{}, err
	}
	identity := submission.Identity(s.Name, s.URL)
	open, err := list(tx.conn, submissionInto, `SELECT `+submissionColumns+`WHERE s.account_id = $1 AND s.status IN `+openStatuses+` ORDER BY s.created_at, s.id`, s.AccountID)
	if err != nil {
		return submission.Submission{}, err
	}
	for _, own := range open {
		samePage := own.Type != s.Type || own.Slug != s.Slug
		if !samePage || submission.Identity(own.Name, own.URL) == identity {
			return submission.Submission{}, &submission.TakenError{Type: own.Type, Slug: own.Slug, Submission: &own, SamePage: samePage}
		}
	}
	if len(open) >= submission.MaxOpen {
		return submission.Submission{}, submission.ErrTooManyOpen
	}
	tx.pruneSubmissions(s.AccountID)
	tx.do(`INSERT INTO submissions (id, account_id, status, type, slug, name, url, identity, yaml, changes, reason,
			branch, commit_hash, pull_request, pull_request_url, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '', '', '', 0, '', $11, $11)`,
		s.ID, s.AccountID, string(submission.Pending), s.Type, s.Slug, s.Name, s.URL, identity, s.YAML, s.Changes, tx.now())
	if err := tx.Audit(AuditEntry{AccountID: s.AccountID, Action: SubmissionCreated, Target: s.ID, Detail: s.Type + "/" + s.Slug}); err != nil {
		return submission.Submission{}, err
	}
	return one(tx.conn, submission.ErrUnknown, submissionInto, `SELECT `+submissionColumns+`WHERE s.id = $1`, s.ID)
}

// pruneSubmissions deletes an account's oldest closed submissions beyond the limits. A
// submission is kept while its pull request still has to be closed.
func (tx *Tx) pruneSubmissions(account string) {
	tx.do(`DELETE FROM submissions WHERE id IN (SELECT id FROM
			(SELECT id, to_close, ROW_NUMBER() OVER newest AS place, SUM(OCTET_LENGTH(yaml) + OCTET_LENGTH(changes)) OVER newest AS bytes
			FROM submissions WHERE account_id = $1 AND status NOT IN `+openStatuses+`
			WINDOW newest AS (ORDER BY created_at DESC, id DESC)) AS closed
		WHERE to_close = 0 AND (place > $2 OR bytes > $3))`, account, submission.MaxClosed, submission.MaxClosedBytes)
}

// Submission returns a submission. If there is none, the error is submission.ErrUnknown.
func (s *State) Submission(ctx context.Context, id string) (submission.Submission, error) {
	if !submission.ValidID(id) { // not every string can be used in a query
		return submission.Submission{}, submission.ErrUnknown
	}
	return one(s.on(ctx), submission.ErrUnknown, submissionInto, `SELECT `+submissionColumns+`WHERE s.id = $1`, id)
}

// Submissions returns the submissions that match a query.
func (s *State) Submissions(ctx context.Context, q submission.Query) ([]submission.Submission, error) {
	where, args := whereSubmissions(q)
	order, sign := "DESC", "<"
	if q.OldFirst {
		order, sign = "ASC", ">"
	}
	if q.After != "" {
		where += " AND (s.created_at, s.id) " + sign + " (SELECT created_at, id FROM submissions WHERE id = " + args.add(q.After) + ")"
	}
	query := `SELECT ` + submissionColumns + where + ` ORDER BY s.created_at ` + order + `, s.id ` + order
	if q.Limit > 0 {
		query += " LIMIT " + args.add(q.Limit)
	}
	found, err := list(s.on(ctx), submissionInto, query, args...)
	return found, s.wrap("listing submissions", err)
}

// CountSubmissions returns the number of submissions that match a query, on all pages.
func (s *State) CountSubmissions(ctx context.Context, q submission.Query) (n int, err error) {
	where, args := whereSubmissions(q)
	n, err = value[int](s.on(ctx), `SELECT count(*) FROM submissions s `+where, args...)
	return n, s.wrap("counting submissions", err)
}

func whereSubmissions(q submission.Query) (where string, args arguments) {
	where = "WHERE 1 = 1"
	if q.AccountID != "" {
		where += " AND s.account_id = " + args.add(q.AccountID)
	}
	if len(q.Statuses) > 0 {
		where += " AND s.status IN (" + statusList(q.Statuses, &args) + ")"
	}
	if q.Slug != "" {
		where += " AND s.slug = " + args.add(q.Slug)
	}
	if q.ToClose {
		where += " AND s.to_close = 1"
	}
	return where, args
}

func statusList(statuses []submission.Status, args *arguments) string {
	var placeholders []string
	for _, status := range statuses {
		placeholders = append(placeholders, args.add(string(status)))
	}
	return strings.Join(placeholders, ", ")
}

// MoveSubmission implements submission.Store.
func (s *State) MoveSubmission(ctx context.Context, id string, to submission.Status, c submission.Change) (moved bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		moved, err = tx.MoveSubmission(id, to, c)
		return err
	})
	return moved && err == nil, s.wrap("changing the status of a submission to "+string(to), err)
}

// MoveSubmission changes the status of a submission if the current status allows it, and
// reports whether it did. The error is a *submission.ChosenError if the submission of a new entity
// would be in review or accepted while another one of the same entity is. If it withdraws a submission with an open pull request, it records
// that the pull request must be closed.
func (tx *Tx) MoveSubmission(id string, to submission.Status, c submission.Change) (bool, error) {
	withdrawn := 0
	if to == submission.Withdrawn {
		withdrawn = 1
	}
	if to == submission.InReview || to == submission.Accepted {
		if err := tx.checkChosen(id); err != nil {
			return false, err
		}
	}
	args := arguments{id, string(to), c.Reason, c.Branch, c.Commit, c.PullRequest.Number, c.PullRequest.URL, tx.now(), withdrawn}
	from := statusList(to.From(), &args)
	e, err := one(tx.conn, sql.ErrNoRows, func(e *AuditEntry) []any { return []any{&e.AccountID, &e.Detail} }, `UPDATE submissions SET status = $2, updated_at = $8,
			reason = COALESCE(NULLIF(CAST($3 AS TEXT), ''), reason),
			branch = COALESCE(NULLIF(CAST($4 AS TEXT), ''), branch),
			commit_hash = COALESCE(NULLIF(CAST($5 AS TEXT), ''), commit_hash),
			pull_request = COALESCE(NULLIF(CAST($6 AS BIGINT), 0), pull_request),
			pull_request_url = COALESCE(NULLIF(CAST($7 AS TEXT), ''), pull_request_url),
			to_close = CASE WHEN CAST($9 AS BIGINT) = 1 AND pull_request > 0 THEN 1 ELSE 0 END
		WHERE id = $1 AND status IN (`+from+`) RETURNING account_id, type || '/' || slug`, args...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	}
	e.Action, e.Target = Action("submission."+string(to)), id
	if c.Reason != "" {
		e.Detail += ": " + c.Reason
	}
	return true, tx.Audit(e)
}

// checkChosen returns a *submission.ChosenError if a pending submission of a new entity cannot be
// chosen, because another one of the same entity is. Until the transaction ends, no other
// submission can be chosen.
func (tx *Tx) checkChosen(id string) error {
	tx.lockTable("submissions")
	others, err := list(tx.conn, submissionInto, `SELECT `+submissionColumns+`WHERE s.changes = '' AND s.status IN ('in-review', 'accepted')
		AND EXISTS (SELECT 1 FROM submissions p WHERE p.id = $1 AND p.changes = '' AND p.status = 'pending'
			AND (p.type = s.type AND p.slug = s.slug OR p.identity = s.identity))
		ORDER BY s.created_at, s.id LIMIT 1`, id)
	if len(others) > 0 {
		return &submission.ChosenError{Other: others[0]}
	}
	return err
}

// RecordBranch stores where a submission has been written, if it is still in review or accepted,
// and reports whether it is.
func (s *State) RecordBranch(ctx context.Context, id string, c submission.Change) (bool, error) {
	n, err := s.on(ctx).exec(`UPDATE submissions SET branch = $2, commit_hash = $3, pull_request = $4, pull_request_url = $5
		WHERE id = $1 AND status IN ('in-review', 'accepted')`, id, c.Branch, c.Commit, c.PullRequest.Number, c.PullRequest.URL)
	return n > 0, s.wrap("recording the branch of a submission", err)
}

// Unchoose makes a submission pending again that is in review or accepted, but has not been written
// anywhere.
func (s *State) Unchoose(ctx context.Context, id string) error {
	_, err := s.on(ctx).exec(`UPDATE submissions SET status = 'pending'
		WHERE id = $1 AND status IN ('in-review', 'accepted') AND branch = '' AND pull_request = 0`, id)
	return s.wrap("making a submission pending again", err)
}

// PullRequestClosed implements submission.Store.
func (s *State) PullRequestClosed(ctx context.Context, id string) error {
	_, err := s.on(ctx).exec(`UPDATE submissions SET to_close = 0 WHERE id = $1`, id)
	return s.wrap("recording that a pull request is closed", err)
}

// Siblings returns the other open submissions that propose the same entity as a submission,
// oldest first: the type and slug, or the name and URL, are the same.
func (s *State) Siblings(ctx context.Context, one submission.Submission) ([]submission.Submission, error) {
	found, err := list(s.on(ctx), submissionInto, `SELECT `+submissionColumns+`WHERE s.status IN `+openStatuses+` AND s.id <> $1
		AND (s.type = $2 AND s.slug = $3 OR s.identity = $4) ORDER BY s.created_at, s.id`,
		one.ID, one.Type, one.Slug, submission.Identity(one.Name, one.URL))
	return found, s.wrap("listing submissions for the same entity", err)
}

// CountSiblings returns the number of siblings by submission id, for each open submission
// that has any.
func (s *State) CountSiblings(ctx context.Context) (map[string]int, error) {
	type siblings struct {
		id string
		n  int
	}
	rows, err := list(s.on(ctx), func(s *siblings) []any { return []any{&s.id, &s.n} }, `SELECT s.id, count(*) FROM submissions s JOIN submissions o
		ON o.id <> s.id AND (o.type = s.type AND o.slug = s.slug OR o.identity = s.identity)
		WHERE s.status IN `+openStatuses+` AND o.status IN `+openStatuses+` GROUP BY s.id`)
	counts := map[string]int{}
	for _, s := range rows {
		counts[s.id] = s.n
	}
	return counts, s.wrap("counting submissions for the same entity", err)
}
