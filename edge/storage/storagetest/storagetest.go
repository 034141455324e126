// Package storagetest provides tests with a state on each engine: a SQLite file, and a
// database on a real PostgreSQL server that the test binary starts and stops.
package storagetest

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
)

// EachTarget runs a test once on SQLite and once on PostgreSQL, each time on an empty state with
// this address.
func EachTarget(t *testing.T, test func(t *testing.T, target string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "kindex.db")) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, PostgreSQL(t)) })
}

// Each is like EachTarget. open may be called repeatedly; each call acts like another edge on
// PostgreSQL, or like another command on SQLite. The states are closed after the test.
func Each(t *testing.T, test func(t *testing.T, open func() *storage.State)) {
	EachTarget(t, func(t *testing.T, target string) { test(t, func() *storage.State { return Open(t, target) }) })
}

// SQLite returns an empty state in a new file.
func SQLite(t testing.TB) *storage.State {
	return Open(t, filepath.Join(t.TempDir(), "kindex.db"))
}

// Open opens a state and closes it after the test.
func Open(t testing.TB, target string) *storage.State {
	t.Helper()
	return OpenAt(t, target, time.Now)
}

// OpenAt is like Open, but with a clock.
func OpenAt(t testing.TB, target string, now func() time.Time) *storage.State {
	t.Helper()
	s := suite.Must(storage.Open(context.Background(), target, storage.Options{Now: now}))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the state: %v", err)
		}
	})
	return s
}

// Database opens the database of a state, bypassing package storage.
func Database(target string) (*sql.DB, error) {
	driver := "sqlite" // the driver that package storage uses
	if storage.IsPostgreSQL(target) {
		driver = "pgx"
	}
	return sql.Open(driver, target)
}

// Exec runs a statement on a state, bypassing package storage, for example to cause damage that
// the package must detect.
func Exec(target, statement string) error {
	db, err := Database(target)
	if err != nil {
		return err
	}
	_, err = db.Exec(statement)
	return errors.Join(err, db.Close())
}

// Event is an event as it is stored.
type Event struct {
	Seq      int64
	ID, Name string
	Payload  []byte
}

// Events returns the stored events after a seq, in order.
func Events(t testing.TB, s *storage.State, after int64) (list []Event) {
	t.Helper()
	db := suite.Must(Database(s.String()))(t)
	defer db.Close()
	rows := suite.Must(db.QueryContext(t.Context(), "SELECT seq, id, event, payload FROM webhook_events WHERE seq > $1 ORDER BY seq", after))(t)
	defer rows.Close()
	for rows.Next() {
		var e Event
		suite.Check(t, rows.Scan(&e.Seq, &e.ID, &e.Name, &e.Payload))
		list = append(list, e)
	}
	suite.Check(t, rows.Err())
	return list
}
