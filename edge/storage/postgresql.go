package storage

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
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
	s.writer, s.counters = s.db, s.db
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
