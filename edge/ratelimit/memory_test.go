package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"kindex/builder/suite"
)

// store is a CounterStore in memory that can be made slow or made to fail.
type store struct {
	mu     sync.Mutex
	counts map[key]int64
	err    error
	delay  time.Duration
	gate   chan chan struct{} // AddCounters sends a channel and waits until it is closed
	loads  int
	adds   int
}

func newStore() *store { return &store{counts: map[key]int64{}} }

func (s *store) PeekCounter(_ context.Context, subject string, w Window) (int64, error) {
	time.Sleep(s.delay)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads++
	if s.err != nil {
		return 0, s.err
	}
	return s.counts[key{subject, w}], nil
}

func (s *store) AddCounters(_ context.Context, counts []Count) error {
	if s.gate != nil {
		wait := make(chan struct{})
		s.gate <- wait
		<-wait
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adds++
	if s.err != nil {
		return s.err
	}
	seen := map[key]bool{}
	for _, c := range counts {
		k := key{c.Subject, c.Window}
		if seen[k] || c.N == 0 {
			return fmt.Errorf("%v is in the batch twice, or without a change", c)
		}
		seen[k] = true
		s.counts[k] += c.N
	}
	return nil
}

func (s *store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *store) all() map[key]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.counts)
}

// clock is a fake clock.
type clock struct{ ms atomic.Int64 }

func clockAt(t time.Time) *clock {
	c := &clock{}
	c.ms.Store(t.UnixMilli())
	return c
}
func (c *clock) now() time.Time      { return time.UnixMilli(c.ms.Load()) }
func (c *clock) add(d time.Duration) { c.ms.Add(d.Milliseconds()) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func memory(t testing.TB, s CounterStore, o MemoryOptions) *Memory {
	t.Helper()
	m := NewMemory(s, o)
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return m
}

func account(id string, limit int64) Subject { return AccountSubject(id, 0, 0, limit) }

// TestExact calls Take concurrently for a few subjects whose counts do not all fit into memory.
func TestExact(t *testing.T) {
	const workers, subjects, most = 32, 8, 500
	for _, entries := range []int{1, 3, 1000} {
		t.Run(fmt.Sprint(entries, " entries"), func(t *testing.T) {
			s := newStore()
			m := memory(t, s, MemoryOptions{Now: clockAt(noon).now, Entries: entries, FlushAfter: time.Millisecond})
			var allowed [subjects]atomic.Int64
			var wg sync.WaitGroup
			for w := range workers {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(w), 1))
					for i := range 2 * subjects * most / workers {
						n := (i + rng.IntN(2)) % subjects
						st, err := m.Take(t.Context(), account(fmt.Sprint(n), most))
						if err != nil {
							t.Error(err)
							return
						}
						if st.Allowed {
							allowed[n].Add(1)
						}
					}
				})
			}
			wg.Wait()
			for i := range allowed {
				for {
					st, err := m.Take(t.Context(), account(fmt.Sprint(i), most))
					if err != nil {
						t.Fatal(err)
					}
					if !st.Allowed {
						break
					}
					allowed[i].Add(1)
				}
				if n := allowed[i].Load(); n != most {
					t.Errorf("%d requests of subject %d passed, want %d", n, i, most)
				}
			}
			if err := m.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			for k, n := range s.all() {
				if n != most {
					t.Errorf("the store has %d for %v, want %d", n, k, most)
				}
			}
		})
	}
}

// TestNothingIsLost counts and uncounts requests at random and concurrently, with room for
// only a few entries, a store that sometimes fails, windows of different lengths, and a clock
// that passes midnight. In the end the store has exactly the requests that were counted and
// not uncounted.
func TestNothingIsLost(t *testing.T) {
	suite.InRace(t)
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c := clockAt(time.Date(2026, 3, 1, 23, 59, 58, 0, time.UTC))
			s := newStore()
			m := memory(t, s, MemoryOptions{Now: c.now, Entries: 1 + int(seed)*3, FlushAfter: time.Duration(seed) * 100 * time.Microsecond})
			x := &interleaving{m: m, c: c, counted: map[key]int64{}}
			var wg sync.WaitGroup
			for w := range uint64(8) {
				wg.Go(func() { x.run(t, rand.New(rand.NewPCG(seed, w))) })
			}
			stop := make(chan struct{})
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for i := 0; ; i++ {
					select {
					case <-stop:
						s.fail(nil)
						return
					case <-time.After(200 * time.Microsecond):
					}
					m.sweep()
					if s.fail(nil); i%5 == 4 {
						s.fail(errors.New("the disk is full"))
					}
				}
			}()
			wg.Wait()
			close(stop)
			<-ended
			if err := m.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			stored := s.all()
			for k, n := range x.counted {
				if stored[k] != n {
					t.Errorf("the store has %d for %v, want %d", stored[k], k, n)
				}
				delete(stored, k)
			}
			for k, n := range stored {
				if n != 0 {
					t.Errorf("the store has %d for %v, which was never taken", n, k)
				}
			}
		})
	}
}

