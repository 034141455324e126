package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

func day(t *testing.T, s string) time.Time {
	t.Helper()
	return suite.Must(time.Parse(time.DateOnly, s))(t)
}

func TestPlanNotices(t *testing.T) {
	const retires = "2026-12-31"
	sent := func(slug, date string, days ...int) map[webhook.Notice]bool {
		m := map[webhook.Notice]bool{}
		for _, n := range days {
			m[webhook.Notice{Type: "model", Slug: slug, Retires: date, Days: n}] = true
		}
		return m
	}
	for _, c := range []struct {
		name   string
		now    string
		sent   map[webhook.Notice]bool
		first  bool
		record []int // the days of the recorded notices
		left   int   // daysLeft of the event; 0 if there is none
	}{
		{name: "31 days before", now: "2026-11-30T23:59:59Z"},
		{name: "30 days before", now: "2026-12-01T00:00:00Z", record: []int{30}, left: 30},
		{name: "30 days before, in the zone of the edge", now: "2026-11-30T23:00:00-02:00", record: []int{30}, left: 30},
		{name: "sent", now: "2026-12-01T12:00:00Z", sent: sent("m", retires, 30)},
		{name: "between the notices", now: "2026-12-20T00:00:00Z", sent: sent("m", retires, 30)},
		{name: "7 days before", now: "2026-12-24T00:00:00Z", sent: sent("m", retires, 30), record: []int{30, 7}, left: 7},
		{name: "late", now: "2026-12-20T00:00:00Z", record: []int{30}, left: 11},
		{name: "late for both", now: "2026-12-28T00:00:00Z", record: []int{30, 7}, left: 3},
		{name: "the day before", now: "2026-12-30T23:59:59Z", record: []int{30, 7}, left: 1},
		{name: "the day itself", now: "2026-12-31T00:00:00Z"},
		{name: "past", now: "2027-03-01T00:00:00Z"},
		{name: "the clock was set back", now: "2026-12-02T00:00:00Z", sent: sent("m", retires, 7)},
		{name: "changed date", now: "2026-12-01T00:00:00Z", sent: sent("m", "2026-12-30", 30, 7), record: []int{30}, left: 30},
		{name: "renamed", now: "2026-12-01T00:00:00Z", sent: sent("earlier", retires, 30)},
		{name: "another entity", now: "2026-12-01T00:00:00Z", sent: sent("other", retires, 30), record: []int{30}, left: 30},
		{name: "first check, on the day", now: "2026-12-01T10:00:00Z", first: true, record: []int{30}, left: 30},
		{name: "first check, late", now: "2026-12-02T00:00:00Z", first: true, record: []int{30}},
		{name: "first check, late for both", now: "2026-12-28T00:00:00Z", first: true, record: []int{30, 7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := suite.Must(time.Parse(time.RFC3339, c.now))(t)
			list := []webhook.Retirement{{Type: "model", Slug: "m", Name: "M", Formerly: []string{"model/earlier"}, Retires: retires, ReplacedBy: "model/n"}}
			notices, events, err := webhook.PlanNotices(list, c.sent, now, c.first)
			suite.Check(t, err)
			var days []int
			for _, n := range notices {
				suite.Holds(t, n.Type == "model" && n.Slug == "m" && n.Retires == retires, "recorded", n)
				days = append(days, n.Days)
			}
			suite.Equal(t, days, c.record, "recorded")
			suite.Require(t, (len(events) == 1) == (c.left > 0) && len(events) <= 1, len(events), "events")
			if c.left == 0 {
				return
			}
			e := events[0]
			want := fmt.Sprintf(`{"id":%q,"event":"entity.retiring","timestamp":%q,"entity":{"type":"model","slug":"m","name":"M"},`+
				`"changes":[],"changeIds":[],"retires":"2026-12-31","daysLeft":%d,"replacedBy":"model/n"}`, e.ID, now.UTC().Format(time.RFC3339), c.left)
			suite.Equal(t, string(e.Payload), want)
			suite.Equal(t, e.Name, record.Retiring)
		})
	}
}

// catalogue is a catalogue whose entities retire, are renamed and withdrawn. The model of the
// expected notices follows each entity by an id that never changes.
type catalogue struct {
	*rand.Rand
	entities map[int]*ending
	created  int
	renames  int
	build    int
	noticed  map[string]int // the last notice, by id of the entity and retirement day
	checked  bool
}

type ending struct {
	id int // an entity that is created again is another one
	webhook.Retirement
	withdrawn bool
}

