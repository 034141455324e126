package history

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/klauspost/compress/gzip"

	"kindex/exports/record"
)

// gzipLevel is the compression level of the files.
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
		if err := lines.Encode(commitLine(c)); err != nil {
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

// line returns the line of a version, given the entity's next one.
func (d *Data) line(i, next int) (l versionLine, err error) {
	v := &d.Versions[i]
	l = versionLine{Type: v.Type, Slug: v.Slug, Deleted: v.Deleted, Time: v.Time, Commit: v.Commit, Previous: v.Previous, Change: v.Change,
		Added: record.FormatDay(v.Added), Updated: record.FormatDay(v.Updated)}
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

// content returns the content of a version that is not a deletion.
func (d *Data) content(i int) ([]byte, error) {
	if e := d.Versions[i].Entity; e != nil {
		return e.AppendAuthored(nil), nil
	}
	return d.Previous.Record(i)
}