// interleaving is a random concurrent workload and its expected result.
type interleaving struct {
	m       *Memory
	c       *clock
	mu      sync.Mutex
	counted map[key]int64
}

func (x *interleaving) note(k key, n int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.counted[k] += n
}

func (x *interleaving) run(t *testing.T, rng *rand.Rand) {
	type taken struct {
		subject Subject
		state   State
	}
	var own []taken
	for range 1500 {
		if rng.IntN(50) == 0 {
			x.c.add(time.Duration(rng.IntN(200)) * time.Millisecond)
		}
		if rng.IntN(3) == 0 && len(own) > 0 {
			last := own[len(own)-1]
			own = own[:len(own)-1]
			st, err := x.m.Give(t.Context(), last.subject, last.state)
			switch {
			case errors.Is(err, ErrUnavailable): // the request stays counted
			case err != nil:
				t.Error(err)
			case !st.Allowed: // otherwise its window has ended
				x.note(key{last.subject.ID, last.state.window()}, -1)
			}
			continue
		}
		s := Subject{ID: fmt.Sprint("acc:", rng.IntN(12)), Tier: Enterprise, Limit: 1 << 40, Window: time.Duration(rng.IntN(3)) * time.Second}
		st, err := x.m.Take(t.Context(), s)
		if err != nil {
			if !errors.Is(err, ErrUnavailable) {
				t.Error(err)
			}
			continue
		}
		x.note(key{s.ID, st.window()}, 1)
		own = append(own, taken{s, st})
	}
}

// TestSingleFlight checks that a count is loaded once, however many callers are waiting for
// it, and that a caller that disconnects does not make the other callers fail.
func TestSingleFlight(t *testing.T) { synctest.Test(t, singleFlight) }

func singleFlight(t *testing.T) {
	s := newStore()
	s.delay = 50 * time.Millisecond
	s.counts[key{"acc:a", WindowAt(noon, 0)}] = 7
	m := memory(t, s, MemoryOptions{Now: clockAt(noon).now})
	gone, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := m.Take(gone, account("a", 100))
		first <- err
	}()
	synctest.Wait() // the caller is waiting for the store
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("canceled caller got %v", err)
	}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if st, err := m.Take(t.Context(), account("a", 100)); err != nil || !st.Allowed {
				t.Errorf("%+v, %v", st, err)
			}
		})
	}
	wg.Wait()
	if st, err := m.Peek(t.Context(), account("a", 100)); err != nil || st.Remaining != 100-7-50 || s.loads != 1 {
		t.Errorf("%+v, %v, %d loads; want 43 remaining after 1", st, err, s.loads)
	}
}

