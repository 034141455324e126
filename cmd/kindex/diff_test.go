package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"kindex/builder/content/yamldoc"
	"kindex/builder/diff"
	"kindex/builder/suite"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// differenceOf is a comparison in which so many entities were created, each
// with a field of this value.
func differenceOf(n int, value string) *Report {
	d := &Report{Comparison: &diff.Comparison{AsOf: "2026-07-01T00:00:00Z", Changed: true, Formula: &diff.Formula{Old: value, New: value}}}
	d.From, d.To = Ref{Name: jsonenc.OptionalString(value), Commit: "1"}, Ref{Name: "b", Commit: "2"}
	d.Notes = []string{value}
	for i := range n {
		slug := fmt.Sprintf("t%04d", i)
		d.Entities = append(d.Entities, diff.Entity{Event: record.Created, Type: "tool", Slug: slug, Name: value, Category: "c", Fields: []diff.Field{
			{Name: "name", Old: []byte("null"), New: jsonenc.AppendString(nil, value)},
			{Name: "tags", Old: []byte(`["a"]`), New: slices.Concat([]byte("["), jsonenc.AppendString(nil, value), []byte("]"))},
		}})
		d.Duplicates = append(d.Duplicates, diff.Duplicate{Entity: "tool/" + slug, Other: "tool/x", Reasons: []diff.Reason{{Kind: diff.SameName, Value: value}}})
	}
	d.Categories = []diff.Category{{Event: "category.created", Slug: "c", Fields: d.Entities[0].Fields[:1]}}
	d.Counts.Created = n
	return d
}

// FuzzMarkdown: whatever files say, none of it gets out of the code in which it
// stands: not to GitHub, which would mention and link, and not to the layout.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"plain", "`", "``", "a ``` b", "\n```\n@everyone", "@o", "#1", "| x |", "\\|", "</details>", "\xe8/<details>", "<!-- -->", "a\u2028b", " ", "",
		"GH-1", "https://github.com/o/r/issues/1", "\x1b[31m", "\xff", "\u202e", "$x$", "~~~", "```diff\n+ x\n```", "`a` `", "\ufeff"} {
		f.Add(s)
	}
	const mark = "MaRk@" // what no other part says
	f.Fuzz(func(t *testing.T, s string) {
		d := differenceOf(2, mark+s+mark)
		text := d.markdown()
		if !utf8.ValidString(text) || len(text) > maxComment {
			t.Errorf("%d bytes: %q", len(text), text)
		}
		rest := outsideCode(text)
		if strings.ContainsAny(rest, "@\x1b\u202e") || strings.Contains(rest, "MaRk") {
			t.Errorf("outside of code: %q\nof %q", rest, text)
		}
		if n := strings.Count(rest, "<details>"); n != 3 || n != strings.Count(rest, "</details>") {
			t.Errorf("%d blocks to unfold: %q", n, text)
		}
		var b strings.Builder
		d.writeText(&b)
		if strings.ContainsAny(b.String(), "\x1b\u202e\u2028") {
			t.Errorf("%q", b.String())
		}
	})
}

// TestDiffBlock: a text with fences of its own does not end the block around it.
func TestDiffBlock(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"- a\n", "```\n@everyone\n", "````diff\n@a\n```\n@b\n", "a ```````` b\n"} {
		if rest := outsideCode("before\n" + diffBlock(text) + "after\n"); !slices.Equal(strings.Fields(rest), []string{"before", "after"}) {
			t.Errorf("outside of the block of %q is %q", text, rest)
		}
	}
}

// TestOtherCategory: the ranks of an entity that goes to another category are
// those of two leaderboards, and each is named.
func TestOtherCategory(t *testing.T) {
	first, fourth := 1, 4
	e := diff.Entity{Event: record.Updated, Type: "tool", Slug: "spark", Name: "Spark", Category: "frameworks",
		Fields: []diff.Field{{Name: "category", Old: []byte(`"distributed"`), New: []byte(`"frameworks"`)}},
		Ranks:  diff.Ranks{Category: diff.Rank{Old: &first, New: &fourth}}}
	unranked := e
	unranked.Slug, unranked.Ranks = "x", diff.Ranks{}
	d := &Report{Comparison: &diff.Comparison{AsOf: "2026-07-01T00:00:00Z", Changed: true, Entities: []diff.Entity{e, unranked}}}
	var b strings.Builder
	d.writeText(&b)
	for _, want := range []string{"  distributed 1 → frameworks 4\n", "  distributed – → frameworks –\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if want := "| 1 (`distributed`) → 4 (`frameworks`) |\n"; !strings.Contains(d.markdown(), want) {
		t.Errorf("no %q in\n%s", want, d.markdown())
	}
}

