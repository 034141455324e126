package baseline

import (
	"encoding/gob"
	"maps"
	"net/http"
	"os"
)

// Answer is a recorded response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Bare is a handler that replays recorded responses by request URI. It measures the
// cost of net/http alone.
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
	_, _ = w.Write(a.Body) // ignore clients that have disconnected
}

// Save writes the answers to a file.
func (b Bare) Save(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(b); err != nil {
		_ = f.Close() // the first error is returned
		return err
	}
	return f.Close()
}

// LoadBare loads responses written by Save.
func LoadBare(path string) (Bare, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b Bare
	return b, gob.NewDecoder(f).Decode(&b)
}