// change makes a new build with a few random edits.
func (c *catalogue) change(now time.Time) {
	c.build++
	for range 1 + c.IntN(3) {
		n := c.IntN(8)
		e := c.entities[n]
		switch kind := c.IntN(10); {
		case e == nil:
			c.created++
			e = &ending{id: c.created, Retirement: webhook.Retirement{Type: kinds.Default().Names()[n%2], Slug: fmt.Sprint("e", c.created), Name: fmt.Sprint("Entity ", n)}}
			c.entities[n] = e
			fallthrough
		case kind < 6:
			e.Retires = now.AddDate(0, 0, c.IntN(60)-5).Format(time.DateOnly)
		case kind < 8:
			c.renames++
			e.Formerly = append(slices.Clone(e.Formerly), e.Type+"/"+e.Slug)
			e.Slug = fmt.Sprint("e", e.id, "-", c.renames)
		case kind < 9:
			e.withdrawn = !e.withdrawn
		default:
			delete(c.entities, n)
		}
	}
}

// retirement is a build in which only retirements matter.
type retirement struct {
	*madeHistory
	between func(from, to string) []webhook.Retirement
}

// Retirements implements webhook.Source.
func (r retirement) Retirements(from, to string) []webhook.Retirement { return r.between(from, to) }

// served returns what an edge reads from the build.
func (c *catalogue) served() *webhook.Build {
	list := map[int]ending{}
	for n, e := range c.entities {
		list[n] = *e
	}
	return &webhook.Build{ID: fmt.Sprint("build-", c.build), Source: retirement{newMadeHistory(), func(from, to string) (found []webhook.Retirement) {
		for _, n := range slices.Sorted(maps.Keys(list)) {
			if e := list[n]; e.Retires >= from && e.Retires <= to && !e.withdrawn {
				found = append(found, e.Retirement)
			}
		}
		return found
	}}}
}

// openEmpty opens a build without entities.
func openEmpty(string) (webhook.Earlier, func(), error) { return newMadeHistory(), func() {}, nil }

// expect returns the notices that a check must send, as type/slug, day and days left.
func (c *catalogue) expect(now time.Time) []string {
	var want []string
	for _, e := range c.entities {
		left := 0
		for d := now.UTC().Truncate(24 * time.Hour); d.Format(time.DateOnly) < e.Retires; d = d.AddDate(0, 0, 1) {
			left++
		}
		if e.withdrawn || left == 0 || left > 30 {
			continue
		}
		notice := 30
		if left <= 7 {
			notice = 7
		}
		key := fmt.Sprint(e.id, " ", e.Retires)
		if last, ok := c.noticed[key]; ok && last <= notice {
			continue
		}
		c.noticed[key] = notice
		if c.checked || left == notice {
			want = append(want, fmt.Sprintf("%s/%s %s %d", e.Type, e.Slug, e.Retires, left))
		}
	}
	c.checked = true
	slices.Sort(want)
	return want
}

// notices reads the events after seq.
func notices(t *testing.T, s *storage.State, seq *int64) []string {
	t.Helper()
	var got []string
	for _, e := range storagetest.Events(t, s, *seq) {
		if *seq++; e.Seq != *seq {
			t.Fatalf("event %d has the seq %d", *seq, e.Seq)
		}
		var m struct {
			Entity   struct{ Type, Slug string }
			Retires  string
			DaysLeft int
		}
		if err := json.Unmarshal(e.Payload, &m); err != nil || e.Name != record.Retiring {
			t.Fatalf("%s: %v", e.Payload, err)
		}
		got = append(got, fmt.Sprintf("%s/%s %s %d", m.Entity.Type, m.Entity.Slug, m.Retires, m.DaysLeft))
	}
	slices.Sort(got)
	return got
}

