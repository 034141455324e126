package indexes

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/packed"
	"kindex/exports/record"
)

// TestPrefixes compares the sets of prefixes with the terms of all documents: every prefix of enough terms
// has one, and no other prefix.
func TestPrefixes(t *testing.T) {
	suite.InTest(t)
	r := rand.New(rand.NewPCG(11, 7))
	letters := []rune("abé界")
	word := func() string {
		w := make([]rune, 1+r.IntN(6))
		for i := range w {
			w[i] = letters[min(r.IntN(6), 3)]
		}
		return string(w)
	}
	var entities []*record.Entity
	for i := range 3000 {
		entities = append(entities, &record.Entity{Type: "tool", Slug: fmt.Sprint("s", i), Name: word() + " " + word(),
			Category: "c", Tags: []string{word()}, Description: word() + " " + word() + " " + word()})
	}
	root := t.TempDir()
	dir, err := Prepare(entities, map[string]string{}).Write(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, segmentsDir, "*.zap"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	var segment segmentReader
	if err := segment.open(files[0], len(entities)); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = segment.close() }()
	x := openedPostings(t, dir, prefixesFile)
	postings := &postingReader{scratch: make(set, setWords(len(entities)))}
	found := 0
	for _, f := range prefixFields {
		terms, having := map[string]int{}, map[string]set{}
		err := eachTerm(segment.terms[f], func(_ int, term []byte, value uint64) {
			for n := range string(term) + " " {
				prefix := string(term[:n])
				if terms[prefix]++; having[prefix] == nil {
					having[prefix] = make(set, setWords(len(entities)))
				}
				if err := postings.add(segment.data, having[prefix], value); err != nil {
					t.Fatal(err)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for prefix, n := range terms {
			got := x.Find(fieldNames[f], prefix)
			if want := n >= minPrefixed && prefix != ""; (got != nil) != want {
				t.Errorf("%s: %d terms start with %q, and it has a set: %v", fieldNames[f], n, prefix, got != nil)
			}
			if got == nil {
				continue
			}
			found++
			all := make(set, setWords(len(entities)))
			if got.WriteDenseTo(all); !slices.Equal(all, having[prefix]) {
				t.Errorf("%s: %d documents have a term that starts with %q, want %d", fieldNames[f], all.count(), prefix, having[prefix].count())
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d prefixes have sets", found)
	}
}

func openedPostings(t *testing.T, dir, name string) packed.Postings {
	t.Helper()
	files, err := (&Prepared{}).describe(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i].Path = strings.TrimPrefix(files[i].Path, dir)
	}
	x := &diskIndex{files: &mappedFiles{dir: dir, manifest: &Manifest{Files: files}}}
	p, err := x.openPostings(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.files.close() })
	return p
}
