package openapi_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"kindex/builder/suite"
	"kindex/edge/openapi"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/where"
)

func load(t *testing.T, data []byte) *openapi3.T {
	t.Helper()
	return suite.Must(openapi3.NewLoader().LoadFromData(data))(t)
}

func TestValid(t *testing.T) {
	doc := load(t, openapi.YAML)
	suite.Equal(t, doc.OpenAPI, "3.0.3", "the description uses OpenAPI")
	suite.Check(t, doc.Validate(context.Background(), openapi3.EnableExamplesValidation()))
}

// TestJSONEqualsYAML compares the JSON and YAML forms, using a different parser than the one
// that converts YAML to JSON.
func TestJSONEqualsYAML(t *testing.T) {
	suite.InTest(t)
	inJSON, err := openapi.JSON(openapi.YAML)
	suite.Require(t, err == nil && json.Valid(inJSON), "the JSON form is not JSON", err)
	decoded := func(data []byte) (v any) {
		b, err := json.Marshal(load(t, data))
		if err == nil {
			err = json.Unmarshal(b, &v)
		}
		suite.Check(t, err)
		return v
	}
	suite.Equal(t, decoded(openapi.YAML), decoded(inJSON), "the JSON and YAML forms differ")
}

// TestContact checks that the description contains the contact of the service. Only the part
// before the paths is read, because the rest takes long.
func TestContact(t *testing.T) {
	suite.InTest(t)
	for contact, want := range map[string]openapi3.Contact{
		"":                            {},
		"ops@example.org":             {Email: "ops@example.org"},
		"https://example.org/more#a":  {URL: "https://example.org/more#a"},
		"Room 12: \"ask\" #\n<b>{x}":  {Name: "Room 12: \"ask\" #\n<b>{x}"},
		"Ops <ops@example.org>":       {Name: "Ops <ops@example.org>"},
		"javascript:alert(1)//@x.org": {Name: "javascript:alert(1)//@x.org"},
	} {
		inYAML := openapi.With(openapi.Service{Contact: contact, SignIn: true}, openapi.YAML)
		head, rest, _ := bytes.Cut(inYAML, []byte("\npaths:\n"))
		checkContact(t, load(t, slices.Concat(head, []byte("\npaths: {}\n"))), want)
		suite.Holds(t, bytes.HasSuffix(openapi.YAML, rest) &&
			len(rest) >= len(openapi.YAML)/2, contact, "changes more than the contact")
		if !strings.Contains(want.Name, "\n") { // one conversion is enough, and slow
			continue
		}
		inJSON := suite.Must(openapi.JSON(inYAML))(t)
		checkContact(t, load(t, inJSON), want)
	}
}

func checkContact(t *testing.T, doc *openapi3.T, want openapi3.Contact) {
	t.Helper()
	got := openapi3.Contact{}
	if doc.Info.Contact != nil {
		got = *doc.Info.Contact
	}
	suite.Holds(t, got.Name == want.Name && got.Email == want.Email &&
		got.URL == want.URL, "the contact", got, want)
	suite.Check(t, doc.Info.Validate(context.Background()))
}

var semantic = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$`)

// TestChangesNeedAVersion checks that the description does not change without a new version. The
// hash of each version is in testdata/<version>.sha256.
func TestChangesNeedAVersion(t *testing.T) {
	version := load(t, openapi.YAML).Info.Version
	suite.Require(t, semantic.MatchString(version), "info.version", version, "is not a semantic version")
	suite.Equal(t, openapi.Version(), version, "Version returns")
	sum := sha256.Sum256(openapi.YAML)
	hash := hex.EncodeToString(sum[:])
	golden := filepath.Join("testdata", version+".sha256")
	if suite.Updating() {
		suite.Check(t, os.WriteFile(golden, []byte(hash+"\n"), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("version %s of the description has no golden hash: %v\nWrite it with: go test ./edge/openapi -update", version, err)
	}
	if strings.TrimSpace(string(want)) != hash {
		t.Errorf(`openapi.yaml has changed, but its version is still %s.
