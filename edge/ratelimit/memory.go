package ratelimit

import (
	"context"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"
)

// CounterStore keeps counts for Memory.
type CounterStore interface {
	// PeekCounter returns the count of a subject in a window, 0 if there is none.
	PeekCounter(ctx context.Context, subject string, w Window) (used int64, err error)
	// AddCounters adds to counts, all or none. The list has each subject and window at
	// most once.
	AddCounters(ctx context.Context, counts []Count) error
}

// Count is the change to a count; negative if requests were uncounted.
type Count struct {
	Subject string
	Window  Window
	N       int64
}

// MemoryOptions configures a Memory. The zero value uses the defaults.
type MemoryOptions struct {
	// Now returns the time; nil: time.Now.
	Now func() time.Time
	// Entries is the maximum number of counts in memory, 0 for 100,000, which take about 20
	// MB. Beyond it, those unused for longest are dropped.
	Entries int
	// FlushAfter is how long a change waits for others to be flushed with, 0 for
	// 250 ms.
	FlushAfter time.Duration
	// Log gets failures to flush counts; nil discards them.
	Log *slog.Logger
}

// Memory is a Limiter for a single edge. It counts exactly in memory and flushes the
// counts to a store asynchronously, in groups, so that a request costs no write and a
// crash loses only the last moments. Counts that are not in memory are loaded when
// first needed.
type Memory struct {
	options     MemoryOptions
	store       CounterStore
	seed        maphash.Seed
	shards      []shard
	maxPerShard int // entries of a shard

	flushing sync.Mutex
	dirty    chan struct{} // there is something to flush
	stop     context.CancelFunc
	abort    context.CancelFunc // ends a flush that is under way
	stopped  chan struct{}
}

// shard is a part of the counts with a separate lock.
type shard struct {
	mu      sync.Mutex
	entries map[key]*entry
	recent  entry    // the ends of a ring, the latest used first
	dirty   []*entry // to be flushed
	_       [64]byte // keeps the locks of neighbours off one cache line
}

type key struct {
	subject string
	window  Window
}

// entry is a count. The lock of its shard guards it.
type entry struct {
	key
	used    int64
	stored  int64 // the part of used that is stored, or being stored
	dirty   bool  // in the list of those to be flushed
	pending bool  // on its way to the store
	// loading is closed when the count is loaded, or cannot be. It is nil from
	// then on.
	loading chan struct{}
	err     error // why it cannot
	waiting int   // requests that wait for it
	prev    *entry
	next    *entry
}

const (
	defaultEntries = 100_000
	defaultFlush   = 250 * time.Millisecond
	maxShards      = 64 // a power of two
	minPerShard    = 16
	loadTimeout    = 5 * time.Second // for the store to answer
)

// NewMemory returns a Memory that flushes to a store. If the store is nil, counts are
// dropped when memory is full, and end with the process. The caller must close it.
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
	if e.used > 0 {
		m.change(sh, e, -1)
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

// change adds to a count of a locked shard and schedules it to be flushed.
func (m *Memory) change(sh *shard, e *entry, n int64) {
	e.used += n
	if m.store == nil || e.dirty {
		return
	}
	e.dirty = true
	sh.dirty = append(sh.dirty, e)
	select {
	case m.dirty <- struct{}{}:
	default: // it is known
	}
}

func (m *Memory) shardOf(subject string) *shard {
	return &m.shards[maphash.String(m.seed, subject)&uint64(len(m.shards)-1)] //nolint:gosec // there is at least one shard
}

// acquire returns a count that is loaded, and its shard, locked.
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
				continue // it may exist by now
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

// load reads the count from the store. It does not depend on a single request: a client
// that disconnects must not fail the others that wait.
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

// evict drops the counts unused for longest until there is room for one more. It returns
// false if the remaining ones have to be flushed first.
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
	// As many counts can be loading as requests are in progress, so they can briefly
	// exceed the bound.
	return len(sh.entries) < limit || !flush
}

// idle reports whether a count can be dropped and loaded again without loss.
func (e *entry) idle() bool {
	return e.loading == nil && e.waiting == 0 && !e.dirty && !e.pending
}

// link puts a count first.
func (sh *shard) link(e *entry) {
	e.prev, e.next = &sh.recent, sh.recent.next
	e.prev.next, e.next.prev = e, e
}

// use moves a count to the front.
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