// TestRandomRetirements compares the notices of two edges, which check concurrently, with a
// plain model, while the clock and the catalogue change at random and the edges restart.
func TestRandomRetirements(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		c := &catalogue{Rand: rand.New(rand.NewPCG(seed, 1)), entities: map[int]*ending{}, noticed: map[string]int{}}
		now := day(t, "2026-11-01").Add(90 * time.Minute)
		state := open()
		newEdge := func() *webhook.Announcer {
			s := state
			if s.Engine() == storage.PostgreSQL {
				s = open() // only one edge can use a SQLite file
			}
			return webhook.NewAnnouncer(webhook.AnnouncerOptions{Store: s, Served: c.served, Open: openEmpty, Log: slog.New(slog.DiscardHandler), OnEvents: func() {}})
		}
		edges := []*webhook.Announcer{newEdge(), newEdge()}
		var seq int64
		total := 0
		for step := range suite.Pick(80, 600) {
			if c.IntN(3) == 0 || c.build == 0 {
				c.change(now)
			}
			if c.IntN(20) == 0 {
				edges[c.IntN(2)] = newEdge()
			}
			now = now.Add([]time.Duration{0, time.Hour, time.Hour, 24 * time.Hour, 24 * time.Hour, 9 * 24 * time.Hour, -30 * time.Hour}[c.IntN(7)])
			var done sync.WaitGroup
			for _, e := range edges {
				done.Go(func() {
					err := e.Check(t.Context(), now)
					suite.Holds(t, err == nil, err)
				})
			}
			done.Wait()
			got, want := notices(t, state, &seq), c.expect(now)
			if !slices.Equal(got, want) {
				t.Fatalf("step %d, %s: notices %q, want %q", step, now.Format(time.RFC3339), got, want)
			}
			total += len(got)
		}
		suite.Holds(t, total >= 10, "only", total, "notices")
	})
}

// TestNoticesOfServedBuild checks that an edge sends notices only for the build that was announced
// last.
func TestNoticesOfServedBuild(t *testing.T) {
	s := storagetest.SQLite(t)
	source := retirement{newMadeHistory(), func(string, string) []webhook.Retirement {
		return []webhook.Retirement{{Type: "tool", Slug: "a", Name: "A", Retires: "2026-12-01"}}
	}}
	served := &webhook.Build{ID: "old", AsOf: day(t, "2026-10-01"), Source: source}
	a := webhook.NewAnnouncer(webhook.AnnouncerOptions{Store: s, Served: func() *webhook.Build { return served }, Open: openEmpty,
		Log: slog.New(slog.DiscardHandler), OnEvents: func() {}})
	check := func(want int) {
		t.Helper()
		suite.Check(t, a.Check(t.Context(), day(t, "2026-11-01")))
		if events := storagetest.Events(t, s, 0); len(events) != want {
			t.Fatalf("%d events, want %d", len(events), want)
		}
	}
	suite.Done(s.Announce(t.Context(), webhook.Announced{Build: "new", AsOf: day(t, "2026-10-02")}, nil, nil))(t)
	check(0) // another edge serves a newer build
	served = &webhook.Build{ID: "new", AsOf: day(t, "2026-10-02"), Source: source}
	check(1)
	a.Forget()
	check(1)
	served = nil
	check(1)
}

// checks is a store that reports when retirements are checked.
type checks struct {
	webhook.AnnouncerStore
	checked chan struct{}
}

func (c *checks) Notices(ctx context.Context, after string) (map[webhook.Notice]bool, error) {
	c.checked <- struct{}{}
	return c.AnnouncerStore.Notices(ctx, after)
}

// TestWhenRetirementsAreChecked checks when a running Announcer checks for retirements: for each
// build, after an hour of the edge's clock, and when the clock is set back.
func TestWhenRetirementsAreChecked(t *testing.T) {
	suite.InTest(t)
	c := &clock{at: day(t, "2026-11-01")}
	store := &checks{storagetest.SQLite(t), make(chan struct{})}
	var build atomic.Int64
	a := webhook.NewAnnouncer(webhook.AnnouncerOptions{Store: store, Now: c.now, Poll: time.Millisecond, Open: openEmpty, Log: slog.New(slog.DiscardHandler), OnEvents: func() {},
		Served: func() *webhook.Build {
			return &webhook.Build{ID: fmt.Sprint(build.Load()), Source: newMadeHistory()}
		}})
	ctx, stop := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() { a.Run(ctx) })
	t.Cleanup(func() { stop(); ended.Wait() })
	soon(t, "a check at the start", store.checked)
	quiet := func() {
		t.Helper()
		for before := c.read(); c.read() < before+3; { // it looks at the clock to see whether a check is due
			select {
			case <-store.checked:
				t.Fatal("unexpected check")
			case <-time.After(time.Millisecond):
			}
		}
	}
	quiet()
	c.pass(59 * time.Minute)
	quiet()
	c.pass(time.Minute)
	soon(t, "a check after an hour", store.checked)
	quiet()
	c.pass(-time.Minute)
	soon(t, "a check after the clock was set back", store.checked)
	build.Add(1)
	a.Wake()
	soon(t, "a check after a build", store.checked)
	quiet()
}
