package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"kindex/edge/account"
	"kindex/edge/live"
	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/edge/web"
	"kindex/exports/jsonenc"
)

// Submit handles POST /api/submit.
func (a *API) Submit(c *web.Call) (*web.Reply, error) {
	owner := c.Principal.Account
	draft, similar, refused := readDraft(c)
	if refused != nil && !account.HasIdempotencyKey(c) {
		return nil, refused
	}
	id := storage.NewID("sub_")
	return a.accounts.Write(c, func(tx *storage.Tx) (account.Result, error) {
		// A repeated request gets the same response, even if the build now has the entity.
		if refused != nil {
			return account.Result{}, refused
		}
		proposed, err := account.NewSubmission(draft, id, owner.ID)
		if err != nil {
			return account.Result{}, err
		}
		stored, err := tx.CreateSubmission(proposed)
		if err != nil {
			return account.Result{}, submissionProblem(err)
		}
		address := submissionPath(stored.ID)
		return account.Result{Status: http.StatusCreated, Location: address, Body: submitReply{ID: stored.ID, Status: stored.Status,
			URL: c.BaseURL() + address, Similar: similar, Warnings: account.FieldErrors(draft.Warnings)}}, nil
	})
}

type submitReply struct {
	ID       string            `json:"id"`
	Status   submission.Status `json:"status"`
	URL      string            `json:"url"`
	Similar  []json.RawMessage `json:"similar"`
	Warnings []web.FieldError  `json:"warnings"`
}

func submissionPath(id string) string { return "/api/submissions/" + id }

// readDraft reads the body and checks it against the build. It also returns similar entities in
// the build.
func readDraft(c *web.Call) (*submission.Draft, []json.RawMessage, error) {
	var fields map[string]any
	if err := c.Decode(&fields); err != nil {
		return nil, nil, err
	}
	draft, err := submission.Parse(fields, account.NewSubmissionIndex(c.Served))
	if err != nil {
		return nil, nil, submissionProblem(err)
	}
	if draft.Before != nil {
		return draft, []json.RawMessage{}, nil
	}
	var similar []uint32
	for _, key := range draft.Same {
		typ, slug, _ := strings.Cut(key, "/")
		if o, _, ok := c.Served.Build.Find(typ, slug); ok {
			similar = append(similar, o)
		}
	}
	for _, o := range c.Served.FindSimilarNames(draft.Entity.Name, live.MaxSimilar) {
		if len(similar) < live.MaxSimilar && !slices.Contains(similar, o) {
			similar = append(similar, o)
		}
	}
	return draft, similarFields.all(c.Served, similar), nil
}

func submissionProblem(err error) error {
	var invalid *submission.InvalidError
	var taken *submission.TakenError
	switch {
	case errors.As(err, &invalid):
		return web.InvalidBody(account.FieldErrors(invalid.Problems))
	case errors.Is(err, submission.ErrTooManyOpen):
		return web.NewProblem("too-many-submissions", account.TooManyOpen+" DELETE /api/submissions/{id} withdraws one.")
	case errors.As(err, &taken):
		p := web.NewProblem("already-exists", web.AsSentence(taken.Error()))
		if taken.Submission == nil {
			return p.WithSuggestion("/api/entity/" + taken.Type + "/" + taken.Slug)
		}
		return p.WithSuggestion(submissionPath(taken.Submission.ID))
	}
	return err
}

var similarFields = only("type", "slug", "name", "url")

// submissionRecord is a submission as returned to the account that sent it.
type submissionRecord struct {
	ID          string                 `json:"id"`
	Status      submission.Status      `json:"status"`
	URL         string                 `json:"url"`
	Entity      submittedEntity        `json:"entity"`
	Amends      jsonenc.OptionalString `json:"amends"` // type/slug of the entity that a correction changes
	Reason      jsonenc.OptionalString `json:"reason"`
	PullRequest *pullRequest           `json:"pullRequest"`
	CreatedAt   time.Time              `json:"createdAt"`
	UpdatedAt   time.Time              `json:"updatedAt"`
	// Set only in responses for a single submission: the values that the file will have and, for a
	// correction, those that change.
	Fields  map[string]any `json:"fields,omitempty"`
	Changes map[string]any `json:"changes,omitempty"`
}

type submittedEntity struct {
	entityName
	URL string `json:"url"`
}

type pullRequest struct {
	Number int64                  `json:"number"`
	URL    jsonenc.OptionalString `json:"url"`
}

func newSubmissionRecord(c *web.Call, s *submission.Submission) submissionRecord {
	r := submissionRecord{ID: s.ID, Status: s.Status, URL: c.BaseURL() + submissionPath(s.ID),
		Entity: submittedEntity{entityName{s.Type, s.Slug, s.Name}, s.URL}, Reason: jsonenc.OptionalString(s.Reason), CreatedAt: web.TruncateToSecond(s.CreatedAt), UpdatedAt: web.TruncateToSecond(s.UpdatedAt)}
	if s.Amends() {
		r.Amends = jsonenc.OptionalString(s.Key())
	}
	if s.PullRequest.Number > 0 {
		r.PullRequest = &pullRequest{s.PullRequest.Number, jsonenc.OptionalString(s.PullRequest.URL)}
	}
	return r
}

// Submissions handles GET /api/submissions.
func (a *API) Submissions(c *web.Call) (*web.Reply, error) {
	owner := c.Principal.Account
	q := submission.Query{AccountID: owner.ID}
	names := each(submission.Statuses, func(s submission.Status) string { return string(s) })
	q.Statuses = each(c.Query.AnyOf("status", names), func(name string) submission.Status { return submission.Status(name) })
	l := openList(c)
	after := l.after("submission")
	ctx := c.Request.Context()
	count, err := a.state.CountSubmissions(ctx, q)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	if after != nil {
		// The cursor may name a submission that is gone, or somebody else's.
		at, err := a.state.Submission(ctx, after.Slug)
		if errors.Is(err, submission.ErrUnknown) || err == nil && at.AccountID != owner.ID {
			return nil, errCursor
		} else if err != nil {
			return nil, web.StateProblem(err)
		}
		q.After = after.Slug
	}
	q.Limit = l.page.Limit + 1
	submissions, err := a.state.Submissions(ctx, q)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	l.private = true
	return l.reply(count, addPage(l, submissions, func(s submission.Submission) any { return newSubmissionRecord(c, &s) },
		func(last submission.Submission) *query.Cursor { return position("submission", "", last.ID) })), nil
}

// Submission handles GET /api/submissions/:id.
func (a *API) Submission(c *web.Call) (*web.Reply, error) {
	found, err := a.accounts.SubmissionOf(c.Request.Context(), c.Principal.Account.ID, c.Param("id"))
	if err != nil {
		return nil, err
	}
	record := newSubmissionRecord(c, &found)
	if record.Fields, err = found.Fields(); err != nil {
		return nil, err
	}
	if record.Changes, err = found.Corrections(); err != nil {
		return nil, err
	}
	return web.JSONReply(http.StatusOK, record)
}

// WithdrawSubmission handles DELETE /api/submissions/:id.
func (a *API) WithdrawSubmission(c *web.Call) (*web.Reply, error) {
	if err := a.accounts.Withdraw(c.Request.Context(), c.Principal.Account.ID, c.Param("id")); err != nil {
		return nil, err
	}
	return web.JSONReply(http.StatusNoContent, nil)
}
