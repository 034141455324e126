package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"kindex/builder/diff/difftest"
	"kindex/builder/suite"
)

// issueComment is a pull request comment in the format of GitHub's API.
type issueComment struct {
	ID   int `json:"id"`
	User struct {
		Login string `json:"login"`
	} `json:"user"`
	Body string `json:"body"`
}

const actionsBot = "github-actions[bot]"

// fakeGitHub replaces gh. It keeps the comments on pull request 7 of o/r in the file
// $FAKE_COMMENTS, and treats "read" as a read-only token. It fails for every request that
// the real gh or GitHub would reject, and for every request that these tests do not need.
func fakeGitHub() {
	if err := answerAPI(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gh:", err)
		os.Exit(1)
	}
}

// call is one invocation of gh api.
type call struct {
	endpoint, method, query, field string
	paginate                       bool
}

func parseCall(args []string) (c call, err error) {
	if len(args) == 0 || args[0] != "api" {
		return c, fmt.Errorf("%q: only gh api is supported", args)
	}
	flags := flag.NewFlagSet("api", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&c.paginate, "paginate", false, "")
	flags.Bool("silent", false, "")
	for name, value := range map[string]*string{"method": &c.method, "jq": &c.query, "field": &c.field} {
		flags.StringVar(value, name, "", "")
	}
	if err = flags.Parse(args[1:]); err == nil && flags.NArg() > 0 {
		c.endpoint = flags.Arg(0)
		err = flags.Parse(flags.Args()[1:])
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return c, err
}

func answerAPI(args []string) error {
	c, err := parseCall(args)
	if err != nil {
		return err
	}
	token := os.Getenv("GH_TOKEN")
	if token != "write" && token != "read" {
		return errors.New("To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN environment variable")
	}
	file := os.Getenv("FAKE_COMMENTS")
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var comments []issueComment
	if err := json.Unmarshal(data, &comments); err != nil {
		return err
	}
	if c.method == "" {
		if c.endpoint != "repos/o/r/issues/7/comments" || c.field != "" || c.query == "" {
			return fmt.Errorf("HTTP 404: %+v", c)
		}
		return listComments(c, comments)
	}
	if token == "read" {
		return errors.New("Resource not accessible by integration (HTTP 403)")
	}
	if comments, err = writeComment(c, comments); err != nil {
		return err
	}
	if data, err = json.Marshal(comments); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// listComments prints the query's result for each page. A page contains two comments.
func listComments(c call, comments []issueComment) error {
	for page := range slices.Chunk(comments, 2) {
		data, err := json.Marshal(page)
		if err != nil {
			return err
		}
		jq := exec.Command("jq", "-r", c.query)
		jq.Stdin, jq.Stdout, jq.Stderr = strings.NewReader(string(data)), os.Stdout, os.Stderr
		if err := jq.Run(); err != nil || !c.paginate {
			return err
		}
	}
	return nil
}

var commentEndpoint = regexp.MustCompile(`^repos/o/r/issues/comments/(\d+)$`)

func writeComment(c call, comments []issueComment) ([]issueComment, error) {
	path, ok := strings.CutPrefix(c.field, "body=@")
	body, err := os.ReadFile(path)
	if !ok || err != nil || len(body) == 0 || utf8.RuneCount(body) > 65536 || !utf8.Valid(body) {
		return nil, fmt.Errorf("HTTP 422: a body of %d bytes: %w", len(body), err)
	}
	match := commentEndpoint.FindStringSubmatch(c.endpoint)
	switch {
	case c.method == "POST" && c.endpoint == "repos/o/r/issues/7/comments":
		n := issueComment{ID: 1000 + len(comments), Body: string(body)}
		n.User.Login = actionsBot
		return append(comments, n), nil
	case c.method == "PATCH" && match != nil:
		id, err := strconv.Atoi(match[1])
		i := slices.IndexFunc(comments, func(x issueComment) bool { return x.ID == id })
		if err != nil || i < 0 || comments[i].User.Login != actionsBot {
			return nil, errors.New("HTTP 403: somebody else's comment")
		}
		comments[i].Body = string(body)
		return comments, nil
	}
	return nil, fmt.Errorf("HTTP 404: %+v", c)
}

// pullRequest is a clone of a new index in which a pull request is checked out the way
// GitHub does it: as its merge with the base branch.
type pullRequest struct {
	t        *testing.T
	dir      string
	base     string // the base branch
	compare  string
	comment  string
	comments string // path of the comments file
}

func newPullRequest(t *testing.T, base string) *pullRequest {
	t.Helper()
	p := &pullRequest{t: t, dir: newIndex(t), base: base, comments: filepath.Join(t.TempDir(), "comments.json")}
	w := readWorkflow(t, filepath.Join(p.dir, ".github", "workflows", "validate.yml"))
	content, comment := w.Jobs["content"], w.Jobs["comment"]
	if len(w.Jobs) != 2 || len(comment.Permissions) != 1 || comment.Permissions["pull-requests"] != "write" || comment.Needs != "content" ||
		comment.If != "${{ !cancelled() && needs.content.outputs.compared == 'yes' }}" || content.Outputs["compared"] != "${{ steps.diff.outputs.compared }}" {
		t.Fatalf("%+v", w)
	}
	handed := map[string]string{} // artifacts passed between jobs, by action
	for _, s := range append(content.Steps, comment.Steps...) {
		switch {
		case s.ID == "diff":
			p.compare = s.Run
			if !strings.Contains(s.If, "github.event_name == 'pull_request'") || !strings.Contains(s.If, "!cancelled()") {
				t.Errorf("compares when %s", s.If)
			}
		case s.Name == "Comment":
			p.comment = s.Run
			if len(s.Env) != 2 || s.Env["GH_TOKEN"] != "${{ github.token }}" || s.Env["PULL_REQUEST"] != "${{ github.event.pull_request.number }}" {
				t.Errorf("%+v", s.Env)
			}
		case strings.Contains(s.Uses, "-artifact@"):
			handed[s.Uses[:strings.Index(s.Uses, "@")]] = fmt.Sprint(s.With["name"], " ", s.With["path"])
		case len(s.Env) > 0 || slices.ContainsFunc(comment.Steps, func(x workflowStep) bool { return x.Name == s.Name && x.Uses == s.Uses }):
			t.Errorf("the job with write access has the unexpected step %+v", s)
		}
	}
	if handed["actions/upload-artifact"] != "kindex-diff ${{ runner.temp }}/kindex-diff.md" || handed["actions/download-artifact"] != "kindex-diff ${{ runner.temp }}" {
		t.Errorf("%v", handed)
	}
	p.git(`git init -q -b main && git add . && git commit -qm index && git update-ref "refs/remotes/origin/$1" HEAD && git checkout -qb change`)
	p.setComments(issueComment{ID: 1, Body: "<!-- kindex diff -->\nnot by the workflow"}, issueComment{ID: 2, Body: "by another workflow"})
	return p
}

func (p *pullRequest) git(script string) {
	p.t.Helper()
	shell(p.t, p.dir, script, p.base)
}

// push commits a file on the branch and checks out its merge.
func (p *pullRequest) push(name, text string) {
	p.t.Helper()
	p.git("git checkout -q change")
	writeFile(p.t, filepath.Join(p.dir, name), text)
	p.git(`git add . && git commit -qm change && git checkout -q --detach "origin/$1" && git merge -q --no-ff -m merge change`)
}

func (p *pullRequest) setComments(list ...issueComment) {
	p.t.Helper()
	for i := range list {
		if list[i].User.Login = "stranger"; i > 0 {
			list[i].User.Login = actionsBot
		}
	}
	data, err := json.Marshal(list)
	if err == nil {
		err = os.WriteFile(p.comments, data, 0o644)
	}
	suite.Check(p.t, err)
}

// check runs both jobs. It returns whether the first job succeeded, what the second job
// printed, and the comments that were added.
func (p *pullRequest) check(token string) (ok bool, printed string, comments []issueComment) {
	p.t.Helper()
	first := newRunner(p.t, p.dir, "GITHUB_BASE_REF="+p.base)
	out, err := first.run(p.compare)
	ok = err == nil
	if got := readText(p.t, filepath.Join(first.temp, "output")); got != "compared=yes\n" {
		p.t.Fatalf("the outputs are %q\n%s", got, out)
	}
	compared := readText(p.t, filepath.Join(first.temp, "kindex-diff.md"))
	suite.Equal(p.t, readText(p.t, filepath.Join(first.temp, "summary.md")), compared, "the summary")
	// The second job runs on a different machine, which is empty at first.
	second := newRunner(p.t, p.t.TempDir(), "GH_TOKEN="+token, "PULL_REQUEST=7", "GITHUB_REPOSITORY=o/r", "FAKE_COMMENTS="+p.comments)
	writeFile(p.t, filepath.Join(second.temp, "kindex-diff.md"), compared)
	printed, err = second.run(p.comment)
	if err != nil {
		p.t.Errorf("the comment makes the check fail: %v\n%s", err, printed)
	}
	suite.Check(p.t, json.Unmarshal([]byte(readText(p.t, p.comments)), &comments))
	if comments[0].Body != "<!-- kindex diff -->\nnot by the workflow" || comments[1].Body != "by another workflow" {
		p.t.Errorf("somebody else's comment was changed to %+v", comments[:2])
	}
	return ok, printed, comments[2:]
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data := suite.Must(os.ReadFile(path))(t)
	return string(data)
}

// TestStarterComment checks that a pull request gets a single comment, which each push
// updates, and that it gets no comment if the index does not change or the token is
// read-only.
func TestStarterComment(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	p := newPullRequest(t, "main")
	p.push("NOTES.md", "Nothing of the index.\n")
	if ok, printed, comments := p.check("write"); !ok || len(comments) != 0 || printed != "" {
		t.Errorf("without a change: %v %q %+v", ok, printed, comments)
	}
	p.push("content/tool/igraph.yaml", "name: igraph\ncategory: graphs\ndescription: Analyses networks.\nurl: http://www.networkx.org\n")
	if ok, printed, comments := p.check("read"); !ok || len(comments) != 0 || !strings.Contains(printed, "::notice title=kindex diff::") || !strings.Contains(printed, "HTTP 403") {
		t.Errorf("from a fork: %v %q %+v", ok, printed, comments)
	}
	_, _, first := p.check("write")
	if len(first) != 1 || !strings.HasPrefix(first[0].Body, "<!-- kindex diff -->\n### kindex diff: 1 created\n") ||
		!strings.Contains(first[0].Body, "`tool/igraph` may be a duplicate of `tool/networkx`: same URL") {
		t.Fatalf("%+v", first)
	}
	p.push("content/tool/igraph.yaml", "name: igraph\ncategory: graphs\ndescription: Analyses networks.\n")
	_, _, renewed := p.check("write")
	if len(renewed) != 1 || renewed[0].ID != first[0].ID || strings.Contains(renewed[0].Body, "duplicate") || !strings.Contains(renewed[0].Body, "1 created") {
		t.Errorf("%+v", renewed)
	}
	p.push("content/tool/igraph.yaml", "name: igraph\n")
	if ok, _, wrong := p.check("write"); ok || len(wrong) != 1 || !strings.Contains(wrong[0].Body, "The content has errors") {
		t.Errorf("with errors: %v %+v", ok, wrong)
	}
	p.git("git checkout -q change && git rm -q content/tool/igraph.yaml")
	p.push("NOTES.md", "All is as it was.\n")
	if ok, _, none := p.check("write"); !ok || len(none) != 1 || !strings.Contains(none[0].Body, "\n### kindex diff: nothing changes\n") {
		t.Errorf("taken back: %v %+v", ok, none)
	}
}

// TestStarterInjection checks that neither the branch nor the content can run code or
// mention anyone.
func TestStarterInjection(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	p := newPullRequest(t, "x/$(touch${IFS}pwned)`touch${IFS}pwned`';touch${IFS}pwned;'")
	p.push("content/tool/evil.yaml", "name: '$(touch pwned) `touch pwned` @everyone #1 </details> | x'\ncategory: graphs\ndescription: \"${{ github.token }} @o/r ```\"\n")
	ok, printed, comments := p.check("write")
	if !ok || len(comments) != 1 || !strings.Contains(comments[0].Body, "@everyone") {
		t.Fatalf("%v %q %+v", ok, printed, comments)
	}
	found, err := filepath.Glob(filepath.Join(p.dir, "*pwned*"))
	if err != nil || len(found) > 0 {
		t.Errorf("%v %v", found, err)
	}
	if text := difftest.OutsideCode(comments[0].Body); strings.ContainsAny(text, "@$") || strings.Contains(text, "#1") {
		t.Errorf("outside code: %s", text)
	}
}
