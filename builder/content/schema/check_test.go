package schema

import (
	"bytes"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"kindex/builder/content/yamldoc"
	"kindex/builder/suite"
	"kindex/exports/kinds"
)

// check fails the test if Check finds nothing wrong with a document that violates its JSON Schema
// according to the library. It reports whether the document is valid.
func check(t *testing.T, name string, compiled *jsonschema.Schema, d *yamldoc.Document) (valid bool) {
	t.Helper()
	wrong := compiled.Validate(d.Value)
	before := len(d.Problems)
	of(name).Check(d)
	if valid = len(d.Problems) == before; valid && wrong != nil {
		t.Errorf("%#v has no problems, but %v", d.Value, wrong)
	}
	return valid
}

// compile returns a schema as the library reads it.
func compile(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	data := suite.Must(JSON(name, kinds.Default()))(t)
	raw := suite.Must(jsonschema.UnmarshalJSON(bytes.NewReader(data)))(t)
	c := jsonschema.NewCompiler()
	suite.Check(t, c.AddResource("urn:"+name, raw))
	return c.MustCompile("urn:" + name)
}

// entityFiles returns the entity files of the content for tests.
func entityFiles(t testing.TB) (texts [][]byte) {
	files, err := filepath.Glob(filepath.Join(suite.Content(t), "*", "*.yaml"))
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		data := suite.Must(os.ReadFile(f))(t)
		texts = append(texts, data)
	}
	return texts
}

// rootFiles lists the schemas of root files in the content for tests.
var rootFiles = []string{"boards", "categories", "collect", "index", "providers", "scoring", "synonyms", "vocabulary"}

func of(name string) *Schema { return Of(kinds.Default(), name) }

// rootFile parses one of the root files in the content for tests.
func rootFile(t testing.TB, name string) *yamldoc.Document {
	data := suite.Must(os.ReadFile(filepath.Join(suite.Content(t), name+".yaml")))(t)
	return yamldoc.Parse(name+".yaml", data)
}

func TestRealFiles(t *testing.T) {
	compiled := compile(t, "entity")
	for _, data := range entityFiles(t) {
		if d := yamldoc.Parse("x.yaml", data); !check(t, "entity", compiled, d) {
			t.Error(d.Problems)
		}
	}
	for _, name := range rootFiles {
		if d := rootFile(t, name); !check(t, name, compile(t, name), d) {
			t.Error(d.Problems)
		}
	}
}

// values are put in place of the values of valid documents.
var values = []any{nil, "", " ", "x", "2026-02-30", "2026-02", "https://example.org/a", "https://a..b/", "http://.a", "https://a/%zz",
	"https://example.org:0/", "https://user@example.org/", "https://exa mple.org", "https://ex\u00e4mple.org/\u00fc", "a\u200bb", "\u202eabc", "a\x00b",
	strings.Repeat("x", 500), strings.Repeat("\u00e4", 300), strings.Repeat("x", 40000), "MIT", "mit", "Apache 2", "tool/x", "model/x",
	int64(0), int64(1), int64(-1), int64(math.MaxInt64), int64(1) << 53, 0.5, -0.5, 1e300, math.Inf(1), math.NaN(), 3.0, true, false,
	[]any{}, []any{"a", "a"}, []any{"a", nil}, []any{int64(1)}, map[string]any{}, map[string]any{"value": int64(1)},
	map[string]any{"a\u200b": "x"}}

// mutate replaces, adds or removes values in a part of a document, at random.
func mutate(r *rand.Rand, value any, chance int) any {
	if r.IntN(chance) == 0 {
		return values[r.IntN(len(values))]
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = mutate(r, v[name], chance)
			if r.IntN(2*chance) == 0 {
				delete(v, name)
			}
		}
		if r.IntN(4*chance) == 0 {
			names := []string{"x", "stars", "offers", "lifecycle", "b\u00ad"}
			v[names[r.IntN(len(names))]] = values[r.IntN(len(values))]
		}
	case []any:
		for i := range v {
			v[i] = mutate(r, v[i], chance)
		}
		if len(v) > 0 && r.IntN(4*chance) == 0 {
			v = append(v, slices.Repeat(v[:1], 1+r.IntN(60))...)
		}
		return v
	}
	return value
}

func TestRandomDocuments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var valid, mutants int
	compiled := compile(t, "entity")
	for _, data := range entityFiles(t) {
		d := yamldoc.Parse("x.yaml", data)
		d.Value = mutate(r, d.Value, 20+r.IntN(200))
		mutants++
		if check(t, "entity", compiled, d) {
			valid++
		}
	}
	if valid == 0 || valid == mutants {
		t.Errorf("%d of %d documents are valid", valid, mutants)
	}
}

// count returns the number of values in a part of a document.
func count(value any) int {
	n := 1
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			n += count(member)
		}
	case []any:
		for _, item := range v {
			n += count(item)
		}
	}
	return n
}

func TestRandomRootFiles(t *testing.T) {
	suite.InTest(t)
	r := rand.New(rand.NewPCG(5, 6))
	for _, name := range rootFiles {
		valid, compiled := 0, compile(t, name)
		size := count(rootFile(t, name).Value)
		for range 60 {
			d := rootFile(t, name)
			d.Value = mutate(r, d.Value, size/2+r.IntN(4*size))
			if check(t, name, compiled, d) {
				valid++
			}
		}
		if valid == 0 || valid == 60 {
			t.Errorf("%s: %d of 60 documents are valid", name, valid)
		}
	}
}

// FuzzCheck checks that no document that violates the schema is without problems.
func FuzzCheck(f *testing.F) {
	for i, data := range entityFiles(f) {
		if i%50 == 0 {
			f.Add(data)
		}
	}
	compiled := compile(f, "entity")
	f.Fuzz(func(t *testing.T, data []byte) {
		if d := yamldoc.Parse("x.yaml", data); len(d.Faulty) == 0 && d.Value != nil {
			check(t, "entity", compiled, d)
		}
	})
}
