package history

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/klauspost/compress/gzip"

	"kindex/exports/jsonenc"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/view"
)

// The files of a history. The changelog is that of the public exports.
const (
	VersionsFile  = "lookup/versions.jsonl.gz"
	TrendsFile    = "lookup/trends.json"
	WeeksFile     = "lookup/weeks.json"
	ChangelogFile = "changelog.jsonl.gz"
	SnapshotsDir  = "snapshots/" // <day>.json.gz, the catalogue at the end of that day
	snapshotEnd   = ".json.gz"
)

// VersionsFile has one line for the Head, one for each commit, and one for each version, oldest first. The
// content of a version is stored as it differs from that of the entity's next version: what few versions
// share with the present is stored once, and appending a version changes the line of only one other.

// Head describes the history that was read.
type Head struct {
	// Commit, Path and Mailmap are the last commit, the folder within the repository and the hash of the
	// mailmap. They are "" outside git.
	Commit  string `json:"commit"`
	Path    string `json:"path"`
	Mailmap string `json:"mailmap"`
	Formula string `json:"formula"` // hash of the formula used for past scores
	Commits int    `json:"commits"`
}

type versionLine struct {
	record.Version
	Category string `json:"category,omitempty"` // under which the change is found
	Added    string `json:"added,omitempty"`
	Updated  string `json:"updated,omitempty"`
	// Record is the content as record.Entity.AppendAuthored encodes it; Patch, a merge patch that turns the
	// content of the entity's next version into it. A version with neither is a deletion, or its content is
	// that of the record at its address.
	Record json.RawMessage `json:"record,omitempty"`
	Patch  json.RawMessage `json:"patch,omitempty"`
}

// maxRatio is the largest ratio of a gzip file's content to its size that deflate allows, about
// (https://zlib.net/zlib_tech.html).
const maxRatio = 1032

// Inflate returns the content of a gzip file.
func Inflate(file []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	// The file ends with the size of its content (RFC 1952, 2.3.1), so that the buffer need not grow.
	size := int(binary.LittleEndian.Uint32(file[len(file)-4:]))
	content := bytes.NewBuffer(make([]byte, 0, min(size, maxRatio*len(file))+bytes.MinRead))
	_, err = content.ReadFrom(r)
	return content.Bytes(), err
}

// inflatedLines returns the lines of a gzip file without their endings.
func inflatedLines(file []byte) ([][]byte, error) {
	data, err := Inflate(file)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(data, []byte{'\n'})
	last := len(lines) - 1
	if len(lines[last]) > 0 {
		return nil, errors.New("the last line is not complete")
	}
	return lines[:last], nil
}

func (a *Archive) readVersions(file []byte) error {
	lines, err := inflatedLines(file)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return errors.New("is empty")
	}
	if err := json.Unmarshal(lines[0], &a.head); err != nil {
		return err
	}
	lines = lines[1:]
	if a.head.Commits < 0 || a.head.Commits > len(lines) {
		return fmt.Errorf("has %d lines after the first, but says that %d of them are commits", len(lines), a.head.Commits)
	}
	for _, line := range lines[:a.head.Commits] {
		var c record.ArchivedCommit
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		a.commits = append(a.commits, c)
	}
	return a.addVersions(lines[a.head.Commits:])
}

