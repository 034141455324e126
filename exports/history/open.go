package history

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/view"
)

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
