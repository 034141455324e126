package diff_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fatih/color"

	"kindex/builder/diff"
	"kindex/builder/diff/difftest"
	"kindex/builder/suite"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// plain is a Painter without colors.
func plain(_ color.Attribute, text string) string { return safetext.Escape(text) }

// FuzzMarkdown checks that no string from a file can break out of its code span or block. A
// string outside of code could become mentions and links on GitHub, or break the layout.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"plain", "`", "``", "a ``` b", "\n```\n@everyone", "@o", "#1", "| x |", "\\|", "</details>", "\xe8/<details>", "<!-- -->", "a\u2028b", " ", "",
		"GH-1", "https://github.com/o/r/issues/1", "\x1b[31m", "\xff", "\u202e", "$x$", "~~~", "```diff\n+ x\n```", "````diff\n@a\n```\n@b\n", "`a` `", "\ufeff"} {
		f.Add(s)
	}
	const mark = "MaRk@" // occurs nowhere else
	f.Fuzz(func(t *testing.T, s string) {
		d := difftest.Report(2, mark+s+mark)
		text := d.Markdown()
		if !utf8.ValidString(text) || len(text) > diff.MaxComment {
			t.Errorf("%d bytes: %q", len(text), text)
		}
		rest := difftest.OutsideCode(text)
		if strings.ContainsAny(rest, "@\x1b\u202e") || strings.Contains(rest, "MaRk") {
			t.Errorf("outside code: %q\nin %q", rest, text)
		}
		if n := strings.Count(rest, "<details>"); n != 3 || n != strings.Count(rest, "</details>") {
			t.Errorf("%d blocks to unfold: %q", n, text)
		}
		var b strings.Builder
		d.WriteText(&b, plain)
		if strings.ContainsAny(b.String(), "\x1b\u202e\u2028") {
			t.Errorf("%q", b.String())
		}
	})
}

// TestOfferLines checks that changes to offers are described in words, on one line each.
func TestOfferLines(t *testing.T) {
	e := diff.Entity{Event: record.Updated, Type: "model", Slug: "x", Name: "X", Category: "c", Fields: []record.FieldChange{
		{Field: "offers.acme/openai%2Fgpt-5.input", Old: []byte("1.25"), New: []byte("1.1")},
		{Field: "offers.acme/openai%2Fgpt-5.tiers", Old: []byte("null"), New: []byte(`[{"over":200000,"input":6,"output":22.5}]`)},
		{Field: "offers.zeta/a%0Ab%1B", Old: []byte("null"), New: []byte(`{"provider":"zeta","id":"a\nb","input":1,"output":2}`)},
		{Field: "offers.zeta/old", Old: []byte(`{"provider":"zeta","id":"old"}`), New: []byte("null")},
	}}
	d := &diff.Report{Comparison: &diff.Comparison{AsOf: "2026-07-01T00:00:00Z", Changed: true, Entities: []diff.Entity{e}}}
	var b strings.Builder
	d.WriteText(&b, plain)
	for _, want := range []string{"  input price of openai/gpt-5 at acme", "  $1.25 → $1.10 per million tokens\n", "  + over 200000 tokens $6 / $22.50\n",
		"  + $1 input, $2 output per million tokens\n", "  offer old at zeta", "  - prices unknown\n"} {
		suite.Contains(t, b.String(), want)
	}
	if n := strings.Count(b.String(), "\n"); n != 8 {
		t.Errorf("%d lines:\n%s", n, b.String())
	}
	for _, want := range []string{"- input price of openai/gpt-5 at acme: $1.25\n+ input price of openai/gpt-5 at acme: $1.10 per million tokens\n", "- offer old at zeta: prices unknown\n"} {
		suite.Contains(t, d.Markdown(), want)
	}
}

