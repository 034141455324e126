package indexes_test

import (
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestLongWords searches for unrealistically long words. The cost must not grow with their
// length, because anyone can search for them.
func TestLongWords(t *testing.T) {
	suite.WithoutRace(t)
	c := realCatalogue(t)
	cost := func(q string) float64 {
		return testing.AllocsPerRun(3, func() {
			c.index.Alternatives(q, c.all, 5)
		})
	}
	short := cost("zqxjkvbw")
	var distinct strings.Builder
	for r := rune(0x20000); distinct.Len() < 4*40; r += 67 {
		distinct.WriteRune(r)
	}
	for _, q := range []string{distinct.String(), strings.Repeat("\U00010428\U0001E922", 20), strings.Repeat("zq", 250), strings.Repeat("zqxjkvbw", 12) + "1", strings.Repeat("zqxjkvbwz-", 50)} {
		if long := cost(q); long > 20*short {
			t.Errorf("%.60q takes %.0f allocations, a short word %.0f", q, long, short)
		}
	}
}
