package auth

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"kindex/builder/suite"
	"kindex/edge/apikey"
)

// names maps names at the provider to the expected account names.
var names = map[string]string{
	"octocat":                       "octocat",
	"Octo-Cat":                      "octo-cat",
	"ann.other@example.org":         "ann-other",
	"@ann":                          "ann",
	"Zoë O'Neil":                    "zoe-o-neil",
	"ﬁnn":                           "finn",
	"Ⅷ":                             "viii",
	"--rf":                          "rf",
	"../../etc/passwd":              "etc-passwd",
	"<script>alert(1)</script>":     "script-alert-1-script",
	"山田":                            "user",
	"":                              "user",
	"---":                           "user",
	"İstanbul":                      "istanbul",
	"раураl":                        "l", // Cyrillic except for the last letter
	strings.Repeat("a", 100):        strings.Repeat("a", maxName),
	strings.Repeat("a", 39) + "-bc": strings.Repeat("a", 39),
}

func TestAccountName(t *testing.T) {
	for login, want := range names {
		suite.Equal(t, accountName(login), want, login)
	}
}

// TestPlainLogin checks that invisible characters and terminal control characters are
// dropped.
func TestPlainLogin(t *testing.T) {
	for login, want := range map[string]string{"ann\u202eeve\u200b\U000e0041": "anneve", "\x1b[2Jann\r\n": "[2Jann", " Zoë O'Neil ": "Zoë O'Neil", "山田": "山田", "a\u2028b\u0085c": "abc"} {
		suite.Equal(t, plainLogin(login), want, login, "stored as")
	}
}

// FuzzNames checks that the names made from arbitrary text can be used for an account, on a
// page and in a database.
func FuzzNames(f *testing.F) {
	for login := range names {
		f.Add(login)
	}
	fit := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	f.Fuzz(func(t *testing.T, login string) {
		name := accountName(login)
		err := apikey.CheckName(name)
		suite.Holds(t, err == nil && fit.MatchString(name) && len(name) <= maxName, login, "account", name, err)
		plain := plainLogin(login)
		if len(plain) > maxLogin || !utf8.ValidString(plain) || strings.ContainsAny(plain, "\x00\r\n\x1b") || strings.TrimSpace(plain) != plain {
			t.Errorf("%q: stored as %q", login, plain)
		}
	})
}
