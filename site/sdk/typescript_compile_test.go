package sdk_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/openapi"
	"kindex/site/sdk"
)

// edit is a change of the description.
type edit struct {
	change, old, new string
	in               string // where the compiler must report an error, or "" if it must succeed
}

var edits = []edit{
	{"a renamed operation", "operationId: getManifest", "operationId: readManifest", "src/files.ts"},
	{"a renamed query parameter", "    Cursor:\n      name: cursor\n", "    Cursor:\n      name: after\n", "src/reading.ts"},
	{"a renamed path parameter", "    WebhookId:\n      name: id\n", "    WebhookId:\n      name: webhook\n", "src/client.ts"},
	{"a renamed fields parameter", "    Fields:\n      name: fields\n", "    Fields:\n      name: members\n", "src/types.ts"},
	{"a renamed member of errors", "        suggestion:\n          type: string\n          nullable: true\n", "        hint:\n          type: string\n          nullable: true\n", "src/errors.ts"},
	{"nothing", "operationId: getManifest", "operationId: getManifest", ""},
	{"an additional member", "errors, suggestion, requestId]\n      properties:\n", "errors, suggestion, requestId]\n      properties:\n        docs: {type: string}\n", ""},
	{"a different address", "\n  /api/trending:\n", "\n  /api/trends:\n", "src/reading.ts"},
	{"a removed member", "required: [data, count, comparedTo, nextCursor, build]", "required: [data, count, comparedTo, build]", "src/reading.ts"},
	{"a renamed parameter in an address", "  /api/webhooks/{id}/test:\n", "  /api/webhooks/{hook}/test:\n", "src/client.ts"},
	{"a different value", "enum: [json, csv, jsonl, parquet]", "enum: [json, csv, ndjson, parquet]", "src/files.ts"},
	{"an additional operation name", "operationId: getTypescriptSdk\n", "operationId: getJavascriptSdk\n", "src/client.ts"},
}

// editsToCompile returns the edits to compile one after the other, each of which takes seconds. That the
// sources compile without an edit is checked when the package is built.
func editsToCompile() []edit {
	if suite.Soaking() {
		return edits
	}
	return nil
}

// TestTypeScriptCompiles checks that the sources do not compile against descriptions with changes that the
// client does not support.
func TestTypeScriptCompiles(t *testing.T) {
	suite.InSoak(t, "each edit is a compilation; TestArchives compiles the sources against the description")
	t.Parallel()
	_, complaints := compiled(t)
	for i, e := range editsToCompile() {
		if e.in == "" && complaints[i] != "" || !strings.Contains(complaints[i], e.in) {
			t.Errorf("%s: the compiler reports, for %q in place of %q:\n%s", e.change, e.new, e.old, complaints[i])
		}
	}
}

// compilation is the result of testdata/typescript/compile.mjs, which tests share.
var compilation struct {
	sync.Once
	dir        string // the package
	complaints []string
}

// compiled builds the package, and compiles its sources after each of the edits. It returns the
// folder of the package, and the compiler's errors for each of editsToCompile.
func compiled(t *testing.T) (dir string, complaints []string) {
	t.Helper()
	suite.NodeModules(t, "openapi-typescript", "typescript")
	c := &compilation
	c.Do(func() {
		c.dir = suite.Must(os.MkdirTemp("", "kindex-sdk-"))(t)
		descriptions := suite.Must(json.Marshal(edited(t)))(t)
		file := filepath.Join(t.TempDir(), "descriptions.json")
		write(t, file, string(descriptions))
		out := suite.Output(t, exec.Command("node", "testdata/typescript/compile.mjs", c.dir, file))
		suite.Check(t, json.Unmarshal([]byte(out), &c.complaints))
	})
	if len(c.complaints) != len(editsToCompile()) {
		t.Fatal("the sources do not compile; see the other test")
	}
	return c.dir, c.complaints
}

// edited returns the descriptions after each of editsToCompile.
func edited(t *testing.T) (descriptions []string) {
	t.Helper()
	for _, e := range edits {
		if n := strings.Count(string(openapi.YAML), e.old); n != 1 {
			t.Fatalf("the description has %q %d times; name another place for %q here", e.old, n, e.change)
		}
	}
	descriptions = []string{}
	for _, e := range editsToCompile() {
		descriptions = append(descriptions, strings.Replace(string(openapi.YAML), e.old, e.new, 1))
	}
	return descriptions
}

// TestTypeScriptVersion checks that both files have the version of the description.
func TestTypeScriptVersion(t *testing.T) {
	want := sdk.Versions(sdk.TypeScript)[0].Version
	suite.Contains(t, read(t, "typescript/src/version.ts"), "version = '"+want+"';")
	if s := read(t, "typescript/package.json"); !strings.Contains(s, `"version": "`+want+`"`) || strings.Contains(s, "ependencies") || strings.Contains(s, "install") {
		t.Errorf("package.json has another version than %s, or needs more than itself:\n%s", want, s)
	}
	page := read(t, filepath.Join(suite.Root(t), typescriptReadme))
	suite.Contains(t, page, want+".tgz")
	for _, o := range operations(t) {
		suite.Contains(t, page, "`"+o.id+"`", o.id)
	}
}
