package site_test

import (
	"testing"

	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
)

func TestMain(m *testing.M) { browser.Main(m, edgetest.Stop) }
