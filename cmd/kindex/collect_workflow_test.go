package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/submission/github/githubtest"
)

// collectRepository is an index on a forge whose figures come from a list in the repository.
type collectRepository struct {
	t      *testing.T
	remote string // the bare repository of the forge
	work   string // a clone in which people commit
	forge  *githubtest.Server
	w      *workflow
	cache  string // the forge's copy of the cache
}

// figuresMap is the mapping of the list. DATE is the day on which its figures were read.
const figuresMap = `source: {name: A list, url: https://example.org/list, license: CC-BY-SA-4.0, date: DATE}
type: tool
slug: slug
signals:
  stars: {value: stars, source: {constant: "https://example.org/list"}}
`

// onlyLists turns off all sources on the network.
const onlyLists = `sources:
  github: {enabled: false}
  huggingface: {enabled: false}
  modelsdev: {enabled: false}
  npm: {enabled: false}
  pypi: {enabled: false}
files:
  - {name: list, path: lists/figures.csv, map: lists/figures.yaml}
`

func newCollectRepository(t *testing.T) *collectRepository {
	t.Helper()
	c := &collectRepository{t: t, remote: filepath.Join(t.TempDir(), "bare.git"), work: newIndex(t), cache: t.TempDir()}
	c.w = readWorkflow(t, filepath.Join(c.work, ".github", "workflows", "collect.yml"))
	c.write("content/collect.yaml", onlyLists)
	c.git(c.work, `git init -q -b main && git init -q --bare -b main "$1" && git remote add origin "$1"`)
	c.forge = githubtest.Start(c.remote)
	t.Cleanup(c.forge.Close)
	return c
}

func (c *collectRepository) write(name, text string) {
	c.t.Helper()
	writeFile(c.t, filepath.Join(c.work, name), text)
}

// git runs a script, whose $1 is the remote.
func (c *collectRepository) git(dir, script string) string {
	c.t.Helper()
	return shell(c.t, dir, script, c.remote)
}

// publish commits a list of stars to the main branch.
func (c *collectRepository) publish(day string, networkx, scikit int) {
	c.t.Helper()
	c.git(c.work, `if git rev-parse -q --verify HEAD > /dev/null; then git pull -q --rebase --autostash origin main; fi`)
	c.write("lists/figures.csv", fmt.Sprintf("slug,stars\nnetworkx,%d\nscikit-learn,%d\n", networkx, scikit))
	c.write("lists/figures.yaml", strings.Replace(figuresMap, "DATE", day, 1))
	c.git(c.work, `git add . && git commit -q --allow-empty -m list && git push -q origin HEAD:main`)
}

// collected is what a run of the workflow did.
type collected struct {
	changed  string // the output of the first job
	log      string
	failed   bool
	proposed bool // the second job ran
}

// run runs the workflow like the forge, in new clones.
func (c *collectRepository) run(env ...string) (r collected) {
	c.t.Helper()
	clone := func() string {
		dir := filepath.Join(c.t.TempDir(), "clone")
		c.git(c.work, `git clone -q "$1" '`+dir+`'`)
		return dir
	}
	first := newRunner(c.t, clone(), append([]string{"ACCEPT=", "GITHUB_TOKEN=read", "HF_TOKEN="}, env...)...)
	for _, s := range c.w.Jobs["collect"].Steps {
		c.runCache(s, first.temp)
		last := strings.Contains(s.If, "steps.collect.outputs.status != '0'")
		switch {
		case s.Run == "" || s.ID == "install" || r.failed && !last, last && (first.output("status") == "" || first.output("status") == "0"):
			continue
		}
		out, err := first.run(s.Run)
		r.log, r.failed = r.log+out, r.failed || err != nil
	}
	if r.changed = first.output("changed"); r.changed != "yes" {
		return r
	}
	second := newRunner(c.t, clone(), append([]string{"GH_TOKEN=" + githubtest.Token, "GITHUB_API_URL=" + c.forge.URL, "GITHUB_SERVER_URL=" + c.forge.URL,
		"GITHUB_REPOSITORY=" + githubtest.Repository, "GITHUB_REF_NAME=main", "GITHUB_RUN_ID=42", "BRANCH=" + c.w.Env["BRANCH"], "LABEL=" + c.w.Env["LABEL"]}, env...)...)
	suite.Check(c.t, os.CopyFS(filepath.Join(second.temp, "kindex-collect"), os.DirFS(filepath.Join(first.temp, "kindex-collect"))))
	steps := c.w.Jobs["propose"].Steps
	out, err := second.run(steps[len(steps)-1].Run)
	r.log, r.failed, r.proposed = r.log+out, r.failed || err != nil, true
	if found, _ := filepath.Glob(filepath.Join(second.dir, "*pwned*")); len(found) > 0 {
		c.t.Errorf("something else ran: %v", found)
	}
	return r
}

