package builder_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports"
)

// TestPastDaysEqualCheckouts compares the catalogue of each day of a random history with what the builder makes of the
// content as it was checked out at the end of that day: the same entities, with the same content, scores and order.
func TestPastDaysEqualCheckouts(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	for seed := range suite.Pick[uint64](2, 20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newRandomHistory(t, 100+seed)
			s.git("init", "-q", "-b", "main")
			s.commit("begin")
			checkouts := map[string]*builder.Loaded{}
			var first, last time.Time
			before := ""
			checkOut := func() {
				c, problems, err := builder.LoadContent(s.dir, nil)
				if n, _ := problems.Count(); err != nil || n > 0 {
					t.Fatal(err, problems)
				}
				var now strings.Builder
				for _, e := range c.Entities {
					fmt.Fprintf(&now, "%s %s\n", e.Key(), e.AppendAuthored(nil))
				}
				if now.String() == before {
					return // the time of a commit that changes no entity counts for no later one
				}
				before = now.String()
				if last = later(last, s.now); first.IsZero() { // a change is dated no earlier than the one before it
					first = last
				}
				checkouts[last.UTC().Format(time.DateOnly)] = c
			}
			checkOut()
			for i := 0; i < suite.Pick(15, 40) || last.Sub(first) < 10*24*time.Hour; i++ {
				s.step()
				s.commit(fmt.Sprint("change ", i))
				checkOut()
			}
			s.asOf = later(s.asOf, last)
			r := s.build(t.TempDir(), 1)
			b := suite.Must(exports.Open(r.Dir))(t)
			defer b.Close()
			var content *builder.Loaded
			days := 0
			for day := first.UTC().Truncate(24 * time.Hour); !day.After(last); day = day.AddDate(0, 0, 1) {
				if c := checkouts[day.Format(time.DateOnly)]; c != nil {
					content = c
				}
				checkPastDay(t, b, content, day)
				days++
			}
			if days < 10 || t.Failed() {
				t.Fatalf("%d days of %s: %s", days, filepath.Base(r.Dir), strings.Join(s.told, "; "))
			}
		})
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// checkPastDay compares the catalogue of a day with the content at its end.
func checkPastDay(t *testing.T, b *exports.Build, content *builder.Loaded, day time.Time) {
	t.Helper()
	name := day.Format(time.DateOnly)
	past := suite.Must(b.History().Day(name))(t)
	formula := suite.Must(b.Formula())(t)
	suite.Equal(t, past.View.Len(), len(content.Content.Entities), name, "entities")
	for _, e := range content.Content.Entities {
		o, alias, ok := past.View.Find(e.Type, e.Slug)
		if !ok || alias {
			t.Errorf("%s: no %s", name, e.Key())
			continue
		}
		want, got := *e, past.View.Entity(o)
		want.Scores, want.Computed = formula.Scores(e, day), b.Providers().Compute(e, name)
		if want.AddedDate == "" { // from the history; TestRandomHistory compares these
			want.AddedDate = got.AddedDate
		}
		if want.LastUpdated == "" {
			want.LastUpdated = got.LastUpdated
		}
		if got, want := string(got.AppendJSON(nil)), string(want.AppendJSON(nil)); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
		v, lifecycle := b.History().At(e.Type, e.Slug, name)
		if shown, ok := past.FindVersion(v); !ok || shown != o {
			t.Errorf("%s: the list does not show version %d of %s, as which the entity is found (%d)", name, v, e.Key(), lifecycle)
		}
	}
}
