package apikey_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/apikey"
)

func TestRedact(t *testing.T) {
	key := apikey.Generate().Reveal()
	short := "kx_" + key[3:7] + "…redacted"
	for text, want := range map[string]string{
		"": "", "nothing here": "nothing here", "kx_": "kx_", "/api/kx_a": "/api/kx_a", "kx_kx_kx_": "kx_kx_kx_",
		key: short, "/api/entity/" + key + "/" + key + "x": "/api/entity/" + short + "/" + short + "x",
		"key=" + key[:20] + "&x=1": "key=" + short + "&x=1", "…" + key + "…": "…" + short + "…",
		"kx_" + key:           "kx_" + short,
		key[:3] + key[3:41]:   short,
		"kx_abcdefghijk":      "kx_abcdefghijk",
		"kx_abcdefghijkl":     "kx_abcd…redacted",
		"see kx_ and key_abc": "see kx_ and key_abc",
	} {
		suite.Equal(t, apikey.Redact(text), want, text)
	}
}

func TestLogHandlerRedacts(t *testing.T) {
	key := apikey.Generate().Reveal()
	var out bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		log := slog.New(apikey.LogHandler(h))
		log.Info("path /"+key, "path", "/"+key, "error", fmt.Errorf("no such thing: %w", errors.New(key)), slog.Group("g", "v", key, "h", slog.GroupValue(slog.String("x", key))))
		log.With("with", key).WithGroup("group").Error("x", "bytes", []string{key}, "map", map[string]string{key: "1"}, "struct", struct{ V any }{key}, key, 1)
		log.Info("plain", "n", 5, "error", errors.New("all is well"), "list", []int{1, 2})
	}
	suite.Lacks(t, out.String(), key[3:20], "the log contains a key")
	suite.Lacks(t, out.String(), key[12:35], "the log contains a key")
	for _, want := range []string{"n=5", `error="all is well"`, `"list":[1,2]`, `"error":"all is well"`} {
		suite.Contains(t, out.String(), want)
	}
	if n := strings.Count(out.String(), "…redacted"); n < 18 {
		t.Errorf("only %d redaction marks: %s", n, out.String())
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("kx_", "0123456789abcdefghijklmnopqrstuvwxyzAB")
	f.Add("a kx_b", "")
	f.Fuzz(func(t *testing.T, before, after string) {
		key := apikey.Generate().Reveal()
		if got := apikey.Redact(before + key + after); strings.Contains(got, key[7:35]) {
			t.Fatalf("%q", got)
		}
	})
}
