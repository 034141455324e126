package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
)

// answer is an http.ResponseWriter that keeps the response in memory. It is reused so that
// measurements do not allocate memory.
type answer struct {
	header http.Header
	status int
	body   []byte
}

func newAnswer() *answer { return &answer{header: http.Header{}} }

// reset clears the response so that the writer can be reused.
func (a *answer) reset() *answer {
	clear(a.header)
	a.status, a.body = http.StatusOK, a.body[:0]
	return a
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.body = append(a.body, b...)
	return len(b), nil
}

// count returns the number of matches, which a collection states after its records. It
// returns an error if the response is not a collection.
func (a *answer) count() (int, error) {
	if a.status != http.StatusOK {
		return 0, fmt.Errorf("status %d: %.300s", a.status, a.body)
	}
	const mark = `],"count":`
	i := bytes.LastIndex(a.body, []byte(mark))
	if i < 0 {
		return 0, fmt.Errorf("not a collection: %.300s", a.body)
	}
	rest := a.body[i+len(mark):]
	end := bytes.IndexAny(rest, ",}")
	return strconv.Atoi(string(rest[:max(0, end)]))
}
