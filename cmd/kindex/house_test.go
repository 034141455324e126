package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// mayImport lists, for each package of the house, which others of it may be
// imported. The README has the same table in words.
var mayImport = map[string][]string{
	"exports":          {},
	"exports/boards":   {"exports"},
	"exports/feed":     {"exports", "exports/safetext"},
	"exports/nearest":  {},
	"exports/safetext": {},
	"indexes":          {"exports", "exports/nearest"},
	"builder":          {"exports", "exports/feed", "exports/nearest", "indexes", "site", "builder/*"},
	"builder/archive":  {"builder/history", "builder/score", "exports"},
	"builder/content":  {"exports", "exports/nearest", "exports/safetext"},
	"builder/score":    {"exports"},
	"builder/compare":  {"builder/content", "builder/rank", "builder/score", "builder/similar", "exports"},
	"builder/git":      {},
	"builder/history":  {"builder/content", "builder/git", "builder/score", "exports", "exports/nearest", "exports/safetext"},
	"builder/importer": {"builder/content", "exports", "exports/nearest", "exports/safetext"},
	"builder/proposal": {"builder/git", "builder/history", "exports/safetext"},
	"builder/rank":     {"exports"},
	"builder/similar":  {"exports"},
	"builder/static":   {"exports", "site/pages"},
	"builder/starter":  {"builder/content", "builder/score"},
	"builder/watch":    {"builder", "builder/content", "builder/history", "builder/score", "exports"},
	"edge":             {"exports", "exports/boards", "exports/croissant", "exports/feed", "exports/nearest", "indexes", "site", "site/*", "edge/*", "builder/score", "exports/safetext"},
	"edge/limit":       {},
	"edge/mcp":         {"exports", "exports/nearest", "exports/safetext"},
	"edge/openapi":     {},
	"edge/keys":        {"exports/safetext"},
	"edge/query":       {"exports", "exports/nearest"},
	"edge/submit":      {"builder/content", "exports", "exports/nearest"},
	"edge/signin":      {"edge/keys"},
	"edge/state":       {"edge/keys", "edge/limit", "edge/seal", "edge/signin", "edge/submit", "edge/webhook"},
	"site/docs":        {},
	"site/guide":       {},
	"site/audit":       {}, // tests of all pages of the website
	"edge/edgefuzz":    {}, // tests that send an edge whatever a stranger could send
	"site/journeys":    {}, // tests of whole journeys through the website
	"site":             {"exports", "indexes", "exports/safetext"},
	"site/pages":       {"builder/score", "exports", "exports/*", "indexes", "site", "site/*"},
	"site/picture":     {"exports"},
	"site/sdk":         {},
	"cmd/bench":        {"*"},
	"cmd/corpus":       {"*"},
	"cmd/kindex":       {"*"},

	"cmd/bench/yardstick":  {"exports"},
	"edge/guard":           {},
	"exports/croissant":    {"exports"},
	"edge/seal":            {},
	"edge/webhook":         {"edge/guard", "exports"},
	"edge/state/statetest": {"builder/suite", "edge/state", "edge/state/statetest/server"},

	"edge/state/statetest/server": {},
	"edge/submit/forge":           {"edge/submit"},

	"edge/submit/forge/forgetest": {},
	"edge/signin/signintest":      {"builder/suite"},

	// What tests begin with.
	"builder/suite":             {},
	"edge/edgetest/browser":     {"builder/suite"},
	"builder/static/statictest": {"builder/static", "builder/suite", "site/pages"},
	"edge/edgetest":             {"builder", "edge", "edge/guard", "edge/keys", "edge/state", "edge/state/statetest"},
}

// onlyIn lists libraries that one package alone may know. cmd/bench/yardstick
// is no part of the product: it measures the libraries beside it.
var onlyIn = map[string][]string{
	"github.com/blevesearch/bleve":  {"indexes", "cmd/bench/yardstick"},
	"github.com/blevesearch/vellum": {"indexes", "cmd/bench/yardstick"},
	"github.com/blevesearch/zapx":   {"indexes"},
	"github.com/google/go-github":   {"edge/submit/forge"},
	"github.com/goccy/go-yaml":      {"builder/content", "edge/openapi"},
	"github.com/gorilla/feeds":      {"exports/feed"},
	"github.com/parquet-go":         {"exports"},
	"github.com/julienschmidt":      {"edge"},
	"github.com/spf13/cobra":        {"cmd/kindex"},
	"github.com/swaggest/swgui":     {"site"},
	"github.com/yuin/goldmark":      {"site/guide"},
	"database/sql":                  {"edge/state", "edge/state/statetest", "cmd/bench/yardstick"},
	"github.com/jackc/pgx":          {"edge/state", "edge/state/statetest", "edge/state/statetest/server"},
	"github.com/pressly/goose":      {"edge/state"},
	"github.com/coreos/go-oidc":     {"edge/signin"},
	"code.dny.dev/ssrf":             {"edge/guard"},
	"github.com/standard-webhooks":  {"edge/webhook"},
	"github.com/github/go-spdx":     {"builder/content"},
	"github.com/santhosh-tekuri":    {"builder/content"},
	"golang.org/x/image":            {"site/picture"},

	"github.com/modelcontextprotocol": {"edge/mcp"},

	// Nobody else starts a program. What is no part of the product: measurements,
	// generated catalogues, and what tests begin with.
	"os/exec": {"builder/git", "builder/suite", "cmd/bench", "cmd/bench/yardstick", "cmd/corpus", "edge/edgetest", "edge/edgetest/browser",
		"edge/signin/signintest", "edge/state/statetest", "edge/state/statetest/server", "edge/submit/forge/forgetest"},
}

// starts finds the other ways to start a program, or to load code.
var starts = regexp.MustCompile(`\b(os\.StartProcess|(syscall|unix|windows)\.(Exec|ForkExec|StartProcess|CreateProcess)|plugin\.Open)\b`)

func TestRooms(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "kindex/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for dec.More() {
		var p struct {
			ImportPath, Dir  string
			Imports, GoFiles []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if found := starts.Find(text); err != nil || found != nil {
				t.Errorf("%s/%s uses %s, by which it could start a program past builder/git (%v)", p.ImportPath, file, found, err)
			}
		}
		name := strings.TrimPrefix(p.ImportPath, "kindex/")
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("package %s is in no row of the table: say here what it may import", name)
			continue
		}
		seen++
		for _, imp := range p.Imports {
			if inner, ok := strings.CutPrefix(imp, "kindex/"); ok && !permitted(allowed, inner) {
				t.Errorf("%s imports %s, which its room does not allow", name, inner)
			}
			for lib, rooms := range onlyIn {
				if strings.HasPrefix(imp, lib) && !slices.Contains(rooms, name) {
					t.Errorf("%s imports %s, which belongs to %s alone", name, imp, strings.Join(rooms, " and "))
				}
			}
		}
		last := name[strings.LastIndex(name, "/")+1:]
		if slices.Contains([]string{"util", "utils", "common", "helpers", "types", "models"}, last) {
			t.Errorf("package %s is not named for what it holds", name)
		}
	}
	if seen < len(mayImport) {
		t.Errorf("%d of %d packages of the table exist", seen, len(mayImport))
	}
}

func permitted(allowed []string, name string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		prefix, wild := strings.CutSuffix(a, "*")
		return a == name || wild && strings.HasPrefix(name, prefix)
	})
}
