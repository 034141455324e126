package collect

import (
	"cmp"
	"kindex/exports/quality"
	"math"
	"slices"
	"time"
)

// Report is the result of a run.
type Report struct {
	Day    string `json:"day"`
	DryRun bool   `json:"dryRun"`
	// Files is the number of entity files that were changed, or would be in a dry run.
	Files   int               `json:"files"`
	Sources []SourceReport    `json:"sources"`
	Changes []Change          `json:"changes"` // the largest first
	Stopped []quality.Stopped `json:"stopped"` // by entity
	// Accepted has the values that a guard would have stopped, but a person let through.
	Accepted []quality.Stopped `json:"accepted"`
	// Routine is set if nothing in the run asks for a person's judgement: only figures moved, all
	// within the guards. Nothing was stopped, accepted or refused, and no other field changed.
	Routine bool      `json:"routine"`
	New     []Entry   `json:"new,omitempty"` // what the content lacks, what people would miss first first
	Gone    []Problem `json:"gone"`          // identifiers that the source does not know
	Failed  []Problem `json:"failed"`        // identifiers without an answer
	Refused []Problem `json:"refused"`       // files that could not be changed
}

// SourceReport is what became of one source.
type SourceReport struct {
	Name     string `json:"name"`
	Covers   int    `json:"covers"`   // entities that it covers, among those selected
	Offers   int    `json:"offers"`   // offers that it keeps current, in those entities
	Fresh    int    `json:"fresh"`    // entities whose figures are recent enough
	Asked    int    `json:"asked"`    // identifiers asked in this run
	Answered int    `json:"answered"` // of those
	Kept     int    `json:"kept"`     // answers of an earlier run that were used
	Failed   int    `json:"failed"`

	Unchanged int `json:"unchanged"` // values; an offer is one
	Changed   int `json:"changed"`   // values, with those that are new; each price and limit is one
	Redated   int `json:"redated"`   // unchanged values with a new date
	Older     int `json:"older"`     // values that are older than what the file has
	Stopped   int `json:"stopped"`   // values; each price and limit is one

	Requests    int           `json:"requests"`
	NotModified int           `json:"notModified"`
	Bytes       int64         `json:"bytes"` // of bodies, decompressed
	Waited      time.Duration `json:"waitedNanoseconds"`
	Redirects   []Redirect    `json:"redirects,omitempty"` // to other hosts, which were not followed
	// Error is the reason the source ended early, or "".
	Error string `json:"error,omitempty"`
}

// Redirect is a redirect to an address that does not belong to the source.
type Redirect struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Change is a value that a run changed.
type Change struct {
	Entity  string `json:"entity"`
	Name    string `json:"name"`
	Source  string `json:"source"`
	Old     any    `json:"old"` // nil if there was none
	New     any    `json:"new"`
	OldDate string `json:"oldDate,omitempty"`
	Date    string `json:"date"`
	reason  string // why a person must look at it, or ""
	figure  bool   // it is a signal or a version, which changes every week
}

// stopped returns the value as one for which a person must decide.
func (c *Change) stopped() quality.Stopped {
	return quality.Stopped{Entity: c.Entity, Name: c.Name, Source: c.Source, Held: c.Old, Found: c.New, Reason: c.reason}
}

// Problem is an identifier or a file, with what is wrong with it.
type Problem struct {
	Entity string `json:"entity"`
	Source string `json:"source,omitempty"`
	ID     string `json:"id,omitempty"`
	Reason string `json:"reason"`
}

// Broken lists the sources that answered nothing although they were asked.
func (r *Report) Broken() (names []string) {
	for _, s := range r.Sources {
		if s.Answered == 0 && (s.Error != "" || s.Failed > 0) {
			names = append(names, s.Name)
		}
	}
	return names
}

// routine reports whether only figures moved, all within the guards.
func (r *Report) routine() bool {
	_, others := r.split()
	return len(r.undecided())+len(r.Accepted)+len(r.Refused)+len(others) == 0
}

// undecided returns what guards stopped, without what collect.yaml refuses.
func (r *Report) undecided() (list []quality.Stopped) {
	for _, s := range r.Stopped {
		if s.Reason != refusedReason {
			list = append(list, s)
		}
	}
	return list
}

// sort puts the lists in an order that does not depend on the run.
func (r *Report) sort() {
	slices.SortFunc(r.Changes, func(a, b Change) int {
		return cmp.Or(-cmp.Compare(a.size(), b.size()), cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Name, b.Name))
	})
	for _, list := range [][]quality.Stopped{r.Stopped, r.Accepted} {
		slices.SortFunc(list, func(a, b quality.Stopped) int {
			return cmp.Or(cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Name, b.Name))
		})
	}
	for _, list := range [][]Problem{r.Gone, r.Failed, r.Refused} {
		slices.SortFunc(list, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
		})
	}
}

// size is how much a count changed, as a factor; that of a larger count weighs more, because small ones
// vary.
func (c Change) size() float64 {
	old, ok1 := c.Old.(float64)
	now, ok2 := c.New.(float64)
	if !ok1 || !ok2 {
		return 0
	}
	return math.Abs(math.Log((now+1)/(old+1))) * math.Log10(max(now, old)+1)
}