// TestForgottenFormerly: what goes and comes back under another slug is noted, as
// its history ends there; what only has a name or an address in common with
// several that go is not.
func TestForgottenFormerly(t *testing.T) {
	entity := func(event, slug, name, url string) diff.Entity {
		f := diff.Field{Name: "url", Old: []byte(`"` + url + `"`), New: []byte("null")}
		if event == record.Created {
			f.Old, f.New = f.New, f.Old
		}
		return diff.Entity{Event: event, Type: "tool", Slug: slug, Name: name, Category: "c", Fields: []diff.Field{f}}
	}
	led := entity(record.Deleted, "led", "Led", "https://led/")
	led.LeadsTo = "tool/elsewhere"
	model := entity(record.Deleted, "model", "Model", "https://model/")
	model.Type = "model"
	d := &Report{Comparison: &diff.Comparison{Entities: []diff.Entity{
		entity(record.Created, "sklearn", "scikit-learn", "https://new/"), entity(record.Deleted, "scikit-learn", "Scikit-learn", "https://old/"),
		entity(record.Created, "pymc", "PyMC", "https://pymc/"), entity(record.Deleted, "pymc3", "PyMC3", "https://pymc/"),
		entity(record.Created, "fresh", "Fresh", "https://shared/"), entity(record.Deleted, "one", "One", "https://shared/"), entity(record.Deleted, "two", "Two", "https://shared/"),
		entity(record.Created, "led2", "Led", "https://led/"), led, entity(record.Created, "model", "Model", "https://model/"), model,
	}}}
	d.noteRenames()
	if len(d.Notes) != 2 || !strings.HasPrefix(d.Notes[0], "tool/sklearn looks like tool/scikit-learn ") || !strings.Contains(d.Notes[1], "give it formerly: [pymc3] ") {
		t.Errorf("%q", d.Notes)
	}
	d = &Report{Comparison: &diff.Comparison{}}
	for i := range 7 {
		slug, name := fmt.Sprint("t", i), fmt.Sprint("N", i)
		d.Entities = append(d.Entities, entity(record.Created, slug+"-new", name, slug), entity(record.Deleted, slug, name, slug))
	}
	if d.noteRenames(); len(d.Notes) != 6 || d.Notes[5] != "2 others look renamed, too" {
		t.Errorf("%q", d.Notes)
	}
}

var notShown = regexp.MustCompile(`(?m)^(\d+) more (\w+) are not listed\.$|^The fields of (\d+) entities are left out`)

// TestMarkdownIsCut: what is too long for GitHub is cut, every part by itself,
// and how much follows is said.
func TestMarkdownIsCut(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	for name, d := range map[string]*Report{
		"many":            differenceOf(5000, "x"),
		"long":            differenceOf(400, strings.Repeat("ü`", 5000)),
		"many notes":      {Comparison: differenceOf(3, "x").Comparison, Notes: slices.Repeat([]string{strings.Repeat("n", 5000)}, 200)},
		"many categories": {Comparison: &diff.Comparison{AsOf: "2026-07-01", Categories: slices.Repeat(differenceOf(1, strings.Repeat("x", 400)).Categories, 3000)}},
	} {
		text := d.markdown()
		if len(text) > 65536-500 || len(text) < 10000 || strings.Count(text, "<details>") != strings.Count(text, "</details>") {
			t.Errorf("%s: %d bytes", name, len(text))
		}
		rows := strings.Count(text, "\n| created | ")
		unfolded := strings.Count(text, "<details><summary>created")
		listed := strings.Count(text, "\n- ⚠️ ")
		for _, m := range notShown.FindAllStringSubmatch(text, -1) {
			n := 0
			if _, err := fmt.Sscan(m[1]+m[3], &n); err != nil {
				t.Fatal(err)
			}
			switch m[2] {
			case "entities":
				rows += n
			case "duplicates":
				listed += n
			default:
				unfolded += n
			}
		}
		if rows != len(d.Entities) || unfolded != len(d.Entities) || listed != len(d.Duplicates) {
			t.Errorf("%s: %d rows, %d blocks and %d duplicates for %d entities:\n%s", name, rows, unfolded, listed, len(d.Entities), text[len(text)-500:])
		}
		if name == "many" && (strings.Count(text, "\n| created | ") < 100 || strings.Count(text, "<details><summary>created") < 100) {
			t.Errorf("%s: next to nothing is shown", name)
		}
	}
}

// TestShippedHistory compares the last commits that touched the shipped content,
// each with the one before it, and what is found with what git says of the files.
func TestShippedHistory(t *testing.T) {
	suite.InTest(t)
	root := filepath.Join("..", "..")
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
		d, err := compareRevisions(context.Background(), filepath.Join(root, "content"), from+".."+to, asOf)
		var problems yamldoc.Problems
		if errors.As(err, &problems) {
			continue // by the rules of today it was not right
		}
		if err != nil {
			t.Errorf("%s..%s: %v", from, to, err)
			continue
		}
		compared++
		checkAgainstGit(t, d, git("diff", "--no-renames", "--name-status", from, to, "--", "content/tool", "content/model"))
		var asJSON strings.Builder
		if err := d.writeJSON(&asJSON); err != nil || !json.Valid([]byte(asJSON.String())) {
			t.Errorf("%s..%s: %v", from, to, err)
		}
		if n := len(d.markdown()); n > maxComment {
			t.Errorf("%s..%s: %d bytes of Markdown", from, to, n)
		}
	}
	if compared == 0 {
		t.Errorf("of %d commits none is compared", len(commits))
	}
	t.Logf("%d commits are compared", compared)
}

// checkAgainstGit: an entity is created, deleted or changed as its file is.
// Changed files may hold the same entity, but not the other way round.
func checkAgainstGit(t *testing.T, d *Report, lines []string) {
	t.Helper()
	if len(d.Notes) > 0 {
		return // not every file of the older one could be read
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
		t.Errorf("%s..%s: created %+d, deleted %+d against the files", d.From, d.To, added, gone)
	}
}
