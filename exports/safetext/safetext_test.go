package safetext_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"kindex/builder/suite"
	"kindex/exports/safetext"
)

func TestHonestTexts(t *testing.T) {
	for _, s := range []string{
		"", "plain ASCII", "Zoë · naïve – “quoted” …", "清华大学 と カタカナ 한국어", "β-VAE µ αβ", "non\u00a0breaking", "\ufffd",
		"👩\u200d💻", "🏳\ufe0f\u200d🌈", "👍🏽", "🧑🏽\u200d🚀", "🙂\u200d↔\ufe0f", "❤\ufe0f", "1\ufe0f\u20e3 #\ufe0f\u20e3", "ℹ\ufe0f ‼\ufe0f", "☎\ufe0e",
		"می\u200cخواهم", "ه\u200d.ش", "क्\u200dष", "ශ්\u200dරී", "葛\U000e0100", "辻\ufe00", "\u06dd \u0600", "é̂",
	} {
		for at, r := range safetext.Hidden(s) {
			t.Errorf("%q: %U at %d is hidden", s, r, at)
		}
		if safetext.Escape(s) != s || safetext.Strip(s) != s {
			t.Errorf("%q becomes %q and %q", s, safetext.Escape(s), safetext.Strip(s))
		}
	}
}

func TestHiddenCharacters(t *testing.T) {
	for s, want := range map[string]string{
		"a\x00\x1b\x7f\u009b": `a\u0000\u001b\u007f\u009b`, "a\nb\tc\r": `a\u000ab\u0009c\u000d`, "a\xffb": `a\ufffdb`,
		"\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200e\u202e\u2028": `\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200e\u202e\u2028`,
		"\u2060\u2065\u2066\u2800\u3164\ue000\ufdd0\ufe0f\ufeff\uffa0\ufff9\ufffc": `\u2060\u2065\u2066\u2800\u3164\ue000\ufdd0\ufe0f\ufeff\uffa0\ufff9\ufffc`,
		"\U0001d159\U0001ffff\U000e0001\U000e0041\U000e0100\U000f0000":             `\U0001d159\U0001ffff\U000e0001\U000e0041\U000e0100\U000f0000`,
		"a\u200db\u200cc": `a\u200db\u200cc`, "😀\ufe0f\ufe0f": "😀\ufe0f" + `\ufe0f`, "می\u200c\u200cخ": "می\u200c" + `\u200cخ`,
		"1\ufe0f": `1\ufe0f`, "葛\U000e0100\U000e0101": "葛\U000e0100" + `\U000e0101`, "😀\u200d": "😀" + `\u200d`,
	} {
		suite.Equal(t, safetext.Escape(s), want, s)
	}
}

func FuzzSafetext(f *testing.F) {
	f.Add("a\u200b\U000e0041\xff\n👩\u200d💻")
	f.Fuzz(func(t *testing.T, s string) {
		for name, out := range map[string]string{"Escape": safetext.Escape(s), "OneLine": safetext.OneLine(s)} {
			if safetext.Contains(out) || !utf8.ValidString(out) {
				t.Errorf("%s(%q) = %q", name, s, out)
			}
		}
		if out := safetext.OneLine(s); strings.ContainsFunc(out, func(r rune) bool { return unicode.IsSpace(r) && r != ' ' }) || strings.Contains(out, "  ") {
			t.Errorf("OneLine(%q) = %q", s, out)
		}
		// Escaping must not change what a JSON document means.
		data := suite.Must(json.Marshal(s))(t)
		var before, after string
		if json.Unmarshal(data, &before) != nil || json.Unmarshal([]byte(safetext.EscapeJSON(string(data))), &after) != nil || before != after {
			t.Errorf("EscapeJSON returns %q for %q", after, before)
		}
	})
}

// TestWithoutCredentials shows that no message repeats the credentials in an address.
func TestWithoutCredentials(t *testing.T) {
	for message, want := range map[string]string{
		`cannot listen on https://me:s3cret@host/x?token=t0ken&a=b: failed`: `cannot listen on https://…@host/x?token=…&a=b: failed`,
		`https:/me:s3c@ret@host/x: no build`:                                `https:/…@host/x: no build`,
		`"s3://AKIA@bucket" and postgres://me:xxxxx@host/x?sslmode=no`:      `"s3://…@bucket" and postgres://me:xxxxx@host/x?sslmode=no`,
		"ada@example.org: HEAD@{1} of https://host/@scope/x?q=1":            "ada@example.org: HEAD@{1} of https://host/@scope/x?q=1",
	} {
		suite.Equal(t, safetext.WithoutCredentials(message), want, message)
	}
}

// TestAddress shows that messages do not repeat the parts of an address that may be secret.
func TestAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://index.example.org/builds":                "https://index.example.org/builds",
		"https://me:s3cret@index.example.org/x?token=t#f": "https://…@index.example.org/x?…",
		"https://s3cret@index.example.org":                "https://…@index.example.org",
		"postgres://me:s3/c@ret@host/name":                "postgres://…@host/name",
		"me:s3cret@host":                                  "…@host",
		"https://host/#s3cret":                            "https://host/#…",
		"https://host:port\x1b[2J?s3cret":                 "https://host:port\\x1b[2J?…",
		"":                                                "",
	} {
		suite.Equal(t, safetext.Address(address), `"`+want+`"`, address)
	}
}
