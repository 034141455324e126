package panel

import (
	"time"

	"kindex/exports/safetext"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// Submissions lists the submissions of an account, newest first.
type Submissions struct {
	List
	Submissions []Submission
	Open        int // the number of open submissions: neither published nor closed
	MaxOpen     int // maximum number of open submissions
}

// Submission is a proposed entity and its status. YAML, Changes and Withdrawable are filled in only
// on its own page.
type Submission struct {
	ID          string
	Type, Slug  string
	Name, URL   string
	Status      string // pending, in-review, accepted, published, rejected or withdrawn
	Reason      string // why the submission was rejected
	PullRequest string // URL of the pull request, or "" if there is none
	Number      int64  // number of the pull request, or 0 if there is none
	CreatedAt   time.Time
	UpdatedAt   time.Time
	Amends      bool // it corrects an existing entity

	YAML         string
	Changes      string // what a correction changes
	Withdrawable bool
}

// Path returns the path of the submission's page.
func (s Submission) Path() string { return "/developer/submissions/" + s.ID + "/" }

// Entity returns the path of the entity once it is published.
func (s Submission) Entity() string { return siteurl.Entity(s.Type, s.Slug) }

var submissionSteps = map[string]string{
	"pending": "is waiting for review", "in-review": "is being reviewed in a pull request", "accepted": "was accepted and will be in the next build",
	"published": "is in the index", "rejected": "was rejected", "withdrawn": "was withdrawn by you",
}

// Says returns the state in words.
func (s Submission) Says() string { return submissionSteps[s.Status] }

const longFile = 50_000

// File returns the YAML with hidden characters escaped.
func (s Submission) File() string { return textfmt.Truncate(safetext.EscapeLines(s.YAML), longFile) }

// Changed returns Changes with hidden characters escaped.
func (s Submission) Changed() string {
	return textfmt.Truncate(safetext.EscapeLines(s.Changes), longFile)
}
