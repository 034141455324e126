package main

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/search/query"
	_ "modernc.org/sqlite" // the driver
)

// yardsticks are the children. They get a file or an address.
var yardsticks = map[string]func(arg string) error{"net/http": replay, "FTS5": serveFTS5, "Bleve": serveBleve}

// replay serves the responses of another server, from memory after the first time.
func replay(origin string) error {
	var answers sync.Map
	return serve(func(r *http.Request) ([]byte, error) {
		if body, ok := answers.Load(r.RequestURI); ok {
			return body.([]byte), nil
		}
		p := process{name: "kindex", url: origin, client: http.DefaultClient}
		body, err := p.get(r.Context(), r.RequestURI, "")
		answers.Store(r.RequestURI, body)
		return body, err
	})
}

// serve serves on a free port, and prints the address as kindex does.
func serve(find func(*http.Request) ([]byte, error)) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("serving http://%s\n", l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := find(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
		_, _ = w.Write(body) // ignore clients that have gone
	}))
}

// fields are the fields that are searched, with the weights that kindex gives them.
var fields, weights = [3]string{"name", "topic", "text"}, [3]float64{8, 3, 1.5}

func (d *document) texts() [3]string {
	topic := append(append([]string{d.Slug, d.Type, d.Category, d.Provider}, d.Tags...), d.Capabilities...)
	return [3]string{d.Name, strings.Join(topic, " "), d.Description}
}

// serveFTS5 fills and serves a table, merged into one segment, as is recommended for data that is only read.
func serveFTS5(file string) error {
	docs, err := documents(file)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", file+".db?_pragma=synchronous(0)&_pragma=cache_size(-1000000)")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	_, err = tx.Exec(`CREATE TABLE record (id INTEGER PRIMARY KEY, json BLOB) STRICT;
		CREATE VIRTUAL TABLE words USING fts5(name, topic, text, content='', tokenize='porter unicode61')`)
	for i := 0; i < len(docs) && err == nil; i++ {
		t := docs[i].texts()
		_, err = tx.Exec("INSERT INTO record VALUES (?1, ?2); INSERT INTO words (rowid, name, topic, text) VALUES (?1, ?3, ?4, ?5)", i, docs[i].raw, t[0], t[1], t[2])
	}
	if err == nil {
		_, err = tx.Exec("INSERT INTO words (words) VALUES ('optimize')")
	}
	if err := errors.Join(err, tx.Commit()); err != nil {
		return err
	}
	search, err := db.Prepare("SELECT json FROM words JOIN record ON id = words.rowid WHERE words MATCH ? AND rank MATCH 'bm25(8, 3, 1.5)' ORDER BY rank LIMIT 20")
	if err != nil {
		return err
	}
	defer search.Close()
	return serve(func(r *http.Request) (out []byte, err error) {
		match := r.FormValue("q")
		if r.Header.Get("Class") != "phrase" {
			match = `"` + strings.ReplaceAll(match, " ", `" "`) + `"`
		}
		rows, err := search.Query(match)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			var record sql.RawBytes
			if err := rows.Scan(&record); err != nil {
				return nil, err
			}
			out = append(append(out, record...), '\n')
		}
		return out, rows.Err()
	})
}

// serveBleve fills and serves an index with Bleve's own analyzer of English.
func serveBleve(file string) error {
	docs, err := documents(file)
	if err != nil {
		return err
	}
	m, doc := bleve.NewIndexMapping(), bleve.NewDocumentStaticMapping()
	for _, name := range fields {
		f := bleve.NewTextFieldMapping()
		f.Analyzer, f.IncludeInAll = en.AnalyzerName, false
		doc.AddFieldMappingsAt(name, f)
	}
	m.DefaultMapping = doc
	b, err := bleve.NewBuilder(file+".bleve", m, map[string]any{"batchSize": 4000, "mergeMax": 64})
	if err != nil {
		return err
	}
	for i := range docs {
		t := docs[i].texts()
		values := map[string]string{"name": t[0], "topic": t[1], "text": t[2]}
		if err := b.Index(strconv.Itoa(i), values); err != nil {
			return err
		}
	}
	if err := b.Close(); err != nil {
		return err
	}
	index, err := bleve.OpenUsing(file+".bleve", map[string]any{"read_only": true})
	if err != nil {
		return err
	}
	return serve(func(r *http.Request) (out []byte, err error) {
		res, err := index.SearchInContext(r.Context(), bleveRequest(r.Header.Get("Class"), r.URL.Query()))
		if err != nil {
			return nil, err
		}
		for _, h := range res.Hits {
			i, err := strconv.Atoi(h.ID)
			if err != nil {
				return nil, err
			}
			out = append(append(out, docs[i].raw...), '\n')
			for _, fragments := range h.Fragments {
				out = append(out, strings.Join(fragments, " ")...)
			}
		}
		return out, nil
	})
}

func bleveRequest(class string, q url.Values) *bleve.SearchRequest {
	all := bleve.NewConjunctionQuery()
	words := strings.Fields(q.Get("q"))
	if class == "phrase" {
		words = []string{strings.Trim(q.Get("q"), `"`)}
	}
	for _, w := range words {
		any := bleve.NewDisjunctionQuery()
		for i, field := range fields {
			of := bleveQuery(class, w)
			of.SetField(field)
			of.SetBoost(weights[i])
			any.AddQuery(of)
		}
		all.AddQuery(any)
	}
	req := bleve.NewSearchRequestOptions(all, 20, 0, false)
	req.Highlight = bleve.NewHighlight()
	return req
}

func bleveQuery(class, w string) interface {
	query.FieldableQuery
	query.BoostableQuery
} {
	switch class {
	case "phrase":
		return bleve.NewMatchPhraseQuery(w)
	case "typo":
		q := bleve.NewFuzzyQuery(w)
		if utf8.RuneCountInString(w) >= 8 {
			q.SetFuzziness(2)
		}
		return q
	}
	return bleve.NewMatchQuery(w)
}
