package indexes_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/view"
)

// withSynonyms builds a small index with synonyms. Each entity is given as slug: name: tags:
// description.
func withSynonyms(t *testing.T, groups string, entities ...string) *catalogue {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		suite.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		suite.Check(t, os.WriteFile(path, []byte(text), 0o644))
	}
	if groups != "" {
		write("synonyms.yaml", "synonyms:\n"+groups)
	}
	for _, e := range entities {
		part := strings.Split(e, ": ")
		write("tool/"+part[0]+".yaml", "name: "+part[1]+"\ncategory: things\ntags: ["+part[2]+"]\ndescription: "+part[3]+"\n")
	}
	return open(t, dir)
}

const (
	speech = "  - [stt, asr, speech to text, speech recognition]\n  - [rag, retrieval augmented generation]\n  - [vector database, vector store]\n"
	others = "saw: Saw: wood: Cuts planks."
)

// TestSynonyms searches for words and phrases that only other entities spell that way.
func TestSynonyms(t *testing.T) {
	entities := []string{"a: Anna: stt: Listens.", "b: Bert: speech-to-text: Listens.", "c: Cleo: speech-recognition: Listens.", "d: Dora: asr: Listens.",
		"e: Emil: text-to-image: Recites a speech.", "f: Fritz: rag: Finds.", "g: Gerda: vector-stores: Keeps.", "h: Hans: gpt: Turns speech of any kind to readable text.", others}
	c := withSynonyms(t, speech, entities...)
	plain := withSynonyms(t, "", entities...)
	for _, q := range []struct{ query, best, rest string }{
		{"stt", "a", "b c d h"}, {"asr", "d", "a b c h"}, {"speech to text", "b", "a c d h e"}, {"speech-to-text", "b", "a c d h e"}, {"speech recognition", "c", "a b d h"},
		{"ASR", "d", "a b c h"}, {"best stt tool", "a", "b c d h"}, {`"stt"`, "a", ""}, {`"speech to text"`, "b", ""}, {"retrieval augmented generation", "f", ""},
		{"vector databases", "g", ""}, {"listens stt", "a", "b c d"},
	} {
		keys, res := c.find(t, q.query, 20)
		want := strings.Fields(strings.TrimSpace(q.best + " " + q.rest))
		for i, k := range keys {
			keys[i] = strings.TrimPrefix(k, "tool/")
		}
		switch {
		case len(keys) == 0 || keys[0] != q.best:
			t.Errorf("%s: %s, want %s first", q.query, keys, q.best)
		case len(res.Hits) > 1 && res.Hits[1].Relevance >= res.Hits[0].Relevance:
			t.Errorf("%s: a synonym is as relevant as the word itself", q.query)
		}
		suite.Equal(t, slices.Sorted(slices.Values(keys)), slices.Sorted(slices.Values(want)), q.query)
		for _, h := range res.Hits {
			e := c.build.Entity(h.Ordinal)
			marked := res.Highlights(e)
			if len(marked) == 0 || !strings.Contains(marked[0].Text, "<mark>") {
				t.Errorf("%s: %s has no highlight: %v", q.query, e.Key(), marked)
			}
		}
	}
	if keys, _ := plain.find(t, "stt", 20); !slices.Equal(keys, []string{"tool/a"}) {
		t.Errorf("without synonyms: %s", keys)
	}
}

// TestSynonymsBehindNames: whoever types a name finds the entity with that name first.
func TestSynonymsBehindNames(t *testing.T) {
	c := withSynonyms(t, speech, "rag: RAG: cloth: A piece of cloth.", "x: Xenia: rag, retrieval-augmented-generation: Does retrieval augmented generation.",
		"asr: Asr: clock: Tells the time of a prayer.", "y: Yann: speech-to-text: Listens.", others)
	for query, want := range map[string]string{"rag": "tool/rag", "RAG": "tool/rag", "asr": "tool/asr"} {
		if keys, _ := c.find(t, query, 5); len(keys) < 2 || keys[0] != want {
			t.Errorf("%s: %s, want %s first", query, keys, want)
		}
	}
}

// TestSynonymsOfEdits: previewed edits are found by synonyms too.
func TestSynonymsOfEdits(t *testing.T) {
	c := withSynonyms(t, speech, "a: Anna: speech-to-text: Listens.", others)
	edit := &record.Entity{Type: "tool", Slug: "new", Name: "New", Category: "things", Description: "Has automatic speech recognition.", Status: record.Active}
	b := suite.Must(c.build.WithEdits([]exports.Edit{{Type: "tool", Slug: "new", Entity: edit}}))(t)
	x := suite.Must(c.index.WithEdits(b, c.titles))(t)
	all := b.Select(&view.Filter{})
	if res := x.Search("stt", all, nil, 0, 10); len(res.Hits) != 2 {
		t.Errorf("found %v; want both", res.Hits)
	}
}

// TestFillers: words that say only what kind of thing is wanted need not match, unless there are
// no others.
func TestFillers(t *testing.T) {
	c := withSynonyms(t, "", "a: Anna: vector-database: Keeps.", "b: Best Tool: wood: Cuts.", others)
	for query, want := range map[string]string{"best vector database": "tool/a", "vector database library": "tool/a", "open source vector database": "tool/a",
		"best tool": "tool/b", "tool": "tool/b", "is Anna still maintained": "tool/a", "when is Anna retired?": "tool/a", `vector "library"`: "", "best": "tool/b"} {
		keys, _ := c.find(t, query, 5)
		if want == "" && len(keys) > 0 || want != "" && (len(keys) == 0 || keys[0] != want) {
			t.Errorf("%s: %s, want %s first", query, keys, want)
		}
	}
}
