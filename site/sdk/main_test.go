package sdk_test

import (
	"testing"

	"kindex/edge/edgetest"
)

func TestMain(m *testing.M) { edgetest.Main(m) }
