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

// httpCache keeps the responses that have a validator (ETag or Last-Modified), so that an
// unchanged response need not be sent again. It always asks: whether an answer is fresh enough
// is decided by the journal. It is our own because the kept libraries could not be used:
// gregjones/httpcache has been unmaintained since 2019 and decides by its own clock, without
// asking, that a response is fresh.
//
// A nil cache keeps nothing. A damaged or half-written entry counts as missing.
type httpCache struct{ dir string }

func (c *httpCache) path(r Request) string {
	return filepath.Join(c.dir, fmt.Sprintf("%x.json.gz", sha256.Sum256([]byte(r.Accept+"\n"+r.URL))))
}

// get returns what is kept of the response to a request, or nil.
func (c *httpCache) get(r Request) *Response {
	if c == nil || r.Body != nil {
		return nil
	}
	f, err := os.Open(c.path(r))
	if err != nil {
		return nil
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil
	}
	held := new(Response)
	if json.NewDecoder(io.LimitReader(z, 2*maxBody)).Decode(held) != nil || held.URL != r.URL {
		return nil
	}
	return held
}

// put keeps a response, as compressed JSON, if it has a validator.
func (c *httpCache) put(r Request, resp *Response) error {
	if c == nil || r.Body != nil || resp.Status != http.StatusOK || resp.Header.Get("ETag")+resp.Header.Get("Last-Modified") == "" {
		return nil
	}
	held := Response{Status: resp.Status, Header: http.Header{}, Body: resp.Body, URL: r.URL}
	for _, name := range []string{"ETag", "Last-Modified", "Content-Type", "Link"} {
		held.Header.Set(name, resp.Header.Get(name))
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(z).Encode(held), z.Close()); err != nil {
		return err
	}
	return store.WriteFile(c.path(r), b.Bytes())
}
