package ratelimit

import (
	"context"
	"sync"
	"time"
)

// maxKept is the maximum number of entries in each generation of a recent map. 65,536 counts take
// about 15 MB, and as many allowances 10 MB.
const maxKept = 1 << 15

// recent is a map of bounded size. Values are added to the younger of two generations. Once that is
// full or old, it becomes the older generation, and the previous older generation is dropped.
type recent[K comparable, V any] struct {
	younger, older map[K]V
	since          time.Duration // when the younger generation was started
}

func (r *recent[K, V]) get(k K) V {
	if v, ok := r.younger[k]; ok {
		return v
	}
	return r.older[k]
}

// put stores a value. now is the time since a fixed point, and a generation is old after lasts.
func (r *recent[K, V]) put(k K, v V, now, lasts time.Duration) {
	if _, ok := r.younger[k]; !ok && (r.younger == nil || len(r.younger) >= maxKept || now-r.since > lasts) {
		r.younger, r.older, r.since = map[K]V{}, r.younger, now
	}
	r.younger[k] = v
}

// Counts is a Store in memory, which forgets the least recently added counts if there are too many.
type Counts struct {
	start time.Time

	mu    sync.Mutex
	kept  recent[countKey, int64]
	lasts time.Duration // the longest window
}

type countKey struct {
	subject string
	window  Window
}

func newCounts() *Counts { return &Counts{start: time.Now()} }

// Count implements Store.
func (c *Counts) Count(_ context.Context, subject string, w Window, n, limit int64) (used int64, ok bool, err error) {
	k := countKey{subject, w}
	c.mu.Lock()
	defer c.mu.Unlock()
	used = c.kept.get(k)
	if n > 0 && used+n > limit {
		return used, false, nil
	}
	if used = max(0, used+n); n != 0 {
		c.lasts = max(c.lasts, time.Duration(w.Length)*time.Second)
		c.kept.put(k, used, time.Since(c.start), c.lasts)
	}
	return used, true, nil
}