// addVersions decodes versions and finds what refers to each. It rejects versions that refer to something that does
// not exist.
func (a *Archive) addVersions(lines [][]byte) error {
	for i, line := range lines {
		var l versionLine
		if err := jsonenc.Decode(line, &l); err != nil {
			return err
		}
		var err1, err2 error
		l.Version.Added, err1 = record.DayNumber(l.Added)
		l.Version.Updated, err2 = record.DayNumber(l.Updated)
		switch {
		case err1 != nil || err2 != nil:
			return cmp.Or(err1, err2)
		case l.Previous < none || int(l.Previous) >= i, l.Previous >= 0 && a.next[l.Previous] != none:
			return fmt.Errorf("version %d cannot follow version %d", i, l.Previous)
		case l.Commit < none || int(l.Commit) >= len(a.commits):
			return fmt.Errorf("version %d refers to commit %d of %d", i, l.Commit, len(a.commits))
		case i > 0 && l.Time < a.versions[i-1].Time:
			return fmt.Errorf("version %d is older than the one before it", i)
		case l.Change != none && int(l.Change) != len(a.changed):
			return fmt.Errorf("version %d refers to change %d instead of %d", i, l.Change, len(a.changed))
		}
		a.versions = append(a.versions, l.Version)
		c := content{l.Record, false}
		if l.Patch != nil {
			c = content{l.Patch, true}
		}
		a.contents, a.next = append(a.contents, c), append(a.next, none)
		key := l.Type + "\x00" + l.Slug
		a.at[key] = append(a.at[key], int32(i))
		if l.Previous >= 0 {
			a.next[l.Previous] = int32(i)
		}
		if l.Change != none {
			a.changed, a.categories = append(a.changed, int32(i)), append(a.categories, l.Category)
		}
	}
	return a.checkContents()
}

// checkContents rejects versions whose content cannot be found.
func (a *Archive) checkContents() error {
	for i := range a.versions {
		v, c := &a.versions[i], &a.contents[i]
		switch {
		case v.Deleted && c.json != nil:
			return fmt.Errorf("version %d is a deletion with content", i)
		case c.json != nil && !isObject(c.json):
			return fmt.Errorf("the content of version %d is not an object", i)
		case c.patch && (a.next[i] == none || a.versions[a.next[i]].Deleted):
			return fmt.Errorf("version %d is a patch of a version that does not exist", i)
		case c.json == nil && !v.Deleted:
			if _, alias, known := a.base.Find(v.Type, v.Slug); !known || alias {
				return fmt.Errorf("version %d has no content, and there is no record at its address", i)
			}
		}
	}
	return nil
}

// Source is an open build whose history is read.
type Source struct {
	Files   []string // the names of its files
	File    func(name string) ([]byte, error)
	Records *view.View
	Formula func() (*score.Formula, error)
	AsOf    time.Time
}

// Open reads the history of a build, which is empty if the build has no files of one.
func Open(s Source) (*Archive, error) {
	a := &Archive{stored: &stored{base: s.Records, formula: s.Formula, asOf: s.AsOf, at: map[string][]int32{}}}
	a = a.Of(s.Records, func(ordinal uint32) (uint32, bool) { return ordinal, true })
	if !s.AsOf.IsZero() {
		a.days.compared = s.AsOf.UTC().AddDate(0, 0, -MovementDays).Format(time.DateOnly)
	}
	if !slices.Contains(s.Files, VersionsFile) {
		return a, nil
	}
	for _, f := range []struct {
		name string
		read func(file []byte) error
	}{
		{VersionsFile, a.readVersions},
		{ChangelogFile, a.readChanges},
		{TrendsFile, func(b []byte) error { return errors.Join(json.Unmarshal(b, &a.windows), a.checkTrends()) }},
		{WeeksFile, func(b []byte) error { return cmp.Or(json.Unmarshal(b, &a.weeks), checkWeeks(a.weeks)) }},
	} {
		file, err := s.File(f.name)
		if err == nil {
			err = f.read(file)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	a.findSnapshots(s.Files, s.File)
	return a, nil
}

func checkWeeks(list []*record.Week) error {
	for i, w := range list {
		if err := w.Check(); err != nil {
			return err
		}
		if i > 0 && !w.End.Before(list[i-1].End) {
			return fmt.Errorf("week %s must not follow week %s", w.Name(), list[i-1].Name())
		}
	}
	return nil
}

// Of returns the archive for a catalogue with edits. current returns the ordinal that a record of the build
// has in it; ok is false if the edits removed or withdrew the record.
func (a *Archive) Of(now *view.View, current func(ordinal uint32) (at uint32, ok bool)) *Archive {
	return &Archive{stored: a.stored, now: now, current: current}
}
