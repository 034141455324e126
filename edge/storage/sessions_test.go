package storage_test

import (
	"errors"
	"fmt"
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
			_, err := s.Session(t.Context(), hash, now)
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
