// Package quality measures how complete, how old and how consistent the data of a build is.
package quality

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// Report is the content of quality.json.
type Report struct {
	// Groups holds one group for each type with listed entities, each followed by the groups of
	// its categories.
	Groups         []Group        `json:"groups"`
	Sources        []Source       `json:"sources"` // by name
	Stopped        []Stopped      `json:"stopped"` // by entity; at most MaxListed
	StoppedCount   int            `json:"stoppedCount"`
	Contradictions Contradictions `json:"contradictions"`
}

// Group describes the listed entities of a type, or those in one of its categories.
type Group struct {
	Type     string  `json:"type"`
	Category *string `json:"category"` // nil for all entities of the type
	Entities int     `json:"entities"`
	Ranked   int     `json:"ranked"`
	// Facts holds every fact that at least one entity of the type has, in the order of the
	// type's group.
	Facts   []Share `json:"facts"`
	Figures Figures `json:"figures"`
}

// Share is the number of entities that have a fact.
type Share struct {
	Fact     string `json:"fact"` // the name of a signal or of another member of a record
	Entities int    `json:"entities"`
}

// Figures describes the days on which the signals of a group were read, benchmark results
// included. Days are YYYY-MM-DD, or nil if no signal has a date.
type Figures struct {
	Count  int     `json:"count"`
	Dated  int     `json:"dated"`
	Oldest *string `json:"oldest"`
	Median *string `json:"median"`
	Newest *string `json:"newest"`
	// OldestOf is the type/slug of an entity with the oldest figure.
	OldestOf *string `json:"oldestOf"`
}

// Source is a source from which figures are collected.
type Source struct {
	Name string `json:"name"`
	SourceStatus
}

// MaxListed is the maximum number of entries in a list of single cases.
const MaxListed = 200

// New describes entities as they are in a build, with their scores. Withdrawn entities do not
// count. status is what the collector has reported; the zero value means nothing.
func New(declared *kinds.Set, entities []*record.Entity, status Status) *Report {
	r := &Report{Groups: []Group{}, Sources: status.list(), StoppedCount: len(status.Stopped),
		Stopped: append([]Stopped{}, status.Stopped[:min(len(status.Stopped), MaxListed)]...)}
	for _, typ := range declared.Names() {
		r.Groups = append(r.Groups, groupsOf(typ, entities)...)
	}
	r.Contradictions = findContradictions(entities)
	return r
}

type tally struct {
	entities, ranked, figures int
	facts                     map[string]int
	days                      map[string]int // figures by day
	oldest, oldestOf          string
}

// groupsOf returns the groups of a type, or nothing if it has no listed entities.
func groupsOf(typ string, entities []*record.Entity) []Group {
	all, byCategory := newTally(), map[string]*tally{}
	for _, e := range entities {
		if e.Type != typ || e.Status == record.Withdrawn {
			continue
		}
		in := byCategory[e.Category]
		if in == nil {
			in = newTally()
			byCategory[e.Category] = in
		}
		all.add(e)
		in.add(e)
	}
	if all.entities == 0 {
		return nil
	}
	facts := slices.SortedFunc(maps.Keys(all.facts), func(a, b string) int {
		return cmp.Or(-cmp.Compare(all.facts[a], all.facts[b]), cmp.Compare(a, b))
	})
	groups := []Group{all.group(typ, nil, facts)}
	for _, c := range slices.Sorted(maps.Keys(byCategory)) {
		groups = append(groups, byCategory[c].group(typ, &c, facts))
	}
	return groups
}

func newTally() *tally { return &tally{facts: map[string]int{}, days: map[string]int{}} }

func (t *tally) add(e *record.Entity) {
	t.entities++
	if e.Scores.Composite.Known() {
		t.ranked++
	}
	for _, f := range e.Signals.Facts {
		t.facts[f.Name]++
		t.figure(e, f.Date)
	}
	for _, b := range e.Signals.Benchmarks {
		t.figure(e, b.Date)
	}
	for _, name := range otherFacts(e) {
		t.facts[name]++
	}
}

func (t *tally) figure(e *record.Entity, date string) {
	t.figures++
	if date == "" {
		return
	}
	t.days[date]++
	if t.oldest == "" || date < t.oldest {
		t.oldest, t.oldestOf = date, e.Key()
	}
}

func otherFacts(e *record.Entity) (names []string) {
	add := func(name string, known bool) {
		if known {
			names = append(names, name)
		}
	}
	add("license", e.License != "")
	add("version", e.Version != "")
	add("links", len(e.Links) > 0)
	add("ids", len(e.IDs) > 0)
	add("benchmarks", len(e.Signals.Benchmarks) > 0)
	add("offers", len(e.Offers) > 0)
	add("lifecycle", e.Lifecycle != nil)
	for _, v := range e.Values {
		f := v.Field
		if f.Group != nil {
			f = f.Group
		}
		add(f.Name, !slices.Contains(names, f.Name))
	}
	return names
}

func (t *tally) group(typ string, category *string, facts []string) Group {
	g := Group{Type: typ, Category: category, Entities: t.entities, Ranked: t.ranked, Facts: []Share{}, Figures: Figures{Count: t.figures}}
	for _, name := range facts {
		g.Facts = append(g.Facts, Share{name, t.facts[name]})
	}
	days := slices.Sorted(maps.Keys(t.days))
	if len(days) == 0 {
		return g
	}
	for _, n := range t.days {
		g.Figures.Dated += n
	}
	before := 0
	for _, day := range days {
		if before += t.days[day]; before > (g.Figures.Dated-1)/2 {
			g.Figures.Median = &day
			break
		}
	}
	g.Figures.Oldest, g.Figures.Newest, g.Figures.OldestOf = &days[0], &days[len(days)-1], &t.oldestOf
	return g
}

