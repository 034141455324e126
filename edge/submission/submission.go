// Package submission implements the life cycle of a proposed entity: from a JSON body to the
// canonical file, checked against the rules for content, and through review to the build that
// contains it.
package submission

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/exports/record"
)

// Status is the stage that a submission has reached.
type Status string

// The statuses of a submission. In review means that its pull request is open, or about to be
// opened; until then, it has no branch. Without a forge, a pending submission becomes accepted directly. Published means that a build
// contains the entity. Published, rejected and withdrawn are final.
const (
	Pending   Status = "pending"
	InReview  Status = "in-review"
	Accepted  Status = "accepted"
	Published Status = "published"
	Rejected  Status = "rejected"
	Withdrawn Status = "withdrawn" // by the account that submitted it
)

// Statuses lists the statuses in order of progress.
var Statuses = []Status{Pending, InReview, Accepted, Published, Rejected, Withdrawn}

// Open lists the statuses in which a submission can still become an entity but is not in a
// build yet. Meanwhile its account cannot submit the same entity again.
var Open = []Status{Pending, InReview, Accepted}

// sources maps each status to the statuses from which it can be reached.
var sources = map[Status][]Status{
	InReview:  {Pending},
	Accepted:  {Pending, InReview},
	Published: {Accepted},
	Rejected:  {Pending, InReview, Accepted},
	Withdrawn: {Pending, InReview},
}

// Limits on what an account can store.
const (
	// MaxOpen is the maximum number of open submissions per account.
	MaxOpen = 20
	// MaxClosed and MaxClosedBytes are the maximum number of closed submissions kept
	// per account, and the maximum total size of their files; the oldest are deleted.
	MaxClosed      = 200
	MaxClosedBytes = 2 << 20
)

// ErrTooManyOpen is returned for a submission from an account that already has MaxOpen
// open ones.
var ErrTooManyOpen = fmt.Errorf("the account has %d open submissions, which is the limit", MaxOpen)

// From lists the statuses from which s can be reached.
func (s Status) From() []Status { return sources[s] }

