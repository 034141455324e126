package ratelimit

import (
	"context"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"
)

// CounterStore stores the counts of a Memory.
type CounterStore interface {
	// PeekCounter returns the count of a subject in a window, or 0 if there is none.
	PeekCounter(ctx context.Context, subject string, w Window) (used int64, err error)
	// AddCounters adds to all these counts or, on error, to none. Each combination of subject
	// and window occurs at most once.
	AddCounters(ctx context.Context, counts []Count) error
}

// Count is a change to a stored count. N is negative if requests were uncounted.
type Count struct {
	Subject string
	Window  Window
	N       int64
}

// MemoryOptions configures a Memory. The zero value has the defaults.
type MemoryOptions struct {
	// Now returns the time. If nil, time.Now is used.
	Now func() time.Time
	// Entries is the maximum number of counts in memory; the least recently used are dropped. 0
	// means 100,000, which take about 20 MB.
	Entries int
	// FlushAfter is how long a change waits so that later changes can be flushed with it. 0
	// means 250 ms.
	FlushAfter time.Duration
	// Log is where failures to flush counts are logged. If nil, they are not logged.
	Log *slog.Logger
}

// Memory is a Limiter for a single edge. It counts exactly in memory and flushes the counts to
// a store asynchronously, in groups, so that a request does not cause a write. A crash loses
// only the most recent changes. Counts that are not in memory are loaded when first needed.
type Memory struct {
	options     MemoryOptions
	store       CounterStore
	seed        maphash.Seed
	shards      []shard
	maxPerShard int // the maximum number of entries in a shard

	flushing sync.Mutex
	dirty    chan struct{} // receives a value when there are changes to flush
	stop     context.CancelFunc
	abort    context.CancelFunc // ends a flush in progress
	stopped  chan struct{}
}

// shard holds part of the counts and has its own lock.
type shard struct {
	mu      sync.Mutex
	entries map[key]*entry
	recent  entry    // the sentinel of a ring, most recently used first
	dirty   []*entry // entries to be flushed
	_       [64]byte // keeps the locks of adjacent shards on separate cache lines
}

type key struct {
	subject string
	window  Window
}

// entry is a count, guarded by the lock of its shard.
type entry struct {
	key
	used    int64
	stored  int64 // the part of used that is stored or being stored
	dirty   bool  // it is in the shard's list of entries to be flushed
	pending bool  // it is being stored
	// loading is closed when the count has been loaded or loading has failed. From then on it
	// is nil.
	loading chan struct{}
	err     error // why loading failed
	waiting int   // number of requests waiting for it to load
	prev    *entry
	next    *entry
}

const (
	defaultEntries = 100_000
	defaultFlush   = 250 * time.Millisecond
	maxShards      = 64 // a power of two
	minPerShard    = 16
	loadTimeout    = 5 * time.Second // for reading a count from the store
)

