package edge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kindex/edge/submission"
	"kindex/exports"
)

// submissionFrom is a draft as an account submits it.
func submissionFrom(d *submission.Draft, id, account string) submission.Submission {
	return submission.Submission{ID: id, AccountID: account, Type: d.Entity.Type, Slug: d.Entity.Slug, Name: d.Entity.Name, URL: d.Entity.URL, YAML: string(d.YAML)}
}

// tooManyOpen explains why an account cannot submit more for now.
var tooManyOpen = fmt.Sprintf("Your account has %d open submissions, which is the limit. "+
	"Withdraw one, or wait until one is published or rejected.", submission.MaxOpen)

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

// ofName finds entities that may be what a name stands for.
func entitiesNamed(v *view, name string, most int) ([]uint32, error) {
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

// submissionOf is a submission of an account.
func (s *Service) submissionOf(ctx context.Context, account, id string) (submission.Submission, error) {
	found, err := s.state.Submission(ctx, id)
	if errors.Is(err, submission.ErrUnknown) || err == nil && found.AccountID != account {
		return found, newProblem("unknown-submission", fmt.Sprintf("You have no submission %q. GET /api/submissions lists yours.", shorten(id)))
	}
	return found, stateProblem(err)
}

// withdraw withdraws a submission of an account. One that is withdrawn already is no
// error.
func (s *Service) withdraw(ctx context.Context, account, id string) error {
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