// Submission is one proposed entity, or a correction of one.
type Submission struct {
	ID        string
	AccountID string
	Account   string // the name of the account
	Status    Status
	Type      string
	Slug      string
	Name      string
	URL       string // the URL of the entity
	YAML      string // the canonical file; for a correction, based on the build at the time
	Changes   string // what a correction changes, as JSON (see Corrections), or "" for a new entity
	Reason    string // the reason for the rejection, or "" if not rejected
	// Branch and Commit are its location in the content repository, or "" before it is
	// accepted.
	Branch, Commit string
	PullRequest    PullRequest
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Key returns the address that the entity will have: type/slug.
func (s *Submission) Key() string { return s.Type + "/" + s.Slug }

// Fields returns the values in the file, in their JSON form.
func (s *Submission) Fields() (map[string]any, error) { return content.Fields([]byte(s.YAML)) }

// Amends reports whether the submission corrects an existing entity.
func (s *Submission) Amends() bool { return s.Changes != "" }

// Corrections returns what a correction changes, for yamlfmt.Merge: the new values of fields,
// with nil for those it removes. It returns nil for a new entity. Numbers are json.Number.
func (s *Submission) Corrections() (changes map[string]any, err error) {
	if !s.Amends() {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(s.Changes))
	d.UseNumber()
	err = d.Decode(&changes)
	return changes, err
}

// PullRequest is the pull request of a submission. Number is 0 if there is none.
type PullRequest struct {
	Number int64
	URL    string // the address of its web page
}

// Identity returns a hash that is the same for two submissions with the same name and URL,
// ignoring case and white space in the name.
func Identity(name, url string) string {
	name = strings.Join(strings.Fields(record.Fold(name)), " ")
	sum := sha256.Sum256([]byte(name + "\x00" + record.NormalizeURL(url)))
	return hex.EncodeToString(sum[:])
}

var idGrammar = regexp.MustCompile(`^sub_[a-z2-7]{20}$`)

// ValidID reports whether s has the form of a submission id.
func ValidID(s string) bool { return idGrammar.MatchString(s) }

// ErrUnknown means that there is no such submission.
var ErrUnknown = errors.New("there is no such submission")

// TakenError means that the submitted entity already exists in the index or is already
// proposed by an open submission of the same account.
type TakenError struct {
	Type, Slug string      // of the existing entity or submission
	Submission *Submission // the existing submission, or nil if an entity exists
	SamePage   bool        // the name and URL are the same, rather than type and slug
	Formerly   string      // the former slug of the existing entity, if that is what is taken
}

// Error describes the existing entity or submission and what it has in common with the new
// one.
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

// ChosenError means that a submission of a new entity cannot be accepted because another one of
// the same entity, by type and slug or by name and URL, is in review or accepted.
type ChosenError struct{ Other Submission }

func (e *ChosenError) Error() string {
	return fmt.Sprintf("%s, for the same entity, is already %s as %s", e.Other.ID, e.Other.Status, e.Other.Key())
}

// Query selects submissions. The zero value selects all.
type Query struct {
	AccountID string   // "" selects all accounts
	Statuses  []Status // empty: any status
	After     string   // the id after which the page starts, or "" for the first page
	Limit     int      // the maximum number, or 0 for no limit
	OldFirst  bool     // oldest first instead of newest first
	Slug      string   // only submissions with this slug; "" selects any slug
	ToClose   bool     // only withdrawn submissions whose pull request must still be closed
}

// Change holds the values that a change of status sets in a submission. Empty fields are not
// changed.
type Change struct {
	Reason         string
	Branch, Commit string
	PullRequest    PullRequest
}

// Store stores submissions.
type Store interface {
	// Submission returns a submission. If there is none, the error is ErrUnknown.
	Submission(ctx context.Context, id string) (Submission, error)
	// Submissions returns the submissions that match a query.
	Submissions(ctx context.Context, q Query) ([]Submission, error)
	// MoveSubmission changes the status of a submission, if its current status allows it, and
	// reports whether it did. Only one of two concurrent identical calls succeeds. The error is a
	// *ChosenError if another submission of the same new entity is in review or accepted.
	MoveSubmission(ctx context.Context, id string, to Status, c Change) (bool, error)
	// PullRequestClosed records that the pull request of a withdrawn submission no
	// longer needs closing.
	PullRequestClosed(ctx context.Context, id string) error
}

// Build is what Publish needs of a build.
type Build interface {
	// FindAuthored returns an entity as its file states it, or nil if there is none.
	FindAuthored(typ, slug string) (*record.Entity, error)
	// AuthoredSince returns the states of an entity that began at a time or later.
	AuthoredSince(typ, slug string, t time.Time) ([]*record.Entity, error)
}

// Publish marks the accepted submissions that are in a build as published. A correction is in a
// build if the entity has had all its values at once since it was submitted: a later commit may
// have changed them again before the build.
func Publish(ctx context.Context, store Store, b Build) (published []Submission, err error) {
	accepted, err := store.Submissions(ctx, Query{Statuses: []Status{Accepted}, OldFirst: true})
	if err != nil {
		return nil, err
	}
	for _, s := range accepted {
		if there, err := isPublished(&s, b); err != nil {
			return published, err
		} else if !there {
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

func isPublished(s *Submission, b Build) (bool, error) {
	e, err := b.FindAuthored(s.Type, s.Slug)
	if e == nil || err != nil || !s.Amends() {
		return e != nil, err
	}
	changes, err := s.Corrections()
	if err != nil {
		return false, err
	}
	states, err := b.AuthoredSince(s.Type, s.Slug, s.CreatedAt)
	if err != nil {
		return false, err
	}
	for _, state := range append(states, e) {
		if there, err := Corrected(state, changes); there || err != nil {
			return there, err
		}
	}
	return false, nil
}

// Limits on the size of what is checked against the rules. They are far larger than any valid
// submission, and keep the cost of checking an invalid one in proportion to its size: for each
// invalid value, the rules compare names and format a message.
const (
	maxValues  = 4000 // values of any kind and at any depth in one field
	maxMembers = 100  // fields in one object; also the unknown fields that are reported
)

// take copies the fields that belong in the file. It reports fields that are too large, and
// the first unknown fields, instead of copying them.
func (p *parser) take(fields map[string]any) {
	unknown, entity := 0, schema.Of(p.kinds, "entity")
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(addressFields, name) {
			continue
		}
		if entity.Members.Of[name] == nil {
			if unknown++; unknown <= maxMembers {
				p.add(*schema.UnknownEntityField(p.kinds, name, addressFields...))
			}
			continue
		}
		if message := checkSize(fields[name], entity.Member(name).MaxItems); message != "" {
			p.problem(name, message, "")
			continue
		}
		p.fields[name] = fields[name]
	}
}

func checkSize(value any, bound int) string {
	values, members := measure(value)
	switch list, ok := value.([]any); {
	case ok && bound > 0 && len(list) > bound:
		return fmt.Sprintf("has %d entries; at most %d are allowed", len(list), bound)
	case values > maxValues:
		return fmt.Sprintf("has more than %d values", maxValues)
	case members > maxMembers:
		return fmt.Sprintf("has %d fields in one object; at most %d are allowed", members, maxMembers)
	}
	return ""
}

// measure returns the number of values within a value, itself included, and the number of fields
// of its largest object.
func measure(value any) (values, members int) {
	var items []any
	switch v := value.(type) {
	case []any:
		items = v
	case map[string]any:
		items, members = slices.Collect(maps.Values(v)), len(v)
	}
	values = 1
	for _, item := range items {
		n, m := measure(item)
		values, members = values+n, max(members, m)
	}
	return values, members
}
