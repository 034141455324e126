package quality

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

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
