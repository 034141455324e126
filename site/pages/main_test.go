package pages_test

import (
	"os"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
)

// passedOver reports whether the i-th of many cases runs only in make soak: all but every
// eighth do.
func passedOver(i int) bool { return i%suite.Pick(8, 1) != 0 }

func TestMain(m *testing.M) { browser.Main(m, edgetest.Stop, removePast) }

// removePast removes the build of pastBuild.
func removePast() {
	if thePast.out != "" {
		_ = os.RemoveAll(thePast.out)
	}
}
