package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"kindex/site"
)

//go:embed assets
var assetFiles embed.FS

// The style sheet is one file for browsers; its sources are one file per kind of page.
//
//go:embed css
var styleFiles embed.FS

var mediaTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// Files from npm, if they were present when the program was built.
//
//go:embed npm
var npmFiles embed.FS

// Searchable reports whether the program contains the search engine of static sites.
func Searchable() bool {
	_, err := fs.Stat(npmFiles, "npm/"+engine)
	return err == nil
}

// engine is MiniSearch (https://github.com/lucaong/minisearch), as a module.
const engine = "minisearch.js"

// Asset returns a file that pages load from /assets/, given its name as it appears in the
// URL.
func Asset(name string) (site.Asset, bool) {
	a, ok := assets().byName[name]
	return a, ok
}

// Assets returns all files that the pages of a static site load.
func Assets() []site.Asset {
	var list []site.Asset
	for name, a := range assets().byName {
		if name != assets().names[layeredSheet] {
			list = append(list, a)
		}
	}
	return list
}

// asset returns the URL path of a file in assets.
func (s *Site) asset(file string) string { return s.to("/assets/" + assets().names[file]) }

// The style sheet, and a copy of it in a cascade layer. Rules outside any layer override the
// rules in the copy, whatever their specificity. Pages that embed a third-party style sheet
// load the copy.
const (
	styleSheet   = "style.css"
	layeredSheet = "layered.css"
)

type assetList struct {
	byName map[string]site.Asset
	names  map[string]string // by file
}

var assets = sync.OnceValue(func() assetList {
	list := assetList{map[string]site.Asset{}, map[string]string{}}
	files, err := assetFiles.ReadDir("assets")
	if err != nil {
		panic(err) // cannot happen: the files are compiled in
	}
	for _, f := range files {
		data, err := fs.ReadFile(assetFiles, "assets/"+f.Name())
		if err != nil {
			panic(err)
		}
		list.add(f.Name(), data)
	}
	list.add(styleSheet, styles())
	list.add(layeredSheet, slices.Concat([]byte("@layer site {\n"), styles(), []byte("}\n")))
	if data, err := fs.ReadFile(npmFiles, "npm/"+engine); err == nil {
		list.add(engine, data)
	}
	return list
})

func (l *assetList) add(file string, data []byte) {
	sum := sha256.Sum256(data)
	ext := path.Ext(file)
	a := site.Asset{MediaType: mediaTypes[ext], Data: data, ETag: hex.EncodeToString(sum[:16]), Gzip: gzipped(data)}
	a.Name = strings.TrimSuffix(file, ext) + "." + a.ETag[:8] + ext
	l.byName[a.Name], l.names[file] = a, a.Name
}

// styles returns all style sheets, sorted by name.
func styles() []byte {
	var all []byte
	files, err := styleFiles.ReadDir("css")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		data, err := fs.ReadFile(styleFiles, "css/"+f.Name())
		if err != nil {
			panic(err)
		}
		all = append(append(all, data...), '\n')
	}
	return all
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data) // never fails
	_ = w.Close()
	return b.Bytes()
}
