package sdk_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
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

// TestTypeScriptCompiles checks that the sources do not compile against descriptions with changes that the
// client does not support.
func TestTypeScriptCompiles(t *testing.T) {
	suite.InSoak(t, "each edit is a compilation; TestArchives compiles the sources against the description")
	t.Parallel()
	suite.NodeModules(t, "openapi-typescript", "typescript")
	var descriptions, complaints []string
	for _, e := range edits {
		suite.Equal(t, strings.Count(string(openapi.YAML), e.old), 1, "places in the description for", e.change)
		descriptions = append(descriptions, strings.Replace(string(openapi.YAML), e.old, e.new, 1))
	}
	file := filepath.Join(t.TempDir(), "descriptions.json")
	write(t, file, string(suite.Must(json.Marshal(descriptions))(t)))
	out := suite.Output(t, exec.Command("node", "testdata/typescript/compile.mjs", t.TempDir(), file))
	suite.Check(t, json.Unmarshal([]byte(out), &complaints))
	for i, e := range edits {
		if e.in == "" && complaints[i] != "" || !strings.Contains(complaints[i], e.in) {
			t.Errorf("%s: the compiler reports, for %q in place of %q:\n%s", e.change, e.new, e.old, complaints[i])
		}
	}
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
