package storage

import (
	"context"
	"database/sql"
	"errors"

	"kindex/edge/ratelimit"
)

const counterWhere = "ends = $1 AND lasts = $2 AND subject = $3"

// Count implements ratelimit.Store with one short statement. If the limit has been reached, it writes
// nothing, so that a persistent caller does not take a lock. It returns before the change is on disk: on
// SQLite, a crash of the machine loses the latest counts, while one of the process loses none.
func (s *State) Count(ctx context.Context, subject string, w ratelimit.Window, n, limit int64) (used int64, ok bool, err error) {
	args := []any{w.End * 1000, w.Length * 1000, subject}
	query := "SELECT used FROM counters WHERE " + counterWhere
	switch {
	case n < 0:
		query = "UPDATE counters SET used = used - CASE WHEN used < CAST($4 AS BIGINT) THEN used ELSE CAST($4 AS BIGINT) END WHERE " + counterWhere + " AND used > 0 AND " + s.asyncCommit() + " RETURNING used"
		args = append(args, -n)
	case n > 0:
		// The limit is checked twice: in the snapshot of the statement, and again after locking
		// the row; only the second check is exact.
		query = "INSERT INTO counters (ends, lasts, subject, used)" +
			" SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS TEXT), CAST($4 AS BIGINT)" +
			" WHERE CAST($5 AS BIGINT) >= 0 AND NOT EXISTS (SELECT 1 FROM counters WHERE " + counterWhere + " AND used > $5) AND " + s.asyncCommit() +
			" ON CONFLICT (ends, lasts, subject) DO UPDATE SET used = counters.used + excluded.used WHERE counters.used <= $5" +
			" RETURNING used"
		args = append(args, n, limit-n) // the count may be at most limit-n before
	}
	used, err = value[int64](&conn{ctx: ctx, read: s.counters}, query, args...)
	switch {
	case errors.Is(err, sql.ErrNoRows) && n > 0:
		return max(0, limit), false, nil
	case errors.Is(err, sql.ErrNoRows):
		return 0, true, nil
	}
	return used, err == nil, s.wrap("counting a request", err)
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
