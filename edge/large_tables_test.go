package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
	"kindex/exports/store"
)

// comparedHeaders are those that must not depend on what a build stores.
var comparedHeaders = []string{"Etag", "Content-Length", "Content-Encoding", "Content-Range", "Content-Type", "Content-Disposition",
	"Repr-Digest", "Accept-Ranges", "Cache-Control", "Last-Modified", "Vary", "X-Build"}

// largePair is two edges that serve the same builds with large tables: one has their texts, the
// other recreates them.
type largePair struct{ stored, lean *served }

// ask sends the same request to both edges and checks that the responses are the same.
func (p largePair) ask(t *testing.T, method, path string, header ...string) answer {
	t.Helper()
	a, b := p.stored.ask(t, method, path, header...), p.lean.ask(t, method, path, header...)
	if a.status != b.status || a.status < 400 && !bytes.Equal(a.body, b.body) {
		t.Fatalf("%s %s %q: %d with %d bytes, but without texts %d with %d bytes", method, path, header, a.status, len(a.body), b.status, len(b.body))
	}
	for _, h := range comparedHeaders {
		if !reflect.DeepEqual(a.header[h], b.header[h]) {
			t.Fatalf("%s %s %q: %s is %q, but without texts %q", method, path, header, h, a.header[h], b.header[h])
		}
	}
	return b
}

// all sends every kind of request for a file with this content.
func (p largePair) all(t *testing.T, path, text string) {
	t.Helper()
	if got := p.ask(t, "GET", path); string(got.body) != text {
		t.Fatalf("%s has %d bytes, want %d", path, len(got.body), len(text))
	}
	tag, n := p.ask(t, "HEAD", path).header.Get("Etag"), len(text)
	if got := p.ask(t, "GET", path, "If-None-Match", tag); got.status != http.StatusNotModified {
		t.Errorf("%s with its tag: %d", path, got.status)
	}
	for _, span := range [][2]int{{0, 0}, {n / 3, 2 * n / 3}, {n - 1, n - 1}, {n / 2, n + 10}} {
		got := p.ask(t, "GET", path, "Range", fmt.Sprintf("bytes=%d-%d", span[0], span[1]), "Accept-Encoding", "gzip, zstd", "If-Range", tag)
		if want := text[span[0]:min(span[1]+1, n)]; got.status != http.StatusPartialContent || string(got.body) != want {
			t.Errorf("%s: range %d is %d with %d bytes", path, span, got.status, len(got.body))
		}
	}
	if got := p.ask(t, "GET", path, "Range", fmt.Sprintf("bytes=-%d", n/4)); string(got.body) != text[n-n/4:] {
		t.Errorf("%s: its end has %d bytes", path, len(got.body))
	}
	p.ask(t, "GET", path, "Range", fmt.Sprintf("bytes=%d-", n+1))
	p.ask(t, "HEAD", path, "Accept-Encoding", "gzip")
}

