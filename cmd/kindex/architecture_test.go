package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// mayImport lists the packages of the module that each package may import. The table of
// packages in design.md is generated from it: go test ./cmd/kindex -run TestRooms -update.
var mayImport = map[string][]string{
	// The parts of a build.
	"exports":                   {"exports/history", "exports/jsonenc", "exports/kinds", "exports/parallel", "exports/pricing", "exports/record", "exports/score", "exports/store", "exports/table", "exports/view"},
	"exports/history":           {"exports/jsonenc", "exports/parallel", "exports/record", "exports/score", "exports/view"},
	"exports/view":              {"exports/ids", "exports/kinds", "exports/parallel", "exports/pricing", "exports/record"},
	"exports/jsonenc":           {},
	"exports/kinds":             {"exports/didyoumean", "exports/jsonenc"},
	"exports/parallel":          {},
	"exports/record":            {"exports/jsonenc", "exports/kinds"},
	"exports/store":             {"exports/jsonenc", "exports/table"},
	"exports/table":             {"exports/ids", "exports/jsonenc", "exports/kinds", "exports/record"},
	"exports/board":             {"exports", "exports/didyoumean", "exports/history", "exports/jsonenc", "exports/kinds", "exports/record", "exports/score", "exports/view", "exports/where"},
	"exports/bucket":            {"exports/safetext", "exports/store"},
	"exports/bucket/buckettest": {"builder/suite"},
	"exports/mirror":            {"exports/bucket", "exports/sign", "exports/store"},
	"exports/sign":              {},
	"exports/calendar":          {"exports", "exports/history", "exports/record", "exports/safetext"},
	"exports/quality":           {"exports/kinds", "exports/pricing", "exports/record"},
	"exports/croissant":         {"exports", "exports/kinds", "exports/sign", "exports/store", "exports/table", "exports/view"},
	"exports/didyoumean":        {},
	"exports/feed":              {"exports/ids", "exports/kinds", "exports/pricing", "exports/record", "exports/safetext", "exports/worddiff"},
	"exports/news":              {"exports", "exports/feed", "exports/history", "exports/jsonenc", "exports/pricing", "exports/record"},
	"exports/worddiff":          {},
	"exports/safetext":          {},
	"exports/score":             {"exports/kinds", "exports/record"},
	"exports/ids":               {"exports/kinds", "exports/record"},
	"exports/pricing":           {"exports/jsonenc", "exports/record"},
	"exports/where":             {"exports/didyoumean", "exports/kinds", "exports/record", "exports/safetext", "exports/view"},
	"exports/resolve":           {"exports", "exports/didyoumean", "exports/history", "exports/ids", "exports/jsonenc", "exports/kinds", "exports/record"},
	"indexes":                   {"exports", "exports/*"},

	// Building.
	"builder":                  {"builder/*", "exports", "exports/*", "indexes"},
	"builder/actions":          {"exports/safetext"},
	"builder/audit":            {"builder/actions", "builder/audit/manifest", "builder/plural", "exports", "exports/*"},
	"builder/audit/manifest":   {"exports/ids"},
	"builder/changelog":        {"builder/gitlog", "exports", "exports/history", "exports/record", "exports/score"},
	"builder/check":            {"builder/collect", "builder/plural", "builder/safedial", "exports/record", "exports/safetext", "exports/score"},
	"builder/collect":          {"builder/content", "builder/content/*", "builder/plural", "builder/safedial", "exports/didyoumean", "exports/ids", "exports/kinds", "exports/quality", "exports/record", "exports/safetext", "exports/score", "exports/store", "exports/view"},
	"builder/collect/file":     {"builder/collect", "builder/content/yamldoc", "builder/importer", "builder/importer/mapping", "exports/ids", "exports/kinds", "exports/record"},
	"builder/collect/sources":  {"builder/collect", "builder/content", "builder/content/schema", "builder/content/yamldoc", "exports/ids", "exports/kinds", "exports/record"},
	"builder/content":          {"builder/content/*", "exports/*"},
	"builder/content/schema":   {"builder/content/yamldoc", "exports/board", "exports/didyoumean", "exports/ids", "exports/jsonenc", "exports/kinds", "exports/record", "exports/safetext"},
	"builder/content/yamldoc":  {"exports/safetext"},
	"builder/content/yamlfmt":  {"builder/content/schema", "builder/content/yamldoc", "exports/kinds", "exports/store"},
	"builder/diff":             {"builder/content", "builder/plural", "builder/rank", "exports/*"},
	"builder/diff/gitdiff":     {"builder", "builder/content/yamldoc", "builder/diff", "builder/gitlog", "builder/plural", "exports/jsonenc"},
	"builder/git":              {"builder/scratch"},
	"builder/gitbranch":        {"builder/content", "builder/content/yamlfmt", "builder/git", "builder/gitlog", "exports/kinds", "exports/safetext"},
	"builder/gitlog":           {"builder/content", "builder/content/*", "builder/git", "builder/plural", "exports/*"},
	"builder/importer":         {"builder/content", "builder/content/*", "builder/importer/mapping", "builder/plural", "exports/*"},
	"builder/importer/mapping": {"builder/content/schema", "builder/content/yamldoc", "exports/didyoumean", "exports/kinds"},
	"builder/neighbors":        {"exports", "exports/parallel", "exports/record"},
	"builder/plural":           {},
	"builder/rank":             {"exports/record", "exports/view"},
	"builder/safedial":         {},
	"builder/scratch":          {},
	"builder/scaffold":         {"builder/content", "builder/content/yamldoc", "builder/content/yamlfmt", "exports/jsonenc", "exports/kinds", "exports/score"},
	"builder/watch":            {"builder", "builder/content", "builder/content/yamldoc", "builder/gitlog", "exports", "exports/record"},

	// Presentation.
	"site":          {"exports", "exports/*", "site/textfmt"},
	"site/badge":    {"exports", "exports/*"},
	"site/chart":    {"exports/record", "site/textfmt"},
	"site/form":     {"exports/kinds", "exports/safetext", "site/textfmt"},
	"site/panel":    {"exports/record", "exports/safetext", "site/chart", "site/siteurl", "site/textfmt"},
	"site/siteurl":  {},
	"site/textfmt":  {"exports/feed", "exports/kinds", "exports/record", "exports/safetext"},
	"site/docs":     {},
	"site/mdrender": {},
	"site/ogimage":  {},
	"site/pages":    {"exports", "exports/*", "indexes", "site", "site/badge", "site/chart", "site/docs", "site/form", "site/mdrender", "site/ogimage", "site/panel", "site/sdk", "site/siteurl", "site/textfmt"},
	"site/sdk":      {},
	"site/static":   {"exports", "exports/safetext", "exports/store", "site/pages"},

	// Serving.
	"edge":                   {"builder/safedial", "edge/*", "exports", "exports/record", "exports/safetext", "exports/store", "site/*"},
	"edge/console":           {"builder/content", "builder/content/yamldoc", "edge/account", "edge/apikey", "edge/auth", "edge/live", "edge/ratelimit", "edge/storage", "edge/submission", "edge/web", "edge/webhook", "exports/*", "site/*"},
	"edge/api":               {"edge/account", "edge/apikey", "edge/live", "edge/openapi", "edge/query", "edge/ratelimit", "edge/storage", "edge/submission", "edge/web", "edge/webhook", "exports", "exports/*", "indexes", "site", "site/*"},
	"edge/account":           {"builder/content/yamldoc", "builder/safedial", "edge/apikey", "edge/live", "edge/seal", "edge/storage", "edge/submission", "edge/web", "edge/webhook", "exports", "exports/didyoumean", "exports/ids", "exports/kinds", "exports/record", "site/panel"},
	"edge/web":               {"edge/apikey", "edge/live", "edge/query", "edge/ratelimit", "edge/storage", "exports/*", "site"},
	"edge/live":              {"exports", "exports/*", "indexes", "site/pages"},
	"edge/apikey":            {"exports/safetext"},
	"edge/auth":              {"edge/apikey", "exports/safetext", "site/panel"},
	"edge/mcp":               {"exports/*"},
	"edge/openapi":           {"exports/kinds", "exports/record", "exports/table", "exports/view", "exports/where"},
	"edge/query":             {"exports/*"},
	"edge/ratelimit":         {},
	"edge/seal":              {},
	"edge/storage":           {"edge/apikey", "edge/auth", "edge/ratelimit", "edge/seal", "edge/submission", "edge/webhook"},
	"edge/submission":        {"builder/content", "builder/content/*", "exports/didyoumean", "exports/kinds", "exports/record"},
	"edge/submission/github": {"edge/submission", "exports/safetext"},
	"edge/webhook":           {"builder/safedial", "exports/record"},

	// Programs.
	"cmd/bench":           {},
	"cmd/dist":            {"exports/sign"},
	"cmd/gencorpus":       {"builder/content"},
	"cmd/kindex":          {"*"},
	"cmd/kindex/operator": {"builder/*", "cmd/kindex/cli", "edge/apikey", "edge/seal", "edge/storage", "edge/submission", "edge/submission/github", "exports", "exports/*"},
	"cmd/kindex/cli":      {"builder/content/yamldoc", "builder/diff", "builder/plural", "exports", "exports/didyoumean", "exports/safetext"},

	// Test support, and packages that contain only tests.
	"builder/collect/collecttest": {"builder/collect", "builder/safedial", "builder/suite"},
	"builder/content/contenttest": {"builder/content/yamldoc", "builder/suite"},
	"builder/diff/difftest":       {"builder/diff", "exports/jsonenc", "exports/record"},
	"builder/suite":               {},

	"edge/deploy":                       {},
	"edge/submission/github/githubtest": {},
	"edge/storage/storagetest":          {"builder/suite", "edge/storage"},
	"edge/auth/authtest":                {"builder/suite"},
	"edge/edgetest":                     {"builder", "builder/safedial", "builder/suite", "edge", "edge/apikey", "edge/storage", "edge/storage/storagetest"},
	"edge/edgetest/browser":             {"builder/suite"},

	"site/audit": {},
}

