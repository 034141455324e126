package sdk_test

import (
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/site/sdk"
)

// TestTypeScriptVersion checks that both files have the version of the description.
func TestTypeScriptVersion(t *testing.T) {
	want := sdk.Versions(sdk.TypeScript)[0].Version
	if s := read(t, "typescript/src/version.ts"); !strings.Contains(s, "version = '"+want+"';") {
		t.Errorf("src/version.ts has another version than %s:\n%s", want, s)
	}
	if s := read(t, "typescript/package.json"); !strings.Contains(s, `"version": "`+want+`"`) || strings.Contains(s, "ependencies") || strings.Contains(s, "install") {
		t.Errorf("package.json has another version than %s, or needs more than itself:\n%s", want, s)
	}
	page := read(t, filepath.Join(suite.Root(t), typescriptReadme))
	if !strings.Contains(page, want+".tgz") {
		t.Errorf("the README names another version than %s", want)
	}
	for _, o := range operations(t) {
		if !strings.Contains(page, "`"+o.id+"`") {
			t.Errorf("the README does not name %s", o.id)
		}
	}
}
