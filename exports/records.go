package exports

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// Members of a line of the records file that hold what the file of an entity says beyond its record.
const (
	recordMember  = "record"
	formerlyName  = "formerly"       // earlier slugs, only if there are any
	restName      = "rest"           // record.Rest, only if there is any
	addedDerived  = "addedDerived"   // true if the file has no addedDate, else absent
	updateDerived = "updatedDerived" // true if the file has no lastUpdated, else absent
)

// WriteRecords writes the records. The entities must be in the order of record.CompareRank: an entity's
// ordinal is its index.
func (w *Writer) WriteRecords(entities []*record.Entity) error {
	f, err := w.Create(recordsFile)
	if err != nil {
		return err
	}
	lines := bufio.NewWriter(f)
	var line []byte
	for _, e := range entities {
		line = append(line[:0], '{')
		if len(e.Formerly) > 0 {
			line = append(jsonenc.AppendStrings(append(line, `"`+formerlyName+`":`...), e.Formerly), ',')
		}
		if len(e.Rest) > 0 {
			line = append(e.AppendRest(append(line, `"`+restName+`":`...)), ',')
		}
		if e.AddedDerived {
			line = append(line, `"`+addedDerived+`":true,`...)
		}
		if e.UpdatedDerived {
			line = append(line, `"`+updateDerived+`":true,`...)
		}
		line = e.AppendJSON(append(line, `"`+recordMember+`":`...))
		if _, err := lines.Write(append(line, '}', '\n')); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(lines.Flush(), f.Close())
}

// readRecords decodes the records file.
func readRecords(declared *kinds.Set, data []byte) (entities []*record.Entity, records [][]byte, err error) {
	var lines [][]byte
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		lines, data = append(lines, line), rest
	}
	entities, records = make([]*record.Entity, len(lines)), make([][]byte, len(lines))
	errs := make([]error, len(lines))
	parallel.Ranges(len(lines), func(from, to int) {
		for i := from; i < to; i++ {
			entities[i], records[i], errs[i] = readRecord(declared, lines[i])
		}
	})
	for i, e := range entities {
		if errs[i] == nil && i > 0 && record.CompareRank(entities[i-1], e) >= 0 {
			errs[i] = fmt.Errorf("%s must not follow %s", e.Key(), entities[i-1].Key())
		}
		if errs[i] != nil {
			return nil, nil, fmt.Errorf("%s, line %d: %w", recordsFile, i+1, errs[i])
		}
	}
	return entities, records, nil
}

// readRecord decodes a line of the records file.
func readRecord(declared *kinds.Set, line []byte) (e *record.Entity, raw []byte, err error) {
	e = &record.Entity{Kinds: declared}
	if !json.Valid(line) || line[0] != '{' {
		return nil, nil, errors.New("is not a JSON object")
	}
	var formerly []string
	var rest record.Rest
	added, updated := false, false
	for name, value := range jsonenc.Members(line) {
		switch string(name) {
		case formerlyName:
			for text := range jsonenc.Elements(value) {
				formerly = append(formerly, jsonenc.Text(text))
			}
		case restName:
			rest = record.DecodeRest(value)
		case addedDerived:
			added = true
		case updateDerived:
			updated = true
		case recordMember:
			raw = value[:len(value):len(value)]
		}
	}
	if err := e.UnmarshalJSON(raw); err != nil {
		return nil, nil, err
	}
	e.Formerly, e.Rest, e.AddedDerived, e.UpdatedDerived = formerly, rest, added, updated
	return e, raw, nil
}

// Authored returns a record's entity as it was authored in the source file: with its earlier slugs, but
// without scores or dates derived from the history. The caller owns the result.
func (b *Build) Authored(ordinal uint32) (*record.Entity, error) {
	e := &record.Entity{Kinds: b.Kinds()}
	return e, e.UnmarshalJSON(b.Entity(ordinal).AppendAuthored(nil))
}

// FindAuthored returns the entity that has, or once had, an address, as its author wrote it, or nil if
// there is none.
func (b *Build) FindAuthored(typ, slug string) (*record.Entity, error) {
	o, _, ok := b.Find(typ, slug)
	if !ok {
		return nil, nil
	}
	return b.Authored(o)
}

// AuthoredSince returns the states of an entity that began at a time or later, the newest first,
// as their author wrote them. It leaves out deletions.
func (b *Build) AuthoredSince(typ, slug string, t time.Time) (list []*record.Entity, err error) {
	a := b.History()
	v, ok := a.Last(typ, slug)
	if !ok {
		return nil, nil
	}
	moments, err := a.Moments(a.Newest(v), math.MaxInt)
	if err != nil {
		return nil, err
	}
	for _, m := range slices.Backward(moments) {
		if m.Time < t.Unix() {
			break
		}
		if m.Entity != nil {
			list = append(list, m.Entity)
		}
	}
	return list, nil
}

// Summary returns what users of a record's entity need to know about it, as an object. Each version and
// state has its date; versionDate is the day of the latest release.
func (b *Build) Summary(ordinal uint32) []byte {
	e := b.Entity(ordinal)
	release, _ := e.Signals.Fact("lastRelease")
	if e.Version == "" {
		release.Day = ""
	}
	dst := jsonenc.AppendString([]byte(`{"type":`), e.Type)
	for _, f := range [...]struct{ name, value string }{
		{"slug", e.Slug}, {"name", e.Name}, {"status", e.Status},
		{"maintenance", e.Maintenance.State}, {"maintenanceAsOf", e.Maintenance.AsOf}, {"license", e.License},
		{"version", e.Version}, {"versionDate", release.Day}, {"lastUpdated", e.LastUpdated},
	} {
		dst = jsonenc.AppendMember(dst, f.name)
		dst = jsonenc.AppendNullable(dst, f.value)
	}
	return append(e.Lifecycle.AppendJSON(jsonenc.AppendMember(dst, "lifecycle")), '}')
}
