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
	"kindex/exports/store"
)

// TestFilesStayBesideTheirEntities sorts the entities and then compares their files' blob
// names with those that git calculates.
func TestFilesStayBesideTheirEntities(t *testing.T) {
	suite.InTest(t)
	dir := suite.Content(t)
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
	dir := suite.Content(t)
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
	after, _, err := content.LoadWithReuse(dir, readAll(marked), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range after.Entities {
		if reused := i%2 == 1; after.Unchanged[i] != reused || (e.Provider == "as known") != reused {
			t.Errorf("%s: unchanged %v, provider %s", e.Key(), after.Unchanged[i], e.Provider)
		}
	}
}

// TestUnread checks that files with a known identity are neither read nor parsed.
func TestUnread(t *testing.T) {
	suite.InTest(t)
	dir := suite.Content(t)
	before, _, err := content.Load(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := &unreadOdd{t: t, before: before}
	after, _, err := content.LoadWithReuse(dir, asked, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range after.Entities {
		if unread := i%2 == 1; after.Unchanged[i] != unread || (e.Provider == "as known") != unread || after.Ordinals[i] != uint32(i)*uint32(i%2) ||
			after.Sums[i] != before.Sums[i] || after.Blobs[i] != before.Blobs[i] || after.Identities[i] != before.Identities[i] {
			t.Errorf("%s: unchanged %v, provider %s, ordinal %d, identity %v", e.Key(), after.Unchanged[i], e.Provider, after.Ordinals[i], after.Identities[i])
		}
	}
}

// unreadOdd is a content.Reuse that knows the identity of every other file.
type unreadOdd struct {
	t      *testing.T
	before *content.Content
}

func (r *unreadOdd) find(typ, slug string) int {
	i, ok := slices.BinarySearchFunc(r.before.Entities, &record.Entity{Type: typ, Slug: slug}, record.CompareKey)
	if !ok {
		r.t.Errorf("%s/%s was requested", typ, slug)
	}
	return i
}

func (r *unreadOdd) Unread(typ, slug string, identity store.Identity) (f content.EarlierFile, ok bool) {
	i := r.find(typ, slug)
	if r.before.Identities[i] != identity || identity == (store.Identity{}) {
		r.t.Errorf("%s/%s has the identity %v", typ, slug, identity)
	}
	if i%2 == 0 {
		return f, false
	}
	e := *r.before.Entities[i]
	e.Provider = "as known"
	return content.EarlierFile{Entity: &e, Ordinal: uint32(i), Sum: r.before.Sums[i], Blob: r.before.Blobs[i]}, true
}

func (r *unreadOdd) Unparsed(typ, slug string, sum [sha256.Size]byte) (f content.EarlierFile, ok bool) {
	if i := r.find(typ, slug); i%2 == 1 || r.before.Sums[i] != sum {
		r.t.Errorf("%s/%s was read", typ, slug)
	}
	return f, false
}

// readAll is a content.Reuse for which every file is read.
type readAll func(typ, slug string, sum [sha256.Size]byte) *record.Entity

func (r readAll) Unread(string, string, store.Identity) (f content.EarlierFile, ok bool) {
	return f, false
}

func (r readAll) Unparsed(typ, slug string, sum [sha256.Size]byte) (f content.EarlierFile, ok bool) {
	e := r(typ, slug, sum)
	return content.EarlierFile{Entity: e}, e != nil
}