Increase info.version: patch for wording, minor for additions, major for breaking changes.
Then, or if version %s was never published: go test ./edge/openapi -update`, version, version)
	}
}

// redocly is the path of the linter, which is installed with the other Node dependencies.
const redocly = "../../site/node_modules/.bin/redocly"

// TestRedocly checks that Redocly finds a deliberate mistake and no other problem with its
// recommended rules.
func TestRedocly(t *testing.T) {
	suite.InTest(t)
	t.Parallel() // it mostly waits for Node
	if _, err := os.Stat(redocly); err != nil {
		suite.Missing(t, "@redocly/cli")
	}
	worse := bytes.Replace(openapi.YAML, []byte("      operationId: getEntity\n"), []byte("      operationId: listEntities\n"), 1)
	if found := lint(t, worse); len(found) != 1 || !strings.Contains(found[0], "operation-operationId-unique") {
		t.Errorf("besides a duplicate operationId, Redocly found %s", strings.Join(found, "\n"))
	}
}

// lint returns the errors and warnings that Redocly finds.
func lint(t *testing.T, description []byte) []string {
	t.Helper()
	program := suite.Must(filepath.Abs(redocly))(t)
	dir := t.TempDir() // contains no settings that could affect the result
	suite.Check(t, os.WriteFile(filepath.Join(dir, "openapi.yaml"), description, 0o644))
	cmd := exec.Command(program, "lint", "--extends=recommended", "--format=json", "--max-problems=1000", "openapi.yaml")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	failed := cmd.Run()
	var report struct {
		Totals   struct{ Errors, Warnings, Ignored int }
		Problems []struct {
			RuleID, Severity, Message string
			Location                  []struct{ Pointer string }
		}
	}
	suite.Check(t, json.Unmarshal(stdout.Bytes(), &report))
	var found []string
	for _, p := range report.Problems {
		found = append(found, p.Severity+" "+p.RuleID+": "+p.Message)
	}
	if sum := report.Totals.Errors + report.Totals.Warnings + report.Totals.Ignored; sum != len(found) || failed != nil && report.Totals.Errors == 0 {
		t.Fatalf("%v: %s%s", failed, stdout.Bytes(), stderr.Bytes())
	}
	return found
}

// declarations returns what a content folder declares.
func declarations(t *testing.T, dir string) *kinds.Set {
	t.Helper()
	data := suite.Must(os.ReadFile(filepath.Join(dir, "kinds.yaml")))(t)
	return suite.Must(kinds.Parse(data))(t)
}

// TestServedDefault checks that an index that declares nothing has the description as it is written.
func TestServedDefault(t *testing.T) {
	got := suite.Must(openapi.Served(kinds.Default()))(t)
	suite.Holds(t, bytes.Equal(got, openapi.YAML), "the description of the default kinds is another one")
}

// TestServed checks the descriptions of an index of glazes and of the tools and models with one more field:
// they are valid, lint-clean, and have the members, filters and kinds of the index, and no others.
func TestServed(t *testing.T) {
	suite.InTest(t)
	more := suite.Must(kinds.Parse([]byte(strings.Replace(string(defaultYAML(t)), "fields:\n", "fields:\n  glow: {type: count, title: Glow, filter: true}\n", 1))))(t)
	for name, declared := range map[string]*kinds.Set{"workshop": declarations(t, suite.Workshop(t)), "more": more} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := suite.Must(openapi.Served(declared))(t)
			suite.Equal(t, len(lint(t, text)), 0, "Redocly found")
			doc := load(t, text)
			suite.Check(t, doc.Validate(context.Background()))
			checkServed(t, doc, declared)
			if name == "workshop" {
				for _, word := range []string{"openWeights", "contextTokens", "stars", "maxPrice", "/api/cost", "tool/", "pytorch"} {
					if i := bytes.Index(text, []byte(word)); i >= 0 {
						t.Errorf("the description says %s: …%s…", word, text[max(0, i-80):min(len(text), i+80)])
					}
				}
			}
		})
	}
}

func checkServed(t *testing.T, doc *openapi3.T, declared *kinds.Set) {
	t.Helper()
	var types []string
	for _, v := range doc.Components.Schemas["EntityType"].Value.Enum {
		types = append(types, v.(string))
	}
	suite.Equal(t, types, declared.Names(), "types")
	whole := doc.Components.Schemas["EntityDocument"].Value
	for _, member := range record.RecordFields(declared) {
		suite.Holds(t, whole.Properties[member] != nil &&
			slices.Contains(whole.Required, member), "a record has no", member, "or it is optional")
	}
	if n := len(record.RecordFields(declared)) + 1; len(whole.Properties) != n { // and build
		t.Errorf("a record has %d members, want %d", len(whole.Properties), n)
	}
	growth := doc.Components.Schemas["SignalGrowth"].Value
	for _, x := range declared.Signals {
		suite.Equal(t, growth.Properties[x.Name] != nil, x.Varies(), "the growth of", x.Name)
	}
	var filters []string
	for _, p := range doc.Paths.Find("/api/entities").Get.Parameters {
		filters = append(filters, p.Value.Name)
	}
	for _, name := range where.Filters(declared) {
		suite.Holds(t, slices.Contains(filters, name), "/api/entities has no parameter", name)
	}
	for _, name := range where.Filters(kinds.Default()) {
		if slices.Contains(filters, name) && !slices.Contains(where.Filters(declared), name) {
			t.Errorf("/api/entities has the parameter %s", name)
		}
	}
}

// defaultYAML returns the declarations of an index without a kinds.yaml.
func defaultYAML(t *testing.T) []byte {
	t.Helper()
	return suite.Must(os.ReadFile(filepath.Join(suite.Root(t), "exports", "kinds", "default.yaml")))(t)
}
