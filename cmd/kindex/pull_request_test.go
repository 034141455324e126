package main

import (
	"regexp"
	"strings"
	"testing"

	"kindex/builder/diff/difftest"
	"kindex/builder/suite"
	"kindex/cmd/kindex/operator"
	"kindex/edge/submission"
)

// TestPullRequestText checks that no submitted text escapes from its code block, regardless
// of what is submitted and by whom.
func TestPullRequestText(t *testing.T) {
	mark := regexp.MustCompile(`(?i)mark`)
	for _, s := range []string{"`", "``` \n", "@everyone", "fixes #1", "GH-1", "</details><img src=x onerror=alert(1)>", "<!--", "| a |", "[x](https://x.example)", "~~~", "\x1b[31m", "\u202e"} {
		text := "MaRk " + s + " MaRk"
		d := difftest.Report(1, text)
		d.Entities[0].Slug = "t"
		one := proposed(text)
		r := operator.PullRequestOf(&one, d, "main")
		rest := strings.ReplaceAll(difftest.OutsideCode(r.Body), "### ", "") // the heading
		if mark.MatchString(rest) || strings.ContainsAny(rest, "@#\x1b\u202e") {
			t.Errorf("%q escapes from its code block: %s", s, rest)
		}
		suite.Equal(t, r.Title, "Add tool/t")
	}
}

// proposed returns a submission that has the same string in all its text fields.
func proposed(text string) submission.Submission {
	return submission.Submission{ID: "sub_aaaaaaaaaaaaaaaaaaaa", Account: text, Type: "tool", Slug: "t", Name: text, Branch: "submission/x"}
}
