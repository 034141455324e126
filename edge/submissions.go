package edge

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/edge/submission"
)

// POST /api/submit
func (a *API) submit(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	draft, similar, refused := readDraft(c)
	if refused != nil && !repeatable(c) {
		return nil, refused
	}
	id := storage.NewID("sub_")
	return a.accounts.writeOnce(c, func(tx *storage.Tx) (outcome, error) {
		// What was taken in once gets the same answer again, even where the build
		// has the entity by now.
		if refused != nil {
			return outcome{}, refused
		}
		stored, err := tx.CreateSubmission(submissionFrom(draft, id, account.ID))
		if err != nil {
			return outcome{}, submissionProblem(err)
		}
		address := submissionPath(stored.ID)
		return outcome{status: http.StatusCreated, location: address, body: submitted{ID: stored.ID, Status: stored.Status,
			URL: c.base() + address, Similar: similar, Warnings: fieldErrors(draft.Warnings)}}, nil
	})
}

// submitted is the answer to a submission that was taken in.
type submitted struct {
	ID       string            `json:"id"`
	Status   submission.Status `json:"status"`
	URL      string            `json:"url"`
	Similar  []json.RawMessage `json:"similar"`
	Warnings []FieldError      `json:"warnings"`
}

func submissionPath(id string) string { return "/api/submissions/" + id }

// draft reads the body and checks it against the build; it also finds entities of
// the build that are like it.
func readDraft(c *call) (*submission.Draft, []json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := c.decode(&members); err != nil {
		return nil, nil, err
	}
	d := json.NewDecoder(bytes.NewReader(c.body))
	d.UseNumber() // a version such as 1.10 must not become 1.1
	var fields map[string]any
	if err := d.Decode(&fields); err != nil {
		return nil, nil, newProblem("invalid-body", "The body is not JSON.") // it was read once already
	}
	draft, err := submission.Parse(fields, built{c.served})
	if err != nil {
		return nil, nil, submissionProblem(err)
	}
	similar, err := similarTo(c.served, draft.Entity.Name)
	return draft, similar, err
}

// submissionProblem is the answer to a submission that is refused.
func submissionProblem(err error) error {
	var invalid *submission.InvalidError
	var taken *submission.TakenError
	switch {
	case errors.As(err, &invalid):
		return invalidSubmission(invalid)
	case errors.Is(err, submission.ErrTooManyOpen):
		return newProblem("too-many-submissions", tooManyOpen+" DELETE /api/submissions/{id} withdraws one.")
	case errors.As(err, &taken):
		p := newProblem("already-exists", sentence(taken.Error()))
		if taken.Submission == nil {
			return p.suggest("/api/entity/" + taken.Type + "/" + taken.Slug)
		}
		return p.suggest(submissionPath(taken.Submission.ID))
	}
	return err
}

func invalidSubmission(e *submission.InvalidError) error {
	p := &Problem{}
	if !errors.As(invalidBody(fieldErrors(e.Problems)), &p) {
		return e
	}
	return p.suggest(e.Problems[0].Suggestion)
}

// mostSimilarTo is how many entities like a new one are named.
const mostSimilarTo = 5

// brief is what is told of an entity beside something else.
var brief = &projection{fields: map[string]bool{"type": true, "slug": true, "name": true, "url": true}}

// similarTo tells of entities that may be what a name stands for.
func similarTo(v *view, name string) ([]json.RawMessage, error) {
	found, err := entitiesNamed(v, name, mostSimilarTo)
	if err != nil {
		return nil, err
	}
	list := []json.RawMessage{}
	for _, o := range found {
		list = append(list, brief.append(nil, v.build.Record(o)))
	}
	return list, nil
}

// submissionRecord is a submission as its account sees it.
type submissionRecord struct {
	ID          string            `json:"id"`
	Status      submission.Status `json:"status"`
	URL         string            `json:"url"`
	Entity      submittedEntity   `json:"entity"`
	Reason      *string           `json:"reason"`
	PullRequest *pullRequest      `json:"pullRequest"`
	CreatedAt   time.Time         `json:"createdAt"`
	UpdatedAt   time.Time         `json:"updatedAt"`
	Fields      map[string]any    `json:"fields,omitempty"` // as they will be in the file; single ones only
}

