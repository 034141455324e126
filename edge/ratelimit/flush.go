package ratelimit

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

const (
	// flushBatchSize is the maximum number of counts added in one statement.
	flushBatchSize = 500
	sweepEvery     = time.Minute
	// counterRetention is how long counts of past windows are kept. An edge whose clock is up to
	// a day ahead must not delete the counts that others still need.
	counterRetention = 25 * time.Hour
)

// flushLoop flushes changed counts and drops expired counts until ctx ends. Flushes have a
// separate context because an interrupted flush may have reached the store and would then be
// stored twice.
func (m *Memory) flushLoop(ctx, flush context.Context) {
	defer close(m.stopped)
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			m.sweep()
			continue
		case <-m.dirty:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(m.options.FlushAfter):
		}
		if err := m.Flush(flush); err != nil && ctx.Err() == nil {
			m.options.Log.Error("storing request counts failed; retrying", "error", err)
		}
	}
}

// Close flushes the counts and stops the Memory. No other method may be running or be called
// afterwards. If flushing fails, the requests counted since the previous flush are lost.
func (m *Memory) Close(ctx context.Context) error {
	defer m.abort()
	m.stop()
	select {
	case <-m.stopped:
	case <-ctx.Done(): // the store hangs
		m.abort()
		<-m.stopped
	}
	return m.Flush(ctx)
}

// Flush stores all changed counts now. Counts that cannot be stored are kept for the next
// flush.
func (m *Memory) Flush(ctx context.Context) error {
	if m.store == nil {
		return nil
	}
	m.flushing.Lock()
	defer m.flushing.Unlock()
	entries, counts := m.collect()
	var errs []error
	for len(entries) > 0 {
		n := min(flushBatchSize, len(entries))
		var err error
		if len(errs) == 0 { // after an error, the store would not accept the rest either
			err = m.store.AddCounters(ctx, counts[:n])
		} else {
			err = errs[0]
		}
		m.finalize(entries[:n], counts[:n], err)
		if err != nil && len(errs) == 0 {
			errs = append(errs, asUnavailable(err))
		}
		entries, counts = entries[n:], counts[n:]
	}
	return errors.Join(errs...)
}

// collect returns the changes since the last flush.
func (m *Memory) collect() (entries []*entry, counts []Count) {
	for i := range m.shards {
		sh := &m.shards[i]
		sh.mu.Lock()
		for _, e := range sh.dirty {
			e.dirty = false
			if e.used == e.stored {
				continue // every request was uncounted again
			}
			e.pending = true
			entries = append(entries, e)
			counts = append(counts, Count{e.subject, e.window, e.used - e.stored})
			e.stored = e.used
		}
		clear(sh.dirty)
		sh.dirty = sh.dirty[:0]
		sh.mu.Unlock()
	}
	return entries, counts
}

// finalize records the result of storing counts. If that failed, they are flushed again.
func (m *Memory) finalize(entries []*entry, counts []Count, err error) {
	for i, e := range entries {
		sh := m.shardOf(e.subject)
		sh.mu.Lock()
		e.pending = false
		if err != nil {
			e.stored -= counts[i].N
			m.change(sh, e, 0) // schedules it to be flushed again
		}
		sh.mu.Unlock()
	}
}

// sweep removes from memory the counts of windows that have ended.
func (m *Memory) sweep() {
	now := m.options.Now()
	for i := range m.shards {
		sh := &m.shards[i]
		sh.mu.Lock()
		for e := sh.recent.next; e != &sh.recent; {
			old := e
			e = e.next
			if old.window.ended(now) && old.idle() {
				sh.drop(old)
			}
		}
		sh.mu.Unlock()
	}
}

// Dropper is a store that can delete counts.
type Dropper interface {
	// DropCounters deletes the counts of windows that ended before a given time.
	DropCounters(ctx context.Context, before time.Time) error
}

// Sweep deletes the counts of expired windows from a store, now and every hour until ctx
// ends. Several edges can do this on the same store.
func Sweep(ctx context.Context, store Dropper, now func() time.Time, log *slog.Logger) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		if err := store.DropCounters(ctx, now().Add(-counterRetention)); err != nil && ctx.Err() == nil {
			log.Warn("deleting old request counts failed; retrying in an hour", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