// onlyIn lists libraries that only one package may import. cmd/bench is not part of the product:
// it measures other libraries.
var onlyIn = map[string][]string{
	"github.com/blevesearch/bleve":  {"indexes", "cmd/bench"},
	"github.com/blevesearch/vellum": {"indexes"},
	"github.com/blevesearch/zapx":   {"indexes"},
	"github.com/google/go-github":   {"edge/submission/github"},
	"github.com/goccy/go-yaml":      {"exports/kinds", "builder/content/yamldoc", "builder/content/yamlfmt", "edge/openapi", "cmd/gencorpus"},
	"github.com/arran4/golang-ical": {"exports/calendar"},
	"github.com/parquet-go":         {"exports/table"},
	"github.com/julienschmidt":      {"edge", "edge/web"},
	"github.com/spf13/cobra":        {"cmd/kindex", "cmd/kindex/cli", "cmd/kindex/operator"},
	"github.com/swaggest/swgui":     {"site"},
	"github.com/yuin/goldmark":      {"builder/diff/difftest", "edge/edgetest", "site/mdrender"},
	"database/sql":                  {"edge/storage", "edge/storage/storagetest", "cmd/bench"},
	"github.com/jackc/pgx":          {"edge/storage", "edge/storage/storagetest"},
	"github.com/pressly/goose":      {"edge/storage"},
	"github.com/coreos/go-oidc":     {"edge/auth"},
	"code.dny.dev/ssrf":             {"builder/safedial"},
	"github.com/standard-webhooks":  {"edge/webhook"},
	"github.com/github/go-spdx":     {"builder/content/schema"},
	"golang.org/x/image":            {"site/ogimage"},
	"golang.org/x/crypto/x509roots": {"cmd/dist"},
	"github.com/minio/minio-go":     {"exports/bucket"},

	"github.com/modelcontextprotocol": {"edge/mcp"},

	// No other package may start a program. The only exceptions are not part of the
	// product: measurements, releases, generated catalogues and test support.
	"os/exec": {"builder/git", "builder/suite", "cmd/bench", "cmd/dist", "edge/edgetest", "edge/edgetest/browser",
		"edge/auth/authtest", "edge/storage/storagetest", "edge/submission/github/githubtest", "exports/bucket/buckettest"},
}

