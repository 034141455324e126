package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"kindex/builder/collect"
	"kindex/builder/suite"
)

// fileRun is a copy of the catalogue next to the public lists and a checkout of models.dev.
type fileRun struct {
	t    *testing.T
	dir  string
	data string // the folder of the newest collections
}

// newFileRun copies the catalogue and the collections into a new folder.
func newFileRun(t *testing.T) *fileRun {
	t.Helper()
	x := &fileRun{t: t, dir: t.TempDir(), data: filepath.Join(suite.Collections(t), "data", "fresh")}
	if _, err := os.Stat(x.data); err != nil {
		suite.CannotRun(t, "the newest collections are missing: "+err.Error())
	}
	if dir := os.Getenv("KINDEX_COLLECT_RUN"); dir != "" {
		x.dir = dir
	}
	lists, mappings := filepath.Join(x.dir, "lists"), filepath.Join("testdata", "collect-lists")
	for from, to := range map[string]string{filepath.Join(suite.Root(t), "content"): filepath.Join(x.dir, "content"), mappings: lists} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(x.data, "tools", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		x.write("lists/"+filepath.Base(path), x.read(path))
	}
	var harnesses struct{ Projects []json.RawMessage }
	x.decode("tools/agent-harnesses-2026-08-02.json", &harnesses)
	var lines bytes.Buffer
	for _, p := range harnesses.Projects {
		if err := json.Compact(&lines, p); err != nil {
			t.Fatal(err)
		}
		lines.WriteByte('\n')
	}
	x.write("lists/harnesses.jsonl", lines.Bytes())
	x.checkout()
	return x
}

// checkout writes the TOML files of models.dev again from the collection that was made of them.
func (x *fileRun) checkout() {
	x.t.Helper()
	put := func(path string, fields map[string]any) {
		data, err := toml.Marshal(fields)
		if err != nil {
			x.t.Fatal(path, err)
		}
		x.write("models.dev/"+path+".toml", data)
	}
	var models map[string]map[string]any
	x.decode("models/models-dev-base.json", &models)
	for id, fields := range models {
		put("models/"+id, fields)
	}
	var offers []map[string]any
	x.decode("models/models-dev-offers.json", &offers)
	for _, o := range offers {
		path := fmt.Sprintf("providers/%v/models/%v", o["provider_id"], o["model_id"])
		delete(o, "provider_id")
		delete(o, "model_id")
		delete(o, "same_as")
		put(path, o)
	}
}

// newer writes a checkout of only the models and offers that are newer than the collection.
func (x *fileRun) newer() {
	x.t.Helper()
	for _, line := range strings.Split(string(x.read(filepath.Join(x.data, "models", "new", "INDEX.tsv"))), "\n")[1:] {
		if cells := strings.Split(line, "\t"); len(cells) > 3 && !strings.HasPrefix(cells[0], "_suspect/") {
			x.write("newer/"+cells[2], x.read(filepath.Join(x.data, "models", "new", filepath.FromSlash(cells[0]))))
		}
	}
}

func (x *fileRun) read(path string) []byte {
	x.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		x.t.Fatal(err)
	}
	return data
}

func (x *fileRun) write(name string, data []byte) {
	x.t.Helper()
	path := filepath.Join(x.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		x.t.Fatal(err)
	}
}

func (x *fileRun) decode(name string, into any) {
	x.t.Helper()
	if err := json.Unmarshal(x.read(filepath.Join(x.data, filepath.FromSlash(name))), into); err != nil {
		x.t.Fatal(err)
	}
}

// lists puts the lists into collect.yaml, in front of what the catalogue has there.
func (x *fileRun) lists() {
	x.t.Helper()
	own, err := os.ReadFile(filepath.Join(x.dir, "content", "collect.yaml"))
	if err != nil && !os.IsNotExist(err) {
		x.t.Fatal(err)
	}
	x.write("content/collect.yaml", slices.Concat(x.read(filepath.Join("testdata", "collect-lists", "collect.yaml")), own))
}

// collect runs kindex collect without a network and returns its report.
func (x *fileRun) collect(args ...string) *collect.Report {
	x.t.Helper()
	report := filepath.Join(x.dir, "report.json")
	args = append([]string{"collect", "--offline", "--content", filepath.Join(x.dir, "content"), "--cache", filepath.Join(x.dir, "cache"), "--report", report}, args...)
	var out, problems bytes.Buffer
	if code := run(x.t.Context(), args, &out, &problems); code != 0 {
		x.t.Fatalf("exit %d: %s%s", code, out.String(), problems.String())
	}
	var r collect.Report
	if err := json.Unmarshal(x.read(report), &r); err != nil {
		x.t.Fatal(err)
	}
	return &r
}

// TestCollectFromFiles collects the figures of the whole catalogue from the newest public lists
// and models.dev. What is known to be wrong in them must not arrive in the catalogue, and a
// second run changes nothing.
func TestCollectFromFiles(t *testing.T) {
	suite.WithoutRace(t)
	x := newFileRun(t)
	x.lists()
	args := []string{"--modelsdev", filepath.Join(x.dir, "models.dev"), "--date", "2026-07-02"}
	r := x.collect(args...)
	for _, s := range r.Sources {
		t.Logf("%+v", s)
	}
	for _, s := range r.Stopped {
		t.Logf("stopped %+v", s)
	}
	for _, s := range slices.Concat(r.Refused, r.Failed, r.Gone) {
		t.Logf("problem %+v", s)
	}
	t.Logf("%d files, %d changes", r.Files, len(r.Changes))
	for _, c := range r.Changes {
		t.Logf("change %+v", c)
	}
	if again := x.collect(args...); again.Files != 0 || len(again.Changes) != 0 {
		t.Errorf("a second run changes %d files: %+v", again.Files, again.Changes)
	}
}
