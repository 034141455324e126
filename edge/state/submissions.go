package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"kindex/edge/submit"
)

// submissionColumns are read by scanSubmission.
const submissionColumns = `s.id, s.account_id, a.name, s.status, s.type, s.slug, s.name, s.url, s.yaml, s.reason,
	s.branch, s.commit_hash, s.pull_request, s.pull_request_url, s.created_at, s.updated_at
	FROM submissions s JOIN accounts a ON a.id = s.account_id `

func scanSubmission(scan func(...any) error) (s submit.Submission, err error) {
	var created, updated sql.NullInt64
	err = scan(&s.ID, &s.AccountID, &s.Account, &s.Status, &s.Type, &s.Slug, &s.Name, &s.URL, &s.YAML, &s.Reason,
		&s.Branch, &s.Commit, &s.PullRequest.Number, &s.PullRequest.URL, &created, &updated)
	s.CreatedAt, s.UpdatedAt = moment(created), moment(updated)
	return s, err
}

// openStatuses are those of submit.Open, as the indexes of the table have them.
const openStatuses = `('pending', 'in-review', 'accepted')`

// CreateSubmission takes in a submission of an account and returns it as it is
// stored. It is a *submit.TakenError where another open one wants to become the
// same entity.
func (tx *Tx) CreateSubmission(s submit.Submission) (submit.Submission, error) {
	identity, now := submit.Identity(s.Name, s.URL), tx.now()
	for range 3 { // what stood in the way may be closed before it can be named
		n, err := tx.exec(`INSERT INTO submissions (id, account_id, status, type, slug, name, url, identity, yaml, reason,
				branch, commit_hash, pull_request, pull_request_url, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '', '', '', 0, '', $10, $10) ON CONFLICT DO NOTHING`,
			s.ID, s.AccountID, string(submit.Pending), s.Type, s.Slug, s.Name, s.URL, identity, s.YAML, now)
		if err != nil {
			return submit.Submission{}, err
		}
		which, args := `WHERE s.id = $1`, []any{s.ID}
		if n == 0 {
			which, args = `WHERE s.status IN `+openStatuses+` AND (s.type = $1 AND s.slug = $2 OR s.identity = $3)
				ORDER BY s.created_at, s.id LIMIT 1`, []any{s.Type, s.Slug, identity}
		}
		stored, err := scanSubmission(tx.row(`SELECT `+submissionColumns+which, args...).Scan)
		switch {
		case n == 0 && errors.Is(err, sql.ErrNoRows):
			continue
		case err != nil:
			return submit.Submission{}, err
		case n == 1:
			return stored, tx.Audit(AuditEntry{AccountID: s.AccountID, Action: SubmissionCreated, Target: s.ID, Detail: s.Type + "/" + s.Slug})
		}
		return submit.Submission{}, &submit.TakenError{Type: stored.Type, Slug: stored.Slug, Submission: &stored,
			SamePage: stored.Type != s.Type || stored.Slug != s.Slug}
	}
	return submit.Submission{}, errors.New("the submission cannot be taken in: others come and go all the time")
}

// Submission returns one submission, submit.ErrUnknown where there is none.
func (s *State) Submission(ctx context.Context, id string) (submit.Submission, error) {
	if !submit.ValidID(id) { // not every text can be asked for
		return submit.Submission{}, submit.ErrUnknown
	}
	found, err := scanSubmission(s.row(ctx, `SELECT `+submissionColumns+`WHERE s.id = $1`, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return found, submit.ErrUnknown
	}
	return found, s.wrap("reading a submission", err)
}

// Submissions returns those that a query chooses.
func (s *State) Submissions(ctx context.Context, q submit.Query) ([]submit.Submission, error) {
	where, args := whereSubmissions(q)
	order := "DESC"
	if q.OldFirst {
		order = "ASC"
	}
	if q.After != "" {
		args = append(args, q.After)
		sign := map[bool]string{true: ">", false: "<"}[q.OldFirst]
		where += fmt.Sprintf(" AND (s.created_at, s.id) %s (SELECT created_at, id FROM submissions WHERE id = $%d)", sign, len(args))
	}
	query := `SELECT ` + submissionColumns + where + ` ORDER BY s.created_at ` + order + `, s.id ` + order
	if q.Limit > 0 {
		args = append(args, q.Limit)
		query += fmt.Sprintf(" LIMIT $%d", len(args))
	}
	rows, err := s.rows(ctx, query, args...)
	list, err := collect(rows, err, scanSubmission)
	return list, s.wrap("listing submissions", err)
}

// CountSubmissions tells how many a query chooses, on all its pages.
func (s *State) CountSubmissions(ctx context.Context, q submit.Query) (n int, err error) {
	where, args := whereSubmissions(q)
	err = s.row(ctx, `SELECT count(*) FROM submissions s `+where, args...).Scan(&n)
	return n, s.wrap("counting submissions", err)
}

func whereSubmissions(q submit.Query) (where string, args []any) {
	where = "WHERE 1 = 1"
	if q.AccountID != "" {
		args = append(args, q.AccountID)
		where += fmt.Sprintf(" AND s.account_id = $%d", len(args))
	}
	if len(q.Statuses) > 0 {
		where += " AND s.status IN (" + statusList(q.Statuses, &args) + ")"
	}
	return where, args
}

// statusList adds statuses to the arguments and returns their placeholders.
func statusList(statuses []submit.Status, args *[]any) string {
	var places []string
	for _, status := range statuses {
		*args = append(*args, string(status))
		places = append(places, fmt.Sprintf("$%d", len(*args)))
	}
	return strings.Join(places, ", ")
}

// MoveSubmission takes a submission to a state, if it is in one of those from
// which there is a step, and tells whether it was.
func (s *State) MoveSubmission(ctx context.Context, id string, to submit.Status, c submit.Change) (bool, error) {
	moved := false
	err := s.Write(ctx, func(tx *Tx) error {
		e := AuditEntry{Action: Action("submission." + string(to)), Target: id}
		args := []any{id, string(to), c.Reason, c.Branch, c.Commit, c.PullRequest.Number, c.PullRequest.URL, tx.now()}
		err := tx.row(`UPDATE submissions SET status = $2, updated_at = $8,
			reason = COALESCE(NULLIF(CAST($3 AS TEXT), ''), reason),
			branch = COALESCE(NULLIF(CAST($4 AS TEXT), ''), branch),
			commit_hash = COALESCE(NULLIF(CAST($5 AS TEXT), ''), commit_hash),
			pull_request = COALESCE(NULLIF(CAST($6 AS BIGINT), 0), pull_request),
			pull_request_url = COALESCE(NULLIF(CAST($7 AS TEXT), ''), pull_request_url)
			WHERE id = $1 AND status IN (`+statusList(to.From(), &args)+`) RETURNING account_id, type || '/' || slug`, args...).
			Scan(&e.AccountID, &e.Detail)
		if moved = err == nil; errors.Is(err, sql.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		if c.Reason != "" {
			e.Detail += ": " + c.Reason
		}
		return tx.Audit(e)
	})
	return moved && err == nil, s.wrap("moving a submission to "+string(to), err)
}
