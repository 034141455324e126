package collect

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"kindex/exports/kinds"
)

// Config is the content of collect.yaml. The zero value means the defaults.
type Config struct {
	MaxAge  *int                    `json:"maxAge"`  // days
	MinDays *int                    `json:"minDays"` // days
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
	Least   *float64          `json:"least"`   // counts below this are not compared
	Factor  *float64          `json:"factor"`  // times, for prices and limits of offers
	Refuse  []string          `json:"refuse"`  // values that are wrong at their source: type/slug:name
	Signals map[string]Bounds `json:"signals"` // by signal
}

// Bounds are the bounds of one signal.
type Bounds struct {
	Fall  *float64 `json:"fall"`  // percent
	Rise  *float64 `json:"rise"`  // times
	Empty *float64 `json:"empty"` // percent of the answers
}

// The defaults of collect.yaml.
const (
	DefaultMaxAge  = 7
	DefaultMinDays = 28
	// DefaultMinStars is the number of stars from which --new proposes a repository.
	DefaultMinStars = 5000
	defaultFall     = 20
	defaultRise     = 10
	defaultEmpty    = 10
	defaultLeast    = 50
	defaultFactor   = 3
)

// ParseConfig reads collect.yaml as JSON, as content.Load returns it; nil means the defaults.
func ParseConfig(data []byte) (c Config, err error) {
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

// unsteady lists the signals that naturally rise and fall.
var unsteady = map[string]bool{"recentCommits": true, "openIssues": true, "archived": true}

// bounds are the resolved bounds of a signal.
type bounds struct{ fall, rise, empty float64 }

func (g *Guards) of(signal string) bounds {
	b := bounds{defaultFall, defaultRise, defaultEmpty}
	if unsteady[signal] {
		b.fall, b.rise = 100, 0
	} else {
		b.fall, b.rise = or(g.Fall, b.fall), or(g.Rise, b.rise)
	}
	b.empty = or(g.Empty, b.empty)
	own := g.Signals[signal]
	return bounds{or(own.Fall, b.fall), or(own.Rise, b.rise), or(own.Empty, b.empty)}
}

func (g *Guards) least() float64 { return or(g.Least, defaultLeast) }

// factor is how many times as large or as small a price or limit of an offer may become; 0 for
// any.
func (g *Guards) factor() float64 { return or(g.Factor, defaultFactor) }

func hasColumn(list []Column, name string) bool {
	return slices.ContainsFunc(list, func(col Column) bool { return col.Name == name })
}

// columns returns the columns of a source that collect.yaml does not leave out.
func (c *Config) columns(info Info) []Column {
	own := c.Sources[info.Name]
	if len(own.Signals) == 0 {
		return info.Columns
	}
	return slices.DeleteFunc(slices.Clone(info.Columns), func(col Column) bool { return !slices.Contains(own.Signals, col.Name) })
}

// check returns an error if the configuration names something that no source has.
func (c *Config) check(sources []Source) error {
	infos := map[string]Info{}
	for _, s := range sources {
		infos[s.Info().Name] = s.Info()
	}
	for _, name := range slices.Sorted(maps.Keys(c.Sources)) {
		info, ok := infos[name]
		for _, signal := range c.Sources[name].Signals {
			if ok && !slices.ContainsFunc(info.Columns, func(col Column) bool { return col.Name == signal }) {
				return fmt.Errorf("collect.yaml: sources.%s.signals: %s has no %s", name, info.Title, signal)
			}
		}
	}
	return nil
}

// isSignal reports whether a value is a signal.
func isSignal(name string) (s kinds.Signal, ok bool) {
	if known := kinds.Default().Signal(name); known != nil {
		return *known, true
	}
	return s, false
}