// runCache runs a step that restores or saves the cache.
func (c *collectRepository) runCache(s workflowStep, temp string) {
	c.t.Helper()
	action, _, _ := strings.Cut(s.Uses, "@")
	held := filepath.Join(temp, "kindex-cache")
	var err error
	switch action {
	case "actions/cache/restore":
		err = os.CopyFS(held, os.DirFS(c.cache))
	case "actions/cache/save":
		c.cache = c.t.TempDir()
		err = os.CopyFS(c.cache, os.DirFS(held))
	}
	if err != nil {
		c.t.Fatal(s.Name, err)
	}
}

// output returns an output of the steps so far.
func (r *runner) output(name string) (value string) {
	text, err := os.ReadFile(filepath.Join(r.temp, "output"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			value = v
		}
	}
	return value
}

// pull returns the only pull request of the forge.
func (c *collectRepository) pull() githubtest.Pull {
	c.t.Helper()
	list := c.forge.Pulls()
	if len(list) != 1 || len(c.forge.Violations()) > 0 {
		c.t.Fatalf("%+v %v", list, c.forge.Violations())
	}
	return list[0]
}

// proposed returns the files that the branch changes, and the stars of an entity on it.
func (c *collectRepository) proposed(slug string) (files []string, stars string) {
	c.t.Helper()
	c.git(c.work, `git fetch -q origin`)
	files = strings.Fields(c.git(c.work, `git diff --name-only origin/main...origin/kindex-collect`))
	_, rest, _ := strings.Cut(c.git(c.work, `git show origin/kindex-collect:content/tool/`+slug+`.yaml`), "stars: {value: ")
	stars, _, _ = strings.Cut(rest, ",")
	return files, stars
}

// TestCollectWorkflow runs the workflow over the life of one pull request: opened, updated, no
// longer routine, edited by a person, merged.
func TestCollectWorkflow(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	c := newCollectRepository(t)
	c.publish("2026-07-16", 14400, 59000)

	c.forge.Fail(403, nil)
	if r := c.run(); !r.failed || !strings.Contains(r.log, "::error title=GET pulls?state=open") || !strings.Contains(r.log, "allow GitHub Actions to create pull requests") {
		t.Fatalf("not permitted: %+v", r)
	}
	if r := c.run("ACCEPT=$(touch pwned)"); !r.failed || r.proposed || !strings.Contains(r.log, "does not name a value; use type/slug:name") {
		t.Fatalf("%+v", r)
	}

	if r := c.run(); r.failed || !r.proposed {
		t.Fatalf("%+v", r)
	}
	opened := c.pull()
	files, stars := c.proposed("networkx")
	if opened.Head != "kindex-collect" || opened.Base != "main" || !strings.HasPrefix(opened.Title, "Figures as of 20") || !slices.Equal(opened.Labels, []string{"figures-within-guards"}) ||
		!strings.HasPrefix(opened.Body, "## Figures as of ") || !strings.Contains(opened.Body, "/example/index/actions/runs/42)") || stars != "14400" {
		t.Fatalf("%s %+v", stars, opened)
	}
	if want := []string{"content/collect-status.json", "content/tool/networkx.yaml", "content/tool/scikit-learn.yaml"}; !slices.Equal(files, want) {
		t.Errorf("%v", files)
	}

	c.publish("2026-08-16", 14500, 59100)
	if r := c.run(); r.failed || !r.proposed {
		t.Fatalf("%+v", r)
	}
	if p := c.pull(); p.Version != 1 || !strings.Contains(p.Body, "14347 → 14500") || len(p.Labels) != 1 {
		t.Errorf("%+v", p)
	}
	if _, stars := c.proposed("networkx"); stars != "14500" {
		t.Errorf("%s stars", stars)
	}

	c.publish("2026-09-16", 14600, 10)
	if r := c.run(); r.failed {
		t.Fatalf("%+v", r)
	}
	if p := c.pull(); p.Version != 2 || len(p.Labels) != 0 || !strings.Contains(p.Body, "### Stopped by a guard (1)") {
		t.Errorf("%+v", p)
	}
	if r := c.run("ACCEPT=tool/scikit-learn:stars"); r.failed {
		t.Fatalf("%+v", r)
	}
	if _, stars := c.proposed("scikit-learn"); stars != "10" || len(c.pull().Labels) != 0 || !strings.Contains(c.pull().Body, "### Accepted by hand (1)") {
		t.Errorf("%s %+v", stars, c.pull())
	}

	c.git(c.work, `git checkout -q -B theirs origin/kindex-collect && echo x >> README.md && git commit -qam "by a person" && git push -q origin HEAD:kindex-collect && git checkout -q main`)
	if r := c.run(); r.failed || !strings.Contains(r.log, "::warning title=kindex collect::Pull request 1 has commits by other people") || c.pull().Version != 3 {
		t.Errorf("%+v", r)
	}
	suite.Check(t, c.forge.Merge(1))
	if r := c.run(); r.failed || r.changed != "" || c.pull().State != "closed" || !strings.Contains(r.log, "Nothing to propose.") {
		t.Errorf("without a change: %+v", r)
	}
}

