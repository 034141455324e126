package openapi_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"kindex/builder/suite"
	"kindex/edge/openapi"
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
	if err != nil || !json.Valid(inJSON) {
		t.Fatalf("the JSON form is not JSON: %v", err)
	}
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
		inYAML := openapi.With(contact, openapi.YAML)
		head, rest, _ := bytes.Cut(inYAML, []byte("\npaths:\n"))
		checkContact(t, load(t, slices.Concat(head, []byte("\npaths: {}\n"))), want)
		if !bytes.HasSuffix(openapi.YAML, rest) || len(rest) < len(openapi.YAML)/2 {
			t.Errorf("%q changes more than the contact", contact)
		}
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
	if got.Name != want.Name || got.Email != want.Email || got.URL != want.URL {
		t.Errorf("the contact is %+v, want %+v", got, want)
	}
	suite.Check(t, doc.Info.Validate(context.Background()))
}

var semantic = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$`)

// TestChangesNeedAVersion checks that the description does not change without a new version. The
// hash of each version is in testdata/<version>.sha256.
func TestChangesNeedAVersion(t *testing.T) {
	version := load(t, openapi.YAML).Info.Version
	if !semantic.MatchString(version) {
		t.Fatalf("info.version %q is not a semantic version", version)
	}
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