// starts matches other ways to start a program or load code.
var starts = regexp.MustCompile(`\b(os\.StartProcess|(syscall|unix|windows)\.(Exec|ForkExec|StartProcess|CreateProcess)|plugin\.Open)\b`)

// listed is a package of the module as reported by go list.
type listed struct {
	ImportPath, Dir, Doc string
	Imports, GoFiles     []string
}

func (p *listed) name() string { return strings.TrimPrefix(p.ImportPath, "kindex/") }

// TestRooms checks that each package imports only the packages that it may import, that
// some libraries are used in only one place, and that the table of packages in design.md is
// up to date.
func TestRooms(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	packages := listPackages(t)
	for _, p := range packages {
		checkStarts(t, p)
		allowed, known := mayImport[p.name()]
		if !known {
			t.Errorf("package %s is missing from mayImport; list the packages it may import", p.name())
			continue
		}
		checkImports(t, p, allowed)
		last := p.name()[strings.LastIndex(p.name(), "/")+1:]
		if slices.Contains([]string{"util", "utils", "common", "helpers", "types", "models"}, last) {
			t.Errorf("package %s is not named after its contents", p.name())
		}
	}
	if len(packages) < len(mayImport) {
		t.Errorf("%d of %d packages of mayImport exist", len(packages), len(mayImport))
	}
	checkTable(t, packages)
}

