package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/safedial"
	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/storage/storagetest"
)

// checkout adds bin/kindex to the repository of a content folder, and returns the repository.
func checkout(t *testing.T, content string) string {
	t.Helper()
	dir := filepath.Dir(content)
	program := suite.Must(exec.LookPath("kindex"))(t)
	suite.Check(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	suite.Check(t, os.Symlink(program, filepath.Join(dir, "bin", "kindex")))
	ignored := "/bin\n/exports\n/indexes\n/kindex.*\n"
	suite.Check(t, os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte(ignored), 0o644))
	return dir
}

// public resolves every name to the same public address. No test sends anything to that
// address.
type public struct{}

func (public) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
}

func (public) dial(_ context.Context, _ *net.Dialer, _, address string) (net.Conn, error) {
	return nil, fmt.Errorf("no network in tests: %s", address)
}

// TestReadme runs the examples in the README, and in the guides that continue it, as of
// edgetest.Today. An edge is running meanwhile, which shares its database with the commands.
func TestReadme(t *testing.T) {
	suite.InTest(t)
	dir, clock := checkout(t, edgetest.Content(t)), t.TempDir()
	suite.Check(t, os.WriteFile(filepath.Join(clock, "date"), []byte("#!/bin/sh\necho "+edgetest.Today().Format(time.DateOnly)+"\n"), 0o755))
	e := edgetest.Start(t, edge.Options{Dir: edgetest.Built(t), LimitAnonymous: 20, LimitKey: 100, State: storagetest.Open(t, filepath.Join(dir, "kindex.db")),
		Guard: safedial.New(safedial.Options{Resolver: public{}, Dial: public{}.dial})})
	run := edgetest.Run{Edge: e, Key: e.Key(t, "local"), Dir: dir, Path: []string{clock},
		Env: append(slices.Clone(programEnvironment), "KINDEX_AS_OF="+edgetest.Today().Format(time.DateOnly)),
		// The images that the README offers for use on other sites must exist.
		Programs: map[string][]string{"md": {"bash", "-euo", "pipefail", "-c", `grep -oE 'http[^)]+' "$0" | xargs -n 1 curl -fsS`}},
		After: func(b edgetest.Block, printed string) {
			if tour := strings.Count(b.Text, "\ncurl -fsS "); tour > 3 && tour != 22 {
				t.Errorf("the tour has %d requests, want 22", tour)
			}
			if strings.Contains(printed, `"data":[]`) && !strings.Contains(b.Text, "/api/trending") {
				t.Errorf("the block in line %d shows nothing: %s", b.Line, printed)
			}
		}}
	for _, page := range []struct {
		file   string
		except []edgetest.Exception
	}{
		{"README.md", []edgetest.Exception{
			{Text: "sh install.sh", Reason: "it needs a release; TestInstall in cmd/dist runs it"},
			{Text: "make run    #", Reason: "it serves until it is stopped"},
			{Text: "bin/kindex serve --dir mine", Reason: "it serves until it is stopped; testdata/script/init.txtar does so"},
			{Text: "published by renaming exports/current", Reason: "a drawing"},
			{Text: "make test   #", Reason: "make test runs this test"},
		}},
		{"site/docs/tour.md", nil},
		{"site/docs/history.md", nil},
		{"site/docs/accounts.md", nil},
		{"site/docs/clients.md", []edgetest.Exception{
			{Text: `"mcpServers"`, Reason: "settings of another program; the test of site/docs/agents.md starts the server with them"},
		}},
		{"site/docs/design.md", []edgetest.Exception{
			{Text: "publish: rename exports/current", Reason: "a drawing"},
		}},
	} {
		run.Except = page.except
		edgetest.Examples(t, page.file, run)
	}
}

// TestOwnIndex runs the guide to an index of one's own in an empty folder.
func TestOwnIndex(t *testing.T) {
	suite.InTest(t)
	program := checkout(t, edgetest.Content(t))
	edgetest.Examples(t, "site/docs/own-index.md", edgetest.Run{Dir: t.TempDir(), Env: programEnvironment, Path: []string{filepath.Join(program, "bin")}})
}

// TestContentReadme runs the examples in the guides for contributors.
func TestContentReadme(t *testing.T) {
	suite.InTest(t)
	dir := checkout(t, edgetest.Content(t))
	shipped := suite.Must(filepath.Glob(filepath.Join(dir, "content", "tool", "*.yaml")))(t)
	rows := writeList(t, filepath.Join(dir, "list.csv.gz"))
	run := edgetest.Run{Dir: dir, Env: programEnvironment, Path: []string{filepath.Join(dir, "bin")}}
	for _, page := range []struct {
		file   string
		except []edgetest.Exception
	}{
		{"content/README.md", []edgetest.Exception{
			{Text: "tool/<slug>.yaml      one tool per file", Reason: "a drawing of the folder"},
			{Text: "formerly: [old-slug]", Reason: "one line of a file; testdata/script/history.txtar has renames"},
		}},
		{"site/docs/content-files.md", []edgetest.Exception{
			{Text: "slug: open-coding-models", Reason: "an example of a board; builder/content/testdata/lint checks such files"},
			{Text: "[llm, large language model]", Reason: "a part of content/synonyms.yaml"},
			{Text: "synonyms: [vector-similarity]", Reason: "a part of content/vocabulary.yaml"},
			{Text: "# yaml-language-server", Reason: "a line for editors"},
		}},
		{"site/docs/importing.md", []edgetest.Exception{
			{Text: "each: benchmarks, name: name", Reason: "a part of a mapping; builder/importer/testdata/models-dev.yaml has such a one"},
			{Text: "each: offers", Reason: "a part of a mapping; cmd/kindex/testdata/script/import_offers.txtar has such a one"},
		}},
		{"site/docs/collecting.md", []edgetest.Exception{
			{Text: "kindex collect --dry-run", Reason: "it needs the network; testdata/script/collect.txtar runs it without"},
		}},
	} {
		run.Except = page.except
		edgetest.Examples(t, page.file, run)
	}
	cmd := exec.Command("kindex", "validate", "content")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("with the examples as entities: %v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "content", "tool", "*.yaml"))
	if added := len(files) - len(shipped); err != nil || added < rows/2 {
		t.Errorf("the import wrote %d entities from %d rows: %v", added, rows, err)
	}
}

// writeList writes a compressed extract of a public list and returns the number of rows. It
// omits repositories that occur twice or were renamed, because the mapping in the guide refuses rows with
// the same slug.
func writeList(t *testing.T, path string) (n int) {
	t.Helper()
	rows := suite.Must(csv.NewReader(strings.NewReader(readText(t, "../../builder/importer/testdata/best-of.csv"))).ReadAll())(t)
	rows = slices.DeleteFunc(rows, func(row []string) bool {
		return slices.Contains([]string{"microsoft/SynapseML", "uber/orbit", "Lightning-AI/lightning"}, row[0])
	})
	var list bytes.Buffer
	zipped := gzip.NewWriter(&list)
	table := csv.NewWriter(zipped)
	suite.Check(t, errors.Join(table.WriteAll(rows), zipped.Close(), os.WriteFile(path, list.Bytes(), 0o644)))
	return len(rows) - 1
}
