package gitdiff_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/builder/content/yamldoc"
	"kindex/builder/diff"
	"kindex/builder/diff/gitdiff"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestShippedHistory compares the last commits that touched the shipped content, each with
// its predecessor, and checks the result against git's list of changed files.
func TestShippedHistory(t *testing.T) {
	suite.InTest(t)
	root := filepath.Join("..", "..", "..")
	git := func(args ...string) []string {
		out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
		if err != nil {
			suite.NotRun(t, fmt.Sprintf("the content is in no git repository: %v", err))
		}
		return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
	}
	commits := git("log", "--reverse", "--format=%H", "--first-parent", "--", "content")
	if len(commits) < 2 {
		suite.NotRun(t, "the history of the content is missing; fetch it with: git fetch --unshallow")
	}
	commits = commits[max(0, len(commits)-suite.Pick(4, 8)):]
	asOf, compared := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), 0
	for i, to := range commits[1:] {
		from := commits[i]
		d, err := gitdiff.Compare(context.Background(), filepath.Join(root, "content"), from+".."+to, asOf)
		var problems yamldoc.Problems
		if errors.As(err, &problems) {
			continue // invalid under today's rules
		}
		if err != nil {
			t.Errorf("%s..%s: %v", from, to, err)
			continue
		}
		compared++
		checkAgainstGit(t, d, git("diff", "--no-renames", "--name-status", from, to, "--", "content/tool", "content/model"))
		var asJSON strings.Builder
		if err := d.WriteJSON(&asJSON); err != nil || !json.Valid([]byte(asJSON.String())) {
			t.Errorf("%s..%s: %v", from, to, err)
		}
		if n := len(d.Markdown()); n > diff.MaxComment {
			t.Errorf("%s..%s: %d bytes of Markdown", from, to, n)
		}
	}
	if compared == 0 {
		t.Errorf("none of %d commits was compared", len(commits))
	}
	t.Logf("compared %d commits", compared)
}

// checkAgainstGit checks that git's list of changed files contains the file of every entity
// that was created, deleted or changed. The list may contain more files, because a changed
// file may still describe the same entity.
func checkAgainstGit(t *testing.T, d *diff.Report, lines []string) {
	t.Helper()
	if len(d.Notes) > 0 {
		return // some files in the older commit are invalid
	}
	files := map[string]string{}
	for _, l := range lines {
		status, path, _ := strings.Cut(l, "\t")
		if strings.HasSuffix(path, ".yaml") {
			files[strings.TrimSuffix(strings.TrimPrefix(path, "content/"), ".yaml")] = status
		}
	}
	added, gone := 0, 0
	for _, e := range d.Entities {
		want := map[string]string{record.Created: "A", record.Deleted: "D", record.Updated: "M", diff.Touched: "M"}[e.Event]
		if e.FormerSlug != "" {
			want = "A"
			gone++
		}
		if files[e.Key()] != want {
			t.Errorf("%s..%s: %s is %s, and its file %q", d.From, d.To, e.Key(), e.Event, files[e.Key()])
		}
		switch want {
		case "A":
			added++
		case "D":
			gone++
		}
	}
	for _, status := range files {
		switch status {
		case "A":
			added--
		case "D":
			gone--
		}
	}
	if added != 0 || gone != 0 {
		t.Errorf("%s..%s: created %+d, deleted %+d compared with the files", d.From, d.To, added, gone)
	}
}
