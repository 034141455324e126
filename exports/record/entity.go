// Package record defines what the index knows: entities, their scores, their
// versions and the changes between these, and how each is written as JSON.
package record

// Types are the kinds of entity that the index knows. An entity's type is the
// name of the content folder that its file lies in.
var Types = []string{"model", "tool"}

// The states of an entity. Withdrawn entities are left out of lists, search,
// leaderboards and exports unless they are asked for.
const (
	Active     = "active"
	Deprecated = "deprecated"
	Withdrawn  = "withdrawn"
)

// Statuses lists the states in the order in which an entity passes through them.
var Statuses = []string{Active, Deprecated, Withdrawn}

// PricingModels are the values that pricingModel may take.
var PricingModels = []string{
	"open-source", "open-weights", "free", "freemium", "subscription", "usage-based", "proprietary",
}

// LinkNames are the names that an entity's links may have.
var LinkNames = []string{
	"homepage", "repository", "documentation", "paper", "package", "modelCard", "weights", "demo", "changelog",
	"deprecation",
}

// ScoreNames are the numeric scores of a record, in the order of the record.
var ScoreNames = []string{"composite", "adoption", "quality", "freshness", "citations", "engagement"}

// Entity is one tool or model as the API shows it. An empty text, list or map
// means that the value is unknown; the JSON form then says null, [] or {}.
//
// Dates are YYYY-MM-DD. Formerly is not part of the record: it keeps the
// addresses of earlier slugs alive. Nor are AddedDerived and UpdatedDerived.
type Entity struct {
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

	Formerly []string

	// AddedDerived and UpdatedDerived tell that AddedDate and LastUpdated are not
	// what the source file says, but taken from the history. They are not part of
	// the record.
	AddedDerived   bool
	UpdatedDerived bool
}

// Key is the address of an entity within the index: type/slug.
func (e *Entity) Key() string { return e.Type + "/" + e.Slug }

// Link is one named address of an entity. Links are kept sorted by name.
type Link struct {
	Name string
	URL  string
}

// Scores holds the computed scores of an entity, each from 0 to 100 or null.
type Scores struct {
	Composite  Score
	Adoption   Score
	Quality    Score
	Freshness  Score
	Citations  Score
	Engagement Score
}

// Get returns the score with one of the ScoreNames, and null for any other name.
func (s *Scores) Get(name string) Score {
	if p := s.slot(name); p != nil {
		return *p
	}
	return Score{}
}

// Set stores the score with one of the ScoreNames. Other names panic: they are
// a mistake in the program, never in its input.
func (s *Scores) Set(name string, v Score) {
	p := s.slot(name)
	if p == nil {
		panic("exports: no score is called " + name)
	}
	*p = v
}

func (s *Scores) slot(name string) *Score {
	switch name {
	case "composite":
		return &s.Composite
	case "adoption":
		return &s.Adoption
	case "quality":
		return &s.Quality
	case "freshness":
		return &s.Freshness
	case "citations":
		return &s.Citations
	case "engagement":
		return &s.Engagement
	}
	return nil
}

// Signals are the raw facts that scores are made of. Facts are sorted by name;
// benchmarks keep the order of the file.
type Signals struct {
	Facts      []Fact
	Benchmarks []Benchmark
}

// Fact returns the fact with this name.
func (s *Signals) Fact(name string) (Fact, bool) {
	for _, f := range s.Facts {
		if f.Name == name {
			return f, true
		}
	}
	return Fact{}, false
}

// Fact is one observed figure: a number, or a date where the signal is one.
type Fact struct {
	Name   string
	Number float64
	// Day is set instead of Number where the signal is a date:
	// YYYY-MM-DD, or YYYY-MM where only the month is known.
	Day    string
	Date   string // when it was observed, "" if unknown
	Source string // address of the page it was read from, "" if unknown
}

// Benchmark is one published result of a model.
type Benchmark struct {
	Name   string
	Value  float64
	Date   string // YYYY-MM-DD, YYYY-MM or ""
	Source string
}

// SignalKind says what the values of a signal are.
type SignalKind uint8

// The kinds of signal.
const (
	Count SignalKind = iota // a whole number, not negative
	Day                     // a date
)

// Signal describes one kind of fact that an entity file may record.
type Signal struct {
	Name string
	Kind SignalKind
	Unit string
}

// SignalTypes are the facts that an entity may record, sorted by name.
// Benchmarks stand beside them: they are a list.
var SignalTypes = []Signal{
	{"citations", Count, "citing publications"},
	{"commits", Count, "commits on the default branch"},
	{"contextTokens", Count, "tokens"},
	{"contributors", Count, "people"},
	{"dependents", Count, "projects"},
	{"downloads", Count, "downloads in a month"},
	{"forks", Count, "forks"},
	{"lastRelease", Day, "date of the latest release"},
	{"likes", Count, "likes on a model hub"},
	{"outputTokens", Count, "tokens"},
	{"parameters", Count, "parameters"},
	{"released", Day, "date of the first release"},
	{"releases", Count, "releases"},
	{"stars", Count, "stars of the repository"},
}

// SignalType looks a signal up by its name.
func SignalType(name string) (Signal, bool) {
	for _, s := range SignalTypes {
		if s.Name == name {
			return s, true
		}
	}
	return Signal{}, false
}