// Contradictions lists offers that contradict the facts of their model or its other offers.
type Contradictions struct {
	Count int             `json:"count"`
	Data  []Contradiction `json:"data"` // by entity and offer; at most MaxListed
}

// Contradiction is a value of an offer that does not agree with another value.
type Contradiction struct {
	Entity string `json:"entity"` // type/slug
	Offer  string `json:"offer"`  // provider/id
	// Field is context, outputLimit, input or output.
	Field string `json:"field"`
	// Value and Expected are tokens, or US dollars per million tokens. Expected is the limit of
	// the model, or the median price of its offers.
	Value    any `json:"value"`
	Expected any `json:"expected"`
}

// farFactor is how far a price must be from the median of a model's offers to be a
// contradiction. Discounts and surcharges are smaller.
const farFactor = 10

func findContradictions(entities []*record.Entity) Contradictions {
	c := Contradictions{Data: []Contradiction{}}
	for _, e := range entities {
		if e.Status != record.Withdrawn {
			c.Data = append(c.Data, contradictionsOf(e)...)
		}
	}
	slices.SortFunc(c.Data, func(a, b Contradiction) int {
		return cmp.Or(cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Offer, b.Offer), cmp.Compare(a.Field, b.Field))
	})
	c.Count = len(c.Data)
	c.Data = c.Data[:min(len(c.Data), MaxListed)]
	return c
}

func contradictionsOf(e *record.Entity) (list []Contradiction) {
	context, _ := e.Signals.Fact(kinds.ContextSignal)
	output, _ := e.Signals.Fact(kinds.OutputSignal)
	priceKinds := []int{record.InputPrice, record.OutputPrice}
	var medians [len(record.Prices{})]*record.Offer
	for _, kind := range priceKinds {
		medians[kind] = pricing.MedianOffer(e.Offers, kind)
	}
	for i := range e.Offers {
		o := &e.Offers[i]
		add := func(field string, value, expected any) {
			list = append(list, Contradiction{Entity: e.Key(), Offer: o.Provider + "/" + o.ID, Field: field, Value: value, Expected: expected})
		}
		limit := func(field string, tokens int64, of float64) {
			if of > 0 && float64(tokens) > of {
				add(field, tokens, int64(of))
			}
		}
		limit("context", o.Context, context.Number)
		limit("outputLimit", o.OutputLimit, output.Number)
		for _, kind := range priceKinds {
			if medians[kind] == nil {
				continue
			}
			p, median := o.Prices[kind], medians[kind].Prices[kind]
			if p.Micros() > 0 && (p.Micros() >= farFactor*median.Micros() || farFactor*p.Micros() <= median.Micros()) {
				add(record.PriceNames[kind], p, median)
			}
		}
	}
	return list
}

// MaxStatusFile is the maximum size of collect-status.json, in bytes.
const MaxStatusFile = 4 << 20

// maxSources is the maximum number of sources, and of values that one of them has. The page and
// the API list them all.
const maxSources = 200

// Status is the content of collect-status.json, in which the collector records when each source
// was last read.
type Status struct {
	Sources map[string]SourceStatus `json:"sources"`
	Stopped []Stopped               `json:"stopped"` // what guards stop at the moment
}

// SourceStatus is what a source covers.
type SourceStatus struct {
	Read     string   `json:"read"`    // the day of its newest answer
	Covers   int      `json:"covers"`  // entities that it covers
	Answers  int      `json:"answers"` // entities for which it has answered
	Values   []string `json:"values"`  // the values that it is used for
	LastFail string   `json:"lastFail,omitempty"`
}

// Stopped is a value that a guard stopped.
type Stopped struct {
	Entity string `json:"entity"` // type/slug
	Name   string `json:"name"`   // the value: a signal or a field
	Source string `json:"source"`
	Held   any    `json:"held"` // nil if there is none
	Found  any    `json:"found"`
	Reason string `json:"reason"`
}

// ParseStatus reads a collect-status.json. The file may come from a pull request, so unknown members and
// values that are not plain are errors.
func ParseStatus(data []byte) (s Status, err error) {
	if len(data) > MaxStatusFile {
		return s, fmt.Errorf("is larger than %d bytes", MaxStatusFile)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Status{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Status{}, errors.New("has more than one value")
	}
	if len(s.Sources) > maxSources {
		return Status{}, fmt.Errorf("sources: more than %d", maxSources)
	}
	for name, source := range s.Sources {
		if len(source.Values) > maxSources {
			return Status{}, fmt.Errorf("sources: %s: more than %d values", name, maxSources)
		}
	}
	for _, x := range s.Stopped {
		if !isPlain(x.Held) || !isPlain(x.Found) {
			return Status{}, fmt.Errorf("stopped: %s:%s: held and found must be numbers, texts or null", x.Entity, x.Name)
		}
	}
	return s, nil
}

func isPlain(v any) bool {
	switch v.(type) {
	case nil, float64, string, bool:
		return true
	}
	return false
}

func (s *Status) list() []Source {
	list := []Source{}
	for _, name := range slices.Sorted(maps.Keys(s.Sources)) {
		source := Source{name, s.Sources[name]}
		source.Values = append([]string{}, source.Values...)
		list = append(list, source)
	}
	return list
}
