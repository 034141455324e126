package pages_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"kindex/site/pages"
)

func FuzzSlugKey(f *testing.F) {
	for _, s := range []string{"hugging face", "weights & biases", "a/b", "..", ".", "a_b", "a b", "a~20b", "北京 ai", "c++", "c#", strings.Repeat("界", 99)} {
		f.Add(s, s+" ")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			t.Skip("YAML is UTF-8")
		}
		key := pages.SlugKey(a)
		if a != "" && (key == "" || key == "." || key == "..") || len(key) > 120 || strings.ContainsAny(key, "/%?#\\ ") || !utf8.ValidString(key) {
			t.Errorf("%q is no name of a folder: %q", key, a)
		}
		if a != b && key == pages.SlugKey(b) {
			t.Errorf("%q and %q have the same key %q", a, b, key)
		}
	})
}
