package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
)

// TestRekeyOnEveryEngine changes the operator's key as described in the help.
func TestRekeyOnEveryEngine(t *testing.T) {
	suite.InTest(t)
	t.Run("SQLite", func(t *testing.T) { testRekey(t, filepath.Join(t.TempDir(), "kindex.db")) })
	t.Run("PostgreSQL", func(t *testing.T) { testRekey(t, storagetest.PostgreSQL(t)) })
}

func testRekey(t *testing.T, target string) {
	file := filepath.Join(t.TempDir(), "key")
	older, newer := seal.Generate(), seal.Generate()
	write := func(keys ...string) {
		t.Helper()
		suite.Check(t, os.WriteFile(file, []byte(strings.Join(keys, "\n")), 0o600))
	}
	rekey := func(code int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if got := run(context.Background(), append([]string{"state", "rekey", "--state", target}, args...), &out, &errs); got != code {
			t.Fatalf("exit code %d\n%s%s", got, out.String(), errs.String())
		}
		for _, key := range []string{older, newer} {
			if strings.Contains(out.String()+errs.String(), key) {
				t.Errorf("the output contains the key: %s%s", out.String(), errs.String())
			}
		}
		return out.String() + errs.String()
	}
	s := suite.Must(storage.Open(t.Context(), target, storage.Options{}))(t)
	defer s.Close()
	before := suite.Must(seal.Parse(older))(t)
	suite.Check(t, s.Write(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.EnsureAccount("ada")
		if err == nil {
			_, err = tx.CreateWebhook(webhook.Webhook{ID: "wh_1", AccountID: a.ID, URL: "https://example.org/", Events: []string{"entity.created"},
				SealedSecret: before.Seal([]byte("whsec_1"), webhook.Purpose, "wh_1")})
		}
		return err
	}))
	if text := rekey(map[bool]int{true: 2, false: 1}[storage.IsPostgreSQL(target)]); !strings.Contains(text, "operator's key") {
		t.Error(text) // there is no key file next to the state, and no other file was specified
	}
	write(newer)
	if text := rekey(1, "--operator-key", file); !strings.Contains(text, "sealed with the operator's key "+before.IDs()[0]) {
		t.Error(text)
	}
	write(newer, older)
	for _, want := range []string{"sealed 1 secrets", "sealed 0 secrets"} {
		suite.Contains(t, rekey(0, "--operator-key", file), want)
	}
	write(newer)
	t.Setenv("KINDEX_OPERATOR_KEY", file)
	if text := rekey(0); !strings.Contains(text, "sealed 0 secrets") {
		t.Error(text)
	}
}
