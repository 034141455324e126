package edge_test

import (
	"os"
	"testing"

	"kindex/edge"
	"kindex/edge/edgetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	edge.RemovePrepared()
	edgetest.Stop()
	os.Exit(code)
}
