package storage_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// TestTakeAcrossEdges takes from one count concurrently on two edges.
func TestTakeAcrossEdges(t *testing.T) {
	suite.InRace(t)
	const workers = 64
	most, requests := suite.Pick[int64](300, 1000), suite.Pick[int64](450, 10_000)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		noon := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
		edges := []*ratelimit.Shared{ratelimit.NewShared(open(), noon), ratelimit.NewShared(open(), noon)}
		s := ratelimit.Subject{ID: "acc:acc_x", Tier: ratelimit.Authenticated, Limit: most}
		var passed [2]atomic.Int64
		var next atomic.Int64
		seen := make([]atomic.Int64, most)
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for i := next.Add(1); i <= requests; i = next.Add(1) {
					edge := i % 2
					st, err := edges[edge].Take(t.Context(), s)
					switch {
					case err != nil:
						t.Errorf("request %d: %v", i, err)
						return
					case st.Allowed:
						passed[edge].Add(1)
						seen[st.Remaining].Add(1)
					case st.Remaining != 0:
						t.Errorf("refused with %d remaining", st.Remaining)
					}
				}
			})
		}
		wg.Wait()
		if a, b := passed[0].Load(), passed[1].Load(); a+b != most || a == 0 || b == 0 {
			t.Errorf("%d and %d allowed; want %d in total, and some of each", a, b, most)
		}
		for remaining := range seen {
			if n := seen[remaining].Load(); n != 1 {
				t.Errorf("%d callers got %d remaining, want one", n, remaining)
			}
		}
	})
}

// TestSharedCounts tests every operation on one count.
func TestSharedCounts(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		st, ctx := open(), t.Context()
		now := time.Date(2026, 3, 1, 23, 59, 59, 0, time.UTC)
		l := ratelimit.NewShared(st, func() time.Time { return now })
		s := ratelimit.Subject{ID: "ip:192.0.2.1", Tier: ratelimit.Anonymous, Limit: 2}
		want := func(what string, got ratelimit.State, err error, allowed bool, remaining int64) {
			t.Helper()
			if err != nil || got.Allowed != allowed || got.Remaining != remaining {
				t.Fatalf("%s: %+v, %v; want allowed %t, remaining %d", what, got, err, allowed, remaining)
			}
		}
		got, err := l.Peek(ctx, s)
		want("at first", got, err, true, 2)
		first, err := l.Take(ctx, s)
		want("first", first, err, true, 1)
		got, err = l.Take(ctx, s)
		want("second", got, err, true, 0)
		refused, err := l.Take(ctx, s)
		want("third", refused, err, false, 0)
		got, err = l.Give(ctx, s, refused)
		want("giving what was refused", got, err, false, 0)
		gone, cancel := context.WithCancel(ctx)
		cancel()
		got, err = l.Give(gone, s, first)
		want("giving back", got, err, false, 1)
		if _, err := l.Take(gone, s); !errors.Is(err, context.Canceled) {
			t.Errorf("take for a client that has left: %v", err)
		}
		more := s
		more.Limit = 5
		got, err = l.Take(ctx, more)
		want("a higher limit", got, err, true, 3)
		none := s
		none.Limit = 0
		got, err = l.Take(ctx, none)
		want("no limit", got, err, false, 0)
		hour := s
		hour.Window = time.Hour
		got, err = l.Take(ctx, hour)
		want("a window that ends at the same time", got, err, true, 1)

		now = now.Add(time.Second)
		got, err = l.Give(ctx, s, first)
		want("giving back past midnight", got, err, true, 1)
		got, err = l.Peek(ctx, s)
		want("past midnight", got, err, true, 2)
	})
}

// TestRandomSharing makes random calls on several edges, one at a time, and compares the
// counts with a simple model.
func TestRandomSharing(t *testing.T) {
	suite.InRace(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		start := time.Date(2026, 3, 1, 23, 59, 0, 0, time.UTC)
		var now time.Time
		clock := func() time.Time { return now }
		edges := []*ratelimit.Shared{ratelimit.NewShared(open(), clock), ratelimit.NewShared(open(), clock), ratelimit.NewShared(open(), clock)}
		rng := rand.New(rand.NewPCG(5, 8))
		type day struct {
			id  string
			end int64
		}
		model, taken := map[day]int64{}, map[string][]ratelimit.State{}
		for step := range 600 {
			now = start.Add(time.Duration(step) * 200 * time.Millisecond)
			s := ratelimit.Subject{ID: fmt.Sprint("acc:", rng.IntN(3)), Tier: ratelimit.Enterprise, Limit: 40}
			k := day{s.ID, ratelimit.WindowAt(now, 0).End}
			edge := edges[rng.IntN(len(edges))]
			if own := taken[s.ID]; rng.IntN(4) == 0 && len(own) > 0 {
				at := own[len(own)-1]
				taken[s.ID] = own[:len(own)-1]
				if _, err := edge.Give(t.Context(), s, at); err != nil {
					t.Fatal(err)
				}
				if at.Reset.Unix() == k.end {
					model[k]--
				}
				continue
			}
			got, err := edge.Take(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if want := model[k] < s.Limit; got.Allowed != want {
				t.Fatalf("step %d: allowed %t with %d of %d used", step, got.Allowed, model[k], s.Limit)
			}
			if got.Allowed {
				model[k]++
				taken[s.ID] = append(taken[s.ID], got)
			}
			if want := s.Limit - model[k]; got.Remaining != want {
				t.Fatalf("step %d: %d remaining, want %d", step, got.Remaining, want)
			}
		}
	})
}

