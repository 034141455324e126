package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/builder/suite"
)

// foreignFlags are the flags of other programs in the documents, such as curl and git.
var foreignFlags = strings.Fields(`arg auto build compressed detach etag-save fail-with-body from-file from-literal global home-dir ignore-missing index-url input key
	patch prefix retry retry-max-time shell speed-limit speed-time squash system`)

var (
	flagPattern = regexp.MustCompile(`(?:^|[^\w-])--([a-z][a-z0-9-]*)`)
	// callPattern matches a call of kindex in code, up to the end of the command.
	callPattern = regexp.MustCompile("(?m)(`|^ *(?:run: |[$#] )?|\\$\\()(?:\\./|bin/)?kindex ([a-z]+)( [a-z]+)?([^`\n|;&)]*)")
)

// TestDocumentedFlags checks that every flag in the documents and in the files of a new index exists: those in a
// call of kindex in that command, and others in any.
func TestDocumentedFlags(t *testing.T) {
	suite.WithoutRace(t)
	flags := map[string]bool{"help": true, "version": true}
	visitCommands(newRoot(io.Discard, io.Discard), func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
	})
	root, dir := suite.Root(t), newIndex(t)
	files := []string{filepath.Join(root, "README.md"), filepath.Join(root, "content", "README.md"), filepath.Join(dir, "README.md"),
		filepath.Join(dir, "content", "README.md"), filepath.Join(dir, ".github", "workflows", "validate.yml"), filepath.Join(dir, ".github", "workflows", "collect.yml")}
	documents, err := filepath.Glob(filepath.Join(root, "site", "docs", "*.md"))
	if err != nil || len(documents) < 20 {
		t.Fatalf("%d documents: %v", len(documents), err)
	}
	calls := 0
	for _, file := range append(files, documents...) {
		text := suite.Must(os.ReadFile(file))(t)
		for _, m := range flagPattern.FindAllStringSubmatch(string(text), -1) {
			if filepath.Ext(file) == ".md" && !flags[m[1]] && !slices.Contains(foreignFlags, m[1]) {
				t.Errorf("%s: no command has --%s", file, m[1])
			}
		}
		for _, m := range callPattern.FindAllStringSubmatch(string(text), -1) {
			c, _, err := newRoot(io.Discard, io.Discard).Find([]string{m[2], strings.TrimSpace(m[3])})
			if err != nil || c.Name() == "kindex" {
				if m[1] == "`" { // otherwise it can be prose
					t.Errorf("%s: unknown command: %s", file, m[0])
				}
				continue
			}
			calls++
			c.InitDefaultHelpFlag()
			for _, flag := range flagPattern.FindAllStringSubmatch(m[4], -1) {
				if c.Flags().Lookup(flag[1]) == nil {
					t.Errorf("%s: %s has no --%s: %s", file, c.CommandPath(), flag[1], m[0])
				}
			}
		}
	}
	if calls < 150 {
		t.Errorf("found %d calls", calls)
	}
}
