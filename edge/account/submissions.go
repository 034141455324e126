package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"kindex/builder/content/yamldoc"
	"kindex/edge/live"
	"kindex/edge/submission"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/ids"
	"kindex/exports/record"
)

// NewSubmission returns a new submission by an account, created from a draft.
func NewSubmission(d *submission.Draft, id, account string) (submission.Submission, error) {
	s := submission.Submission{ID: id, AccountID: account, Type: d.Entity.Type, Slug: d.Entity.Slug, Name: d.Entity.Name, URL: d.Entity.URL, YAML: string(d.YAML)}
	if d.Before == nil {
		return s, nil
	}
	changes, err := json.Marshal(d.Changes)
	s.Changes = string(changes)
	return s, err
}

// TooManyOpen is the message for an account that has reached its limit of open
// submissions.
var TooManyOpen = fmt.Sprintf("Your account has %d open submissions, which is the limit. "+
	"Withdraw one, or wait until one is published or rejected.", submission.MaxOpen)

func FieldErrors(problems []yamldoc.Problem) []web.FieldError {
	list := []web.FieldError{}
	for _, p := range problems {
		list = append(list, web.FieldError{Field: p.Field, Message: p.Text(), Suggestion: p.Suggestion})
	}
	return list
}

// SubmissionIndex implements submission.Index with a served build.
type SubmissionIndex struct {
	*exports.Build
	Served *live.ServedBuild
}

// NewSubmissionIndex returns the index of a served build.
func NewSubmissionIndex(v *live.ServedBuild) SubmissionIndex { return SubmissionIndex{v.Build, v} }

// Categories implements submission.Index.
func (b SubmissionIndex) Categories() []record.Category { return b.Served.Categories }

// Find implements submission.Index.
func (b SubmissionIndex) Find(typ, slug string) (string, bool) {
	o, _, ok := b.Build.Find(typ, slug)
	if !ok {
		return "", false
	}
	_, current := b.Key(o)
	return current, true
}

// Deleted implements submission.Index.
func (b SubmissionIndex) Deleted(typ, slug string) string {
	a := b.History()
	last, ok := a.Last(typ, slug)
	if !ok {
		return ""
	}
	latest := a.Version(a.Newest(last))
	if !latest.Deleted {
		return ""
	}
	return time.Unix(latest.Time, 0).UTC().Format(time.DateOnly)
}

// maxSameName is the maximum number of entities with the same name that are considered.
const maxSameName = 200

// Named implements submission.Index.
func (b SubmissionIndex) Named(name string) (list []*record.Entity) {
	for _, o := range b.FindByName(name, maxSameName) {
		list = append(list, b.Entity(o))
	}
	return list
}

// Identified implements submission.Index.
func (b SubmissionIndex) Identified(typ string, id record.ID) (list []*record.Entity) {
	want := ids.Canonical(id.Namespace, id.Value)
	for _, e := range b.All {
		if e.Type == typ && slices.ContainsFunc(e.IDs, func(x record.ID) bool {
			return x.Namespace == id.Namespace && ids.Canonical(x.Namespace, x.Value) == want
		}) {
			list = append(list, e)
		}
	}
	return list
}

// Near implements submission.Index.
func (b SubmissionIndex) Near(typ, slug string) string {
	similar := b.Served.SimilarSlugs(typ, slug)
	if len(similar) == 0 {
		return ""
	}
	return typ + "/" + similar[0]
}

// Providers implements submission.Index.
func (b SubmissionIndex) Providers() (slugs []string) {
	for _, p := range b.Build.Providers() {
		slugs = append(slugs, p.Slug)
	}
	return slugs
}

// SubmissionOf returns an account's submission.
func (s *Service) SubmissionOf(ctx context.Context, account, id string) (submission.Submission, error) {
	found, err := s.State.Submission(ctx, id)
	if errors.Is(err, submission.ErrUnknown) || err == nil && found.AccountID != account {
		return found, web.NewProblem("unknown-submission", fmt.Sprintf("You have no submission %q. GET /api/submissions lists yours.", web.Shorten(id)))
	}
	return found, web.StateProblem(err)
}

// Withdraw withdraws an account's submission. Withdrawing a withdrawn submission is not an
// error.
func (s *Service) Withdraw(ctx context.Context, account, id string) error {
	found, err := s.SubmissionOf(ctx, account, id)
	if err != nil {
		return err
	}
	moved, err := s.State.MoveSubmission(ctx, found.ID, submission.Withdrawn, submission.Change{})
	if err != nil || moved {
		return web.StateProblem(err)
	}
	if found, err = s.SubmissionOf(ctx, account, id); err != nil || found.Status == submission.Withdrawn {
		return err
	}
	return web.NewProblem("cannot-withdraw", fmt.Sprintf("This submission is %s; only a pending or in-review submission can be withdrawn.", found.Status))
}
