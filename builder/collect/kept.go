package collect

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"kindex/exports/store"
)

// kept is a folder with what later runs can use, as a file of compressed JSON for each key: answers, so that a
// run after one that was killed or stopped by a limit need not ask again, and --offline reads nothing else; and
// responses with a validator (ETag or Last-Modified), so that they need not be sent again if they are unchanged. A
// damaged file counts as missing, and "" keeps nothing.
type kept string

func (dir kept) path(key string) string {
	return filepath.Join(string(dir), fmt.Sprintf("%x.json.gz", sha256.Sum256([]byte(key))))
}

// get reports whether something is kept under a key, and decodes it.
func (dir kept) get(key string, into any) bool {
	if dir == "" {
		return false
	}
	f, err := os.Open(dir.path(key))
	if err != nil {
		return false
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	return err == nil && json.NewDecoder(io.LimitReader(z, 2*maxBody)).Decode(into) == nil
}

func (dir kept) put(key string, v any) error {
	if dir == "" {
		return nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(z).Encode(v), z.Close()); err != nil {
		return err
	}
	return store.WriteFile(dir.path(key), b.Bytes())
}

func (dir kept) response(r Request) *Response {
	held := new(Response)
	if r.Body != nil || !dir.get(r.Accept+"\n"+r.URL, held) || held.URL != r.URL {
		return nil
	}
	return held
}

func (dir kept) putResponse(r Request, resp *Response) error {
	if r.Body != nil || resp.Status != http.StatusOK || resp.Header.Get("ETag")+resp.Header.Get("Last-Modified") == "" {
		return nil
	}
	held := Response{Status: resp.Status, Header: http.Header{}, Body: resp.Body, URL: r.URL}
	for _, name := range []string{"ETag", "Last-Modified", "Content-Type", "Link"} {
		held.Header.Set(name, resp.Header.Get(name))
	}
	return dir.put(r.Accept+"\n"+r.URL, held)
}
