package exports_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"kindex/builder"
	"kindex/exports"
	"kindex/exports/view"
)

// exampleOutput builds testdata/content in a temporary folder, like kindex build. It returns
// the output folder and a function that deletes it.
func exampleOutput() (out string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "kindex-example-")
	if err != nil {
		return "", nil, err
	}
	content, out := filepath.Join(dir, "content"), filepath.Join(dir, "out")
	err = os.CopyFS(content, os.DirFS(filepath.Join("testdata", "content")))
	if err == nil {
		_, err = builder.Build(context.Background(), builder.Options{Content: content, Out: out, Keep: 1,
			AsOf: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)})
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return out, func() { _ = os.RemoveAll(dir) }, nil
}

// Open the published build of an output folder, select the Python tools of a category,
// and list them by score.
func ExampleBuild_Select() {
	out, remove, err := exampleOutput()
	if err != nil {
		log.Fatal(err)
	}
	defer remove()

	b, err := exports.OpenCurrent(out)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()

	set := b.Select(&view.Filter{Fields: map[string][][]string{
		"category": {{"graphs"}},
		"tag":      {{"python"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	page, more, _ := b.Page(set, view.DefaultSort, nil, 0, 10)
	for _, ordinal := range page {
		e := b.Entity(ordinal)
		fmt.Println(e.Key(), e.Name, e.Scores.Composite)
	}
	fmt.Println("more:", more)
	for _, c := range b.Facet(set, "tag", 2) {
		fmt.Println(c.Value, c.Count)
	}
	// Output:
	// tool/networkx NetworkX 54.6
	// tool/igraph igraph 47.9
	// more: false
	// python 2
	// c 1
}

// Find follows earlier slugs.
func ExampleBuild_Find() {
	out, remove, err := exampleOutput()
	if err != nil {
		log.Fatal(err)
	}
	defer remove()

	b, err := exports.OpenCurrent(out)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()

	ordinal, isAlias, ok := b.Find("tool", "python-igraph")
	fmt.Println(isAlias, ok)
	typ, slug := b.Key(ordinal)
	fmt.Println(typ, slug, b.Entity(ordinal).Scores.Adoption)
	// Output:
	// true true
	// tool igraph 50.8
}