// largeBuild builds a content folder. All its tables are large.
func largeBuild(t *testing.T, content, out string, asOf time.Time, storeTexts bool) *store.Manifest {
	t.Helper()
	r, err := builder.Build(t.Context(), builder.Options{Content: content, Out: out, AsOf: asOf, Keep: 5, Key: builderKey, LargeTable: 1, StoreTexts: storeTexts})
	if err != nil {
		t.Fatal(err)
	}
	m, err := store.Verify(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLargeTables compares the responses of an edge whose build has the texts of large tables with
// those of an edge that recreates them, for every file of the current build and of an old one.
func TestLargeTables(t *testing.T) {
	suite.InTest(t)
	content := t.TempDir()
	writeContent(t, content, 300, 1)
	outs := []string{t.TempDir(), t.TempDir()}
	var manifests [2][]*store.Manifest
	for i, out := range outs {
		manifests[i] = append(manifests[i], largeBuild(t, content, out, testAsOf, i == 0), largeBuild(t, content, out, testAsOf.AddDate(0, 0, 1), i == 0))
	}
	if !reflect.DeepEqual(manifests[0], manifests[1]) {
		t.Fatal("the builds differ")
	}
	p := largePair{serveWith(t, Options{Dir: outs[0], State: storagetest.SQLite(t)}), serveWith(t, Options{Dir: outs[1], State: storagetest.SQLite(t)})}
	for i, m := range manifests[0] {
		recreated := 0
		for _, f := range m.Files {
			text, err := os.ReadFile(filepath.Join(store.BuildsDir(outs[0]), m.ID, filepath.FromSlash(f.Path)))
			if err != nil {
				t.Fatal(err)
			}
			switch url := "/data/" + m.ID + "/" + f.Path; {
			case store.Unstored(m.Files, f.Path):
				recreated++
				p.all(t, url, string(text))
				if i == 1 {
					p.export(t, f, string(text))
				}
			case strings.HasPrefix(f.Path, "entities"):
				p.ask(t, "GET", url)
			}
		}
		if recreated != 12 {
			t.Errorf("%d recreated texts were compared", recreated)
		}
	}
}

// TestAttackRecreatedRanges requests parts of files that are not stored. Each holds one of the few slots
// for what is made while it is sent, so one address cannot have many at once, and does not keep others
// from files that are stored.
func TestAttackRecreatedRanges(t *testing.T) {
	content, out := t.TempDir(), t.TempDir()
	writeContent(t, content, 30, 1)
	m := largeBuild(t, content, out, testAsOf, false)
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t)})
	release := s.HoldExports(ratelimit.AddressSubject(netip.MustParseAddr("203.0.113.7"), 0).ID)
	recreated := 0
	for _, f := range m.Files {
		stored := !store.Unstored(m.Files, f.Path)
		if f.Size == 0 {
			continue // it has no parts
		}
		if !stored {
			recreated++
		}
		for address, want := range map[string]int{"203.0.113.7:1": http.StatusServiceUnavailable, "203.0.113.8:1": http.StatusPartialContent} {
			if stored {
				want = http.StatusPartialContent
			}
			if got := s.statusOf(from(address, "GET", "/data/"+m.ID+"/"+f.Path, "", "Range", "bytes=0-0")); got != want {
				t.Errorf("%s from %s: %d, want %d", f.Path, address, got, want)
			}
		}
	}
	if recreated == 0 {
		t.Error("all files are stored")
	}
	release()
}

// export sends requests for a table to the API.
func (p largePair) export(t *testing.T, f store.File, text string) {
	t.Helper()
	table, format, _ := strings.Cut(f.Path, ".")
	path := "/api/export/" + table + "?format=" + format
	if table == "entities_full" {
		path = "/api/export/entities?fields=all&format=" + format
	}
	p.all(t, path, text)
	sum := sha256.Sum256([]byte(text))
	if got, want := p.ask(t, "GET", path).header.Get("Repr-Digest"), "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":"; got != want || hex.EncodeToString(sum[:]) != f.SHA256 {
		t.Errorf("%s: the digest is %s, want %s", path, got, want)
	}
	identity := p.ask(t, "HEAD", path).header.Get("Etag")
	for accept, encoding := range map[string]string{"gzip": "gzip", "zstd": "", "br": ""} { // tables are offered with gzip only
		got := p.ask(t, "GET", path, "Accept-Encoding", accept)
		if got.header.Get("Content-Encoding") != encoding || string(decode(t, encoding, got.body)) != text {
			t.Errorf("%s with %s: %q, %d bytes", path, accept, got.header.Get("Content-Encoding"), len(got.body))
		}
		stored := encoding == "" || format != "json"
		if got.header.Get("Content-Length") == "" == stored {
			t.Errorf("%s with %s: length %q", path, accept, got.header.Get("Content-Length"))
		}
		tag := got.header.Get("Etag")
		if (tag == identity) != (encoding == "") || p.ask(t, "GET", path, "Accept-Encoding", accept, "If-None-Match", tag).status != http.StatusNotModified {
			t.Errorf("%s with %s: tag %s", path, accept, tag)
		}
	}
}
