package state_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"kindex/edge/keys"
	"kindex/edge/signin"
	"kindex/edge/state"
	"kindex/edge/state/statetest"
)

func arrival(subject, name, hash string) signin.Arrival {
	return signin.Arrival{Identity: signin.Identity{Provider: "https://id.example.org", Subject: subject, Login: name},
		Name: name, Key: keys.Generate(), Hash: hash, At: time.Now()}
}

// TestSignInAtOnce lets one person arrive for the first time in many browsers and
// at two edges at the same moment: that makes one account, with one key.
func TestSignInAtOnce(t *testing.T) {
	statetest.Each(t, func(t *testing.T, open func() *state.State) {
		edges := []*state.State{open(), open()}
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
			t.Errorf("accounts %+v, %d made: %v", accounts, made, err)
		}
	})
}

// TestNamesakesAtOnce lets many people of one name arrive at the same moment.
func TestNamesakesAtOnce(t *testing.T) {
	statetest.Each(t, func(t *testing.T, open func() *state.State) {
		edges := []*state.State{open(), open()}
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				if _, made, err := edges[i%2].SignIn(t.Context(), arrival(fmt.Sprint(i), "ann", fmt.Sprint("session", i))); err != nil || !made {
					t.Errorf("made %v: %v", made, err)
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

// TestSessions opens more sessions than an account may have, and replaces one.
func TestSessions(t *testing.T) {
	statetest.Each(t, func(t *testing.T, open func() *state.State) {
		s, now := open(), time.Now()
		alive := func(hash string) bool {
			_, _, err := s.Session(t.Context(), hash, now)
			if err != nil && !errors.Is(err, signin.ErrSignedOut) {
				t.Fatal(err)
			}
			return err == nil
		}
		for i := range signin.MostSessions + 3 {
			a := arrival("1", "ann", fmt.Sprint("session", i))
			a.At = now.Add(time.Duration(i-100) * time.Second)
			if _, _, err := s.SignIn(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
		for i := range signin.MostSessions + 3 {
			if got := alive(fmt.Sprint("session", i)); got != (i >= 3) {
				t.Errorf("session %d of %d is there: %v", i, signin.MostSessions+3, got)
			}
		}
		a := arrival("2", "bob", "of bob")
		a.Replaces = "session5"
		if _, _, err := s.SignIn(t.Context(), a); err != nil || alive("session5") || !alive("session6") || !alive("of bob") {
			t.Errorf("replaced: %v, another: %v, new: %v (%v)", alive("session5"), alive("session6"), alive("of bob"), err)
		}
	})
}

// TestAttempts takes an attempt with each part wrong, and then right, once.
func TestAttempts(t *testing.T) {
	statetest.Each(t, func(t *testing.T, open func() *state.State) {
		s, now := open(), time.Now()
		a := signin.Attempt{Browser: "b", State: "s", Provider: "github", Nonce: "n", Verifier: "v", ExpiresAt: now.Add(time.Minute).UTC().Truncate(time.Millisecond)}
		if err := s.AddAttempt(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			browser, state, provider string
			at                       time.Time
			err                      error
		}{
			{"x", "s", "github", now, signin.ErrNoAttempt}, {"b", "x", "github", now, signin.ErrNoAttempt}, {"b", "s", "oidc", now, signin.ErrNoAttempt},
			{"b", "s", "github", a.ExpiresAt, signin.ErrNoAttempt}, {"b", "s", "github", now, nil}, {"b", "s", "github", now, signin.ErrNoAttempt},
		} {
			got, err := s.TakeAttempt(t.Context(), c.browser, c.state, c.provider, c.at)
			if !errors.Is(err, c.err) || err == nil && got != a {
				t.Errorf("%+v: %+v, %v", c, got, err)
			}
		}
	})
}

// TestManyAttempts begins more sign-ins than are kept, the last of them at once:
// the newest stay.
func TestManyAttempts(t *testing.T) {
	file, now := filepath.Join(t.TempDir(), "kindex.db"), time.Now()
	s := statetest.OpenAt(t, file, time.Now)
	add := func(i int) {
		a := signin.Attempt{Browser: fmt.Sprint(i), State: "s", Provider: "github", Nonce: "n", Verifier: "v", ExpiresAt: now.Add(time.Hour + time.Duration(i)*time.Millisecond)}
		if err := s.AddAttempt(t.Context(), a); err != nil {
			t.Error(err)
		}
	}
	atOnce := signin.MostAttempts - 512 // before them, all in one statement
	if err := statetest.Exec(file, fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d) INSERT INTO signin_attempts"+
		" (browser, state, provider, nonce, verifier, expires_at) SELECT CAST(i AS TEXT), 's', 'github', 'n', 'v', %d + i FROM n",
		atOnce, now.Add(time.Hour).UnixMilli())); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	next := make(chan int)
	for range 64 {
		all.Go(func() {
			for i := range next {
				add(i)
			}
		})
	}
	for i := atOnce; i < signin.MostAttempts; i++ {
		next <- i
	}
	close(next)
	all.Wait()
	add(signin.MostAttempts)
	for i, kept := range map[int]bool{0: false, 1: true, signin.MostAttempts: true} {
		if _, err := s.TakeAttempt(t.Context(), fmt.Sprint(i), "s", "github", now); (err == nil) != kept {
			t.Errorf("attempt %d: %v", i, err)
		}
	}
}
