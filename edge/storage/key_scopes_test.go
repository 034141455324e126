package storage_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

func createLimited(t *testing.T, s *storage.State, account string, g apikey.Grant) (apikey.Key, apikey.Secret) {
	t.Helper()
	secret := apikey.Generate()
	var k apikey.Key
	write(t, s, func(tx *storage.Tx) (err error) { k, err = tx.CreateLimitedKey(account, g, secret); return err })
	return k, secret
}

// TestKeyFromBeforeScopes checks that a key stored by an earlier version has all scopes and
// is marked as a legacy key.
func TestKeyFromBeforeScopes(t *testing.T) {
	suite.InTest(t)
	for _, target := range []string{filepath.Join(t.TempDir(), "kindex.db"), storagetest.PostgreSQL(t)} {
		s := suite.Must(storage.Open(t.Context(), target, storage.Options{SkipMigrations: true}))(t)
		t.Cleanup(func() { s.Close() })
		suite.Check(t, s.MigrateTo(t.Context(), 6))
		secret := apikey.Generate()
		for _, row := range []string{"INSERT INTO accounts (id, name, created_at) VALUES ('acc_a', 'ada', 1)",
			"INSERT INTO api_keys (id, account_id, name, masked, hash, hash_prefix, created_at) VALUES ('key_a', 'acc_a', 'old', '" +
				secret.Masked() + "', '" + secret.Hash() + "', '" + secret.Hash()[:8] + "', 1)"} {
			suite.Check(t, writeOne(t.Context(), s, row))
		}
		suite.Equal(t, len(suite.Must(s.Check(t.Context()))(t).Problems), 0, "before the migration")
		suite.Check(t, s.Migrate(t.Context()))
		k, _, err := apikey.NewAuthenticator(s, time.Now).Identify(t.Context(), secret.Reveal())
		suite.Holds(t, err == nil && k.Legacy && k.Scopes == apikey.Everything && k.ExpiresAt.IsZero(), k, err)
		if made, _ := createLimited(t, s, "acc_a", apikey.Grant{Name: "new", Scopes: apikey.DefaultScopes}); made.Legacy || made.Scopes.Has(apikey.ScopeKeys) {
			t.Errorf("%+v", made)
		}
		suite.Equal(t, len(suite.Must(s.Check(t.Context()))(t).Problems), 0, "afterwards")
	}
}

// TestExpiredKeysMakeRoom checks that expired keys are not listed and do not count towards
// the limit of five.
func TestExpiredKeysMakeRoom(t *testing.T) {
	at := time.Now().Truncate(time.Millisecond)
	s := storagetest.OpenAt(t, filepath.Join(t.TempDir(), "kindex.db"), func() time.Time { return at })
	ada := ensure(t, s, "ada")
	for range apikey.MaxActive {
		createLimited(t, s, ada.ID, apikey.Grant{Name: "short", Scopes: apikey.Everything, ExpiresAt: at.Add(time.Hour)})
	}
	suite.Is(t, suite.Err(create(s, ada.ID, apikey.Generate())), apikey.ErrTooMany)
	at = at.Add(time.Hour)
	suite.Equal(t, len(suite.Must(s.Keys(t.Context(), ada.ID))(t)), 0)
	suite.Equal(t, suite.Must(s.Accounts(t.Context()))(t)[0].ActiveKeys, 0)
	for range apikey.MaxActive {
		createLimited(t, s, ada.ID, apikey.Grant{Name: "next", Scopes: apikey.Everything})
	}
	suite.Is(t, suite.Err(create(s, ada.ID, apikey.Generate())), apikey.ErrTooMany)
	suite.Equal(t, len(suite.Must(s.Check(t.Context()))(t).Problems), 0)
}

// TestInactiveKeysAreBounded creates and revokes keys repeatedly: all active keys are kept, but
// only the newest hundred revoked keys.
func TestInactiveKeysAreBounded(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		ada := ensure(t, s, "ada")
		kept, _ := createLimited(t, s, ada.ID, apikey.Grant{Name: "kept", Scopes: apikey.Everything})
		write(t, s, func(tx *storage.Tx) error {
			for range 130 {
				k, err := tx.CreateKey(ada.ID, "a key", apikey.Generate())
				if err != nil {
					return err
				}
				if ok, err := tx.RevokeKey(ada.ID, k.ID); !ok || err != nil {
					return fmt.Errorf("revoked %v: %w", ok, err)
				}
			}
			return nil
		})
		list, err := s.AllKeys(t.Context())
		suite.Holds(t, err == nil && len(list) <= 102 &&
			list[0] == kept, len(list), "keys, the first", list[0], err)
	})
}

// TestNoChangeWithoutEntry checks that nothing changes if the audit log cannot be written.
func TestNoChangeWithoutEntry(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		ada := ensure(t, s, "ada")
		k, secret := createLimited(t, s, ada.ID, apikey.Grant{Name: "kept", Scopes: apikey.Everything})
		suite.Check(t, writeOne(t.Context(), s, "ALTER TABLE audit_log RENAME TO elsewhere"))
		for what, do := range map[string]func(*storage.Tx) error{
			"create":  func(tx *storage.Tx) error { _, err := tx.CreateKey(ada.ID, "new", apikey.Generate()); return err },
			"revoke":  func(tx *storage.Tx) error { _, err := tx.RevokeKey(ada.ID, k.ID); return err },
			"report":  func(tx *storage.Tx) error { _, err := tx.RevokeReported(secret); return err },
			"suspend": func(tx *storage.Tx) error { return tx.Suspend(ada.ID) },
			"limit":   func(tx *storage.Tx) error { return tx.SetQuota(ada.ID, 5, 0) },
			"account": func(tx *storage.Tx) error { _, err := tx.EnsureAccount("bob"); return err },
		} {
			suite.Fails(t, s.Write(t.Context(), do), "", what)
		}
		accounts, err := s.Accounts(t.Context())
		suite.Holds(t, err == nil && len(accounts) == 1 && accounts[0].Quota == 0 &&
			accounts[0].SuspendedAt.IsZero() && accounts[0].ActiveKeys == 1, accounts, err)
	})
}

// TestSignInIsLogged checks that a sign-in is logged with the provider, the login and the
// address.
func TestSignInIsLogged(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		a := auth.SignedInIdentity{Identity: auth.Identity{Provider: "https://id.example", Subject: "1", Login: "ada"}, Name: "ada",
			Key: apikey.Generate(), Hash: "h", At: time.Now(), Address: "203.0.113.7"}
		account, _, err := s.SignIn(t.Context(), a)
		suite.Check(t, err)
		suite.Equal(t, auditActions(t, s, account.ID), []storage.Action{storage.AccountCreated, storage.KeyCreated, storage.AccountSignedIn})
		list, _, err := s.AuditLog(t.Context(), account.ID, 0, 1)
		if err != nil || list[0].Actor != (storage.Actor{Kind: storage.BySession, Address: "203.0.113.7"}) || list[0].Detail != `with https://id.example as "ada"` {
			t.Errorf("%+v %v", list, err)
		}
	})
}
