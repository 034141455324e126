package worddiff

import (
	"strings"
	"testing"

	"kindex/builder/suite"
)

// marked shows parts as git diff --word-diff does.
func marked(parts []Part) string {
	var list []string
	for _, p := range parts {
		list = append(list, [...]string{p.Text, "[-" + p.Text + "-]", "{+" + p.Text + "+}"}[p.Kind])
	}
	return strings.Join(list, " ")
}

func TestParts(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"replaced", "Trains networks on one machine or on many", "Trains models on one machine or on many", "Trains [-networks-] {+models+} on one machine or on many"},
		{"inserted at the end", "a library for tensors in Python", "a library for tensors in Python and C++", "a library for tensors in Python {+and C+++}"},
		{"deleted at the beginning", "Very fast vector search for many vectors", "fast vector search for many vectors", "[-Very-] fast vector search for many vectors"},
		{"a short word between changes", "reads large files of text quickly and safely", "reads small folders of images quickly and safely", "reads [-large files of text-] {+small folders of images+} quickly and safely"},
		{"short texts", "one two", "one three", ""},
		{"little in common", "alpha beta gamma delta epsilon zeta eta", "one two three four five six eta", ""},
		{"equal", "one two three four five six", "one two three four five six", "one two three four five six"},
	} {
		t.Run(c.name, func(t *testing.T) {
			suite.Equal(t, marked(Parts(c.old, c.new)), c.want)
		})
	}
	long := strings.Repeat("a b c ", 500)
	if Parts("x "+long+"y", "z "+strings.ReplaceAll(long, "b", "d")) != nil {
		t.Error("very long texts are compared")
	}
}

func TestShorten(t *testing.T) {
	words := "one two three four five six seven eight nine ten"
	got := marked(Shorten(Parts(words+" old "+words+" old "+words, words+" new "+words+" newer "+words), 3))
	if want := "… eight nine ten [-old-] {+new+} one two three … eight nine ten [-old-] {+newer+} one two three …"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// FuzzParts checks that the parts contain both texts.
func FuzzParts(f *testing.F) {
	f.Add("a b c d e f", "a c d x e f")
	f.Add("the quick brown fox of old", "the slow brown fox of new")
	f.Fuzz(func(t *testing.T, old, new string) {
		parts := Parts(old, new)
		if parts == nil {
			return
		}
		var a, b []string
		for i, p := range parts {
			if i > 0 && (p.Kind == parts[i-1].Kind || p.Kind == Deleted && parts[i-1].Kind == Inserted) {
				t.Fatalf("the order of parts is wrong: %v", parts)
			}
			if p.Kind != Inserted {
				a = append(a, p.Text)
			}
			if p.Kind != Deleted {
				b = append(b, p.Text)
			}
		}
		if x := strings.Join(strings.Fields(old), " "); strings.Join(a, " ") != x {
			t.Errorf("the old text is %q, want %q", strings.Join(a, " "), x)
		}
		if x := strings.Join(strings.Fields(new), " "); strings.Join(b, " ") != x {
			t.Errorf("the new text is %q, want %q", strings.Join(b, " "), x)
		}
	})
}
