// Package submission holds what becomes of a proposed entity: from a JSON body to the
// canonical file, checked by the rules of content, and through review to the build
// that has it.
package submission

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"kindex/builder/content"
	"kindex/exports/record"
)

// Status is how far a submission has come.
type Status string

// The states of a submission. A pull request is open for one that is in review;
// without a forge, accepting leads from pending to accepted at once. Published
// means that a build holds the entity. Published, rejected and withdrawn are final.
const (
	Pending   Status = "pending"
	InReview  Status = "in-review"
	Accepted  Status = "accepted"
	Published Status = "published"
	Rejected  Status = "rejected"
	Withdrawn Status = "withdrawn" // by its own account
)

// Statuses lists the states in the order in which submissions come to them.
var Statuses = []Status{Pending, InReview, Accepted, Published, Rejected, Withdrawn}

// Open lists the states in which a submission may still become an entity that no
// build holds yet: its account cannot submit the same again.
var Open = []Status{Pending, InReview, Accepted}

// sources are the states from which each may be reached.
var sources = map[Status][]Status{
	InReview:  {Pending},
	Accepted:  {Pending, InReview},
	Published: {Accepted},
	Rejected:  {Pending, InReview, Accepted},
	Withdrawn: {Pending, InReview},
}

// Bounds of what an account can make the state keep.
const (
	// MaxOpen is the number of open submissions an account may have.
	MaxOpen = 20
	// MaxClosed and MaxClosedBytes bound the closed submissions of an account that
	// are kept, by number and by the size of their files; the oldest are deleted.
	MaxClosed      = 200
	MaxClosedBytes = 2 << 20
)

// ErrTooManyOpen is returned for a submission of an account that has MaxOpen open
// ones.
var ErrTooManyOpen = fmt.Errorf("the account has %d open submissions, which is the limit", MaxOpen)

// From lists the states from which s may be reached.
func (s Status) From() []Status { return slices.Clone(sources[s]) }

// Submission is one proposed entity.
type Submission struct {
	ID        string
	AccountID string
	Account   string // its name
	Status    Status
	Type      string
	Slug      string
	Name      string
	URL       string // of the entity
	YAML      string // the canonical file
	Reason    string // why it was rejected, "" unless it was
	// Branch and Commit are where it lies in the content repository, "" before it
	// was accepted.
	Branch, Commit string
	PullRequest    PullRequest
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Key is the address that the entity will have: type/slug.
func (s *Submission) Key() string { return s.Type + "/" + s.Slug }

// Fields are the values of the file, as JSON has them.
func (s *Submission) Fields() (map[string]any, error) { return content.Fields([]byte(s.YAML)) }

// PullRequest is where a submission is reviewed; Number is 0 where there is none.
type PullRequest struct {
	Number int64
	URL    string // for people
}

// Identity is the same for two submissions that have the same name and the same
// page, written in one way or another: neither case nor the number of spaces makes
// another name.
func Identity(name, url string) string {
	name = strings.Join(strings.Fields(record.Fold(name)), " ")
	sum := sha256.Sum256([]byte(name + "\x00" + record.NormalizeURL(url)))
	return hex.EncodeToString(sum[:])
}

var idGrammar = regexp.MustCompile(`^sub_[a-z2-7]{20}$`)

// ValidID reports whether s may be the id of a submission.
func ValidID(s string) bool { return idGrammar.MatchString(s) }

// ErrUnknown tells that there is no such submission.
var ErrUnknown = errors.New("there is no such submission")

// TakenError is returned for a submission of what is there already: an entity of
// the index, or an open submission of the same account.
type TakenError struct {
	Type, Slug string      // of the other
	Submission *Submission // the other, nil where it is an entity
	SamePage   bool        // it has the same name and URL; else type and slug
	Formerly   string      // the slug under which it was known earlier, where that is what is taken
}

// Error names the other and what the two have in common.
func (e *TakenError) Error() string {
	other := e.Type + "/" + e.Slug
	if e.Submission != nil {
		other = "your open submission of " + other
	}
	switch {
	case e.SamePage:
		return other + " has the same name and URL"
	case e.Formerly != "":
		return fmt.Sprintf("%s was formerly %s/%s", other, e.Type, e.Formerly)
	case e.Submission != nil:
		return other + " already proposes this"
	}
	return "the index already has " + other
}

// Query chooses submissions. The zero value chooses all.
type Query struct {
	AccountID string   // "" for every account
	Statuses  []Status // none for all
	After     string   // the id behind which the list goes on, "" for its beginning
	Limit     int      // at most so many, 0 for all
	OldFirst  bool     // else the newest are first
	Slug      string   // only those of this slug, "" for any
	ToClose   bool     // only withdrawn ones whose pull request has yet to be closed
}

// Change is what a step does to a submission beside its status. What is empty
// stays as it is.
type Change struct {
	Reason         string
	Branch, Commit string
	PullRequest    PullRequest
}

// Store keeps submissions.
type Store interface {
	// Submission returns one, ErrUnknown where there is none.
	Submission(ctx context.Context, id string) (Submission, error)
	// Submissions returns a part of them.
	Submissions(ctx context.Context, q Query) ([]Submission, error)
	// MoveSubmission takes a submission to a state, if it is in one of those from
	// which there is a step, and reports whether it was: of two that do the same at
	// the same time, one is told yes.
	MoveSubmission(ctx context.Context, id string, to Status, c Change) (bool, error)
	// PullRequestClosed notes that the pull request of a withdrawn submission needs
	// closing no longer.
	PullRequestClosed(ctx context.Context, id string) error
}

// Publish notes which of the accepted submissions a build holds. has reports whether
// it has an entity.
func Publish(ctx context.Context, store Store, contains func(typ, slug string) bool) (published []Submission, err error) {
	accepted, err := store.Submissions(ctx, Query{Statuses: []Status{Accepted}, OldFirst: true})
	if err != nil {
		return nil, err
	}
	for _, s := range accepted {
		if !contains(s.Type, s.Slug) {
			continue
		}
		moved, err := store.MoveSubmission(ctx, s.ID, Published, Change{})
		if err != nil {
			return published, err
		}
		if moved {
			s.Status = Published
			published = append(published, s)
		}
	}
	return published, nil
}
