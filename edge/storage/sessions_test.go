package storage_test

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

func arrival(subject, name, hash string) auth.SignedInIdentity {
	return auth.SignedInIdentity{Identity: auth.Identity{Provider: "https://id.example.org", Subject: subject, Login: name},
		Name: name, Key: apikey.Generate(), Hash: hash, At: time.Now()}
}

// TestSignInAtOnce has one person sign in for the first time in many browsers and on two
// edges concurrently. This creates only one account, with one key.
func TestSignInAtOnce(t *testing.T) {
	suite.InRace(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		edges := []*storage.State{open(), open()}
		var all sync.WaitGroup
		var mu sync.Mutex
		made := 0
		for i := range 24 {
			all.Go(func() {
				_, isNew, err := edges[i%2].SignIn(t.Context(), arrival("1", "ann", fmt.Sprint("session", i)))
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if isNew {
					made++
				}
			})
		}
		all.Wait()
		accounts, err := edges[0].Accounts(t.Context())
		if err != nil || len(accounts) != 1 || accounts[0].Name != "ann" || accounts[0].ActiveKeys != 1 || made != 1 {
			t.Errorf("accounts %+v, %d created: %v", accounts, made, err)
		}
	})
}

// TestNamesakesAtOnce has many people with the same name sign in concurrently.
func TestNamesakesAtOnce(t *testing.T) {
	suite.InRace(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		edges := []*storage.State{open(), open()}
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				if _, made, err := edges[i%2].SignIn(t.Context(), arrival(fmt.Sprint(i), "ann", fmt.Sprint("session", i))); err != nil || !made {
					t.Errorf("created %v: %v", made, err)
				}
			})
		}
		all.Wait()
		accounts, err := edges[0].Accounts(t.Context())
		if err != nil || len(accounts) != 12 {
			t.Errorf("accounts %+v: %v", accounts, err)
		}
	})
}

// TestSessions opens more sessions than an account can have, and replaces a session.
func TestSessions(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s, now := open(), time.Now()
		alive := func(hash string) bool {
			_, _, err := s.Session(t.Context(), hash, now)
			if err != nil && !errors.Is(err, auth.ErrSignedOut) {
				t.Fatal(err)
			}
			return err == nil
		}
		for i := range auth.MaxSessions + 3 {
			a := arrival("1", "ann", fmt.Sprint("session", i))
			a.At = now.Add(time.Duration(i-100) * time.Second)
			if _, _, err := s.SignIn(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
		for i := range auth.MaxSessions + 3 {
			if got := alive(fmt.Sprint("session", i)); got != (i >= 3) {
				t.Errorf("session %d of %d exists: %v", i, auth.MaxSessions+3, got)
			}
		}
		a := arrival("2", "bob", "of bob")
		a.Replaces = "session5"
		if _, _, err := s.SignIn(t.Context(), a); err != nil || alive("session5") || !alive("session6") || !alive("of bob") {
			t.Errorf("replaced: %v, another: %v, new: %v (%v)", alive("session5"), alive("session6"), alive("of bob"), err)
		}
	})
}

// TestAttempts tries to take an attempt with one wrong argument at a time, and then with the
// correct ones.
func TestAttempts(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s, now := open(), time.Now()
		a := auth.Attempt{Browser: "b", State: "s", Provider: "github", Nonce: "n", Verifier: "v", ExpiresAt: now.Add(time.Minute).UTC().Truncate(time.Millisecond)}
		if err := s.AddAttempt(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			browser, state, provider string
			at                       time.Time
			err                      error
		}{
			{"x", "s", "github", now, auth.ErrNoAttempt}, {"b", "x", "github", now, auth.ErrNoAttempt}, {"b", "s", "oidc", now, auth.ErrNoAttempt},
			{"b", "s", "github", a.ExpiresAt, auth.ErrNoAttempt}, {"b", "s", "github", now, nil}, {"b", "s", "github", now, auth.ErrNoAttempt},
		} {
			got, err := s.TakeAttempt(t.Context(), c.browser, c.state, c.provider, c.at)
			if !errors.Is(err, c.err) || err == nil && got != a {
				t.Errorf("%+v: %+v, %v", c, got, err)
			}
		}
	})
}

