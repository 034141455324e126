// Package collect keeps the figures of a content folder current. Sources read figures from
// registries, code hosts and files; they only fetch and translate. The runner does everything
// else: it decides what to ask, sends requests within rate limits, keeps answers on disk, applies
// the guards between an observation and a file, and writes the files and the report.
//
// A value that a source lacks is not deleted unless a person accepts that, a source that fails as a
// whole changes nothing, and a value that a guard stops keeps its old figure with its old date.
package collect

import (
	"cmp"
	"context"
	"slices"
	"time"

	"kindex/builder/content/schema"
	"kindex/exports/record"
)

// Source reads figures from one place: a service that is asked for what the content has, or a list that is
// read as a whole. It has no files, retries or clock of its own: the runner calls its functions one at a time.
type Source struct {
	Name       string             // in collect.yaml, flags and reports
	Title      string             // for messages
	Pages      []string           // addresses of the public documentation that the source was written from
	Hosts      []string           // base addresses of all requests, such as https://api.github.com; nothing else is contacted
	Token      string             // the environment variable with the token for Hosts[0]; "" if there is none
	NeedsToken bool               // whether the source answers nothing without a token
	Batch      int                // the number of identifiers that one call of Ask can have
	PerSecond  float64            // the maximum number of requests per second to each host
	Problem    error              // the reason the source cannot be asked at all, or nil
	Columns    []Column           // the values that the source can have
	Terms      []string           // the fields of offers that the source can have, such as input; nil means all
	Results    []record.Benchmark // the benchmark results that the source can have, without their values

	// Read, if not nil, reads a list. It is called once, before any other function. After an error, the list
	// counts as empty.
	Read func(ctx context.Context, c *Client) error
	// Identify returns the identifier by which the source knows an entity, or "".
	Identify func(e *record.Entity) string
	// Ask, if not nil, reads the figures of at most Batch identifiers. Identifiers without an answer count as
	// failed. An error means that none of them could be read.
	Ask func(ctx context.Context, c *Client, ids []string) ([]Answer, error)
	// Look returns the figures that a list has of an identifier. It is used if Ask is nil.
	Look func(id string) Answer
	// LookOffer, if not nil, returns what a list has of an offer, unless the offer was not read from it.
	LookOffer func(o *record.Offer) (a Answer, covered bool)
	// List, if not nil, says what the source has, whether or not the content has it.
	List func(ctx context.Context, c *Client) ([]Candidate, error)
}

// isList reports whether the source is read as a whole.
func (s *Source) isList() bool { return s.Ask == nil }

// states reports whether the source can have a field of offers.
func (s *Source) states(term string) bool { return s.Terms == nil || slices.Contains(s.Terms, term) }

// Column is a value that a source can have.
type Column struct {
	Name string // a signal, a field such as license, OffersColumn or ResultsColumn
	// Always is set if every answer has the value: an answer without it is not whole. Mostly
	// means that nearly all answers have it. If either is missing often, the source is broken.
	Always, Mostly bool
	// Seldom is set if every value costs a request of its own, so that each run asks for only some
	// of them: those that were never read, and then the oldest.
	Seldom bool
}

// Answer is what a source knows of one identifier.
type Answer struct {
	ID      string             `json:"id"`
	Values  []Value            `json:"values,omitempty"`
	Gone    bool               `json:"gone,omitempty"`    // the source does not know the identifier, or no longer
	Problem string             `json:"problem,omitempty"` // why the source cannot say what it knows; the answer counts as failed
	Results []record.Benchmark `json:"results,omitempty"` // one without a day is as old as the answer
	Moved   string             `json:"moved,omitempty"`   // the current identifier, if the source knows this one only as an old one
	Day     string             `json:"day,omitempty"`     // on which the values were read; "" means that of the request
	Page    string             `json:"-"`                 // the address for readers, the source of the values that have no other
	// Offer is an offer. A price of 0 means that the source says 0, which may mean free or unknown; prices that
	// the source does not have are unknown.
	Offer *record.Offer `json:"-"`
	// Unread has the figures that the source has but that cannot be read, with the reasons.
	Unread []string `json:"-"`
	// Beside contains further figures from other registries in the same answer, by name, such as
	// dockerhub_stars. A value that equals one of them is suspicious.
	Beside map[string]float64 `json:"beside,omitempty"`
}

// Value is one value in an answer.
type Value struct {
	Name   string  `json:"name"`             // a signal, a field such as license, or a day such as lifecycle.retires
	Number float64 `json:"number,omitempty"` // of a signal that is a count
	Text   string  `json:"text,omitempty"`   // of a signal that is a date, and of a field
	Source string  `json:"source"`           // the address of the page for readers
	Note   string  `json:"note,omitempty"`   // what the source says about it, if a person must decide
}

// Find returns the named value of an answer.
func (a *Answer) Find(name string) (Value, bool) {
	for _, v := range a.Values {
		if v.Name == name {
			return v, true
		}
	}
	return Value{}, false
}

// Add adds a value to an answer. Its source is a.Page unless it has one.
func (a *Answer) Add(v Value) {
	v.Source = cmp.Or(v.Source, a.Page)
	a.Values = append(a.Values, v)
}

// AddText adds a text to an answer, unless it is "".
func (a *Answer) AddText(name, text string) {
	if text != "" {
		a.Add(Value{Name: name, Text: text})
	}
}

// AddLicense adds a licence to an answer if the text is an SPDX expression.
func (a *Answer) AddLicense(text string) { a.AddText("license", schema.License(text)) }

// Clock is the time as the runner sees it. It must be safe for concurrent use.
type Clock interface {
	Now() time.Time
	// Sleep returns early with an error if ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the clock of this machine.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// Sleep implements Clock.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
