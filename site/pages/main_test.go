package pages_test

import (
	"os"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
)

// passedOver reports whether the i-th of many cases runs only in make soak: all but every
// eighth do.
func passedOver(i int) bool { return i%suite.Pick(8, 1) != 0 }

func TestMain(m *testing.M) {
	code := m.Run()
	if thePast.out != "" {
		_ = os.RemoveAll(thePast.out)
	}
	edgetest.Stop()
	os.Exit(code)
}
