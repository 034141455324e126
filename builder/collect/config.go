package collect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/record"
	"kindex/exports/score"
)

// Config is the content of collect.yaml.
type Config struct {
	MaxAge  int                     `json:"maxAge"`  // days
	MinDays int                     `json:"minDays"` // days
	Sources map[string]SourceConfig `json:"sources"`
	Files   []FileConfig            `json:"files"`
	Guards  Guards                  `json:"guards"`
	// Exceptions are the reasons nobody collects a measure that a formula reads, by its key.
	Exceptions map[string]string `json:"exceptions"`
	// Declined lists what people do not want: namespace:id or type/slug.
	Declined []string `json:"declined"`
}

// SourceConfig configures one source.
type SourceConfig struct {
	Enabled *bool    `json:"enabled"`
	Signals []string `json:"signals"` // only these values; empty means all
	// Topics are those of GitHub in which --new looks for repositories with at least MinStars stars.
	Topics   []string `json:"topics"`
	MinStars *int     `json:"minStars"`
}

// FileConfig is a list that is a source: a file, or one or more documents on the web. Paths are
// relative to the folder that contains the content folder.
type FileConfig struct {
	Name string `json:"name"`
	Path string `json:"path"`
	URL  string `json:"url"` // with Names or Index, {} stands for each name
	// Names and Index say which documents there are: they are listed here, or in a JSON document.
	Names []string     `json:"names"`
	Index *IndexConfig `json:"index"`
	Rows  string       `json:"rows"` // where a JSON document has its rows, such as data.*
	Map   string       `json:"map"`
	Date  string       `json:"date"`
	New   bool         `json:"new"` // whether rows can be new entries
}

// IndexConfig is a JSON document that lists names.
type IndexConfig struct {
	URL  string `json:"url"`
	Rows string `json:"rows"`
}

// Guards are the bounds beyond which an observation is not written.
type Guards struct {
	Bounds
	Least   float64                    `json:"least"`   // counts below this are not compared
	Factor  float64                    `json:"factor"`  // how many times as large or small a price or limit may become; 0 for any
	Refuse  []string                   `json:"refuse"`  // values that are wrong at their source: type/slug:name
	Signals map[string]json.RawMessage `json:"signals"` // other Bounds, by signal
}

// Bounds are the bounds of one signal.
type Bounds struct {
	Fall  float64 `json:"fall"`  // percent
	Rise  float64 `json:"rise"`  // times; 0 for any
	Empty float64 `json:"empty"` // percent of the answers
}

// ParseConfig reads collect.yaml as JSON, as content.Load returns it; nil means the defaults.
func ParseConfig(data []byte) (c Config, err error) {
	c = Config{MaxAge: 7, MinDays: 28, Guards: Guards{Bounds: Bounds{Fall: 20, Rise: 10, Empty: 10}, Least: 50, Factor: 3}}
	if data != nil {
		err = json.Unmarshal(data, &c)
	}
	return c, err
}

func or[T any](p *T, other T) T {
	if p != nil {
		return *p
	}
	return other
}

func hasColumn(list []Column, name string) bool {
	return slices.ContainsFunc(list, func(col Column) bool { return col.Name == name })
}

// columns returns the columns of a source that collect.yaml does not leave out.
func (c *Config) columns(s *Source) []Column {
	own := c.Sources[s.Name]
	if len(own.Signals) == 0 {
		return s.Columns
	}
	return slices.DeleteFunc(slices.Clone(s.Columns), func(col Column) bool { return !slices.Contains(own.Signals, col.Name) })
}

// Unwritten checks collect.yaml against the measures of all formulas. It returns a note for each measure
// that no source in use writes and no exception names, and for each exception that is not needed.
func (c *Config) Unwritten(measures []score.Measure, sources []*Source) (notes []string) {
	var written []Column
	var results []record.Benchmark
	for _, s := range sources {
		if !or(c.Sources[s.Name].Enabled, true) {
			continue
		}
		written = append(written, c.columns(s)...)
		if hasColumn(c.columns(s), ResultsColumn) {
			results = append(results, s.Results...)
		}
	}
	needed := map[string]bool{}
	for _, m := range measures {
		names := append(slices.Clone(m.Sum), m.Signal)[:max(len(m.Sum), 1)]
		lacking := strings.Join(slices.DeleteFunc(names, func(name string) bool { return hasColumn(written, name) }), " and ")
		if m.Benchmark != "" {
			lacking = strconv.Quote(m.Benchmark)
		}
		key := m.Key()
		if lacking == "" || needed[key] || slices.ContainsFunc(results, func(b record.Benchmark) bool { return m.Benchmark != "" && m.Accepts(&b) }) {
			continue
		}
		needed[key] = true
		if c.Exceptions[key] == "" {
			notes = append(notes, fmt.Sprintf("collect.yaml: no source writes %s, which a formula reads; add one, or say why not under exceptions: %q: REASON", lacking, key))
		}
	}
	for _, key := range sortedKeys(c.Exceptions) {
		if !needed[key] {
			notes = append(notes, fmt.Sprintf("collect.yaml: exceptions: %q: no formula reads it, or a source writes it; remove it", key))
		}
	}
	slices.Sort(notes)
	return notes
}
