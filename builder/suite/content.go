package suite

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Thin removes most entities from a content folder, so that a test takes less time. It keeps one out
// of every share entities, and those whose slug occurs in texts as a word.
func Thin(t testing.TB, content string, share int, texts ...string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(content, "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for _, text := range texts {
		for _, slug := range slugs.FindAllString(text, -1) {
			kept[slug] = true
		}
	}
	for i, path := range files {
		if i%share == 0 || kept[strings.TrimSuffix(filepath.Base(path), ".yaml")] {
			continue
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	DropLostSuccessors(t, content)
}

// ThinCategories removes from a content folder the boards, and the categories that neither an
// entity nor the keep list names, because a build has several files for each.
func ThinCategories(t testing.TB, content string, keep ...string) {
	t.Helper()
	used := map[string]bool{}
	for _, slug := range keep {
		used[slug] = true
	}
	files, err := filepath.Glob(filepath.Join(content, "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if m := categoryOf.FindSubmatch(read(t, path)); m != nil {
			used[string(m[1])] = true
		}
	}
	file := filepath.Join(content, "categories.yaml")
	parts := bytes.Split(read(t, file), []byte("\n  - "))
	kept := parts[:1]
	for _, part := range parts[1:] {
		line, _, _ := strings.Cut(string(part), "\n")
		if used[strings.TrimPrefix(line, "slug: ")] {
			kept = append(kept, part)
		}
	}
	text := append(bytes.TrimRight(bytes.Join(kept, []byte("\n  - ")), "\n"), '\n')
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(content, "boards.yaml")); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var (
	slugs      = regexp.MustCompile(`[a-z0-9]+(-[a-z0-9]+)*`)
	categoryOf = regexp.MustCompile(`(?m)^category: ([a-z0-9-]+)`)
)

var successorLine = regexp.MustCompile(`(?m)^  replacedBy: (\S+)\n`)

// emptyLifecycle matches a lifecycle that has no fields left.
var emptyLifecycle = regexp.MustCompile(`(?m)^lifecycle:\n(\S|\z)`)

// DropLostSuccessors removes references to successors that are missing from a content folder
// because a test has removed entities.
func DropLostSuccessors(t testing.TB, content string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(content, "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text := read(t, path)
		m := successorLine.FindSubmatch(text)
		if m == nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(content, string(m[1])+".yaml")); err == nil {
			continue
		}
		if err := os.WriteFile(path, emptyLifecycle.ReplaceAll(successorLine.ReplaceAll(text, nil), []byte("$1")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