// TestCollectWorkflowFailures checks that a source without an answer makes the workflow fail, but
// does not keep back what the others say, and that invalid content is not proposed.
func TestCollectWorkflowFailures(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	c := newCollectRepository(t)
	c.write("content/collect.yaml", strings.Replace(onlyLists, "  pypi: {enabled: false}\n", "", 1))
	c.publish("2026-07-16", 14400, 59000)
	suite.Check(t, os.WriteFile(filepath.Join(c.cache, "earlier"), nil, 0o600))
	// kindex sends nothing to an address that is not public.
	silent := "KINDEX_ENDPOINT=pypi=http://127.0.0.1:1,pypistats=http://127.0.0.1:1"
	if r := c.run(silent); !r.failed || !r.proposed || !strings.Contains(r.log, "::error title=kindex collect::A source gave no answer") {
		t.Errorf("%+v", r)
	}
	if p := c.pull(); !strings.Contains(p.Body, "### Not answered (2)") || !strings.Contains(p.Body, "14347 → 14400") {
		t.Errorf("%+v", p)
	}
	if kept, err := filepath.Glob(filepath.Join(c.cache, "*")); err != nil || len(kept) < 2 || filepath.Base(kept[0]) != "earlier" {
		t.Errorf("a run that fails does not keep the cache for the next one: %v, %v", kept, err)
	}
	c.write("content/collect.yaml", onlyLists)
	c.write("content/tool/wrong.yaml", "name: Wrong\n")
	c.publish("2026-08-16", 14500, 59100)
	if r := c.run(); !r.failed || r.proposed || c.pull().Version != 0 {
		t.Errorf("%+v", r)
	}
}

// TestCollectWorkflowFile checks the permissions and secrets of the workflow, and that this
// repository and a new index have the same one.
func TestCollectWorkflowFile(t *testing.T) {
	suite.InTest(t)
	dir := newIndex(t)
	theirs := readWorkflow(t, filepath.Join(dir, ".github", "workflows", "collect.yml"))
	ours := readWorkflow(t, filepath.Join(suite.Root(t), ".github", "workflows", "collect.yml"))
	install := func(w *workflow) string {
		for _, s := range w.Jobs["collect"].Steps {
			if s.Name == "Install kindex" {
				return s.Run
			}
		}
		return ""
	}
	check := readWorkflow(t, filepath.Join(dir, ".github", "workflows", "validate.yml"))
	for _, s := range check.Jobs["content"].Steps {
		if s.ID == "install" && strings.ReplaceAll(s.Run, "validate.yml", "collect.yml") != install(theirs) {
			t.Errorf("collect.yml installs kindex unlike validate.yml:\n%s", install(theirs))
		}
	}
	suite.Contains(t, install(ours), "go build ")
	for _, w := range []*workflow{ours, theirs} {
		j := w.Jobs["collect"]
		j.Steps = slices.DeleteFunc(j.Steps, func(s workflowStep) bool { return s.Name == "Install kindex" || strings.Contains(s.Uses, "setup-go@") })
		w.Jobs["collect"] = j
		delete(w.Env, "KINDEX_INSTALL")
		delete(w.Env, "KINDEX_SHA256")
	}
	if !reflect.DeepEqual(ours, theirs) {
		t.Errorf("this repository has\n%+v\na new index has\n%+v", ours, theirs)
	}
	checkCollectJobs(t, ours)
}

