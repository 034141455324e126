package content_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestFilesStayBesideTheirEntities sorts the entities and then compares their files' blob
// names with those that git calculates.
func TestFilesStayBesideTheirEntities(t *testing.T) {
	suite.InTest(t)
	dir, err := filepath.Abs(filepath.Join("..", "..", "content")) // git resolves relative paths from the top of the repository
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := content.Load(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Sort(func(a, b *record.Entity) int {
		return cmp.Or(-cmp.Compare(a.Name, b.Name), record.CompareKey(a, b))
	})
	var paths []string
	for _, e := range c.Entities {
		paths = append(paths, filepath.Join(dir, e.Type, e.Slug+".yaml"))
	}
	cmd := exec.Command("git", "hash-object", "--no-filters", "--stdin-paths")
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(out))
	if len(names) != len(c.Blobs) || len(c.Sums) != len(names) || len(c.Unchanged) != len(names) || len(names) == 0 {
		t.Fatalf("%d names by git, %d blobs, %d sums", len(names), len(c.Blobs), len(c.Sums))
	}
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(c.Blobs[i][:]); got != names[i] || c.Sums[i] != sha256.Sum256(data) {
			t.Errorf("%s is %s, by git %s", path, got, names[i])
		}
	}
}

// TestReuse reuses the entities of some files, and checks which files are requested from
// Reuse and which are parsed.
func TestReuse(t *testing.T) {
	suite.InTest(t)
	dir := filepath.Join("..", "..", "content")
	before, _, err := content.Load(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	marked := func(typ, slug string, sum [sha256.Size]byte) *record.Entity {
		i, ok := slices.BinarySearchFunc(before.Entities, &record.Entity{Type: typ, Slug: slug}, record.CompareKey)
		if !ok || before.Sums[i] != sum {
			t.Errorf("%s/%s with sum %x was requested", typ, slug, sum)
			return nil
		}
		if i%2 == 0 {
			return nil
		}
		e := *before.Entities[i]
		e.Provider = "as known"
		return &e
	}
	after, _, err := content.LoadWithReuse(dir, marked, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range after.Entities {
		if reused := i%2 == 1; after.Unchanged[i] != reused || (e.Provider == "as known") != reused {
			t.Errorf("%s: unchanged %v, provider %s", e.Key(), after.Unchanged[i], e.Provider)
		}
	}
}
