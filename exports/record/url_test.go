package record

import (
	"net/url"
	"testing"
)

// FuzzNormalizeParsed checks that a parsed URL has the same normal form as its text.
func FuzzNormalizeParsed(f *testing.F) {
	for _, s := range []string{
		"https://www.GitHub.com/A/B.git/", "http://example.org:80/a?b=c#d", "//user:secret@example.org/%41/%2f?", "https://www.www.gitlab.com/A%20B/.git",
		"http://[::1]:8080/x", "https://exa%6Dple.org//a//", "https://example.org/a b#\t", "https://ex_ample.org/*", "https://münchen.example/ß", "https://example.org/%zz",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" {
			return
		}
		if got, want := NormalizeParsed(u), NormalizeURL(u.String()); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	})
}