// TestFlushUnderWay checks that a count is not dropped and loaded again while changes to it
// are being stored.
func TestFlushUnderWay(t *testing.T) {
	s := newStore()
	s.gate = make(chan chan struct{})
	m := NewMemory(s, MemoryOptions{Now: clockAt(noon).now, FlushAfter: time.Hour, Entries: 1})
	take := func(id string, remaining int64) {
		if st, err := m.Take(t.Context(), account(id, 9)); err != nil || st.Remaining != remaining {
			t.Errorf("%s: %+v, %v; want %d remaining", id, st, err, remaining)
		}
	}
	peek := func(id string, remaining int64) {
		if st, err := m.Peek(t.Context(), account(id, 9)); err != nil || st.Remaining != remaining {
			t.Errorf("%s: %+v, %v; want %d remaining", id, st, err, remaining)
		}
	}
	take("a", 8)
	flushed := make(chan error)
	go func() { flushed <- m.Flush(t.Context()) }()
	adding := <-s.gate
	var wg sync.WaitGroup
	wg.Go(func() { peek("b", 9) }) // there is no room until a is stored
	time.Sleep(10 * time.Millisecond)
	wg.Go(func() { take("a", 7) })
	time.Sleep(10 * time.Millisecond)
	close(adding)
	if err := <-flushed; err != nil {
		t.Error(err)
	}
	go func() { // lets all later writes proceed
		for adding := range s.gate {
			close(adding)
		}
	}()
	wg.Wait()
	if err := m.Close(t.Context()); err != nil {
		t.Error(err)
	}
	close(s.gate)
	w := WindowAt(noon, 0)
	if got, want := s.all(), (map[key]int64{{"acc:a", w}: 2}); !maps.Equal(got, want) {
		t.Errorf("the store has %v, want %v", got, want)
	}
}

// TestLoadsOnce checks that each request loads its count only once, even if there is no room
// for all counts.
func TestLoadsOnce(t *testing.T) {
	const workers, each = 64, 50
	s := newStore()
	m := memory(t, s, MemoryOptions{Now: clockAt(noon).now, Entries: 1, FlushAfter: time.Millisecond})
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				if st, err := m.Peek(t.Context(), account(fmt.Sprint(w, i), 9)); err != nil || st.Remaining != 9 {
					t.Errorf("%+v, %v", st, err)
				}
			}
		})
	}
	wg.Wait()
	if s.loads != workers*each {
		t.Errorf("%d loads for %d requests of as many subjects", s.loads, workers*each)
	}
}

// TestGiveLoads uncounts a request after its client has disconnected and its count is no longer
// in memory.
func TestGiveLoads(t *testing.T) {
	s := newStore()
	m := memory(t, s, MemoryOptions{Now: clockAt(noon).now, Entries: 1})
	taken, err := m.Take(t.Context(), account("a", 9))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Take(t.Context(), account("b", 9)); err != nil {
		t.Fatal(err)
	}
	s.delay = 20 * time.Millisecond
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if st, err := m.Give(gone, account("a", 9), taken); err != nil || st.Remaining != 9 {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestStoreFails checks that a failure to read from the store is returned, and that counts
// that cannot be written are kept.
func TestStoreFails(t *testing.T) {
	s := newStore()
	w := WindowAt(noon, 0)
	s.counts[key{"acc:a", w}] = 1
	m := memory(t, s, MemoryOptions{Now: clockAt(noon).now, FlushAfter: time.Hour, Entries: 2})
	broken := errors.New("no disk")
	s.fail(broken)
	if _, err := m.Take(t.Context(), account("a", 9)); !errors.Is(err, ErrUnavailable) || !errors.Is(err, broken) {
		t.Errorf("got %v, want ErrUnavailable and its cause", err)
	}
	s.fail(nil)
	for _, id := range []string{"a", "b", "a"} {
		if _, err := m.Take(t.Context(), account(id, 9)); err != nil {
			t.Fatal(err)
		}
	}
	s.fail(broken)
	if err := m.Flush(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("flushing: %v", err)
	}
	if _, err := m.Take(t.Context(), account("c", 9)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a third entry had room while two could not be stored: %v", err)
	}
	if st, err := m.Take(t.Context(), account("a", 9)); err != nil || st.Remaining != 5 {
		t.Errorf("cached count: %+v, %v", st, err)
	}
	s.fail(nil)
	if st, err := m.Take(t.Context(), account("c", 9)); err != nil || st.Remaining != 8 {
		t.Errorf("%+v, %v", st, err)
	}
	if st, err := m.Take(t.Context(), account("a", 9)); err != nil || st.Remaining != 4 {
		t.Errorf("%+v, %v", st, err)
	}
	if err := m.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[key]int64{{"acc:a", w}: 5, {"acc:b", w}: 1, {"acc:c", w}: 1}
	if got := s.all(); !maps.Equal(got, want) {
		t.Errorf("the store has %v, want %v", got, want)
	}
}

// TestFlushInTime checks that every change is in the store within half a second, however
// slow the store is: a crash loses no more than that.
func TestFlushInTime(t *testing.T) {
	for _, delay := range []time.Duration{0, 200 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			s := newStore()
			s.delay = delay
			m := NewMemory(s, MemoryOptions{Now: clockAt(noon).now})
			defer m.Close(context.WithoutCancel(t.Context()))
			k := key{"acc:a", WindowAt(noon, 0)}
			for i := range int64(6) {
				if _, err := m.Take(t.Context(), account("a", 100)); err != nil {
					t.Fatal(err)
				}
				time.Sleep(500*time.Millisecond - delay)
				synctest.Wait()
				if got := s.all()[k]; got != i+1 {
					t.Errorf("half a second after %d changes the store has %d", i+1, got)
				}
			}
			if s.adds != 6 {
				t.Errorf("%d flushes for 6 changes", s.adds)
			}
		})
	}
}