// TestForgottenFormerly checks that there is a note if an entity is deleted and created again
// under another slug, because its history ends there. There must be no note if the new entity
// has the same name or URL as several deleted ones.
func TestForgottenFormerly(t *testing.T) {
	entity := func(event, slug, name, url string) diff.Entity {
		f := record.FieldChange{Field: "url", Old: []byte(`"` + url + `"`), New: []byte("null")}
		if event == record.Created {
			f.Old, f.New = f.New, f.Old
		}
		return diff.Entity{Event: event, Type: "tool", Slug: slug, Name: name, Category: "c", Fields: []record.FieldChange{f}}
	}
	led := entity(record.Deleted, "led", "Led", "https://led/")
	led.LeadsTo = "tool/elsewhere"
	model := entity(record.Deleted, "model", "Model", "https://model/")
	model.Type = "model"
	d := &diff.Report{Comparison: &diff.Comparison{Entities: []diff.Entity{
		entity(record.Created, "sklearn", "scikit-learn", "https://new/"), entity(record.Deleted, "scikit-learn", "Scikit-learn", "https://old/"),
		entity(record.Created, "pymc", "PyMC", "https://pymc/"), entity(record.Deleted, "pymc3", "PyMC3", "https://pymc/"),
		entity(record.Created, "fresh", "Fresh", "https://shared/"), entity(record.Deleted, "one", "One", "https://shared/"), entity(record.Deleted, "two", "Two", "https://shared/"),
		entity(record.Created, "led2", "Led", "https://led/"), led, entity(record.Created, "model", "Model", "https://model/"), model,
	}}}
	d.NoteRenames()
	if len(d.Notes) != 3 || !strings.HasPrefix(d.Notes[2], "tool/model looks like model/model as another kind: if it was moved, add formerly: [model/model] ") || !strings.HasPrefix(d.Notes[0], "tool/sklearn looks like tool/scikit-learn ") || !strings.Contains(d.Notes[1], "add formerly: [pymc3] ") {
		t.Errorf("%q", d.Notes)
	}
	d = &diff.Report{Comparison: &diff.Comparison{}}
	for i := range 7 {
		slug, name := fmt.Sprint("t", i), fmt.Sprint("N", i)
		d.Entities = append(d.Entities, entity(record.Created, slug+"-new", name, slug), entity(record.Deleted, slug, name, slug))
	}
	if d.NoteRenames(); len(d.Notes) != 6 || d.Notes[5] != "2 other entities also look renamed" {
		t.Errorf("%q", d.Notes)
	}
}

var notShown = regexp.MustCompile(`(?m)^(\d+) more (\w+) are not listed\.$|^The fields of (\d+) entities are omitted`)

// TestMarkdownIsCut checks that a comparison that is too long for GitHub is shortened. Each
// part must be shortened separately and state how many lines were omitted.
func TestMarkdownIsCut(t *testing.T) {
	suite.InTest(t)
	for name, d := range map[string]*diff.Report{
		"many":            difftest.Report(5000, "x"),
		"long":            difftest.Report(400, strings.Repeat("ü`", 5000)),
		"many notes":      {Comparison: difftest.Report(3, "x").Comparison, Notes: slices.Repeat([]string{strings.Repeat("n", 5000)}, 200)},
		"many categories": {Comparison: &diff.Comparison{AsOf: "2026-07-01", Categories: slices.Repeat(difftest.Report(1, strings.Repeat("x", 400)).Categories, 3000)}},
	} {
		text := d.Markdown()
		if len(text) > 65536-500 || len(text) < 10000 || strings.Count(text, "<details>") != strings.Count(text, "</details>") {
			t.Errorf("%s: %d bytes", name, len(text))
		}
		rows := strings.Count(text, "\n| created | ")
		unfolded := strings.Count(text, "<details><summary>created")
		listed := strings.Count(text, "\n- ⚠️ ")
		for _, m := range notShown.FindAllStringSubmatch(text, -1) {
			n := 0
			suite.Must(fmt.Sscan(m[1]+m[3], &n))(t)
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
			t.Errorf("%s: almost nothing is shown", name)
		}
	}
}
