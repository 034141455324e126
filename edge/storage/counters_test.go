package storage_test

import (
	"context"
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
		edges := []*ratelimit.Quota{ratelimit.NewQuota(open(), noon), ratelimit.NewQuota(open(), noon)}
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
			suite.Equal(t, seen[remaining].Load(), 1, "callers with", remaining, "remaining")
		}
	})
}

// TestSharedCounts tests every operation on one count.
func TestSharedCounts(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		st, ctx := open(), t.Context()
		now := time.Date(2026, 3, 1, 23, 59, 59, 0, time.UTC)
		l := ratelimit.NewQuota(st, func() time.Time { return now })
		s := ratelimit.Subject{ID: "ip:192.0.2.1", Tier: ratelimit.Anonymous, Limit: 2}
		want := func(what string, got ratelimit.State, err error, allowed bool, remaining int64) {
			t.Helper()
			suite.Require(t, err == nil && got.Allowed == allowed &&
				got.Remaining == remaining, what, got, err, "want allowed", allowed, "remaining", remaining)
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
		suite.Is(t, suite.Err(l.Take(gone, s)), context.Canceled)
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
		edges := []*ratelimit.Quota{ratelimit.NewQuota(open(), clock), ratelimit.NewQuota(open(), clock), ratelimit.NewQuota(open(), clock)}
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
				suite.Must(edge.Give(t.Context(), s, at))(t)
				if at.Reset.Unix() == k.end {
					model[k]--
				}
				continue
			}
			got := suite.Must(edge.Take(t.Context(), s))(t)
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

// TestCrashForgetsLittle kills nothing: the counts of one process are seen by another one as soon as they
// are confirmed.
func TestCrashForgetsLittle(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		counted, read := open(), open()
		noon := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
		s := ratelimit.Subject{ID: "acc:crash", Tier: ratelimit.Authenticated, Limit: 1 << 40}
		q := ratelimit.NewQuota(counted, noon)
		for i := range int64(100) {
			suite.Must(q.Take(t.Context(), s))(t)
			if used, _, err := read.Count(t.Context(), s.ID, ratelimit.WindowAt(noon(), 0), 0, 0); err != nil || used != i+1 {
				t.Fatalf("%d of %d requests are stored: %v", used, i+1, err)
			}
		}
	})
}

// TestTakeMore counts several requests at once, or none of them, and gives them back together.
func TestTakeMore(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		l := ratelimit.NewQuota(open(), func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) })
		s := ratelimit.Subject{ID: "acc:acc_more", Tier: ratelimit.Authenticated, Limit: 12}
		remaining := func(what string, want int64) {
			t.Helper()
			suite.Equal(t, suite.Must(l.Peek(t.Context(), s))(t).Remaining, want, what, "remain")
		}
		first := suite.Must(l.Take(t.Context(), s))(t)
		ten, ok, err := l.TakeMore(t.Context(), s, first, 9)
		suite.Require(t, ok && err == nil && ten.Remaining == 2 && ten.Allowed, ten, ok, err)
		second := suite.Must(l.Take(t.Context(), s))(t)
		same, ok, err := l.TakeMore(t.Context(), s, second, 2)
		suite.Holds(t, !ok && err == nil && same == second, "two more than remain", same, ok, err)
		remaining("refused", 1)
		if last, ok, err := l.TakeMore(t.Context(), s, second, 1); !ok || err != nil || last.Remaining != 0 {
			t.Errorf("the last one: %+v %t %v", last, ok, err)
		}
		remaining("all", 0)
		suite.Equal(t, suite.Must(l.Give(t.Context(), s, ten))(t).Remaining, 10)
		remaining("given back", 10)
	})
}