type submittedEntity struct {
	Type string `json:"type"`
	Slug string `json:"slug"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

type pullRequest struct {
	Number int64   `json:"number"`
	URL    *string `json:"url"`
}

func newSubmissionRecord(c *call, s *submission.Submission) submissionRecord {
	r := submissionRecord{ID: s.ID, Status: s.Status, URL: c.base() + submissionPath(s.ID),
		Entity: submittedEntity{s.Type, s.Slug, s.Name, s.URL}, CreatedAt: second(s.CreatedAt), UpdatedAt: second(s.UpdatedAt)}
	if s.Reason != "" {
		r.Reason = &s.Reason
	}
	if s.PullRequest.Number > 0 {
		r.PullRequest = &pullRequest{Number: s.PullRequest.Number}
		if s.PullRequest.URL != "" {
			r.PullRequest.URL = &s.PullRequest.URL
		}
	}
	return r
}

// GET /api/submissions
func (a *API) submissions(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	q := submission.Query{AccountID: account.ID}
	var names []string
	for _, status := range submission.Statuses {
		names = append(names, string(status))
	}
	chosen, err := c.query.AnyOf("status", names)
	if err != nil {
		return nil, err
	}
	for _, name := range chosen {
		q.Statuses = append(q.Statuses, submission.Status(name))
	}
	limit, err := c.query.Int("limit", query.DefaultLimit, 1, query.MaxLimit)
	if err != nil {
		return nil, err
	}
	ctx := c.request.Context()
	count, err := a.state.CountSubmissions(ctx, q)
	if err != nil {
		return nil, stateProblem(err)
	}
	if q.After, err = a.submissionCursor(c, account.ID); err != nil {
		return nil, err
	}
	q.Limit = limit + 1
	list, err := a.state.Submissions(ctx, q)
	if err != nil {
		return nil, stateProblem(err)
	}
	answer := submissionList{Data: []submissionRecord{}, Count: count}
	for i := range list[:min(limit, len(list))] {
		answer.Data = append(answer.Data, newSubmissionRecord(c, &list[i]))
	}
	if len(list) > limit {
		answer.NextCursor = &list[limit-1].ID
	}
	return submissionPageReply(c, answer)
}

// submissionList is a page of submissions, the newest first.
type submissionList struct {
	Data       []submissionRecord `json:"data"`
	Count      int                `json:"count"`
	NextCursor *string            `json:"nextCursor"`
}

func submissionPageReply(c *call, answer submissionList) (*reply, error) {
	r, err := object(http.StatusOK, answer)
	if err == nil && answer.NextCursor != nil {
		linkNext(c, r, *answer.NextCursor)
	}
	return r, err
}

// submissionCursor is the submission behind which a page begins: one of the
// account's own.
func (a *API) submissionCursor(c *call, account string) (string, error) {
	text, err := c.query.Text("cursor")
	if err != nil || text == "" {
		return "", err
	}
	at, err := a.state.Submission(c.request.Context(), text)
	if errors.Is(err, submission.ErrUnknown) || err == nil && at.AccountID != account {
		return "", &query.Error{Param: "cursor", Message: "is not a cursor of this list; begin again without one"}
	}
	return text, stateProblem(err)
}

// GET /api/submissions/:id
func (a *API) submission(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	found, err := a.accounts.submissionOf(c.request.Context(), account.ID, c.param("id"))
	if err != nil {
		return nil, err
	}
	record := newSubmissionRecord(c, &found)
	if record.Fields, err = found.Fields(); err != nil {
		return nil, err
	}
	return object(http.StatusOK, record)
}

// DELETE /api/submissions/:id
func (a *API) withdrawSubmission(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	if err := a.accounts.withdraw(c.request.Context(), account.ID, c.param("id")); err != nil {
		return nil, err
	}
	return object(http.StatusNoContent, nil)
}
