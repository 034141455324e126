package store

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"kindex/builder/suite"
)

// TestBrotliWritersAreUsedAgain compares the output of a reused writer with that of
// a new one: builds must not depend on the order in which files are compressed.
func TestBrotliWritersAreUsedAgain(t *testing.T) {
	suite.InTest(t)
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{`"slug":`, `"name":`, "tensor", "graph", "null,", "{", "}", "\n"}
	for i := range 60 {
		var data []byte
		for n := rng.IntN(MaxBrotliLen >> rng.IntN(14)); len(data) < n; {
			data = append(data, words[rng.IntN(len(words))]...)
			data = append(data, byte(rng.IntN(256)))
		}
		got, err := Compress("br", data)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := writeClose(newBrotliWriter(&want), data); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("file %d of %d bytes: packed into %d bytes, by a fresh writer into %d", i, len(data), len(got), want.Len())
		}
	}
}
