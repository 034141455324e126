package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/klauspost/compress/gzip"

	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

const gzipLevel = 5

// Data is the history that a build writes.
type Data struct {
	Head     Head // without the number of commits
	Commits  []record.ArchivedCommit
	Versions []record.Version
	// Current reports whether the content of a version is that of the record at its address, as the author
	// wrote it; the build then contains it only once. If Current is nil, no version is.
	Current func(i int) bool
	Changes []Change
	Change  func(i int) (*record.Change, error)
	// Snapshots hold the catalogue at the end of certain days, oldest first.
	Snapshots []*Snapshot
	Trends    []Trends
	// Weeks lists the completed weeks with movers, newest first.
	Weeks []*record.Week

	// Previous is an earlier archive that has the first Kept versions, or nil. It has their content if they
	// have no Entity. The files are the same as without it.
	Previous *Archive
	Kept     int
}

// Change holds the values by which a change can be looked up.
type Change struct {
	ID       string
	Version  int32 // the version created by the change
	Category string
}

// Files returns the files of the history by name, without the changelog.
func (d *Data) Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	var err error
	if files[VersionsFile], err = d.versionsFile(); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	weeks := d.Weeks
	if weeks == nil {
		weeks = []*record.Week{}
	}
	for name, list := range map[string]any{TrendsFile: d.Trends, WeeksFile: weeks} {
		data, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		files[name] = append(data, '\n')
	}
	for _, s := range d.Snapshots {
		if files[SnapshotsDir+s.Day+snapshotEnd], err = s.File(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func (d *Data) versionsFile() ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzipLevel)
	if err != nil {
		return nil, err
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	d.Head.Commits = len(d.Commits)
	if err := lines.Encode(d.Head); err != nil {
		return nil, err
	}
	for _, c := range d.Commits {
		if err := lines.Encode(c); err != nil {
			return nil, err
		}
	}
	next := Followers(d.Versions)
	for i := range d.Versions {
		l, err := d.line(i, int(next[i]))
		if err != nil {
			return nil, err
		}
		if err := lines.Encode(l); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// Followers returns, for each version, the next version of the same entity, or -1.
func Followers(versions []record.Version) []int32 {
	next := make([]int32, len(versions))
	for i := range next {
		next[i] = none
	}
	for i := range versions {
		if b := versions[i].Previous; b != none {
			next[b] = int32(i)
		}
	}
	return next
}

func (d *Data) line(i, next int) (l versionLine, err error) {
	v := &d.Versions[i]
	l = versionLine{Version: *v, Added: record.FormatDay(v.Added), Updated: record.FormatDay(v.Updated)}
	if v.Change != none {
		l.Category = d.Changes[v.Change].Category
	}
	switch {
	case v.Deleted || d.Current != nil && d.Current(i):
	case next == none || d.Versions[next].Deleted:
		l.Record, err = d.content(i)
	case next < d.Kept && d.Previous.contents[i].patch:
		l.Patch = d.Previous.contents[i].json
	default:
		var after, content []byte
		if after, err = d.content(next); err != nil {
			return l, err
		}
		content, err = d.content(i)
		l.Patch = diff(after, content)
	}
	return l, err
}

func (d *Data) content(i int) ([]byte, error) {
	if e := d.Versions[i].Entity; e != nil {
		return e.AppendAuthored(nil), nil
	}
	return d.Previous.Record(i)
}

var null = []byte("null")

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// members returns the members of a compact object. A member that is null counts as missing: a merge patch cannot
// tell them apart, and neither can a reader of records.
func members(object []byte) map[string][]byte {
	m := map[string][]byte{}
	if isObject(object) {
		for name, value := range jsonenc.Members(object) {
			if !bytes.Equal(value, null) {
				m[string(name)] = value
			}
		}
	}
	return m
}

// object is the inverse of members.
func object(members map[string][]byte) []byte {
	dst := []byte{'{'}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		dst = append(jsonenc.AppendMember(dst, name), members[name]...)
	}
	return append(dst, '}')
}

// diff returns the JSON merge patch (RFC 7386) that turns one compact object into another.
func diff(from, to []byte) []byte {
	before, patch := members(from), members(to)
	for name, was := range before {
		switch value, known := patch[name]; {
		case !known:
			patch[name] = null
		case bytes.Equal(was, value):
			delete(patch, name)
		case isObject(was) && isObject(value):
			patch[name] = diff(was, value)
		}
	}
	return object(patch)
}

// patched returns a compact object to which a merge patch is applied.
func patched(to, patch []byte) []byte {
	all := members(to)
	for name, value := range jsonenc.Members(patch) {
		switch {
		case bytes.Equal(value, null):
			delete(all, string(name))
		case isObject(value):
			all[string(name)] = patched(all[string(name)], value)
		default:
			all[string(name)] = value
		}
	}
	return object(all)
}
