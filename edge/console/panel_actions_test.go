package console

import (
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/openapi"
	"kindex/edge/storage"
)

// TestEveryActionHasAText: every action in the audit log is described in the panel and in the
// API description.
func TestEveryActionHasAText(t *testing.T) {
	suite.WithoutRace(t)
	for _, a := range storage.Actions {
		if actionTexts[a] == "" {
			t.Errorf("%s has no text in the panel", a)
		}
		if !strings.Contains(string(openapi.YAML), string(a)) {
			t.Errorf("%s is not described", a)
		}
	}
	for a := range actionTexts {
		if !slices.Contains(storage.Actions, a) {
			t.Errorf("%s is not an action", a)
		}
	}
}
