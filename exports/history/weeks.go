package history

import (
	"fmt"
	"slices"

	"kindex/exports/record"
)

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

// Weeks returns the completed weeks with movers, newest first. The caller must not modify the
// weeks.
func (a *Archive) Weeks() []*record.Week { return slices.Clone(a.weeks) }
