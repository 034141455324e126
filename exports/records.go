package exports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"kindex/exports/history"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// recordLine is a line of the records file: a record, and what the file of an entity says beyond it.
type recordLine struct {
	Formerly []string        `json:"formerly,omitempty"` // earlier slugs
	Rest     json.RawMessage `json:"rest,omitempty"`     // record.Rest
	// AddedDerived and UpdatedDerived are set if the file has no addedDate or lastUpdated.
	AddedDerived   bool            `json:"addedDerived,omitempty"`
	UpdatedDerived bool            `json:"updatedDerived,omitempty"`
	Record         json.RawMessage `json:"record"`
}

// WriteRecords writes the records. The entities must be in the order of record.CompareRank: an entity's
// ordinal is its index.
func (w *Writer) WriteRecords(entities []*record.Entity) error {
	f, err := w.Create(recordsFile)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(f)
	lines.SetEscapeHTML(false)
	for _, e := range entities {
		l := recordLine{Formerly: e.Formerly, AddedDerived: e.AddedDerived, UpdatedDerived: e.UpdatedDerived, Record: e.AppendJSON(nil)}
		if len(e.Rest) > 0 {
			l.Rest = e.Rest.AppendJSON(nil)
		}
		if err := lines.Encode(&l); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// span is a part of a file.
type span struct {
	at     int64
	length int
}

// maxStored is the size in bytes of the largest records file that stays in memory. Of a larger one, records are
// read from the disk: it would take as much memory as all entities.
const maxStored = 64 << 20

// readRecords decodes the records file.
func (b *Build) readRecords(declared *kinds.Set) ([]*record.Entity, error) {
	data, err := b.ReadFile(recordsFile)
	if err != nil {
		return nil, err
	}
	if len(data) <= maxStored {
		b.stored = data
	}
	lines := bytes.SplitAfter(data, []byte{'\n'})
	lines = lines[:len(lines)-1] // an empty one follows the last
	b.records = make([]span, len(lines))
	end := 0
	for i, line := range lines {
		end += len(line)
		b.records[i].at = int64(end)
	}
	if end < len(data) {
		return nil, fmt.Errorf("%s: the last line is not complete", recordsFile)
	}
	entities := make([]*record.Entity, len(lines))
	err = parallel.Each(len(lines), func(i int) error {
		e, raw, err := readRecord(declared, lines[i])
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", recordsFile, i+1, err)
		}
		entities[i], b.records[i].length = e, len(raw)
		b.records[i].at -= int64(len(raw) + len(recordLineEnd))
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, e := range entities {
		if i > 0 && record.CompareRank(entities[i-1], e) >= 0 {
			return nil, fmt.Errorf("%s, line %d: %s must not follow %s", recordsFile, i+1, e.Key(), entities[i-1].Key())
		}
	}
	return entities, nil
}

// recordLineEnd follows the record in a line of the records file.
const recordLineEnd = "}\n"

// readRecord decodes a line of the records file.
func readRecord(declared *kinds.Set, line []byte) (e *record.Entity, raw []byte, err error) {
	var l recordLine
	if jsonenc.Borrow(line, &l) != nil || len(l.Record) == 0 {
		return nil, nil, errors.New("is not a JSON object")
	}
	if before, ok := bytes.CutSuffix(line, []byte(recordLineEnd)); !ok || !bytes.HasSuffix(before, l.Record) {
		return nil, nil, errors.New("does not end with the record")
	}
	e = &record.Entity{Kinds: declared}
	if err := e.Decode(l.Record); err != nil {
		return nil, nil, err
	}
	for _, slug := range l.Formerly {
		e.Formerly = append(e.Formerly, strings.Clone(slug)) // the line does not stay in memory
	}
	e.AddedDerived, e.UpdatedDerived, e.Rest = l.AddedDerived, l.UpdatedDerived, record.DecodeRest(l.Rest)
	return e, l.Record, nil
}

// storedRecord returns the JSON of a record, or nil for an edited one, and if the file cannot be read.
func (b *Build) storedRecord(ordinal uint32) []byte {
	if int(ordinal) >= len(b.records) {
		return nil
	}
	r := b.records[ordinal]
	if b.stored != nil {
		return b.stored[r.at : r.at+int64(r.length) : r.at+int64(r.length)]
	}
	stored := make([]byte, r.length)
	if _, err := b.files[recordsFile].ReadAt(stored, r.at); err != nil {
		return nil
	}
	return stored
}

// FindAuthored returns the entity that has, or once had, an address, as its author wrote it: with its earlier slugs, but
// without scores or dates derived from the history. It returns nil if there is none. The caller owns the result.
func (b *Build) FindAuthored(typ, slug string) (*record.Entity, error) {
	o, _, ok := b.Find(typ, slug)
	if !ok {
		return nil, nil
	}
	e := &record.Entity{Kinds: b.Kinds()}
	return e, e.Decode(b.Entity(o).AppendAuthored(nil))
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
	dst = jsonenc.AppendTexts(dst, "slug", e.Slug, "name", e.Name, "status", e.Status,
		"maintenance", e.Maintenance.State, "maintenanceAsOf", e.Maintenance.AsOf, "license", e.License,
		"version", e.Version, "versionDate", release.Day, "lastUpdated", e.LastUpdated)
	return append(e.Lifecycle.AppendJSON(jsonenc.AppendMember(dst, "lifecycle")), '}')
}

// ResolveRemoved reports what happened to the entity at an address that is no
// longer in the build. lifecycle is history.Exists if the entity has moved to the address
// of latest, Gone if latest is its deletion, and Unknown if the history has no such
// entity.
func (b *Build) ResolveRemoved(typ, slug string) (latest record.Version, lifecycle history.Lifecycle) {
	a := b.History()
	last, ok := a.Last(typ, slug)
	if !ok {
		return latest, history.Unknown
	}
	latest = a.Version(a.Newest(last))
	if latest.Deleted {
		return latest, history.Gone
	}
	if _, isAlias, ok := b.Find(latest.Type, latest.Slug); !ok || isAlias {
		return latest, history.Unknown // removed by an uncommitted change
	}
	return latest, history.Exists
}

// History returns the history of the build, which is empty if the build was written without one. Edits do
// not change it, except for the ordinals in Trends.
func (b *Build) History() *history.Archive {
	if b.edits == nil {
		return b.history
	}
	return b.history.Of(b.View, b.currentOrdinal)
}

// Moments returns the contents of a record's entity, oldest first. The last one is the
// record itself, which may differ from the newest version: in an edited build, and in a
// build of files that were not committed. limit is as in history.Archive.Moments.
func (b *Build) Moments(ordinal uint32, limit int) ([]history.Moment, error) {
	var list []history.Moment
	if v, ok := b.History().NewestOf(ordinal); ok {
		var err error
		if list, err = b.History().Moments(v, limit); err != nil {
			return nil, err
		}
	}
	return append(list, history.Moment{Entity: b.Entity(ordinal)}), nil
}

// FormerKeys returns the earlier addresses of an entity: those that its file lists, and those in
// the history. Another entity may have one of them now.
func (b *Build) FormerKeys(ordinal uint32) []string {
	keys := b.Entity(ordinal).FormerKeys()
	current := b.Entity(ordinal).Key()
	a := b.History()
	for v, ok := a.NewestOf(ordinal); ok; {
		at := a.Version(v)
		if key := at.Type + "/" + at.Slug; key != current && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		v, ok = int(at.Previous), at.Previous >= 0
	}
	return keys
}
