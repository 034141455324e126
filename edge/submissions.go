package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/exports"
)

// POST /api/submit
func (s *Server) submit(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	draft, similar, refused := c.draft()
	if refused != nil && !c.repeatable() {
		return nil, refused
	}
	id := storage.NewID("sub_")
	return c.once(func(tx *storage.Tx) (outcome, error) {
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

// submissionFrom is a draft as an account submits it.
func submissionFrom(d *submission.Draft, id, account string) submission.Submission {
	return submission.Submission{ID: id, AccountID: account, Type: d.Entity.Type, Slug: d.Entity.Slug, Name: d.Entity.Name, URL: d.Entity.URL, YAML: string(d.YAML)}
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
func (c *call) draft() (*submission.Draft, []json.RawMessage, error) {
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
	draft, err := submission.Parse(fields, built{c.view})
	if err != nil {
		return nil, nil, submissionProblem(err)
	}
	similar, err := c.view.similarTo(draft.Entity.Name)
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

// tooManyOpen explains why an account cannot submit more for now.
var tooManyOpen = fmt.Sprintf("Your account has %d open submissions, which is the limit. "+
	"Withdraw one, or wait until one is published or rejected.", submission.MaxOpen)

func invalidSubmission(e *submission.InvalidError) error {
	p := &Problem{}
	if !errors.As(invalidBody(fieldErrors(e.Problems)), &p) {
		return e
	}
	return p.suggest(e.Problems[0].Suggestion)
}

func fieldErrors(problems []submission.Problem) []FieldError {
	list := []FieldError{}
	for _, p := range problems {
		list = append(list, FieldError{p.Field, p.Says()})
	}
	return list
}

// built is a view as submissions see it.
type built struct{ v *view }

// Categories implements submit.Index.
func (b built) Categories() []exports.Category { return b.v.categories }

// Find implements submit.Index.
func (b built) Find(typ, slug string) (string, bool) {
	o, _, ok := b.v.build.Find(typ, slug)
	if !ok {
		return "", false
	}
	_, now := b.v.build.Key(o)
	return now, true
}

// Deleted implements submit.Index.
func (b built) Deleted(typ, slug string) string {
	a := b.v.build.Archive()
	last, ok := a.Last(typ, slug)
	if !ok {
		return ""
	}
	now := a.Version(a.Newest(last))
	if !now.Deleted {
		return ""
	}
	return time.Unix(now.Time, 0).UTC().Format(time.DateOnly)
}

// mostNamed is how many entities of one name are looked at.
const mostNamed = 200

// Named implements submit.Index.
func (b built) Named(name string) ([]*exports.Entity, error) {
	var list []*exports.Entity
	for _, o := range b.v.build.Named(name, mostNamed) {
		e, err := b.v.build.Entity(o)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// mostSimilarTo is how many entities like a new one are named.
const mostSimilarTo = 5

// brief is what is told of an entity beside something else.
var brief = &projection{fields: map[string]bool{"type": true, "slug": true, "name": true, "url": true}}

// similarTo tells of entities that may be what a name stands for.
func (v *view) similarTo(name string) ([]json.RawMessage, error) {
	found, err := v.ofName(name, mostSimilarTo)
	if err != nil {
		return nil, err
	}
	list := []json.RawMessage{}
	for _, o := range found {
		list = append(list, brief.append(nil, v.build.Record(o)))
	}
	return list, nil
}

// ofName finds entities that may be what a name stands for.
func (v *view) ofName(name string, most int) ([]uint32, error) {
	all, err := v.build.Select(&exports.Filter{})
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(name, `"`, " ") // quotes are signs to the search
	if len(text) > maxQuery {
		text = strings.ToValidUTF8(text[:maxQuery], "")
	}
	return v.index.Instead(text, all, most)
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

func (c *call) submissionRecord(s *submission.Submission) submissionRecord {
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
func (s *Server) submissions(c *call) (*reply, error) {
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
	count, err := s.state.CountSubmissions(ctx, q)
	if err != nil {
		return nil, stateProblem(err)
	}
	if q.After, err = c.submissionCursor(account.ID); err != nil {
		return nil, err
	}
	q.Limit = limit + 1
	list, err := s.state.Submissions(ctx, q)
	if err != nil {
		return nil, stateProblem(err)
	}
	answer := submissionList{Data: []submissionRecord{}, Count: count}
	for i := range list[:min(limit, len(list))] {
		answer.Data = append(answer.Data, c.submissionRecord(&list[i]))
	}
	if len(list) > limit {
		answer.NextCursor = &list[limit-1].ID
	}
	return c.submissionPage(answer)
}

// submissionList is a page of submissions, the newest first.
type submissionList struct {
	Data       []submissionRecord `json:"data"`
	Count      int                `json:"count"`
	NextCursor *string            `json:"nextCursor"`
}

func (c *call) submissionPage(answer submissionList) (*reply, error) {
	r, err := object(http.StatusOK, answer)
	if err == nil && answer.NextCursor != nil {
		c.pagination(r, *answer.NextCursor)
	}
	return r, err
}

// submissionCursor is the submission behind which a page begins: one of the
// account's own.
func (c *call) submissionCursor(account string) (string, error) {
	text, err := c.query.Text("cursor")
	if err != nil || text == "" {
		return "", err
	}
	at, err := c.server.state.Submission(c.request.Context(), text)
	if errors.Is(err, submission.ErrUnknown) || err == nil && at.AccountID != account {
		return "", &query.Error{Param: "cursor", Message: "is not a cursor of this list; begin again without one"}
	}
	return text, stateProblem(err)
}

// GET /api/submissions/:id
func (s *Server) submission(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	found, err := s.submissionOf(c.request.Context(), account.ID, c.param("id"))
	if err != nil {
		return nil, err
	}
	record := c.submissionRecord(&found)
	if record.Fields, err = found.Fields(); err != nil {
		return nil, err
	}
	return object(http.StatusOK, record)
}

// submissionOf is a submission of an account.
func (s *Server) submissionOf(ctx context.Context, account, id string) (submission.Submission, error) {
	found, err := s.state.Submission(ctx, id)
	if errors.Is(err, submission.ErrUnknown) || err == nil && found.AccountID != account {
		return found, newProblem("unknown-submission", fmt.Sprintf("You have no submission %q. GET /api/submissions lists yours.", shorten(id)))
	}
	return found, stateProblem(err)
}

// DELETE /api/submissions/:id
func (s *Server) withdrawSubmission(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	if err := s.withdraw(c.request.Context(), account.ID, c.param("id")); err != nil {
		return nil, err
	}
	return object(http.StatusNoContent, nil)
}

// withdraw withdraws a submission of an account. One that is withdrawn already is no
// error.
func (s *Server) withdraw(ctx context.Context, account, id string) error {
	found, err := s.submissionOf(ctx, account, id)
	if err != nil {
		return err
	}
	moved, err := s.state.MoveSubmission(ctx, found.ID, submission.Withdrawn, submission.Change{})
	if err != nil || moved {
		return stateProblem(err)
	}
	if found, err = s.submissionOf(ctx, account, id); err != nil || found.Status == submission.Withdrawn {
		return err
	}
	return newProblem("cannot-withdraw", fmt.Sprintf("This submission is %s; only a pending or in-review submission can be withdrawn.", found.Status))
}
