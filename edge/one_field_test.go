package edge_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"kindex/builder"
	"kindex/builder/importer"
	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/storage/storagetest"
)

// TestOneMoreField adds a line to kinds.yaml, names the field in a kind, and finds it everywhere: in the
// record, the mistakes that validation finds, exports, filters, orders, pages, comparison, the form, imports,
// Markdown, the tools of agents, the description of the API and the changelog.
func TestOneMoreField(t *testing.T) {
	suite.InTest(t)
	content, out := t.TempDir(), t.TempDir()
	if err := os.CopyFS(content, os.DirFS(suite.Workshop(t))); err != nil {
		t.Fatal(err)
	}
	buildFixture(t, content, out, "2026-10-31")
	edit := func(file, from, to string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(content, file))
		if err != nil || !bytes.Contains(text, []byte(from)) {
			t.Fatalf("%s has no %q: %v", file, from, err)
		}
		if err := os.WriteFile(filepath.Join(content, file), bytes.Replace(text, []byte(from), []byte(to), 1), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edit("kinds.yaml", "fields:\n", "fields:\n  glow: {type: count, title: Glow, description: How much it glows., filter: true, sort: true}\n")
	edit("kinds.yaml", "fields: [finish,", "fields: [glow, finish,")
	edit("kinds.yaml", "columns: [", "columns: [glow, ")
	edit("glaze/celadon.yaml", "finish: gloss\n", "finish: gloss\nglow: -7\n")
	_, err := builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)})
	if err == nil || !strings.Contains(err.Error(), "glow: -7 is below 0") {
		t.Errorf("a wrong value: %v", err)
	}
	edit("glaze/celadon.yaml", "glow: -7\n", "glow: 7\n")

	c := &contract{seen: newSeen(), valid: map[response]bool{}}
	c.build = buildFixture(t, content, out, "2026-11-01")
	c.state = storagetest.SQLite(t)
	c.server, c.url = serve(t, edge.Options{Dir: out, State: c.state, LimitAnonymous: 1e6, LimitKey: 1e6}, false)
	for _, want := range []struct{ target, text string }{
		{"/api/entity/glaze/celadon", `"glow":7`},
		{"/api/entity/glaze/tenmoku", `"glow":null`},
		{"/api/entities?minGlow=7&fields=slug", `"count":1,`},
		{"/api/entities?sort=glow&fields=slug", `"data":[{"slug":"celadon"}`},
		{"/api/entities?minGlo=7", `minGlow`},
		{"/api/export/entities?fields=slug,glow&format=csv&type=glaze", "slug,glow\r\nceladon,7\r\n"},
		{"/api/changelog?field=glow", `"field":"glow","old":null,"new":7`},
		{"/api/kinds", `"name":"glow"`},
		{"/api/openapi", `minGlow`},
		{"/api/entity/glaze/celadon.md", "- Glow: 7\n"},
		{"/glaze/celadon/", "<dt>Glow</dt><dd><bdi>7</bdi>"},
		{"/glazes/", `Glow`},
		{"/glazes/", `name="minGlow"`},
		{"/compare/?e=glaze/celadon&e=glaze/tenmoku", "Glow"},
		{"/submit/?e=glaze/celadon", `name="glow"`},
	} {
		status := http.StatusOK
		if strings.Contains(want.target, "minGlo=") {
			status = http.StatusBadRequest
		}
		if a := c.send(t, request{target: want.target, status: status}); !strings.Contains(string(a.body), want.text) {
			t.Errorf("%s does not have %q: %.2000s", want.target, want.text, a.body)
		}
	}
	tools := c.send(t, request{verb: "POST", target: "/mcp", status: 200, header: []string{"Accept: application/json, text/event-stream"},
		body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`})
	if !bytes.Contains(tools.body, []byte(`"minGlow"`)) {
		t.Errorf("the tools of agents do not have minGlow: %s", tools.body)
	}
	if typ := parquetType(t, c, "glow"); typ != "INT64" {
		t.Errorf("the column glow is %s", typ)
	}
	rows := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(rows, []byte("Name,Glow\nA,5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	guessed, err := importer.Guess(importer.GuessOptions{Input: rows, Content: content, Type: "glaze"})
	if err != nil || !strings.Contains(string(guessed.Mapping), "\n  glow: Glow\n") {
		t.Errorf("an import does not propose glow: %v\n%s", err, guessed.Mapping)
	}
}

// parquetType returns the type of a column of the glazes, in Parquet.
func parquetType(t *testing.T, c *contract, column string) string {
	t.Helper()
	a := c.send(t, request{target: "/api/export/entities?format=parquet&fields=slug," + column, status: 200})
	f, err := parquet.OpenFile(bytes.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		t.Fatal(err)
	}
	leaf, ok := f.Schema().Lookup(column)
	if !ok {
		return fmt.Sprintf("missing in %s", f.Schema())
	}
	return leaf.Node.Type().Kind().String()
}
