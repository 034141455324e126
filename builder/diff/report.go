package diff

import (
	"fmt"

	"kindex/exports/jsonenc"
)

// Report is a comparison of two revisions, with notes. kindex diff --format json prints it as
// JSON.
type Report struct {
	From Ref `json:"from"`
	To   Ref `json:"to"`
	*Comparison
	Notes []string `json:"notes"`
}

// Ref identifies one of the two compared revisions.
type Ref struct {
	Name   jsonenc.OptionalString `json:"revision"` // "" for the working tree
	Commit jsonenc.OptionalString `json:"commit"`

	MergeBase bool `json:"-"` // whether Commit is the merge base of the named revision and the other one
}

// String returns a human-readable name for the revision.
func (r Ref) String() string {
	switch {
	case r.Commit == "":
		return "the working tree"
	case r.MergeBase:
		return fmt.Sprintf("%s at %.12s", r.Name, string(r.Commit))
	}
	return string(r.Name)
}
