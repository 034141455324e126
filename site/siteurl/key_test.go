package siteurl_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"kindex/builder/suite"
	"kindex/site/siteurl"
)

func FuzzKey(f *testing.F) {
	for _, s := range []string{"hugging face", "weights & biases", "a/b", "..", ".", "a_b", "a b", "a~20b", "北京 ai", "c++", "c#", strings.Repeat("界", 99),
		"con", "aux.js", "com1", "weights & biases, inc.", "σας", "K", "index.html"} {
		f.Add(s, s+" ")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return // YAML is UTF-8
		}
		key := siteurl.Key(a)
		if a != "" && (key == "" || key == "." || key == "..") || len(key) > 120 || strings.ContainsAny(key, "/%?#\\ ") || !utf8.ValidString(key) {
			t.Errorf("%q is not a valid folder name: %q", key, a)
		}
		if strings.EqualFold(key, "index.html") {
			t.Errorf("%q is the page of the parent folder: %q", key, a)
		}
		if onWindows(key) != nil {
			t.Errorf("%q is not a valid folder name on Windows: %q: %v", key, a, onWindows(key))
		}
		if a != b && strings.EqualFold(key, siteurl.Key(b)) {
			t.Errorf("%q and %q have the same key %q, or one that differs in case alone: %q", a, b, key, siteurl.Key(b))
		}
	})
}

// onWindows returns why Windows rejects a folder name, or creates a folder with a
// different name. https://learn.microsoft.com/windows/win32/fileio/naming-a-file
func onWindows(name string) error {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch base {
	case "CON", "PRN", "AUX", "NUL", "COM0", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9",
		"LPT0", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9", "CONIN$", "CONOUT$":
		return errors.New("it is a device")
	}
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return errors.New("its end is lost")
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) }) {
		return errors.New("it has a character that none may have")
	}
	return nil
}

// TestReservedNames checks that names reserved by Windows, and the name of a folder's
// page, are encoded as different folder names, and that all other names are unchanged.
func TestReservedNames(t *testing.T) {
	for text, want := range map[string]string{
		"con": "~63on", "aux": "~61ux", "nul.ai": "~6eul.ai", "com1": "~63om1", "lpt9.js.org": "~6cpt9.js.org", "prn": "~70rn",
		"acme, inc.": "acme~2c_inc~2e", "a..": "a.~2e", "...": "~2e.~2e", "con ": "con_",
		"σας": "σα~cf~82", "ΣΑΣ": "~ce~a3~ce~91~ce~a3", "straße": "straße", "yapı": "yapı",
		"conda": "conda", "console": "console", "com": "com", "com10": "com10", "lpt": "lpt", "a.con": "a.con", "node.js": "node.js", "auxiliary": "auxiliary",
		"index.html": "~69ndex.html", "index.html.": "index.html~2e", "index.htm": "index.htm", "my index.html": "my_index.html", "index": "index",
	} {
		suite.Equal(t, siteurl.Key(text), want, "the key", text)
	}
}
