package pages

import (
	"strings"
	"time"

	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/site/ogimage"
	"kindex/site/textfmt"
)

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

// entityPicture responds with the image of an entity.
func (r *request) entityPicture() (*page, error) {
	slug, isPNG := strings.CutSuffix(r.arg("file"), ".png")
	o, former, ok := r.Build.Find(r.arg("type"), slug)
	switch {
	case !isPNG || !ok:
		return r.notFound(), nil
	case former:
		return &page{location: r.picturePath(r.Build.Key(o))}, nil
	}
	e := r.Build.Entity(o)
	about := r.kindTitle(e.Type)
	if e.Provider != "" && record.Fold(e.Provider) != record.Fold(e.Name) {
		about += " by " + e.Provider
	}
	var facts []string
	for _, f := range r.mainFacts(e)[:min(3, len(r.mainFacts(e)))] {
		facts = append(facts, f.Name+" "+textfmt.Name(f.Value()))
	}
	return picture(ogimage.Card{Site: r.Build.Manifest.Title, Name: safetext.OneLine(e.Name), Fallback: e.Key(), About: safetext.OneLine(about), Facts: strings.Join(facts, "   ")})
}

// indexPicture responds with the image of the index.
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
	return &page{body: body, mediaType: "image/png", maxAge: time.Hour}, err
}
