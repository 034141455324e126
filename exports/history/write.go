package history

import (
	"bytes"
	"encoding/json"
	"errors"
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
	// Line appends change i as a compact JSON object without a line ending.
	Line func(dst []byte, i int) ([]byte, error)
	// Snapshots hold the catalogue at the end of certain days, oldest first.
	Snapshots []*SnapshotData
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
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
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
		files[SnapshotsDir+s.Day+snapshotEnd] = s.File
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
	var buf []byte
	for i := range d.Versions {
		l, err := d.line(i, int(next[i]))
		if err != nil {
			return nil, err
		}
		buf = l.append(buf[:0])
		if _, err := w.Write(buf); err != nil {
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
		l.Patch = AppendPatch(nil, after, content)
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

// check rejects a history that could not be read back correctly.
func (d *Data) check() error {
	if d.Kept > 0 && (d.Previous == nil || d.Kept > min(len(d.Versions), d.Previous.Versions())) {
		return fmt.Errorf("keeps %d versions that there are not", d.Kept)
	}
	if err := checkWeeks(d.Weeks); err != nil {
		return err
	}
	next := make([]bool, len(d.Versions))
	for i := range d.Versions {
		v := &d.Versions[i]
		if err := d.checkVersion(i, v); err != nil {
			return fmt.Errorf("version %d of %s/%s %w", i, v.Type, v.Slug, err)
		}
		if v.Previous != none {
			if next[v.Previous] {
				return fmt.Errorf("version %d of %s/%s follows version %d, as another one does", i, v.Type, v.Slug, v.Previous)
			}
			next[v.Previous] = true
		}
	}
	before, ids := int32(none), map[string]bool{}
	for i, c := range d.Changes {
		if _, ok := parseChangeID(c.ID); !ok || ids[c.ID] {
			return fmt.Errorf("%q is not the ID of a change, or that of another one", c.ID)
		}
		ids[c.ID] = true
		if c.Version <= before || int(c.Version) >= len(d.Versions) || int(d.Versions[c.Version].Change) != i {
			return fmt.Errorf("change %s belongs to version %d of %d, which is not later than that of the change before it, or belongs to another change", c.ID, c.Version, len(d.Versions))
		}
		before = c.Version
	}
	last := ""
	for _, s := range d.Snapshots {
		if _, err := endOf(s.Day); err != nil || s.Day <= last {
			return fmt.Errorf("the snapshot of %q must not follow the snapshot of %q", s.Day, last)
		}
		last = s.Day
	}
	return nil
}

func (d *Data) checkVersion(i int, v *record.Version) error {
	switch {
	case v.Deleted && v.Entity != nil, !v.Deleted && v.Entity == nil && i >= d.Kept:
		return errors.New("must either have content or be a deletion")
	case v.Entity != nil && (v.Entity.Type != v.Type || v.Entity.Slug != v.Slug):
		return errors.New("has the content of " + v.Entity.Key())
	case v.Previous < none || int(v.Previous) >= i:
		return fmt.Errorf("follows version %d", v.Previous)
	case v.Change < none || int(v.Change) >= len(d.Changes):
		return fmt.Errorf("refers to change %d, but there are %d changes", v.Change, len(d.Changes))
	case v.Commit < none || int(v.Commit) >= len(d.Commits):
		return fmt.Errorf("refers to commit %d, but there are %d commits", v.Commit, len(d.Commits))
	case i > 0 && v.Time < d.Versions[i-1].Time:
		return errors.New("is older than the one before it")
	}
	return nil
}
