package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

func TestAccounts(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		ada := ensure(t, s, "ada")
		again := ensure(t, s, "ada")
		suite.Holds(t, again == ada && strings.HasPrefix(ada.ID, "acc_") && !ada.CreatedAt.IsZero(), ada, again)
		for _, name := range []string{"", "a\x00b", " a", strings.Repeat("x", 65)} {
			suite.Fails(t, s.Write(t.Context(), func(tx *storage.Tx) error { _, err := tx.EnsureAccount(name); return err }), "", name)
		}
		suite.Is(t, suite.Err(s.AccountNamed(t.Context(), "Ada")), apikey.ErrNoAccount)
		now := func() apikey.Account {
			t.Helper()
			return suite.Must(s.AccountNamed(t.Context(), "ada"))(t)
		}
		for _, c := range []struct {
			quota  int64
			window time.Duration
			stored time.Duration
		}{{5000, 0, 0}, {10, time.Hour, time.Hour}, {0, time.Hour, 0}, {1 << 40, 90 * time.Second, 90 * time.Second}} {
			write(t, s, func(tx *storage.Tx) error { return tx.SetQuota(ada.ID, c.quota, c.window) })
			a := now()
			suite.Holds(t, a.Quota == c.quota && a.Window == c.stored, a, c)
		}
		for _, f := range []func(*storage.Tx) error{
			func(tx *storage.Tx) error { return tx.SetQuota("acc_x", 1, 0) },
			func(tx *storage.Tx) error { return tx.Suspend("acc_x") },
			func(tx *storage.Tx) error { return tx.Unsuspend("acc_x") },
		} {
			suite.Is(t, s.Write(t.Context(), f), apikey.ErrNoAccount)
		}
		testSuspension(t, s, ada, now)
	})
}

func testSuspension(t *testing.T, s *storage.State, ada apikey.Account, now func() apikey.Account) {
	secret := apikey.Generate()
	suite.Must(create(s, ada.ID, secret))(t)
	write(t, s, func(tx *storage.Tx) error { return tx.Suspend(ada.ID) })
	since := now().SuspendedAt
	time.Sleep(2 * time.Millisecond)
	write(t, s, func(tx *storage.Tx) error { return tx.Suspend(ada.ID) })
	suite.Holds(t, !since.IsZero() &&
		now().SuspendedAt == since, "suspended since", since, "then since", now().SuspendedAt)
	var suspended *apikey.SuspendedError
	if _, err := create(s, ada.ID, apikey.Generate()); !errors.As(err, &suspended) || suspended.Account != "ada" || !suspended.Since.Equal(since) {
		t.Errorf("key for a suspended account: %v", err)
	}
	if _, _, err := apikey.NewAuthenticator(s, time.Now).Identify(t.Context(), secret.Reveal()); !errors.As(err, &suspended) {
		t.Errorf("%v", err)
	}
	list := suite.Must(s.Accounts(t.Context()))(t)
	suite.Holds(t, len(list) == 1 && list[0].ActiveKeys == 1 && list[0].Account == now(), list)
	write(t, s, func(tx *storage.Tx) error { return tx.Unsuspend(ada.ID) })
	if _, _, err := apikey.NewAuthenticator(s, time.Now).Identify(t.Context(), secret.Reveal()); err != nil {
		t.Errorf("%v", err)
	}
}

// TestAccountsAreMadeOnce creates the same accounts many times concurrently, through several
// edges.
func TestAccountsAreMadeOnce(t *testing.T) {
	suite.InRace(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		edges := []*storage.State{open(), open(), open()}
		taken := ensure(t, edges[0], "ada")
		var made atomic.Int64
		var ids, named sync.Map
		var wait sync.WaitGroup
		for i := range 60 {
			wait.Go(func() {
				var a, b apikey.Account
				isNew := false
				err := edges[i%3].Write(context.Background(), func(tx *storage.Tx) (err error) {
					// Two people have the same name at the provider, and there already is an
					// account with that name.
					if a, isNew, err = tx.IdentifiedAccount("https://id.example", fmt.Sprint(i%2), "Ada", "ada"); err != nil {
						return err
					}
					b, err = tx.EnsureAccount("named")
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				if isNew {
					made.Add(1)
				}
				ids.Store(fmt.Sprint(i%2, " ", a.ID, " ", a.Name), true)
				named.Store(b.ID, true)
			})
		}
		wait.Wait()
		count := func(m *sync.Map) (n int) {
			m.Range(func(k, _ any) bool {
				n++
				suite.Lacks(t, k.(string), taken.ID, "an account was given to another person with the same name")
				return true
			})
			return n
		}
		suite.Holds(t, count(&ids) == 2 && count(&named) == 1 &&
			made.Load() == 2, count(&ids), "accounts for two identities", made.Load(), "created", count(&named), "for one name")
		list, err := edges[0].Accounts(t.Context())
		var names []string
		for _, a := range list {
			names = append(names, a.Name)
		}
		got := strings.Join(names, " ")
		suite.Holds(t, err == nil && got == "ada ada-2 ada-3 named", "accounts", got, err)
	})
}

// TestManyOfOneName checks that a free name is found even if all numbers are taken.
func TestManyOfOneName(t *testing.T) {
	s := storagetest.SQLite(t)
	seen := map[string]bool{}
	for i := range 40 {
		write(t, s, func(tx *storage.Tx) error {
			a, made, err := tx.IdentifiedAccount("p", fmt.Sprint(i), "user", "user")
			if err == nil && (!made || seen[a.Name] || apikey.CheckName(a.Name) != nil) {
				t.Errorf("%+v", a)
			}
			seen[a.Name] = true
			return err
		})
	}
}

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
				suite.Holds(t, err == nil, err)
				mu.Lock()
				defer mu.Unlock()
				if isNew {
					made++
				}
			})
		}
		all.Wait()
		accounts, err := edges[0].Accounts(t.Context())
		suite.Holds(t, err == nil && len(accounts) == 1 && accounts[0].Name == "ann" &&
			accounts[0].ActiveKeys == 1 && made == 1, "accounts", accounts, made, "created", err)
	})
}

// TestSessions opens more sessions than an account can have, and replaces a session.
func TestSessions(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s, now := open(), time.Now()
		alive := func(hash string) bool {
			_, err := s.Session(t.Context(), hash, now)
			suite.Require(t, err == nil || errors.Is(err, auth.ErrSignedOut), err)
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
			got := alive(fmt.Sprint("session", i))
			suite.Holds(t, got == (i >= 3), "session", i, auth.MaxSessions+3, "exists", got)
		}
		a := arrival("2", "bob", "of bob")
		a.Replaces = "session5"
		if _, _, err := s.SignIn(t.Context(), a); err != nil || alive("session5") || !alive("session6") || !alive("of bob") {
			t.Errorf("replaced: %v, another: %v, new: %v (%v)", alive("session5"), alive("session6"), alive("of bob"), err)
		}
	})
}