func checkCollectJobs(t *testing.T, w *workflow) {
	t.Helper()
	if _, ok := w.On["schedule"]; !ok || len(w.On) != 2 || w.On["workflow_dispatch"] == nil || len(w.Jobs) != 2 || w.Concurrency.CancelInProgress {
		t.Errorf("%+v", w)
	}
	read, write := w.Jobs["collect"], w.Jobs["propose"]
	if read.Permissions != nil || !reflect.DeepEqual(write.Permissions, map[string]string{"contents": "write", "pull-requests": "write"}) ||
		write.Needs != "collect" || write.If != "${{ !cancelled() && needs.collect.outputs.changed == 'yes' }}" || read.Outputs["changed"] != "${{ steps.pack.outputs.changed }}" {
		t.Errorf("%+v\n%+v", read, write)
	}
	secrets := map[string]string{}
	for _, s := range append(slices.Clone(read.Steps), write.Steps...) {
		for name, value := range s.Env {
			secrets[s.Name+" "+name] = value
		}
	}
	if want := map[string]string{"Collect ACCEPT": "${{ inputs.accept }}", "Collect GITHUB_TOKEN": "${{ github.token }}", "Collect HF_TOKEN": "${{ secrets.HF_TOKEN }}",
		"Propose GH_TOKEN": "${{ secrets.KINDEX_COLLECT_TOKEN || github.token }}"}; !reflect.DeepEqual(secrets, want) {
		t.Errorf("%v", secrets)
	}
	checkCacheSteps(t, read.Steps)
	for _, s := range write.Steps {
		if strings.Contains(s.Uses, "/cache") {
			t.Errorf("the job with write access reads the cache: %+v", s)
		}
		if strings.Contains(s.Run, "kindex ") && strings.Contains(s.Run, "kindex collect --") {
			t.Errorf("the job with write access runs kindex: %s", s.Run)
		}
	}
}

// checkCacheSteps checks that the cache is restored before the figures are collected, and saved
// afterwards even if a source failed, under a key of its own for each attempt.
func checkCacheSteps(t *testing.T, steps []workflowStep) {
	t.Helper()
	at := func(matches func(workflowStep) bool) int {
		i := slices.IndexFunc(steps, matches)
		if i < 0 {
			t.Fatalf("a step is missing: %+v", steps)
		}
		return i
	}
	uses := func(action string) func(workflowStep) bool {
		return func(s workflowStep) bool { return strings.HasPrefix(s.Uses, action+"@") }
	}
	restore, save := at(uses("actions/cache/restore")), at(uses("actions/cache/save"))
	collect := at(func(s workflowStep) bool { return s.ID == "collect" })
	with := map[string]any{"path": "${{ runner.temp }}/kindex-cache", "key": "kindex-collect-${{ github.run_id }}-${{ github.run_attempt }}"}
	if restore >= collect || save != collect+1 || steps[save].If != "${{ !cancelled() }}" || !reflect.DeepEqual(steps[save].With, with) {
		t.Errorf("%+v", steps)
	}
	with["restore-keys"] = "kindex-collect-"
	if !reflect.DeepEqual(steps[restore].With, with) || !strings.Contains(steps[collect].Run, `--cache "$RUNNER_TEMP/kindex-cache" `) {
		t.Errorf("%+v", steps[restore])
	}
}
