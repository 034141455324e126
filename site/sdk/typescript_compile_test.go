package sdk_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/edge/openapi"
	"kindex/site/sdk"
)

// TestTypeScriptCompiles checks that the sources compile against the description, but not
// against descriptions with changes that the client does not support.
func TestTypeScriptCompiles(t *testing.T) {
	suite.InTest(t)
	suite.NodeModules(t, "openapi-typescript", "typescript")
	t.Parallel()
	type edit struct {
		change, old, new string
		in               string // where the compiler must report an error, or "" if it must succeed
	}
	edits := []edit{
		{"a renamed operation", "operationId: getManifest", "operationId: readManifest", "src/files.ts"},
		{"a renamed query parameter", "    Cursor:\n      name: cursor\n", "    Cursor:\n      name: after\n", "src/reading.ts"},
		{"a renamed path parameter", "    WebhookId:\n      name: id\n", "    WebhookId:\n      name: webhook\n", "src/client.ts"},
		{"a renamed fields parameter", "    Fields:\n      name: fields\n", "    Fields:\n      name: members\n", "src/types.ts"},
		{"a renamed member of errors", "        suggestion:\n          type: string\n          nullable: true\n", "        hint:\n          type: string\n          nullable: true\n", "src/errors.ts"},
		{"nothing", "operationId: getManifest", "operationId: getManifest", ""},
		{"a different address", "\n  /api/trending:\n", "\n  /api/trends:\n", "src/reading.ts"},
		{"a removed member", "required: [data, count, comparedTo, nextCursor, build]", "required: [data, count, comparedTo, build]", "src/reading.ts"},
		{"a renamed parameter in an address", "  /api/webhooks/{id}/test:\n", "  /api/webhooks/{hook}/test:\n", "src/client.ts"},
		{"a different value", "enum: [json, csv, jsonl, parquet]", "enum: [json, csv, ndjson, parquet]", "src/files.ts"},
		{"an additional operation name", "operationId: getTypescriptSdk\n", "operationId: getJavascriptSdk\n", "src/client.ts"},
	}
	additional := edit{"an additional member", "errors, suggestion, requestId]\n      properties:\n", "errors, suggestion, requestId]\n      properties:\n        docs: {type: string}\n", ""}
	// Each compilation takes seconds, so make test makes one edit for each source file at once.
	cases := [][]edit{{additional}, edits[:5]}
	if suite.Soaking() {
		cases = append([][]edit{{additional}}, slices.Collect(slices.Chunk(edits, 1))...)
	}
	descriptions := make([]string, len(cases))
	for i, c := range cases {
		descriptions[i] = string(openapi.YAML)
		for _, e := range c {
			if n := strings.Count(descriptions[i], e.old); n != 1 {
				t.Fatalf("the description has %q %d times; name another place for %q here", e.old, n, e.change)
			}
			descriptions[i] = strings.Replace(descriptions[i], e.old, e.new, 1)
		}
	}
	complaints := compileAgainst(t, descriptions)
	for i, c := range cases {
		for _, e := range c {
			if e.in == "" && complaints[i] != "" || !strings.Contains(complaints[i], e.in) {
				t.Errorf("%s: the compiler reports, for %q in place of %q:\n%s", e.change, e.new, e.old, complaints[i])
			}
		}
	}
}

// compileAgainst compiles a copy of the sources with the types of each description, and
// returns the compiler's errors for each.
func compileAgainst(t *testing.T, descriptions []string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(nodeModules(t), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "package"), os.DirFS("typescript")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "compile.mjs"), read(t, "testdata/typescript/compile.mjs"))
	b, err := json.Marshal(descriptions)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "descriptions.json"), string(b))
	cmd := exec.CommandContext(t.Context(), "node", "compile.mjs", "descriptions.json")
	cmd.Dir = dir
	var complaints []string
	if out := command(t, cmd); json.Unmarshal(out, &complaints) != nil || len(complaints) != len(descriptions) {
		t.Fatalf("%s", out)
	}
	return complaints
}

// TestTypeScriptVersion checks that both files have the version of the description.
func TestTypeScriptVersion(t *testing.T) {
	want := sdk.Versions(sdk.TypeScript)[0].Version
	if s := read(t, "typescript/src/version.ts"); !strings.Contains(s, "version = '"+want+"';") {
		t.Errorf("src/version.ts has another version than %s:\n%s", want, s)
	}
	if s := read(t, "typescript/package.json"); !strings.Contains(s, `"version": "`+want+`"`) || strings.Contains(s, "ependencies") || strings.Contains(s, "install") {
		t.Errorf("package.json has another version than %s, or needs more than itself:\n%s", want, s)
	}
	page := read(t, filepath.Join(edgetest.Root(t), typescriptReadme))
	if !strings.Contains(page, want+".tgz") {
		t.Errorf("the README names another version than %s", want)
	}
	for _, o := range operations(t) {
		if !strings.Contains(page, "`"+o.id+"`") {
			t.Errorf("the README does not name %s", o.id)
		}
	}
}
