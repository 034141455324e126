package storage

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"kindex/edge/ratelimit"
)

var (
	_ ratelimit.CounterStore = (*State)(nil)
	_ ratelimit.SharedStore  = (*State)(nil)
	_ ratelimit.Dropper      = (*State)(nil)
)

// counterKey returns the arguments that identify a count: $1, $2 and $3 in the statements
// below.
func counterKey(subject string, w ratelimit.Window) []any {
	return []any{w.End * 1000, w.Length * 1000, subject}
}

const counterWhere = "ends = $1 AND lasts = $2 AND subject = $3"

// PeekCounter implements ratelimit.CounterStore and ratelimit.SharedStore.
func (s *State) PeekCounter(ctx context.Context, subject string, w ratelimit.Window) (used int64, err error) {
	err = s.row(ctx, "SELECT used FROM counters WHERE "+counterWhere, counterKey(subject, w)...).Scan(&used)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return used, s.wrap("reading a request count", err)
}

// TakeCounter implements ratelimit.SharedStore. If the limit has been reached, it writes
// nothing, so that a persistent caller does not take a lock.
func (s *State) TakeCounter(ctx context.Context, subject string, w ratelimit.Window, n, limit int64) (used int64, ok bool, err error) {
	// The limit is checked twice: in the snapshot of the statement, and again after locking
	// the row; only the second check is exact.
	err = s.queryRowWrite(ctx, &used, "INSERT INTO counters (ends, lasts, subject, used)"+
		" SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS TEXT), CAST($4 AS BIGINT)"+
		" WHERE CAST($5 AS BIGINT) >= 0 AND NOT EXISTS (SELECT 1 FROM counters WHERE "+counterWhere+" AND used > $5) AND "+s.asyncCommit()+
		" ON CONFLICT (ends, lasts, subject) DO UPDATE SET used = counters.used + excluded.used WHERE counters.used <= $5"+
		" RETURNING used", append(counterKey(subject, w), n, limit-n)...) // the count may be at most limit-n before
	if errors.Is(err, sql.ErrNoRows) {
		return limit, false, nil
	}
	return used, err == nil, s.wrap("counting a request", err)
}

// GiveCounter implements ratelimit.SharedStore.
func (s *State) GiveCounter(ctx context.Context, subject string, w ratelimit.Window, n int64) (used int64, err error) {
	err = s.queryRowWrite(ctx, &used, "UPDATE counters SET used = used - CASE WHEN used < CAST($4 AS BIGINT) THEN used ELSE CAST($4 AS BIGINT) END WHERE "+counterWhere+" AND used > 0 AND "+s.asyncCommit()+
		" RETURNING used", append(counterKey(subject, w), n)...)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return used, s.wrap("uncounting a request", err)
}

// asyncCommit returns a condition that is always true. On PostgreSQL it lets the statement that
// contains it return before its changes are on disk: requests do not wait for the disk, but a
// database crash can lose the counts of the last 0.6 s (three times wal_writer_delay).
func (s *State) asyncCommit() string {
	if s.engine == PostgreSQL {
		return "set_config('synchronous_commit', 'off', true) = 'off'"
	}
	return "1 = 1"
}

// queryRowWrite runs a statement that changes and returns one value. On PostgreSQL, this is a
// single round trip.
func (s *State) queryRowWrite(ctx context.Context, value *int64, query string, args ...any) error {
	if s.writer == nil {
		return s.row(ctx, query, args...).Scan(value)
	}
	return s.Write(ctx, func(tx *Tx) error { return tx.row(query, args...).Scan(value) })
}

// AddCounters implements ratelimit.CounterStore, in one statement.
func (s *State) AddCounters(ctx context.Context, counts []ratelimit.Count) error {
	if len(counts) == 0 {
		return nil
	}
	// The counts are sorted so that two edges never deadlock on each other's rows.
	counts = slices.Clone(counts)
	slices.SortFunc(counts, func(a, b ratelimit.Count) int { return strings.Compare(a.Subject, b.Subject) })
	args := make([]any, 0, 4*len(counts))
	for _, c := range counts {
		args = append(append(args, counterKey(c.Subject, c.Window)...), c.N)
	}
	_, err := s.exec(ctx, "INSERT INTO counters (ends, lasts, subject, used) VALUES "+placeholders(len(args), 4)+
		" ON CONFLICT (ends, lasts, subject) DO UPDATE SET used = counters.used + excluded.used", args...)
	return s.wrap("storing request counts", err)
}

// dropBatchSize is the maximum number of counts that one statement deletes, so that it does
// not block other statements for long.
const dropBatchSize = 5000

// DropCounters implements ratelimit.Dropper.
func (s *State) DropCounters(ctx context.Context, before time.Time) error {
	for {
		n, err := s.exec(ctx, "DELETE FROM counters WHERE (ends, lasts, subject) IN"+
			" (SELECT ends, lasts, subject FROM counters WHERE ends < $1 ORDER BY ends, lasts, subject LIMIT $2)", before.UnixMilli(), dropBatchSize)
		if err != nil || n < dropBatchSize {
			return s.wrap("deleting old request counts", err)
		}
	}
}
