package storage

import "context"

// Exec runs an arbitrary statement.
func (tx *Tx) Exec(query string, args ...any) error {
	_, err := tx.exec(query, args...)
	return err
}

// Number runs a query and returns its result, which must be a single number.
func (tx *Tx) Number(query string, args ...any) (int64, error) {
	return value[int64](tx.conn, query, args...)
}

// Number runs a query outside a transaction and returns its result, which must be a single number.
func (s *State) Number(ctx context.Context, query string, args ...any) (int64, error) {
	return value[int64](s.on(ctx), query, args...)
}

// OnWriter runs a statement on the writer's connection, outside its transactions.
func (s *State) OnWriter(ctx context.Context, statement string) error {
	_, err := s.writer.ExecContext(ctx, statement)
	return err
}

// Tables returns the names of all tables, each after the tables that it refers to.
func (s *State) Tables(ctx context.Context) (names []string, err error) {
	list, err := s.tables(ctx)
	for _, t := range list {
		names = append(names, t.name)
	}
	return names, err
}

// MigrateTo migrates an empty state to an earlier schema version.
func (s *State) MigrateTo(ctx context.Context, version int64) error { return s.migrateTo(ctx, version) }
