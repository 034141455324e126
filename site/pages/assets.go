package pages

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/site"
	"kindex/site/ogimage"
	"kindex/site/textfmt"
)

//go:embed assets
var assetFiles embed.FS

// The style sheet is one file for browsers; its sources are one file per kind of page.
//
//go:embed css
var styleFiles embed.FS

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
	a, ok := assets().ByName[name]
	return a, ok
}

// Assets returns all files that the pages of a static site load.
func Assets() []site.Asset {
	var list []site.Asset
	for name, a := range assets().ByName {
		if name != assets().Names[layeredSheet] {
			list = append(list, a)
		}
	}
	return list
}

func (s *Site) asset(file string) string { return s.to("/assets/" + assets().Names[file]) }

// The style sheet, and a copy of it in a cascade layer. Rules outside any layer override the
// rules in the copy, whatever their specificity. Pages that embed a third-party style sheet
// load the copy.
const (
	styleSheet   = "style.css"
	layeredSheet = "layered.css"
)

var assets = sync.OnceValue(func() *site.Assets {
	list := &site.Assets{ByName: map[string]site.Asset{}, Names: map[string]string{}}
	names, _ := fs.Glob(assetFiles, "assets/*") // the pattern is valid
	for _, name := range names {
		list.Add(path.Base(name), site.Embedded(assetFiles, name), nil)
	}
	var styles []byte // sorted by name
	names, _ = fs.Glob(styleFiles, "css/*")
	for _, name := range names {
		styles = append(append(styles, site.Embedded(styleFiles, name)...), '\n')
	}
	list.Add(styleSheet, styles, nil)
	list.Add(layeredSheet, slices.Concat([]byte("@layer site {\n"), styles, []byte("}\n")), nil)
	if data, err := fs.ReadFile(npmFiles, "npm/"+engine); err == nil {
		list.Add(engine, data, nil)
	}
	return list
})

//go:embed favicon.ico
var icon []byte

// favicon returns the icon for programs that cannot read icon.svg, which pages link to.
func (r *request) favicon() (*page, error) {
	return file("image/vnd.microsoft.icon", icon, 24*time.Hour), nil
}

// sharedPicture is the preview image of the index, for all pages without their own.
const sharedPicture = "/og/index.png"

// maxPictures is the largest number of entities for which a static site has one image per entity.
const maxPictures = 5000

// picturePath returns the path of an entity's image, or "" for that of the index.
func (s *Site) picturePath(typ, slug string) string {
	if s.Static && s.Build.Listed() > maxPictures {
		return ""
	}
	return "/og/" + typ + "/" + slug + ".png"
}

func (r *request) entityPicture() (*page, error) {
	slug, isPNG := strings.CutSuffix(r.args["file"], ".png")
	o, former, ok := r.Build.Find(r.args["type"], slug)
	switch {
	case !isPNG || !ok:
		return r.notFound(), nil
	case former:
		return r.moved(r.picturePath(r.Build.Key(o)), ""), nil
	}
	e := r.Build.Entity(o)
	about := r.kind(e.Type).Title
	if e.Provider != "" && record.Fold(e.Provider) != record.Fold(e.Name) {
		about += " by " + e.Provider
	}
	facts := each(r.mainFacts(e), func(f fact) string { return f.Name + " " + textfmt.Name(f.Value()) })
	facts = facts[:min(3, len(facts))]
	return picture(ogimage.Card{Site: r.Build.Manifest.Title, Name: safetext.OneLine(e.Name), Fallback: e.Key(), About: safetext.OneLine(about), Facts: strings.Join(facts, "   ")})
}

func (r *request) indexPicture() (*page, error) {
	if r.Path != sharedPicture {
		return r.notFound(), nil
	}
	m := r.Build.Manifest
	return picture(ogimage.Card{Name: safetext.OneLine(m.Title), Fallback: "Index", About: textfmt.Plural(m.Counts.Entities, "entry", "entries") + " with sources",
		Facts: safetext.OneLine(m.Description)})
}

func picture(c ogimage.Card) (*page, error) {
	body, err := ogimage.PNG(c)
	return file("image/png", body, time.Hour), err
}
