package storage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

func ensure(t *testing.T, s *storage.State, name string) (a apikey.Account) {
	t.Helper()
	write(t, s, func(tx *storage.Tx) (err error) { a, err = tx.EnsureAccount(name); return err })
	return a
}

func write(t *testing.T, s *storage.State, do func(*storage.Tx) error) {
	t.Helper()
	suite.Check(t, s.Write(context.Background(), do))
}

func create(s *storage.State, account string, secret apikey.Secret) (k apikey.Key, err error) {
	err = s.Write(context.Background(), func(tx *storage.Tx) (err error) { k, err = tx.CreateKey(account, "a key", secret); return err })
	return k, err
}

func revoke(s *storage.State, account, id string) (ok bool, err error) {
	err = s.Write(context.Background(), func(tx *storage.Tx) (err error) { ok, err = tx.RevokeKey(account, id); return err })
	return ok, err
}

func TestKeyLife(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		ada, bob := ensure(t, s, "ada"), ensure(t, s, "bob")
		secret := apikey.Generate()
		begun := time.Now().Add(-time.Millisecond)
		made, err := create(s, ada.ID, secret)
		suite.Require(t, err == nil && strings.HasPrefix(made.ID, "key_") && made.Masked == secret.Masked() &&
			!made.CreatedAt.Before(begun), made, err)
		identify := func() (apikey.Key, apikey.Account, error) {
			return apikey.NewAuthenticator(s, time.Now).Identify(t.Context(), secret.Reveal())
		}
		if k, a, err := identify(); err != nil || k != made || a != ada {
			t.Errorf("%+v %+v %v, want %+v %+v", k, a, err, made, ada)
		}
		if list, err := s.Keys(t.Context(), ada.ID); err != nil || len(list) != 1 || list[0] != made {
			t.Errorf("%+v %v", list, err)
		}
		suite.Equal(t, len(suite.Must(s.Keys(t.Context(), bob.ID))(t)), 0, "another account's keys")
		for _, c := range []struct{ account, id string }{{bob.ID, made.ID}, {"", made.ID}, {ada.ID, ""}, {ada.ID, "key_other"}, {ada.ID, made.ID + "'"}} {
			if ok, err := revoke(s, c.account, c.id); ok || err != nil {
				t.Errorf("revoked %q of %q: %v", c.id, c.account, err)
			}
		}
		if _, _, err := identify(); err != nil {
			t.Errorf("after other accounts' attempts: %v", err)
		}
		suite.Done(revoke(s, ada.ID, made.ID))(t)
		if _, _, err := identify(); !errors.Is(err, apikey.ErrRevoked) {
			t.Errorf("%v", err)
		}
		if ok, err := revoke(s, ada.ID, made.ID); ok || err != nil {
			t.Errorf("revoked twice: %v", err)
		}
		if list, err := s.AllKeys(t.Context()); err != nil || len(list) != 1 || list[0].RevokedAt.IsZero() {
			t.Errorf("the operator's view: %+v %v", list, err)
		}
		suite.Is(t, suite.Err(create(s, "acc_nobody", apikey.Generate())), apikey.ErrNoAccount)
	})
}

// TestKeyLimitUnderConcurrentCreation tries to exceed the limit by creating many keys
// concurrently through several edges.
func TestKeyLimitUnderConcurrentCreation(t *testing.T) {
	suite.InRace(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		edges := []*storage.State{open(), open(), open(), open()}
		var accounts []apikey.Account
		for i := range 4 {
			accounts = append(accounts, ensure(t, edges[0], fmt.Sprint("account ", i)))
		}
		var wait sync.WaitGroup
		made := make([]atomic.Int64, len(accounts))
		each := suite.Pick(6, 15) // per edge
		for i := range 4 * 4 * each {
			wait.Go(func() {
				switch _, err := create(edges[i%4], accounts[i/4%4].ID, apikey.Generate()); {
				case err == nil:
					made[i/4%4].Add(1)
				case !errors.Is(err, apikey.ErrTooMany):
					t.Errorf("%v", err)
				}
			})
		}
		wait.Wait()
		for i, a := range accounts {
			list, err := edges[i].Keys(t.Context(), a.ID)
			suite.Holds(t, err == nil && made[i].Load() == apikey.MaxActive &&
				len(list) == apikey.MaxActive, a.Name, made[i].Load(), 4*each, "were created", len(list), "exist", err)
		}
		testLimitWhileRevoking(t, edges, accounts[0])
	})
}

