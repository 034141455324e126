package pages_test

import (
	"os"
	"testing"

	"kindex/edge/edgetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if thePast.out != "" {
		_ = os.RemoveAll(thePast.out)
	}
	edgetest.Stop()
	os.Exit(code)
}
