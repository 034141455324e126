// Package site provides the API reference, llms.txt, and a writer of Markdown.
package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
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
func APIDocsFiles() map[string]string { return apiDocsAssets().Names }

// APIDocsAsset returns the file of the API reference with the given Asset name.
func APIDocsAsset(name string) (Asset, bool) {
	a, ok := apiDocsAssets().ByName[name]
	return a, ok
}

// Assets are files that pages load: by Asset name, and the Asset names by file.
type Assets struct {
	ByName map[string]Asset
	Names  map[string]string
}

var mediaTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// Add adds a file. packed is its content compressed with gzip, or nil.
func (l *Assets) Add(file string, data, packed []byte) {
	if packed == nil {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(data) // never fails
		_ = w.Close()
		packed = b.Bytes()
	}
	sum, ext := sha256.Sum256(data), path.Ext(file)
	a := Asset{MediaType: mediaTypes[ext], ETag: hex.EncodeToString(sum[:16]), Data: data, Gzip: packed}
	a.Name = strings.TrimSuffix(file, ext) + "." + a.ETag[:8] + ext
	l.ByName[a.Name], l.Names[file] = a, a.Name
}

// apiDocsAssets are decompressed on first use.
var apiDocsAssets = sync.OnceValue(func() *Assets {
	list := &Assets{map[string]Asset{}, map[string]string{}}
	for _, name := range []string{"swagger-ui.css", "swagger-ui-bundle.js"} {
		packed := Embedded(static.FS, name+".gz")
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			panic(err) // cannot happen: the file is compiled in
		}
		data, err := io.ReadAll(r)
		if err != nil {
			panic(err)
		}
		list.Add(name, data, packed)
	}
	for _, name := range []string{"look.css", "begin.js"} {
		list.Add(name, Embedded(apiDocs, "apidocs/"+name), nil)
	}
	return list
})

// Embedded returns a file that is compiled in.
func Embedded(from fs.FS, name string) []byte {
	data, err := fs.ReadFile(from, name)
	if err != nil {
		panic(err) // cannot happen
	}
	return data
}