func listPackages(t *testing.T) (packages []*listed) {
	t.Helper()
	out := suite.Must(exec.Command("go", "list", "-json=ImportPath,Dir,Doc,Imports,GoFiles", "kindex/...").Output())(t)
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		p := &listed{}
		suite.Check(t, dec.Decode(p))
		packages = append(packages, p)
	}
	return packages
}

func checkStarts(t *testing.T, p *listed) {
	t.Helper()
	for _, file := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, file))
		if found := starts.Find(text); err != nil || found != nil {
			t.Errorf("%s/%s uses %s, which could start a program without builder/git (%v)", p.ImportPath, file, found, err)
		}
	}
}

func checkImports(t *testing.T, p *listed, allowed []string) {
	t.Helper()
	unused := map[string]bool{}
	for _, a := range allowed {
		unused[a] = true
	}
	for _, imp := range p.Imports {
		if inner, ok := strings.CutPrefix(imp, "kindex/"); ok {
			by := slices.IndexFunc(allowed, func(a string) bool { return permits(a, inner) })
			if by < 0 {
				t.Errorf("%s imports %s, which is not listed in mayImport", p.name(), inner)
				continue
			}
			delete(unused, allowed[by])
		}
		for lib, packages := range onlyIn {
			if strings.HasPrefix(imp, lib) && !slices.Contains(packages, p.name()) {
				t.Errorf("%s imports %s, which only %s may import", p.name(), imp, strings.Join(packages, " and "))
			}
		}
	}
	for a := range unused {
		if a != "*" {
			t.Errorf("%s may import %s but does not; remove it from mayImport", p.name(), a)
		}
	}
}

// permits reports whether an entry in mayImport, such as edge/query or edge/*, covers a
// package.
func permits(entry, name string) bool {
	prefix, wild := strings.CutSuffix(entry, "*")
	return entry == name || wild && strings.HasPrefix(name, prefix)
}

// tableHead starts the table of packages in design.md.
const tableHead = "| package | what it does | may import |\n| --- | --- | --- |\n"

// checkTable compares the table in design.md with mayImport and the packages' doc comments,
// or updates it.
func checkTable(t *testing.T, packages []*listed) {
	t.Helper()
	readme := filepath.Join(suite.Root(t), "site", "docs", "design.md")
	text := suite.Must(os.ReadFile(readme))(t)
	before, rest, found := strings.Cut(string(text), tableHead)
	if !found {
		t.Fatalf("design.md has no table starting with\n%s", tableHead)
	}
	_, after, _ := strings.Cut(rest, "\n\n")
	var table strings.Builder
	for _, p := range packages {
		if p.Doc == "" || strings.HasSuffix(p.name(), "test") || strings.Contains(p.name(), "test/") {
			continue // contains only tests
		}
		_, does, _ := strings.Cut(strings.TrimSuffix(p.Doc, "."), " "+path.Base(p.name())+" ")
		imports := cmp.Or(strings.Join(mayImport[p.name()], ", "), "–")
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", p.name(), does, imports)
	}
	want := before + tableHead + table.String() + "\n" + after
	switch {
	case want == string(text):
	case suite.Updating():
		suite.Check(t, os.WriteFile(readme, []byte(want), 0o644))
	default:
		t.Error("the table of packages in design.md is out of date; run: go test ./cmd/kindex -run TestRooms -update")
	}
}
