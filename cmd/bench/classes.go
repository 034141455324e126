package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// document is an entity as the search engines get it.
type document struct {
	Type, Slug, Name, Provider, Description, Category string
	Tags, Capabilities                                []string
	raw                                               []byte
}

func documents(path string) (docs []document, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		d := document{raw: bytes.Clone(lines.Bytes())}
		if err := json.Unmarshal(d.raw, &d); err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// class is a kind of request.
type class struct {
	name     string
	servers  string // those that can answer it
	requests []request
}

// request is a path, and the slug of the entity that its words are from.
type request struct{ path, want string }

func (b *bench) classes(file string) (all []class, err error) {
	docs, err := documents(file)
	if err != nil {
		return nil, err
	}
	search := func(draw func(*rand.Rand, *document) string, more string) func(*rand.Rand, *document) string {
		return func(rng *rand.Rand, d *document) string {
			return "/api/search?q=" + url.QueryEscape(draw(rng, d)) + more
		}
	}
	const engines = "kindex net/http FTS5 Bleve"
	for i, c := range []struct {
		name, servers string
		draw          func(*rand.Rand, *document) string // returns a path
	}{
		{"two words", engines, search(words(2), "")},
		{"five words", engines, search(words(5), "")},
		{"phrase", engines, search(phrase, "")},
		{"typo", "kindex net/http Bleve", search(typo, "")},
		{"facets", "kindex net/http", search(words(1), "&facets=category,tag,license")},
		{"filters", "kindex net/http", func(rng *rand.Rand, d *document) string {
			return "/api/entities?sort=composite&" + url.Values{"type": {d.Type}, "category": {d.Category}, "tag": {pick(rng, append(d.Tags, "none"))}}.Encode()
		}},
		{"entity", "kindex net/http", func(_ *rand.Rand, d *document) string { return "/api/entity/" + d.Type + "/" + d.Slug }},
		{"lists", "kindex net/http", func(rng *rand.Rand, d *document) string {
			return pick(rng, []string{"/api/leaderboard/all?type=" + d.Type, "/api/entities?sort=name&type=" + d.Type, "/api/entities?sort=signal.stars&category=" + d.Category})
		}},
		{"pages", "kindex net/http", func(rng *rand.Rand, d *document) string {
			own := "/" + d.Type + "/" + d.Slug + "/"
			return pick(rng, []string{own, own, own, "/", "/search/?q=" + url.QueryEscape(d.Name), "/trending/", "/changes/", "/categories/"})
		}},
	} {
		rng, kind := rand.New(rand.NewPCG(1, uint64(i))), class{name: c.name, servers: c.servers}
		for range b.queries {
			d := pick(rng, docs)
			kind.requests = append(kind.requests, request{c.draw(rng, &d), d.Slug})
		}
		all = append(all, kind)
	}
	return all, nil
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// terms lists the words of a text that people would search for, once each.
func terms(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	list = slices.DeleteFunc(list, func(w string) bool { return len(w) < 5 })
	slices.Sort(list)
	return slices.Compact(list)
}

func words(n int) func(*rand.Rand, *document) string {
	return func(rng *rand.Rand, d *document) string {
		list := terms(strings.Join(append(slices.Clone(d.Tags), d.Name, d.Description, "software"), " "))
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return strings.Join(list[:min(n, len(list))], " ")
	}
}

// typo is a word of a name, if one is long enough, in which a letter is replaced, dropped, doubled
// or swapped.
func typo(rng *rand.Rand, d *document) string {
	w := []rune(pick(rng, append(terms(d.Name), terms(d.Provider+" software")...)))
	switch at := 1 + rng.IntN(len(w)-1); rng.IntN(4) {
	case 0:
		w[at] = rune('a' + rng.IntN(26))
	case 1:
		w = slices.Delete(w, at, at+1)
	case 2:
		w = slices.Insert(w, at, w[at])
	default:
		w[at-1], w[at] = w[at], w[at-1]
	}
	return string(w)
}

var phrasePattern = regexp.MustCompile(`[a-z]{4,} [a-z]{4,}`)

// phrase is two consecutive words of a description, in quotes.
func phrase(_ *rand.Rand, d *document) string {
	return `"` + cmp.Or(phrasePattern.FindString(d.Description), "language model") + `"`
}
