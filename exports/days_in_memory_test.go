package exports

import (
	"errors"
	"testing"

	"kindex/exports/history"
)

// TestDaysInMemory checks that a few days stay in memory, among them always the one that today's leaderboards are
// compared with, and that this one is made without admission.
func TestDaysInMemory(t *testing.T) {
	_, b := archived(t, 84, 20, 40)
	a, admitted := b.History(), 0
	refused := errors.New("refused")
	a.Guard(func() (func(), error) {
		if admitted++; admitted > 5 {
			return nil, refused
		}
		return func() {}, nil
	})
	first := map[string]*history.Day{}
	for _, day := range []string{"2026-10-25", "2026-10-01", "2026-10-02", "2026-10-02", "2026-10-01", "2026-10-25", "2026-10-03", "2026-10-01", "2026-10-04"} {
		d, err := a.Day(day)
		if err != nil {
			t.Fatal(err)
		}
		if first[day] != nil && d != first[day] {
			t.Errorf("%s was forgotten", day)
		}
		first[day] = d
	}
	if d, err := a.Day("2026-10-02"); err != nil || d == first["2026-10-02"] {
		t.Errorf("the day that was used least recently is still in memory: %v", err)
	}
	for range 2 { // the first three are three that stay
		if d, err := a.Day("2026-10-25"); err != nil || d != first["2026-10-25"] {
			t.Error("the day that today is compared with was forgotten", err)
		}
		if _, err := a.Day("2026-10-09"); !errors.Is(err, refused) {
			t.Errorf("a day was made without admission: %v", err)
		}
	}
}