// testLimitWhileRevoking revokes and creates concurrently: the limit is never exceeded, and
// each revocation makes room for one key.
func testLimitWhileRevoking(t *testing.T, edges []*storage.State, a apikey.Account) {
	var made, revoked atomic.Int64
	var wait sync.WaitGroup
	for i := range 16 {
		s := edges[i%4]
		wait.Go(func() {
			for range 8 {
				list, err := s.Keys(context.Background(), a.ID)
				suite.Holds(t, err == nil && len(list) <= apikey.MaxActive, len(list), "keys active at once", err)
				if i < 8 && len(list) > 0 {
					ok, err := revoke(s, a.ID, list[i%len(list)].ID)
					if err != nil {
						t.Error(err)
					} else if ok {
						revoked.Add(1)
					}
					continue
				}
				if _, err := create(s, a.ID, apikey.Generate()); err == nil {
					made.Add(1)
				} else if !errors.Is(err, apikey.ErrTooMany) {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	list, err := edges[0].Keys(context.Background(), a.ID)
	if err != nil || int64(len(list)) != apikey.MaxActive+made.Load()-revoked.Load() || revoked.Load() == 0 || made.Load() == 0 {
		t.Errorf("%d were created and %d revoked, %d remain (%v)", made.Load(), revoked.Load(), len(list), err)
	}
}

// TestOnlyHashesAreStored looks for keys in every byte of a SQLite state, and in every row of
// a PostgreSQL state.
func TestOnlyHashesAreStored(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		account := ensure(t, s, "ada")
		var secrets []apikey.Secret
		for range apikey.MaxActive {
			secret := apikey.Generate()
			suite.Must(create(s, account.ID, secret))(t)
			secrets = append(secrets, secret)
		}
		stored := everything(t, s)
		for _, secret := range secrets {
			text := secret.Reveal()
			suite.Contains(t, stored, secret.Hash())
			suite.Contains(t, stored, secret.Masked())
			for i := 3; i+10 <= len(text); i++ { // the masked form shows the first and last four characters
				if strings.Contains(stored, text[i:i+10]) {
					t.Fatalf("characters %d to %d of a key are stored", i+1, i+10)
				}
			}
		}
	})
}

func everything(t *testing.T, s *storage.State) string {
	t.Helper()
	var all strings.Builder
	if s.Engine() == storage.SQLite {
		files, err := filepath.Glob(s.String() + "*")
		suite.Require(t, err == nil && len(files) >= 2, files, err)
		for _, f := range files {
			b := suite.Must(os.ReadFile(f))(t)
			all.Write(b)
		}
		return all.String()
	}
	ctx := t.Context()
	c := suite.Must(pgx.Connect(ctx, s.String()))(t)
	defer c.Close(ctx)
	texts := func(query string) []string {
		rows := suite.Must(c.Query(ctx, query))(t)
		return suite.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	}
	for _, table := range texts("SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'") {
		all.WriteString(strings.Join(texts("SELECT row_to_json(r)::text FROM "+table+" r"), "\n"))
	}
	return all.String()
}

func TestTouchKeys(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s, other := open(), open()
		day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		used := map[string]time.Time{"key_that_is_not_there": day}
		write(t, s, func(tx *storage.Tx) error {
			clear(used) // the function may be retried
			for i := range 61 {
				a, err := tx.EnsureAccount(fmt.Sprint("a", i))
				if err != nil {
					return err
				}
				for j := range apikey.MaxActive {
					k, err := tx.CreateKey(a.ID, fmt.Sprint(j), apikey.Generate())
					if err != nil {
						return err
					}
					used[k.ID] = day.Add(time.Duration(i) * time.Second)
				}
			}
			return nil
		})
		// Two edges store times concurrently, in one transaction each; the times of one edge
		// are older.
		later := map[string]time.Time{}
		for id, at := range used {
			later[id] = at.Add(time.Hour)
		}
		var wait sync.WaitGroup
		for i := range 6 {
			wait.Go(func() {
				store, times := s, used
				if i%2 == 0 {
					store, times = other, later
				}
				if err := store.TouchKeys(context.Background(), times); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		list, err := s.AllKeys(t.Context())
		suite.Require(t, err == nil && len(list) == 305, len(list), "keys", err)
		for _, k := range list {
			if !k.LastUsedAt.Equal(later[k.ID]) {
				t.Fatalf("%s was used at %v, stored %v", k.ID, later[k.ID], k.LastUsedAt)
			}
		}
	})
}