// attemptFrom returns the i-th attempt of a network.
func attemptFrom(network string, now time.Time, i int) auth.Attempt {
	return auth.Attempt{Browser: fmt.Sprint(network, "#", i), State: "s", Provider: "github", Nonce: "n", Verifier: "v",
		Network: auth.NetworkOf(netip.MustParsePrefix(network)), ExpiresAt: now.Add(time.Hour + time.Duration(i)*time.Millisecond)}
}

// underWay takes an attempt and reports whether it still existed.
func underWay(t *testing.T, s *storage.State, a auth.Attempt, now time.Time) bool {
	t.Helper()
	_, err := s.TakeAttempt(t.Context(), a.Browser, a.State, a.Provider, now)
	if err != nil && !errors.Is(err, auth.ErrNoAttempt) {
		t.Fatal(err)
	}
	return err == nil
}

// TestAttemptsOfOneNetwork starts more sign-ins from one network than are kept: only its own
// oldest attempts are dropped, even with concurrent calls.
func TestAttemptsOfOneNetwork(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s, now := open(), time.Now()
		other := attemptFrom("203.0.113.0/24", now, -1)
		if err := s.AddAttempt(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		const more = 5
		for i := range auth.MaxPerNetwork + more {
			if err := s.AddAttempt(t.Context(), attemptFrom("2001:db8:1::/48", now, i)); err != nil {
				t.Fatal(err)
			}
		}
		for _, i := range []int{0, more - 1, more, more + 1, auth.MaxPerNetwork + more - 1} {
			if got := underWay(t, s, attemptFrom("2001:db8:1::/48", now, i), now); got != (i >= more) {
				t.Errorf("attempt %d of %d is under way: %v", i, auth.MaxPerNetwork+more, got)
			}
		}
		if !underWay(t, s, other, now) {
			t.Error("the attempt of another network was dropped")
		}
	})
}

// TestAttemptsOfManyNetworks fills the table with attempts from many small networks in one
// large network, and adds more. Each time, the small network with the most attempts in that
// large network loses one. A network with few attempts never does, however old they are.
func TestAttemptsOfManyNetworks(t *testing.T) {
	suite.InTest(t)
	for engine, target := range map[string]func() string{
		"SQLite":     func() string { return filepath.Join(t.TempDir(), "kindex.db") },
		"PostgreSQL": func() string { return storagetest.PostgreSQL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			where, now := target(), time.Now()
			s := storagetest.OpenAt(t, where, time.Now)
			oldest := attemptFrom("203.0.113.0/24", now, -10)
			if err := s.AddAttempt(t.Context(), oldest); err != nil {
				t.Fatal(err)
			}
			if err := storagetest.Exec(where, fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d) INSERT INTO signin_attempts"+
				" (browser, state, provider, nonce, verifier, network, expires_at) SELECT CAST(i AS TEXT), 's', 'github', 'n', 'v', '6:20010db8' || CAST(1000 + i AS TEXT), %d + i FROM n",
				auth.MaxAttempts, now.Add(time.Hour).UnixMilli())); err != nil {
				t.Fatal(err)
			}
			const later = 2 * auth.MaxAttempts
			for i, network := range []string{"2001:db9::/48", "198.51.100.0/24", "2001:db8:ffff::/48", "192.0.2.0/24"} {
				if err := s.AddAttempt(t.Context(), attemptFrom(network, now, later+i)); err != nil {
					t.Fatal(err)
				}
				if n, err := s.Number(t.Context(), "SELECT COUNT(*) FROM signin_attempts"); n != auth.MaxAttempts || err != nil {
					t.Errorf("%d attempts are stored: %v", n, err)
				}
			}
			for i, network := range []string{"2001:db9::/48", "198.51.100.0/24", "2001:db8:ffff::/48", "192.0.2.0/24"} {
				if !underWay(t, s, attemptFrom(network, now, later+i), now) {
					t.Errorf("the attempt of %s was dropped", network)
				}
			}
			if !underWay(t, s, oldest, now) {
				t.Error("the oldest attempt, of a small network, was dropped")
			}
			for i, kept := range map[int]bool{1: false, 4: false, 5: true} {
				a := auth.Attempt{Browser: fmt.Sprint(i), State: "s", Provider: "github"}
				if underWay(t, s, a, now) != kept {
					t.Errorf("attempt %d of the large network: want under way %v", i, kept)
				}
			}
		})
	}
}
