package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	lists, mappings := filepath.Join(x.dir, "lists"), filepath.Join("testdata", "collect-lists")
	if err := os.CopyFS(lists, os.DirFS(mappings)); err != nil {
		t.Fatal(err)
	}
	suite.CopyContent(t, filepath.Join(x.dir, "content"))
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

// collectStops are values that are known to be wrong in the collections, or that somebody must
// look at, with the start of the reason for which they are stopped.
var collectStops = map[string]string{
	// Rows without forks and last commits: stars of Docker Hub, and of nothing in particular.
	"tool/cupy:stars":              "the answer is incomplete",
	"tool/jupyterlab:stars":        "the answer is incomplete",
	"tool/jupyterlab:forks":        "the answer is incomplete",
	"tool/jupyterlab:contributors": "the answer is incomplete",
	// A list that writes 0 and one day for what it does not know.
	"tool/braintrust:stars":       "the answer is incomplete",
	"tool/braintrust:lastCommit":  "the answer is incomplete",
	"tool/llamaparse:stars":       "the answer is incomplete",
	"tool/llamaparse:lastCommit":  "the answer is incomplete",
	"tool/pydantic-ai:lastCommit": "the date is earlier than the previous one",
	"tool/stagehand:lastCommit":   "the date is earlier than the previous one",
	"tool/stagehand:stars":        "fell from",
	// The figures of another repository.
	"tool/paddlehub:stars": "fell from",
	"tool/paddlehub:forks": "fell from",
	// Licences of a part, and an imprecise one.
	"tool/autogen:license":    "the licence changed",
	"tool/advertorch:license": "the licence changed",
	// models.dev: a provider that serves another model under the same name, dates and limits that
	// contradict the files, and cached input that is dearer than other input.
	"model/deepseek-v4-pro-0813:offers.deepseek/deepseek-v4-pro.input":                    "changed from",
	"model/deepseek-v4-pro-0813:offers.deepseek/deepseek-v4-pro.output":                   "changed from",
	"model/deepseek-v4-pro-0813:offers.deepseek/deepseek-v4-pro.cacheRead":                "changed from",
	"model/gpt-5-2-codex:released":                                                        "the release date changed",
	"model/pixtral-large-latest:released":                                                 "the release date changed",
	"model/llama-4-scout-17b-instruct:contextTokens":                                      "fell from",
	"model/gpt-3-5-turbo:offers.cloudflare-ai-gateway/openai%2Fgpt-3%2E5-turbo.cacheRead": "1.25 is above the input price",
	"model/mimo-v2-flash:offers.novita-ai/xiaomimimo%2Fmimo-v2-flash.cacheRead":           "0.3 is above the input price",
	"model/gpt-4:released": "it is listed in guards.refuse in collect.yaml",
	"model/sonar:released": "it is listed in guards.refuse in collect.yaml",
}

// TestCollectFromFiles collects the figures of the content for tests from the newest public lists
// and models.dev. What is known to be wrong in them must not arrive in the catalogue, and a
// second run changes nothing.
func TestCollectFromFiles(t *testing.T) {
	suite.WithoutRace(t)
	x := newFileRun(t)
	x.lists()
	args := []string{"--modelsdev", filepath.Join(x.dir, "models.dev"), "--date", "2026-07-02"}
	r := x.collect(args...)
	stopped := map[string]string{}
	for _, s := range r.Stopped {
		stopped[s.Entity+":"+s.Name] = s.Reason
		t.Logf("stopped: %s %s (%s): %v instead of %v: %s", s.Entity, s.Name, s.Source, s.Found, s.Held, s.Reason)
	}
	for name, reason := range collectStops {
		if !strings.HasPrefix(stopped[name], reason) {
			t.Errorf("%s is stopped because of %q, want %q", name, stopped[name], reason)
		}
	}
	for _, c := range r.Changes {
		if collectStops[c.Entity+":"+c.Name] != "" {
			t.Errorf("changed: %+v", c)
		}
	}
	for _, s := range r.Sources {
		t.Logf("%s: %d covered, %d offers, %d answered; %d unchanged, %d changed, %d redated, %d older, %d stopped, %d failed %s",
			s.Name, s.Covers, s.Offers, s.Answered, s.Unchanged, s.Changed, s.Redated, s.Older, s.Stopped, s.Failed, s.Error)
		if s.Failed > 0 || s.Error != "" || s.Answered < s.Covers {
			t.Errorf("%s failed", s.Name)
		}
	}
	if len(r.Refused) > 0 {
		t.Errorf("files that cannot be changed: %+v", r.Refused)
	}
	x.validate()
	if again := x.collect(args...); again.Files != 0 || len(again.Changes) != 0 {
		t.Errorf("a second run changes %d files: %+v", again.Files, again.Changes)
	}
}

// TestCollectNewerFiles collects from the files of models.dev that are newer than the collection.
// Two of them state a year too early.
func TestCollectNewerFiles(t *testing.T) {
	suite.WithoutRace(t)
	x := newFileRun(t)
	x.newer()
	r := x.collect("--source", "modelsdev", "--modelsdev", filepath.Join(x.dir, "newer"), "--date", "2026-11-22")
	stopped := map[string]string{}
	gone := 0
	for _, s := range r.Stopped {
		if strings.HasSuffix(s.Reason, "no longer has this offer; accept it to remove it") {
			gone++
			continue
		}
		stopped[s.Entity+":"+s.Name] = s.Reason
		t.Logf("%+v", s)
	}
	for _, name := range []string{"model/happyhorse-1-1:released", "model/gemini-omni-1-1-flash:released"} {
		if !strings.HasPrefix(stopped[name], "the release date changed") {
			t.Errorf("%s is stopped because of %q", name, stopped[name])
		}
	}
	if gone < 800 {
		t.Errorf("only %d offers are reported as gone", gone)
	}
	t.Logf("%+v", r.Sources[0])
	x.validate()
}

// TestCollectFromAWeekWithoutAnswers collects from a list of a week in which the code host did not
// answer: stars are those of long ago, and the columns that the job had no copy of are empty.
func TestCollectFromAWeekWithoutAnswers(t *testing.T) {
	suite.WithoutRace(t)
	x := newFileRun(t)
	records := readCSV(t, filepath.Join(x.data, "tools", "best-of-ml-2026-07-16.csv"))
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for i, row := range records {
		for j, name := range records[0] {
			if i == 0 {
				continue
			}
			switch name {
			case "last_commit_pushed_at", "commit_count", "watchers_count", "pr_count":
				row[j] = ""
			case "star_count":
				if n, err := strconv.ParseFloat(row[j], 64); err == nil {
					row[j] = strconv.FormatFloat(math.Round(n*0.69), 'f', 1, 64)
				}
			}
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	x.write("lists/week.csv", b.Bytes())
	x.write("content/collect.yaml", []byte("files:\n  - {name: week, path: lists/week.csv, map: lists/best-of.yaml, date: 2026-11-20}\n"))
	r := x.collect("--source", "week")
	for _, c := range r.Changes {
		if c.Name != "license" {
			t.Errorf("changed: %+v", c)
		}
	}
	if s := r.Sources[0]; r.Files != 0 || s.Stopped < 200 {
		t.Errorf("%d files, %+v", r.Files, s)
	}
}

// validate checks the content after a run.
func (x *fileRun) validate() {
	x.t.Helper()
	var out, problems bytes.Buffer
	if code := run(x.t.Context(), []string{"validate", filepath.Join(x.dir, "content")}, &out, &problems); code != 0 {
		x.t.Errorf("exit %d: %s%s", code, out.String(), problems.String())
	}
}
