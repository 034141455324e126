package indexes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
)

// readZapx is the version of zapx whose encodings segmentReader reads. They are private: a
// release that changes them need not say so.
const readZapx = "v16.3.4"

// TestZapxVersion fails if zapx is upgraded, so that nobody does so without looking.
func TestZapxVersion(t *testing.T) {
	suite.InTest(t)
	mod, err := os.ReadFile(filepath.Join("..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(mod); !strings.Contains(text, "github.com/blevesearch/zapx/v16 "+readZapx+"\n") || strings.Contains(text, "replace github.com/blevesearch/zapx") {
		t.Errorf("segment.go reads the dictionaries and postings of zapx %s through its own code, but go.mod selects another version: "+
			"compare zap.md and the writers of both versions, run TestSegmentContract, and then change readZapx", readZapx)
	}
}

// TestSegmentContract compares every posting that segmentReader reads with what zapx itself
// reads: in dictionaries with one document, with several, and with bitmaps of every container.
func TestSegmentContract(t *testing.T) {
	suite.InTest(t)
	s := contractSession(t)
	for f, name := range fieldNames {
		if n := comparePostings(t, s, f, name); n == 0 {
			t.Errorf("field %s has no terms", name)
		}
	}
}

// comparePostings compares the postings of all terms in a field, and returns the number of terms.
func comparePostings(t *testing.T, s *session, field int, name string) int {
	t.Helper()
	want := map[string]set{}
	err := zapxPostings(s, field, func(term string, o uint32) {
		if want[term] == nil {
			want[term] = make(set, len(s.postings.scratch))
		}
		want[term].add(o)
	})
	if err != nil {
		t.Fatal(err)
	}
	for term, docs := range want {
		got := make(set, len(s.postings.scratch))
		value, ok, err := s.index.segment.terms[field].Get([]byte(term))
		if err != nil || !ok {
			t.Fatalf("%s %q is not in the dictionary: %v", name, term, err)
		}
		if err := s.addPosting(got, value); err != nil || !slices.Equal(got, docs) {
			t.Fatalf("%s %q: the postings differ from those that zapx reads: %v", name, term, err)
		}
	}
	if n := s.index.segment.terms[field].Len(); n != len(want) {
		t.Errorf("%s: the dictionary has %d terms, but zapx reads %d", name, n, len(want))
	}
	return len(want)
}

// zapxPostings calls f with each term of a field and each of its documents, as zapx reads them.
func zapxPostings(s *session, field int, f func(term string, o uint32)) error {
	dictionary, err := s.index.segment.segment.Dictionary(fieldNames[field])
	if err != nil {
		return err
	}
	it := dictionary.AutomatonIterator(nil, nil, nil)
	for {
		entry, err := it.Next()
		if entry == nil || err != nil {
			return err
		}
		list, err := dictionary.PostingsList([]byte(entry.Term), nil, nil)
		if err != nil {
			return err
		}
		postings := list.Iterator(false, false, false, nil)
		for {
			p, err := postings.Next()
			if err != nil {
				return err
			}
			if p == nil {
				break
			}
			f(entry.Term, uint32(p.Number()))
		}
	}
}

// contractSession writes an index and opens its segment. Some tags are in a run of documents.
func contractSession(tb testing.TB) *session {
	tb.Helper()
	var entities []*record.Entity
	for i := range batchSize + 500 {
		e := &record.Entity{Type: "tool", Slug: fmt.Sprintf("light-gbm-%d", i), Name: fmt.Sprintf("Light GBM %d", i), Category: "ml",
			Description: fmt.Sprintf("Boosts the gradients number%d.", i%7)}
		if i < 900 {
			e.Tags = []string{"run"}
		}
		entities = append(entities, e)
	}
	dir, err := Prepare(entities, map[string]string{"ml": "Machine Learning"}).Write(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, segmentsDir, "*.zap"))
	if err != nil || len(files) != 1 {
		tb.Fatalf("%q, %v", files, err)
	}
	var r segmentReader
	if err := r.open(files[0], len(entities)); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = r.close() })
	s := &session{index: &Index{diskIndex: &diskIndex{segment: r, records: len(entities)}}, postings: postingReader{scratch: make(set, setWords(len(entities)))}}
	return s
}

// BenchmarkPostings compares reading the postings of all words of names through segmentReader
// with reading them through the interfaces of zapx.
func BenchmarkPostings(b *testing.B) {
	s := contractSession(b)
	dst := make(set, len(s.postings.scratch))
	b.Run("own", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := s.eachPrefixed(s.index.segment.terms[nameField], "", func(value uint64) error { return s.addPosting(dst, value) }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("zapx", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := zapxPostings(s, nameField, func(_ string, o uint32) { dst.add(o) }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
