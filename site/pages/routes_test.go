package pages

import (
	"slices"
	"strings"
	"testing"

	"kindex/exports/kinds"
)

// TestPathsAreReserved: no kind can have the address of another page.
func TestPathsAreReserved(t *testing.T) {
	for _, r := range routes {
		parts := strings.Split(strings.Trim(r.pattern, "/"), "/")
		if strings.HasPrefix(parts[0], ":") { // its fixed parts follow names of kinds, and :values is checked against them
			continue
		}
		if first := parts[0]; first != "" && !strings.Contains(first, ".") && !slices.Contains(kinds.Paths, first) {
			t.Errorf("%s begins a path of the website, and is missing from kinds.Paths", first)
		}
	}
}
