package safetext_test

import (
	"testing"

	"kindex/builder/suite"
	"kindex/exports/safetext"
)

func TestShorten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äöü…"},
		{"😀😀", 1, "😀…"}, {"a", 0, "…"}, {"\xff\xff\xff", 2, "\xff\xff…"},
	} {
		suite.Equal(t, safetext.Shorten(c.text, c.limit), c.want, c.text, c.limit)
	}
}
