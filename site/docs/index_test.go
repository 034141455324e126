package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/kinds"
)

// pages returns the Markdown files that people read.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "content/*.md", "site/docs/*.md", "site/sdk/*/*.md"} {
		names, err := filepath.Glob(filepath.Join(suite.Root(t), pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("no pages at %s: %v", pattern, err)
		}
		all = append(all, names...)
	}
	return all
}

// TestLinks follows every link between pages, including links to headings.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	blocks := regexp.MustCompile("(?ms)^```.*?^```$")
	seen := 0
	for _, page := range pages(t) {
		text := suite.Must(os.ReadFile(page))(t)
		for _, m := range link.FindAllSubmatch(blocks.ReplaceAll(text, nil), -1) {
			to, heading, _ := strings.Cut(string(m[1]), "#")
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			seen++
			target := page
			if to != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(to))
			}
			there, err := os.ReadFile(target)
			if err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			} else if heading != "" && !hasHeading(string(there), heading) {
				t.Errorf("%s links to %s, which has no such heading", page, m[1])
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d links are found", seen)
	}
}

// hasHeading reports whether a page has a heading for which GitHub creates the given anchor.
func hasHeading(text, anchor string) bool {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		if strings.ReplaceAll(name, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// TestIndex checks that the index of the guides lists every page.
func TestIndex(t *testing.T) {
	index := suite.Must(os.ReadFile("README.md"))(t)
	here := suite.Must(os.Getwd())(t)
	for _, page := range pages(t) {
		name := suite.Must(filepath.Rel(here, page))(t)
		reason := map[string]string{
			"README.md":                "the index itself",
			"../../content/CREDITS.md": "content/README.md leads there",
			"../../content/LICENSE.md": "a licence",
		}[name]
		if reason == "" && !strings.Contains(string(index), "]("+filepath.ToSlash(name)+")") {
			t.Errorf("the index of the guides lacks %s", name)
		}
	}
}

// TestReservedNames checks that the guide lists the names that kinds.yaml cannot declare.
func TestReservedNames(t *testing.T) {
	guide := suite.Must(os.ReadFile("own-index.md"))(t)
	_, list, _ := strings.Cut(string(guide), "\n## Reserved names\n")
	for _, name := range slices.Concat(kinds.Members, kinds.Parameters) {
		if !strings.Contains(list, "`"+name+"`") {
			t.Errorf("own-index.md lacks the reserved name %s", name)
		}
	}
}

// TestEveryPageIsRun checks that a test runs each page with fenced code blocks.
func TestEveryPageIsRun(t *testing.T) {
	root, runs := suite.Root(t), ""
	for _, folder := range []string{"cmd/kindex", "site/docs", "site/sdk"} {
		for _, file := range suite.Must(filepath.Glob(filepath.Join(root, folder, "*_test.go")))(t) {
			test := string(suite.Must(os.ReadFile(file))(t))
			if file != filepath.Join(root, "site/docs/index_test.go") && regexp.MustCompile(`edgetest\.(Examples|Blocks)\(`).MatchString(test) {
				runs += test
			}
		}
	}
	for _, page := range pages(t) {
		name := suite.Must(filepath.Rel(root, page))(t)
		text := suite.Must(os.ReadFile(page))(t)
		if name == "content/CREDITS.md" || !strings.Contains(string(text), "```") { // the credits contain the text of licences
			continue
		}
		guide := strings.TrimPrefix(name, "site/docs/") // some tests name guides without the folder
		if !strings.Contains(runs, `"`+name+`"`) && !strings.Contains(runs, `"`+guide+`"`) {
			t.Errorf("no test runs the blocks of %s", name)
		}
	}
}
