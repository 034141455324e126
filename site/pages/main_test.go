package pages_test

import (
	"os"
	"testing"

	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
)

// passedOver tells which of many cases are left to the tests without the race
// detector: all but each eighth.
func passedOver(i int) bool { return raceEnabled && i%8 != 0 }

func TestMain(m *testing.M) { browser.Main(m, edgetest.Stop, removePast) }

// removePast removes the build that pastBuild has made.
func removePast() {
	if thePast.out != "" {
		_ = os.RemoveAll(thePast.out)
	}
}