// NewMemory returns a Memory that flushes to a store. Without a store, counts are dropped
// when memory is full and are lost when the process ends. The caller must close it.
func NewMemory(store CounterStore, o MemoryOptions) *Memory {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Entries <= 0 {
		o.Entries = defaultEntries
	}
	if o.FlushAfter <= 0 {
		o.FlushAfter = defaultFlush
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	n := maxShards
	for n > 1 && o.Entries/n < minPerShard {
		n /= 2
	}
	m := &Memory{options: o, store: store, seed: maphash.MakeSeed(), shards: make([]shard, n), maxPerShard: max(1, o.Entries/n),
		dirty: make(chan struct{}, 1), stopped: make(chan struct{})}
	for i := range m.shards {
		sh := &m.shards[i]
		sh.entries = map[key]*entry{}
		sh.recent.prev, sh.recent.next = &sh.recent, &sh.recent
	}
	var ctx context.Context
	ctx, m.stop = context.WithCancel(context.Background())
	flush, abort := context.WithCancel(context.Background())
	m.abort = abort
	go m.flushLoop(ctx, flush)
	return m
}

// Take implements Limiter. It does not allocate if the count is in memory.
func (m *Memory) Take(ctx context.Context, s Subject) (State, error) {
	w := WindowAt(m.options.Now(), s.Window)
	sh, e, err := m.acquire(ctx, key{s.ID, w})
	if err != nil {
		return State{}, err
	}
	allowed := e.used < s.Limit
	if allowed {
		m.change(sh, e, 1)
	}
	used := e.used
	sh.mu.Unlock()
	return stateOf(&s, w, used, allowed), nil
}

// TakeMore implements Limiter.
func (m *Memory) TakeMore(ctx context.Context, s Subject, taken State, n int64) (State, bool, error) {
	sh, e, err := m.acquire(ctx, key{s.ID, taken.window()})
	if err != nil {
		return taken, false, err
	}
	ok := e.used <= s.Limit-n
	if ok {
		m.change(sh, e, n)
	}
	used := e.used
	sh.mu.Unlock()
	if !ok {
		return taken, false, nil
	}
	return more(taken, &s, used, n), true, nil
}

// Give implements Limiter.
func (m *Memory) Give(ctx context.Context, s Subject, taken State) (State, error) {
	w := taken.window()
	if !taken.Allowed || w.ended(m.options.Now()) {
		return taken, nil
	}
	sh, e, err := m.acquire(context.WithoutCancel(ctx), key{s.ID, w})
	if err != nil {
		return taken, err
	}
	if n := min(taken.counted, e.used); n > 0 {
		m.change(sh, e, -n)
	}
	used := e.used
	sh.mu.Unlock()
	return stateOf(&s, w, used, false), nil
}

// Peek implements Limiter.
func (m *Memory) Peek(ctx context.Context, s Subject) (State, error) {
	w := WindowAt(m.options.Now(), s.Window)
	sh, e, err := m.acquire(ctx, key{s.ID, w})
	if err != nil {
		return State{}, err
	}
	used := e.used
	sh.mu.Unlock()
	return stateOf(&s, w, used, used < s.Limit), nil
}

// change adds to a count in a locked shard and schedules it to be flushed.
func (m *Memory) change(sh *shard, e *entry, n int64) {
	e.used += n
	if m.store == nil || e.dirty {
		return
	}
	e.dirty = true
	sh.dirty = append(sh.dirty, e)
	select {
	case m.dirty <- struct{}{}:
	default: // a flush is already scheduled
	}
}

func (m *Memory) shardOf(subject string) *shard {
	return &m.shards[maphash.String(m.seed, subject)&uint64(len(m.shards)-1)] //nolint:gosec // there is at least one shard
}

// acquire returns a loaded count and its shard, which is locked.
func (m *Memory) acquire(ctx context.Context, k key) (*shard, *entry, error) {
	sh := m.shardOf(k.subject)
	sh.mu.Lock()
	for {
		e := sh.entries[k]
		if e == nil {
			if !sh.evict(m.maxPerShard) {
				sh.mu.Unlock()
				if err := m.Flush(ctx); err != nil {
					return nil, nil, err
				}
				sh.mu.Lock()
				continue // another caller may have added it
			}
			e = m.insert(sh, k)
		}
		if e.loading == nil {
			sh.use(e)
			return sh, e, nil
		}
		if err := sh.await(ctx, e); err != nil {
			sh.mu.Unlock()
			return nil, nil, err
		}
	}
}

// insert adds a count to a locked shard and starts to load it. Concurrent callers wait for
// the same result.
func (m *Memory) insert(sh *shard, k key) *entry {
	e := &entry{key: k}
	sh.entries[k] = e
	sh.link(e)
	if m.store != nil {
		e.loading = make(chan struct{})
		go m.load(sh, e)
	}
	return e
}

// load reads the count from the store. It does not use the context of a request: if one
// client disconnects, the other waiting requests must not fail.
func (m *Memory) load(sh *shard, e *entry) {
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	used, err := m.store.PeekCounter(ctx, e.subject, e.window)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e.used, e.stored, e.err = used, used, asUnavailable(err)
	if err != nil {
		sh.drop(e)
	}
	close(e.loading)
	e.loading = nil
}

// await waits until a count is loaded. The shard is locked before and after.
func (sh *shard) await(ctx context.Context, e *entry) error {
	loading := e.loading
	e.waiting++
	sh.mu.Unlock()
	var err error
	select {
	case <-loading:
	case <-ctx.Done():
		err = ctx.Err()
	}
	sh.mu.Lock()
	e.waiting--
	if err == nil {
		err = e.err
	}
	return err
}

// evict drops the least recently used counts until there is room for one more. It returns false
// if the remaining counts have to be flushed first.
func (sh *shard) evict(limit int) bool {
	flush := false
	for e := sh.recent.prev; len(sh.entries) >= limit && e != &sh.recent; {
		older := e
		e = e.prev
		if older.idle() {
			sh.drop(older)
		} else if older.dirty || older.pending {
			flush = true
		}
	}
	// Each request in progress may be loading a count, so the limit can briefly be exceeded.
	return len(sh.entries) < limit || !flush
}

// idle reports whether a count can be dropped and loaded again without loss.
func (e *entry) idle() bool {
	return e.loading == nil && e.waiting == 0 && !e.dirty && !e.pending
}

// link adds a count at the front of the ring.
func (sh *shard) link(e *entry) {
	e.prev, e.next = &sh.recent, sh.recent.next
	e.prev.next, e.next.prev = e, e
}

// use moves a count to the front of the ring.
func (sh *shard) use(e *entry) {
	if sh.recent.next == e {
		return
	}
	e.prev.next, e.next.prev = e.next, e.prev
	sh.link(e)
}

func (sh *shard) drop(e *entry) {
	e.prev.next, e.next.prev = e.next, e.prev
	delete(sh.entries, e.key)
}
