package exports

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// writeWeeks writes the weeks with movers.
func (p *archivePacker) writeWeeks() error {
	if err := checkWeeks(p.Weeks); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	list := p.Weeks
	if list == nil {
		list = []*record.Week{}
	}
	data, err := json.Marshal(list)
	return errors.Join(err, p.w.Add(weeksFile, append(data, '\n')))
}

// checkWeeks rejects weeks that are not in order, newest first.
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

func (r *ArchiveReader) openWeeks(s *packed.SectionReader) {
	err := json.Unmarshal(r.base.files[weeksFile], &r.weeks)
	if err == nil {
		err = checkWeeks(r.weeks)
	}
	if err != nil {
		s.Fail(weeksFile, err)
	}
}

// Weeks returns the completed weeks with movers, newest first. The caller must not modify the
// weeks.
func (r *ArchiveReader) Weeks() []*record.Week { return slices.Clone(r.weeks) }
