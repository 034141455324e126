package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/storage/storagetest"
)

// TestKeysOnEveryEngine runs the keys commands on both database engines; the scripts
// cover the details.
func TestKeysOnEveryEngine(t *testing.T) {
	suite.InTest(t)
	t.Run("SQLite", func(t *testing.T) { testKeysCommands(t, filepath.Join(t.TempDir(), "kindex.db")) })
	t.Run("PostgreSQL", func(t *testing.T) { testKeysCommands(t, storagetest.PostgreSQL(t)) })
}

func testKeysCommands(t *testing.T, target string) {
	kindex := func(code int, args ...string) (string, string) {
		t.Helper()
		var out, errs bytes.Buffer
		if got := run(context.Background(), append(args, "--state", target), &out, &errs); got != code {
			t.Fatalf("%v: exit code %d\n%s%s", args, got, out.String(), errs.String())
		}
		return out.String(), errs.String()
	}
	for i := range apikey.MaxActive {
		key, told := kindex(0, "keys", "create", "--account", "ada", "--name", fmt.Sprint("n", i))
		if _, err := apikey.Parse(strings.TrimSuffix(key, "\n")); err != nil || strings.Contains(told, strings.TrimSpace(key)) {
			t.Errorf("%q %v, told %q", key, err, told)
		}
	}
	if out, told := kindex(1, "keys", "create", "--account", "ada"); out != "" || !strings.Contains(told, "at most 5") {
		t.Errorf("%q %q", out, told)
	}
	list, _ := kindex(0, "keys", "list", "--json")
	var keys []struct{ ID, Name, Account string }
	if err := json.Unmarshal([]byte(list), &keys); err != nil || len(keys) != apikey.MaxActive || keys[0].Name != "n0" || keys[0].Account != "ada" {
		t.Fatalf("%v: %s", err, list)
	}
	kindex(0, "keys", "revoke", keys[0].ID)
	kindex(0, "keys", "create", "--account", "ada")
	kindex(0, "accounts", "limit", "ada", "7", "--window", "hour")
	kindex(0, "accounts", "suspend", "ada")
	kindex(1, "keys", "create", "--account", "ada")
	var accounts []struct {
		ActiveKeys           int
		Limit, WindowSeconds *int64
		SuspendedAt          *time.Time
	}
	out, _ := kindex(0, "accounts", "list", "--json")
	if err := json.Unmarshal([]byte(out), &accounts); err != nil || len(accounts) != 1 || accounts[0].ActiveKeys != apikey.MaxActive ||
		*accounts[0].Limit != 7 || *accounts[0].WindowSeconds != 3600 || accounts[0].SuspendedAt == nil {
		t.Errorf("%v: %s", err, out)
	}
}