// TestCountsAcrossRestarts flushes the counts of one edge and loads them on the next edge.
func TestCountsAcrossRestarts(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		noon := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
		const subjects, rounds = 600, 2 // more counts than fit into one statement
		for round := range int64(rounds) {
			m := ratelimit.NewMemory(open(), ratelimit.MemoryOptions{Now: noon})
			for i := range int64(subjects) {
				s := ratelimit.Subject{ID: fmt.Sprint("acc:", i), Tier: ratelimit.Authenticated, Limit: 1000}
				for n := range i%4 + 1 {
					st, err := m.Take(t.Context(), s)
					if want := 1000 - round*(i%4+1) - n - 1; err != nil || st.Remaining != want {
						t.Fatalf("round %d: %+v, %v; want %d remaining", round, st, err, want)
					}
				}
			}
			if err := m.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestCrashForgetsLittle never closes the Memory that counts, so that only the counts that have
// reached the store remain, as after a crash. The stored counts never exceed the actual counts,
// never decrease, and eventually include every request. TestFlushInTime in package ratelimit
// checks how soon, with a fake clock.
func TestCrashForgetsLittle(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		counted, read := open(), open()
		noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		m := ratelimit.NewMemory(counted, ratelimit.MemoryOptions{Now: func() time.Time { return noon }, FlushAfter: time.Millisecond})
		t.Cleanup(func() { _ = m.Close(context.Background()) })
		s := ratelimit.Subject{ID: "acc:crash", Tier: ratelimit.Authenticated, Limit: 1 << 40}
		w := ratelimit.WindowAt(noon, 0)
		used, last, stages := int64(0), int64(0), 0
		stored := func() int64 {
			n, err := read.PeekCounter(t.Context(), s.ID, w)
			if err != nil {
				t.Fatal(err)
			}
			if n > used || n < last {
				t.Fatalf("the store has %d of %d requests, %d before", n, used, last)
			}
			if n > last {
				stages++
			}
			last = n
			return n
		}
		for range 10 {
			for range 50 {
				st, err := m.Take(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				used = st.Limit - st.Remaining
			}
			stored()
		}
		for begin := time.Now(); stored() < used; time.Sleep(time.Millisecond) {
			if time.Since(begin) > hanging {
				t.Fatalf("the store has %d of %d requests", last, used)
			}
		}
		if used != 500 || stages == 0 {
			t.Errorf("%d requests reached the store in %d steps", used, stages)
		}
	})
}

// TestDropCounters checks that only windows that have ended are dropped.
func TestDropCounters(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		st, ctx := open(), t.Context()
		midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
		before, after := ratelimit.WindowAt(midnight.Add(-1), 0), ratelimit.WindowAt(midnight, 0)
		var counts []ratelimit.Count
		for i := range 6000 { // more counts than one statement deletes
			counts = append(counts, ratelimit.Count{Subject: fmt.Sprint("ip:", i), Window: before, N: 1})
		}
		counts = append(counts, ratelimit.Count{Subject: "ip:1", Window: after, N: 7})
		for len(counts) > 0 {
			n := min(500, len(counts))
			if err := st.AddCounters(ctx, counts[:n]); err != nil {
				t.Fatal(err)
			}
			counts = counts[n:]
		}
		check := func(w ratelimit.Window, subject string, want int64) {
			t.Helper()
			if n, err := st.PeekCounter(ctx, subject, w); err != nil || n != want {
				t.Errorf("%s has %d, %v; want %d", subject, n, err, want)
			}
		}
		if err := st.DropCounters(ctx, midnight); err != nil {
			t.Fatal(err)
		}
		check(before, "ip:5999", 1) // its window ends at midnight, not before
		if err := st.DropCounters(ctx, midnight.Add(time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if n, err := st.Number(ctx, "SELECT COUNT(*) FROM counters"); n != 1 || err != nil {
			t.Errorf("%d counters are left, %v", n, err)
		}
		check(after, "ip:1", 7)
	})
}

// TestTakeMore counts several requests at once, or none of them, and gives them back together.
func TestTakeMore(t *testing.T) {
	noon := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	test := func(t *testing.T, l ratelimit.Limiter) {
		t.Helper()
		s := ratelimit.Subject{ID: "acc:acc_more", Tier: ratelimit.Authenticated, Limit: 12}
		remaining := func(what string, want int64) {
			t.Helper()
			if st, err := l.Peek(t.Context(), s); err != nil || st.Remaining != want {
				t.Errorf("%s: %d remain, want %d (%v)", what, st.Remaining, want, err)
			}
		}
		first, err := l.Take(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		ten, ok, err := l.TakeMore(t.Context(), s, first, 9)
		if !ok || err != nil || ten.Remaining != 2 || !ten.Allowed {
			t.Fatalf("%+v %t %v", ten, ok, err)
		}
		second, err := l.Take(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		same, ok, err := l.TakeMore(t.Context(), s, second, 2)
		if ok || err != nil || same != second {
			t.Errorf("two more than remain: %+v %t %v", same, ok, err)
		}
		remaining("refused", 1)
		if last, ok, err := l.TakeMore(t.Context(), s, second, 1); !ok || err != nil || last.Remaining != 0 {
			t.Errorf("the last one: %+v %t %v", last, ok, err)
		}
		remaining("all", 0)
		if st, err := l.Give(t.Context(), s, ten); err != nil || st.Remaining != 10 {
			t.Errorf("%+v %v", st, err)
		}
		remaining("given back", 10)
	}
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		test(t, ratelimit.NewShared(open(), noon))
	})
	m := ratelimit.NewMemory(nil, ratelimit.MemoryOptions{Now: noon})
	defer func() { _ = m.Close(t.Context()) }()
	t.Run("memory", func(t *testing.T) { test(t, m) })
}
