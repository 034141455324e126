package pages

import (
	"cmp"
	_ "embed" // the icon
	"strings"
	"time"

	"kindex/exports/record"
	"kindex/site/ogimage"
	"kindex/site/textfmt"
)

// sharedPicture is the preview image of the index, for all pages without their own.
const sharedPicture = "/og/index.png"

const (
	// maxPictures is the largest number of entities for which a static site has one image per
	// entity.
	maxPictures = 5000
	// maxConcurrent is the number of images that are drawn at a time: each takes a few
	// milliseconds of CPU time, and anyone may request all of them.
	maxConcurrent = 2
	// pictureMaxAge is the time for which images may be cached.
	pictureMaxAge = time.Hour
)

// picturePath returns the path of an entity's image, or "" if it has none.
func (s *Site) picturePath(typ, slug string) string {
	if s.Static && s.Build.Listed() > maxPictures {
		return ""
	}
	return "/og/" + typ + "/" + slug + ".png"
}

// picturePage responds with an image.
func (r *request) picturePage(c ogimage.Card) (*page, error) {
	r.drawing <- struct{}{}
	defer func() { <-r.drawing }()
	png, err := ogimage.PNG(c)
	return &page{body: png, mediaType: "image/png", maxAge: pictureMaxAge}, err
}

func (r *request) entityPicture() (*page, error) {
	typ := r.arg("type")
	slug, isPNG := strings.CutSuffix(r.arg("file"), ".png")
	o, former, ok := r.Build.Find(typ, slug)
	if !isPNG || !ok {
		return r.notFound(), nil
	}
	if former {
		return &page{location: r.picturePath(r.Build.Key(o))}, nil
	}
	c, err := r.card(o)
	if err != nil {
		return nil, err
	}
	return r.picturePage(c)
}

// card returns the content of an entity's image.
func (s *Site) card(o uint32) (ogimage.Card, error) {
	e := s.Build.Entity(o)
	c := ogimage.Card{Site: s.Build.Manifest.Title, Kind: textfmt.Capitalize(e.Type), Name: e.Name, Provider: e.Provider, Category: s.categoryTitle(e.Category),
		Fallback: e.Key(), Description: e.Description, Score: e.Scores.Composite, AsOf: s.AsOf.UTC().Format(time.DateOnly)}
	at, err := s.standing(o, e)
	if err != nil {
		return c, err
	}
	if at != nil {
		c.Rank, c.Ranked, c.Board = at.Rank, at.Of, at.Title
	}
	formula := s.Formula.Types[e.Type]
	for _, dimension := range record.ScoreNames[1:] {
		if formula != nil && formula.Dimensions[dimension] != nil {
			c.Parts = append(c.Parts, ogimage.Part{Name: s.label(dimension), Score: e.Scores.Get(dimension)})
		}
	}
	return c, nil
}

func (r *request) indexPicture() (*page, error) {
	if r.Path != sharedPicture {
		return r.notFound(), nil
	}
	m := r.Build.Manifest
	c := ogimage.Card{Site: m.Title, Name: m.Title, Description: m.Description, AsOf: r.AsOf.UTC().Format(time.DateOnly)}
	for _, b := range r.ownBoards()[:min(1, len(r.ownBoards()))] {
		for _, w := range r.boardTop(b, ogimage.MaxParts).Rows {
			c.Parts = append(c.Parts, ogimage.Part{Name: cmp.Or(w.Name, w.Slug), Score: w.BoardScore})
		}
	}
	return r.picturePage(c)
}

//go:embed favicon.ico
var icon []byte

// favicon returns the icon for programs that cannot read icon.svg, which pages link to.
func (r *request) favicon() (*page, error) {
	return &page{body: icon, mediaType: "image/vnd.microsoft.icon", maxAge: 24 * time.Hour}, nil
}
