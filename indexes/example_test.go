package indexes_test

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
	"kindex/indexes"
)

// exampleOutput builds the example content in a temporary folder, as kindex build
// does. It returns the output folder and a function that deletes it.
func exampleOutput() (out string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "kindex-example-")
	if err != nil {
		return "", nil, err
	}
	content, out := filepath.Join(dir, "content"), filepath.Join(dir, "out")
	err = os.CopyFS(content, os.DirFS(filepath.Join("..", "exports", "testdata", "content")))
	if err == nil {
		_, err = builder.Build(context.Background(), builder.Options{Content: content, Out: out, Keep: 1,
			AsOf: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)})
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return out, func() { _ = os.RemoveAll(dir) }, nil
}

// Search all listed entities for a misspelled word, and show where it matches.
func ExampleIndex_Search() {
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
	x, err := indexes.Open(out, b)
	if err != nil {
		log.Fatal(err)
	}

	within := b.Select(&view.Filter{}) // all listed entities
	result := x.Search("netwark", within, nil, 0, 10)
	fmt.Println("matches:", result.Matches.GetCardinality())
	for _, hit := range result.Hits {
		e := b.Entity(hit.Ordinal)
		fmt.Println(e.Key())
		for _, h := range result.Highlights(e) {
			fmt.Printf("  %s: %s\n", h.Field, h.Text)
		}
	}
	// Output:
	// matches: 1
	// tool/igraph
	//   description: <mark>Network</mark> analysis in C, Python and R.
}
