package indexes

import (
	"html"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHighlightedText checks that lower case changes no word of a text, and that texts are escaped
// as html.EscapeString does.
func TestHighlightedText(t *testing.T) {
	parts := []string{"GPT", "Über", "İstanbul", "STRASSE", "ß", "Kelvin \u212a", "a\u0301B", "C++", "F#", "v4.5B", "東京Tower", "<&>\"'", "-", " ", "\xff", "ﬁX", "Ⅷ"}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var text string
		for range 1 + rng.IntN(6) {
			text += parts[rng.IntN(len(parts))]
		}
		if got, want := appendSpans(nil, lowerASCII(text)), spans(text); !slices.Equal(got, want) {
			t.Fatalf("%q: words %v, want %v", text, got, want)
		}
		if got := string(appendEscaped(nil, text)); got != html.EscapeString(text) {
			t.Fatalf("%q is escaped as %q", text, got)
		}
	}
}
