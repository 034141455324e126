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

// TestEveryPageIsRun checks that each page with fenced code blocks is run by a test.
func TestEveryPageIsRun(t *testing.T) {
	root, by := suite.Root(t), map[string]string{
		"README.md":                     "cmd/kindex/readme_test.go",
		"content/README.md":             "cmd/kindex/readme_test.go",
		"site/docs/audit.md":            "cmd/kindex/audit_test.go",
		"site/docs/automation.md":       "cmd/kindex/check_test.go",
		"site/docs/accounts.md":         "cmd/kindex/readme_test.go",
		"site/docs/agents.md":           "cmd/kindex/agents_test.go",
		"site/docs/clients.md":          "cmd/kindex/readme_test.go",
		"site/docs/collecting.md":       "cmd/kindex/readme_test.go",
		"site/docs/content-files.md":    "cmd/kindex/readme_test.go",
		"site/docs/deploying.md":        "cmd/kindex/deploy_guide_test.go",
		"site/docs/design.md":           "cmd/kindex/readme_test.go",
		"site/docs/history.md":          "cmd/kindex/readme_test.go",
		"site/docs/importing.md":        "cmd/kindex/readme_test.go",
		"site/docs/operating.md":        "cmd/kindex/operating_test.go",
		"site/docs/own-index.md":        "cmd/kindex/readme_test.go",
		"site/docs/pipelines.md":        "site/docs/pipelines_test.go",
		"site/docs/scaling.md":          "cmd/kindex/scaling_test.go",
		"site/docs/tour.md":             "cmd/kindex/readme_test.go",
		"site/sdk/python/README.md":     "site/sdk/python_test.go",
		"site/sdk/typescript/README.md": "site/sdk/typescript_readme_test.go",
	}
	for _, page := range pages(t) {
		name := suite.Must(filepath.Rel(root, page))(t)
		text := suite.Must(os.ReadFile(page))(t)
		if name == "content/CREDITS.md" { // its code blocks contain the text of licences
			continue
		}
		if strings.Contains(string(text), "```") != (by[name] != "") {
			t.Errorf("%s has blocks, or has none, and is run by %q", name, by[name])
		}
		if by[name] == "" {
			continue
		}
		test, err := os.ReadFile(filepath.Join(root, by[name]))
		if err != nil || !regexp.MustCompile(`edgetest\.(Examples|Blocks)\(`).Match(test) || !strings.Contains(string(test), filepath.Base(page)) {
			t.Errorf("%s does not run %s: %v", by[name], name, err)
		}
	}
}
