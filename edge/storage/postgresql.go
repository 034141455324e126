package storage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// maxConnections is the maximum number of connections per edge. By default, PostgreSQL allows
// 100 in total.
const maxConnections = 20

func (s *State) openPostgreSQL(ctx context.Context, target string, _ Options) error {
	s.engine, s.target = PostgreSQL, withoutPassword(target)
	config, err := pgx.ParseConfig(target)
	if err != nil || s.target == unreadableTarget || strings.Contains(config.Host, "@") {
		// The parser's error would repeat the address, including the password; so would the name of a host
		// in which a part of the password ended up, and it would be looked up.
		return fmt.Errorf("--state %s: not the address of a PostgreSQL database; use postgres://user:password@host:5432/name; in the password, write @ : / ? # %% as %%40 %%3A %%2F %%3F %%23 %%25", s.target)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	config.DialFunc = (&net.Dialer{Timeout: config.ConnectTimeout, KeepAlive: 30 * time.Second}).DialContext
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "kindex"
	}
	s.db = stdlib.OpenDB(*config)
	s.db.SetMaxOpenConns(maxConnections)
	s.db.SetMaxIdleConns(maxConnections)
	s.db.SetConnMaxIdleTime(5 * time.Minute)
	if err := s.db.PingContext(ctx); err != nil {
		return fmt.Errorf("the database %s cannot be reached: %w", s.target, err)
	}
	return nil
}

// unreadableTarget is shown instead of an address in which the password cannot be located.
const unreadableTarget = "postgres://…"

// withoutPassword returns an address for use in messages, which may be unreadableTarget.
func withoutPassword(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return unreadableTarget
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.User == nil && holdsPassword(u, q) {
		return unreadableTarget
	}
	for _, name := range []string{"password", "sslpassword"} {
		if q.Has(name) {
			q.Set(name, "xxxxx")
			u.RawQuery = q.Encode()
		}
	}
	return u.Redacted()
}

// holdsPassword reports whether part of a password may be in another part of an address: in
// postgres://me:12/34@host/name it looks like a port and a path.
func holdsPassword(u *url.URL, q url.Values) bool {
	if strings.Contains(u.Path, "@") || u.Fragment != "" {
		return true
	}
	for name := range q {
		if strings.Contains(name, "@") {
			return true
		}
	}
	return false
}

// writePostgreSQL runs a transaction, and runs it again if PostgreSQL aborts it because of a
// conflict.
func (s *State) writePostgreSQL(ctx context.Context, do func(*Tx) error) error {
	for attempt := 0; ; attempt++ {
		err := s.tryPostgreSQL(ctx, do)
		if !isRetryable(err) || attempt == 5 {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(rand.Int64N(int64(10*time.Millisecond) << attempt))): //nolint:gosec // not a secret, only a pause
		}
	}
}

func (s *State) tryPostgreSQL(ctx context.Context, do func(*Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // has no effect after a commit
	t := &Tx{ctx: ctx, sql: tx, state: s, actor: actorOf(ctx)}
	if err := t.run(do); isRetryable(t.failed) {
		return t.failed // whatever error the function returned instead
	} else if err != nil {
		return err
	}
	return tx.Commit()
}

// isRetryable reports whether err is a serialization failure or a deadlock (PostgreSQL,
// appendix A).
func isRetryable(err error) bool {
	var p *pgconn.PgError
	return errors.As(err, &p) && (p.Code == "40001" || p.Code == "40P01")
}