// TestBound checks that the number of entries stays within its limit while subjects come and
// go.
func TestBound(t *testing.T) {
	for _, kept := range []CounterStore{nil, newStore()} {
		m := memory(t, kept, MemoryOptions{Now: clockAt(noon).now, Entries: 64, FlushAfter: time.Millisecond})
		for i := range 5000 {
			if _, err := m.Take(t.Context(), account(fmt.Sprint(i), 5)); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for i := range m.shards {
			n += len(m.shards[i].entries)
		}
		if n > 64 || n < 32 {
			t.Errorf("%d entries are stored, limit 64", n)
		}
	}
}

// TestMidnight checks that a day ends at 00:00 UTC, and that its counts are then dropped from
// memory.
func TestMidnight(t *testing.T) {
	c := clockAt(time.Date(2026, 12, 31, 23, 59, 59, 999e6, time.UTC))
	s := newStore()
	m := memory(t, s, MemoryOptions{Now: c.now})
	addr := account("a", 1)
	midnight := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	old, err := m.Take(t.Context(), addr)
	if err != nil || !old.Allowed || old.Remaining != 0 || !old.Reset.Equal(midnight) || old.Wait(c.now()) != 1 {
		t.Fatalf("%+v, %v", old, err)
	}
	if st, err := m.Take(t.Context(), addr); err != nil || st.Allowed {
		t.Fatalf("%+v, %v", st, err)
	}
	c.add(time.Millisecond)
	fresh, err := m.Take(t.Context(), addr)
	if err != nil || !fresh.Allowed || !fresh.Reset.Equal(midnight.AddDate(0, 0, 1)) || fresh.Wait(c.now()) != 86400 {
		t.Fatalf("%+v, %v", fresh, err)
	}
	if _, err := m.Give(t.Context(), addr, old); err != nil {
		t.Fatal(err)
	}
	if st, err := m.Peek(t.Context(), addr); err != nil || st.Allowed {
		t.Errorf("yesterday's take was given back to today: %+v, %v", st, err)
	}
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.sweep()
	if sh := m.shardOf(addr.ID); len(sh.entries) != 1 {
		t.Errorf("%d entries are stored, want only today's", len(sh.entries))
	}
	c.add(-time.Millisecond) // the clock is set back
	if st, err := m.Take(t.Context(), addr); err != nil || st.Allowed {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestGive checks that a request is uncounted only once.
func TestGive(t *testing.T) {
	m := memory(t, newStore(), MemoryOptions{Now: clockAt(noon).now})
	s := account("a", 2)
	first, _ := m.Take(t.Context(), s)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	given, err := m.Give(gone, s, first)
	if err != nil || given.Remaining != 2 || given.Allowed {
		t.Fatalf("%+v, %v", given, err)
	}
	if given, err = m.Give(gone, s, given); err != nil || given.Remaining != 2 {
		t.Fatalf("%+v, %v", given, err)
	}
	if given, err = m.Give(gone, s, first); err != nil || given.Remaining != 2 {
		t.Fatalf("%+v, %v", given, err)
	}
}

func TestTakeAllocatesNothing(t *testing.T) {
	m := memory(t, newStore(), MemoryOptions{Now: clockAt(noon).now, FlushAfter: time.Hour})
	s := account("a", 1<<50)
	if n := testing.AllocsPerRun(1000, func() {
		if st, err := m.Take(context.Background(), s); err != nil || !st.Allowed {
			t.Fatal(st, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
