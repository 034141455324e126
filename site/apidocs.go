// Package site provides the API reference, llms.txt, and a writer of Markdown.
package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/swaggest/swgui/v5/static"
)

// APIDocsPolicy is the Content-Security-Policy of the API reference. It permits only files
// from this service and nothing inline. The only exception is images with data: URLs, which
// Swagger UI uses.
const APIDocsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Asset is a file that a page loads. Its URL ends in Name. Name contains part of the
// content's hash, so the content at a URL never changes.
type Asset struct {
	Name      string
	MediaType string
	ETag      string // without quotes
	Data      []byte
	Gzip      []byte // Data compressed with gzip
}

//go:embed apidocs
var apiDocs embed.FS

// APIDocsFiles maps the names of the files that the API reference loads (Swagger UI and the
// files that adapt it to this website) to their Asset names.
func APIDocsFiles() map[string]string { return assets().names }

// APIDocsAsset returns the file of the API reference with the given Asset name.
func APIDocsAsset(name string) (Asset, bool) {
	a, ok := assets().byName[name]
	return a, ok
}

var mediaTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}

// assetList maps Asset names to assets, and file names to Asset names.
type assetList struct {
	byName map[string]Asset
	names  map[string]string
}

// assets are decompressed on first use.
var assets = sync.OnceValue(func() assetList {
	list := assetList{map[string]Asset{}, map[string]string{}}
	for _, f := range []struct {
		from fs.FS
		path string
	}{
		{static.FS, "swagger-ui.css.gz"},
		{static.FS, "swagger-ui-bundle.js.gz"},
		{apiDocs, "apidocs/look.css"},
		{apiDocs, "apidocs/begin.js"},
	} {
		a, err := readAsset(f.from, f.path)
		if err != nil {
			panic(fmt.Sprintf("site: %s: %v", f.path, err)) // cannot happen: the file is compiled in
		}
		plain := strings.TrimSuffix(path.Base(f.path), ".gz")
		ext := path.Ext(plain)
		a.MediaType = mediaTypes[ext]
		a.Name = strings.TrimSuffix(plain, ext) + "." + a.ETag[:8] + ext
		list.byName[a.Name], list.names[plain] = a, a.Name
	}
	return list
})

func readAsset(from fs.FS, name string) (Asset, error) {
	data, err := fs.ReadFile(from, name)
	if err != nil {
		return Asset{}, err
	}
	a := Asset{Data: data, Gzip: data}
	if strings.HasSuffix(name, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return a, err
		}
		if a.Data, err = io.ReadAll(r); err != nil {
			return a, err
		}
	} else {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(data) // never fails
		if err := w.Close(); err != nil {
			return a, err
		}
		a.Gzip = b.Bytes()
	}
	sum := sha256.Sum256(a.Data)
	a.ETag = hex.EncodeToString(sum[:16])
	return a, nil
}
