package baseline

import (
	"encoding/gob"
	"maps"
	"net/http"
	"os"
)

// Answer is a response that was recorded.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Bare answers requests with recorded responses, by the address as it was
// asked for: what net/http itself costs, and nothing else.
type Bare map[string]Answer

// ServeHTTP implements http.Handler.
func (b Bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, ok := b[r.RequestURI]
	if !ok {
		http.NotFound(w, r)
		return
	}
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a client that has gone misses nothing
}

// Save writes the answers to a file.
func (b Bare) Save(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(b); err != nil {
		_ = f.Close() // the first error is the one that tells
		return err
	}
	return f.Close()
}

// LoadBare reads what Save wrote.
func LoadBare(path string) (Bare, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b Bare
	return b, gob.NewDecoder(f).Decode(&b)
}
