package pages

import (
	"cmp"
	"container/list"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

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
	// maxCached is the number of images that are cached, each of at most 40,000 bytes.
	maxCached = 128
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

// pictureCache caches the most recently requested images.
type pictureCache struct {
	mu    sync.Mutex
	of    map[string]*list.Element // by path
	order list.List                // elements are *cachedPicture, most recently used first
	once  singleflight.Group
	turns chan struct{}
}

type cachedPicture struct {
	path string
	png  []byte
}

func newPictures() *pictureCache {
	return &pictureCache{of: map[string]*list.Element{}, turns: make(chan struct{}, maxConcurrent)}
}

// get returns the image at a path, and draws it if it is not cached.
func (p *pictureCache) get(path string, card func() (ogimage.Card, error)) ([]byte, error) {
	if png := p.cached(path); png != nil {
		return png, nil
	}
	png, err, _ := p.once.Do(path, func() (any, error) {
		p.turns <- struct{}{}
		defer func() { <-p.turns }()
		c, err := card()
		if err != nil {
			return nil, err
		}
		png, err := ogimage.PNG(c)
		if err == nil {
			p.add(path, png)
		}
		return png, err
	})
	if err != nil {
		return nil, err
	}
	return png.([]byte), nil
}

func (p *pictureCache) cached(path string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.of[path]
	if !ok {
		return nil
	}
	p.order.MoveToFront(e)
	return e.Value.(*cachedPicture).png
}

func (p *pictureCache) add(path string, png []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.of[path]; ok {
		return
	}
	p.of[path] = p.order.PushFront(&cachedPicture{path, png})
	for p.order.Len() > maxCached {
		last := p.order.Back()
		delete(p.of, last.Value.(*cachedPicture).path)
		p.order.Remove(last)
	}
}

// picturePage responds with an image.
func (r *request) picturePage(card func() (ogimage.Card, error)) (*page, error) {
	png, err := r.pictures.get(r.Path, card)
	if err != nil {
		return nil, err
	}
	return &page{body: png, mediaType: "image/png", maxAge: pictureMaxAge}, nil
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
	return r.picturePage(func() (ogimage.Card, error) { return r.card(o) })
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
	return r.picturePage(func() (ogimage.Card, error) {
		m := r.Build.Manifest
		c := ogimage.Card{Site: m.Title, Name: m.Title, Description: m.Description, AsOf: r.AsOf.UTC().Format(time.DateOnly)}
		boards := r.ownBoards()
		if len(boards) == 0 {
			return c, nil
		}
		top := r.boardTop(boards[0], ogimage.MaxParts)
		for _, w := range top.Rows {
			c.Parts = append(c.Parts, ogimage.Part{Name: cmp.Or(w.Name, w.Slug), Score: w.BoardScore})
		}
		return c, nil
	})
}

// favicon returns the icon for programs that cannot read icon.svg, which pages link to.
func (r *request) favicon() (*page, error) {
	body, err := ogimage.ICO()
	return &page{body: body, mediaType: "image/vnd.microsoft.icon", maxAge: 24 * time.Hour}, err
}
