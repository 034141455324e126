package panel

import (
	"time"

	"kindex/exports/safetext"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// SubmissionsPage lists what an account has submitted, the newest first.
type SubmissionsPage struct {
	Member
	Submissions []Submission
	Count       int    // of all
	Open        int    // those that no build holds yet and nobody has closed
	MaxOpen     int    // the number of open ones that the account may have
	Older       string // path of the next part, "" at the end
	Later       bool   // this is not the first part
}

// Head implements Page.
func (*SubmissionsPage) Head() Head {
	return Head{Template: "panel-submissions", Title: "Submissions"}
}

// Submission is a proposed entity and how far it has come.
type Submission struct {
	ID          string
	Type, Slug  string
	Name, URL   string
	Status      string // pending, in-review, accepted, published, rejected or withdrawn
	Reason      string // why it was rejected
	PullRequest string // its address, "" for none
	Number      int64  // of the pull request, 0 for none
	CreatedAt   time.Time
	UpdatedAt   time.Time
	YAML        string // single ones only

	Withdrawable bool // its status allows that; single ones only
}

// Path is where the submission is shown.
func (s Submission) Path() string { return "/developer/submissions/" + s.ID + "/" }

// Entity is where the entity is, once it is published.
func (s Submission) Entity() string { return siteurl.Entity(s.Type, s.Slug) }

// submissionSteps say what the states mean.
var submissionSteps = map[string]string{
	"pending": "waits for somebody to look at it", "in-review": "is looked at in a pull request", "accepted": "is accepted, and comes with the next build",
	"published": "is in the index", "rejected": "was not taken in", "withdrawn": "was withdrawn by you",
}

// Says is the state in words.
func (s Submission) Says() string { return submissionSteps[s.Status] }

// longFile is how much of a file is shown, in characters.
const longFile = 50_000

// File is the YAML, with escapes in the place of hidden characters.
func (s Submission) File() string { return textfmt.Truncate(safetext.EscapeLines(s.YAML), longFile) }

// SubmissionPage shows one submission with its file.
type SubmissionPage struct {
	Member
	Submission Submission
}

// Head implements Page.
func (p *SubmissionPage) Head() Head {
	return Head{Template: "panel-submission", Title: p.Submission.Name}
}
