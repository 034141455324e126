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
	"exports/leaderboard":   {"exports"},
	"exports/feed":     {"exports", "exports/safetext"},
	"exports/didyoumean":  {},
	"exports/safetext": {},
	"indexes":          {"exports", "exports/didyoumean"},
	"builder":          {"exports", "exports/feed", "exports/didyoumean", "indexes", "site", "builder/*"},
	"builder/changelog":  {"builder/gitlog", "exports/score", "exports"},
	"builder/content":  {"exports", "exports/didyoumean", "exports/safetext"},
	"exports/score":    {"exports"},
	"builder/diff":  {"builder/content", "builder/rank", "exports/score", "builder/neighbors", "exports"},
	"builder/git":      {},
	"builder/gitlog":  {"builder/content", "builder/git", "exports/score", "exports", "exports/didyoumean", "exports/safetext"},
	"builder/importer": {"builder/content", "exports", "exports/didyoumean", "exports/safetext"},
	"builder/gitbranch": {"builder/git", "builder/gitlog", "exports/safetext"},
	"builder/rank":     {"exports"},
	"builder/neighbors":  {"exports"},
	"site/static":   {"exports", "site/pages"},
	"builder/scaffold":  {"builder/content", "exports/score"},
	"builder/watch":    {"builder", "builder/content", "builder/gitlog", "exports/score", "exports"},
	"edge":             {"exports", "exports/leaderboard", "exports/croissant", "exports/feed", "exports/didyoumean", "indexes", "site", "site/*", "edge/*", "exports/score", "exports/safetext"},
	"edge/ratelimit":       {},
	"edge/mcp":         {"exports", "exports/didyoumean", "exports/safetext"},
	"edge/openapi":     {},
	"edge/apikey":        {"exports/safetext"},
	"edge/query":       {"exports", "exports/didyoumean"},
	"edge/submission":      {"builder/content", "exports", "exports/didyoumean"},
	"edge/auth":      {"edge/apikey"},
	"edge/storage":       {"edge/apikey", "edge/ratelimit", "edge/seal", "edge/auth", "edge/submission", "edge/webhook"},
	"site/docs":        {},
	"site/mdrender":       {},
	"site/audit":       {}, // tests of all pages of the website
	"edge/edgefuzz":    {}, // tests that send an edge whatever a stranger could send
	"site/e2e":    {}, // tests of whole journeys through the website
	"site":             {"exports", "indexes", "exports/safetext"},
	"site/pages":       {"exports/score", "exports", "exports/*", "indexes", "site", "site/*"},
	"site/ogimage":     {"exports"},
	"site/sdk":         {},
	"cmd/bench":        {"*"},
	"cmd/gencorpus":       {"*"},
	"cmd/kindex":       {"*"},

	"cmd/bench/baseline":  {"exports"},
	"edge/safedial":           {},
	"exports/croissant":    {"exports"},
	"edge/seal":            {},
	"edge/webhook":         {"edge/safedial", "exports"},
	"edge/storage/statetest": {"builder/suite", "edge/storage", "edge/storage/statetest/server"},

	"edge/storage/statetest/server": {},
	"edge/submission/github":           {"edge/submission"},

	"edge/submission/github/forgetest": {},
	"edge/auth/signintest":      {"builder/suite"},

	// What tests begin with.
	"builder/suite":             {},
	"edge/edgetest/browser":     {"builder/suite"},
	"site/static/statictest": {"site/static", "builder/suite", "site/pages"},
	"edge/edgetest":             {"builder", "edge", "edge/safedial", "edge/apikey", "edge/storage", "edge/storage/statetest"},
}

// onlyIn lists libraries that one package alone may know. cmd/bench/baseline
// is no part of the product: it measures the libraries beside it.
var onlyIn = map[string][]string{
	"github.com/blevesearch/bleve":  {"indexes", "cmd/bench/baseline"},
	"github.com/blevesearch/vellum": {"indexes", "cmd/bench/baseline"},
	"github.com/blevesearch/zapx":   {"indexes"},
	"github.com/google/go-github":   {"edge/submission/github"},
	"github.com/goccy/go-yaml":      {"builder/content", "edge/openapi"},
	"github.com/gorilla/feeds":      {"exports/feed"},
	"github.com/parquet-go":         {"exports"},
	"github.com/julienschmidt":      {"edge"},
	"github.com/spf13/cobra":        {"cmd/kindex"},
	"github.com/swaggest/swgui":     {"site"},
	"github.com/yuin/goldmark":      {"site/mdrender"},
	"database/sql":                  {"edge/storage", "edge/storage/statetest", "cmd/bench/baseline"},
	"github.com/jackc/pgx":          {"edge/storage", "edge/storage/statetest", "edge/storage/statetest/server"},
	"github.com/pressly/goose":      {"edge/storage"},
	"github.com/coreos/go-oidc":     {"edge/auth"},
	"code.dny.dev/ssrf":             {"edge/safedial"},
	"github.com/standard-webhooks":  {"edge/webhook"},
	"github.com/github/go-spdx":     {"builder/content"},
	"github.com/santhosh-tekuri":    {"builder/content"},
	"golang.org/x/image":            {"site/ogimage"},

	"github.com/modelcontextprotocol": {"edge/mcp"},

	// Nobody else starts a program. What is no part of the product: measurements,
	// generated catalogues, and what tests begin with.
	"os/exec": {"builder/git", "builder/suite", "cmd/bench", "cmd/bench/baseline", "cmd/gencorpus", "edge/edgetest", "edge/edgetest/browser",
		"edge/auth/signintest", "edge/storage/statetest", "edge/storage/statetest/server", "edge/submission/github/forgetest"},
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
