// Package record defines entities, their scores, versions and changes, and their
// JSON.
package record

import (
	"slices"
	"strings"

	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// The values of Entity.Status. Lists, search, leaderboards and exports leave out
// withdrawn entities unless a request includes them.
const (
	Active     = "active"
	Deprecated = "deprecated"
	Withdrawn  = "withdrawn"
)

// Statuses lists the statuses in the order in which an entity goes through them.
var Statuses = []string{Active, Deprecated, Withdrawn}

// ScoreNames lists the names of a record's scores in the order of the record.
var ScoreNames = kinds.Scores

// Entity is an entity as the API shows it. An empty string, list or map means
// that the value is unknown. In JSON, it is null, [] or {}.
//
// Dates are YYYY-MM-DD. Formerly, which lists the earlier slugs, AddedDerived and
// UpdatedDerived are not part of the record.
type Entity struct {
	Kinds        *kinds.Set // what its index declares; nil for kinds.Default
	Type         string
	Slug         string
	Name         string
	Provider     string
	Description  string
	Category     string
	Version      string
	PricingModel string
	License      string
	URL          string
	Tags         []string
	Capabilities []string
	Scores       Scores
	AddedDate    string
	LastUpdated  string
	Status       string
	Links        []Link
	Signals      Signals
	IDs          []ID       // sorted by namespace
	Values       Values     // of the declared fields
	Lifecycle    *Lifecycle // nil if no end was announced
	Offers       []Offer    // as SortOffers sorts them

	Computed

	Formerly []string
	Rest     Rest // of the file, besides what the record has

	// AddedDerived and UpdatedDerived are set if AddedDate and LastUpdated come
	// from the history, not from the source file. They are not part of the record.
	AddedDerived   bool
	UpdatedDerived bool
}

// Computed holds what is computed from the other fields of an entity, besides its scores.
type Computed struct {
	Maintenance Maintenance
	Price       PriceSummary
}

// Key returns the address of an entity within the index: type/slug.
func (e *Entity) Key() string { return e.Type + "/" + e.Slug }

// FormerKeys returns the earlier addresses of an entity. One of Formerly without a type had the same type.
func (e *Entity) FormerKeys() []string {
	var keys []string
	for _, old := range e.Formerly {
		if !strings.Contains(old, "/") {
			old = e.Type + "/" + old
		}
		keys = append(keys, old)
	}
	return keys
}

// Link is a named URL of an entity. Links are sorted by name.
type Link struct {
	Name string
	URL  string
}

// Link returns the URL with a name, or "".
func (e *Entity) Link(name string) string {
	for _, l := range e.Links {
		if l.Name == name {
			return l.URL
		}
	}
	return ""
}

// Scores holds the scores of an entity. Each is from 0 to 100 or null.
type Scores struct {
	Composite  Score
	Adoption   Score
	Quality    Score
	Freshness  Score
	Citations  Score
	Engagement Score
}

// Get returns the named score, or null if the name is unknown.
func (s *Scores) Get(name string) Score {
	if p := s.slot(name); p != nil {
		return *p
	}
	return Score{}
}

// Set stores the named score. It panics if the name is unknown, because that is a
// bug and never caused by bad input.
func (s *Scores) Set(name string, v Score) {
	p := s.slot(name)
	if p == nil {
		panic("record: unknown score " + name)
	}
	*p = v
}

func (s *Scores) slot(name string) *Score {
	i := slices.Index(ScoreNames, name)
	if i < 0 {
		return nil
	}
	return [...]*Score{&s.Composite, &s.Adoption, &s.Quality, &s.Freshness, &s.Citations, &s.Engagement}[i]
}

// Signals holds the facts from which scores are computed. Facts are sorted by name.
// Benchmarks keep their order in the file.
type Signals struct {
	Facts      []Fact
	Benchmarks []Benchmark
}

// Fact returns the named fact.
func (s *Signals) Fact(name string) (Fact, bool) {
	for _, f := range s.Facts {
		if f.Name == name {
			return f, true
		}
	}
	return Fact{}, false
}

// Release returns what is known of the latest release of an entity or, if nothing is, of its first.
func (e *Entity) Release() Fact {
	release, ok := e.Signals.Fact("lastRelease")
	if !ok {
		release, _ = e.Signals.Fact("released")
	}
	return release
}

// Fact is an observed value of a signal: a number or, for some signals, a date.
type Fact struct {
	Name   string
	Number float64
	// Day is set instead of Number if the signal is a date: YYYY-MM-DD, or YYYY-MM
	// if only the month is known.
	Day    string
	Date   string // when it was observed, "" if unknown
	Source string // URL of the page it was read from, "" if unknown
}

// Benchmark is a published benchmark result of a model. Details are "" if unknown.
type Benchmark struct {
	Name      string
	Value     float64
	Metric    string // such as pass@1
	Harness   string // the program that ran the model
	Variant   string // such as the reasoning effort
	Dataset   string // the part of the benchmark
	Version   string // of the benchmark
	By        string // one of ResultBy
	Publisher string // who published it, if not the model's maker
	Date      string // YYYY-MM-DD, YYYY-MM or ""
	Source    string
}

// The values of Benchmark.By: who ran the benchmark.
const (
	ByMaker       = "maker"
	ByIndependent = "independent"
	ByCommunity   = "community"
)

// ResultBy lists the values of Benchmark.By.
var ResultBy = []string{ByMaker, ByIndependent, ByCommunity}

// Category is a category in categories.json.
type Category struct {
	Slug        string                 `json:"slug"`
	Formerly    []string               `json:"formerly"` // earlier slugs
	Title       string                 `json:"title"`
	Description jsonenc.OptionalString `json:"description"`
	Count       int                    `json:"count"`  // listed entities
	Ranked      int                    `json:"ranked"` // number of entities on its leaderboard
}

// Vocabulary is the content of vocabulary.json: lists of words. "capabilities", and the lists that declared fields
// name, have all words that entities can use; if such a list is empty, they can use any. "tags" has only those that
// have synonyms; entities can use any other too.
type Vocabulary map[string][]Word

// The lists of a vocabulary that every index can have.
const (
	CapabilityWords = "capabilities"
	TagWords        = "tags"
)

// Word is a word of a vocabulary.
type Word struct {
	Slug     string                 `json:"slug"`
	Title    jsonenc.OptionalString `json:"title"`    // for people; "" for the slug
	Synonyms []string               `json:"synonyms"` // slugs that the word replaces
}

// Version is the authored content of an entity from a point in time on, or its
// deletion. Versions are numbered in chronological order.
type Version struct {
	Type string `json:"type"` // for a deletion, the last one before it, like Slug
	Slug string `json:"slug"`
	// Entity is the content as its author wrote it. It is nil if the version is a deletion, or if an
	// earlier build contains it.
	Entity  *Entity `json:"-"`
	Deleted bool    `json:"deleted,omitempty"`
	Time    int64   `json:"time"`   // Unix seconds, never less than in the preceding version of the list
	Commit  int32   `json:"commit"` // index of the commit, -1 outside git
	// Previous is the previous version of the same entity, which may have a
	// different slug or be a deletion. It is -1 for the first version.
	Previous int32 `json:"previous"`
	Change   int32 `json:"change"` // index of the change, -1 if nothing relevant changed
	// Added and Updated are the dates that the record shows from this version on,
	// as DayNumbers.
	Added   int32 `json:"-"`
	Updated int32 `json:"-"`
}

// ArchivedCommit holds the information that a build stores about a commit.
type ArchivedCommit struct {
	Hash        string `json:"hash"`
	Author      string `json:"author"`
	PullRequest int    `json:"pullRequest"` // 0 if there is none
}
