// Package ogimage draws the preview images of links to the website (Open Graph, https://ogp.me).
package ogimage

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"sort"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Width and Height are the size of every image, in pixels: the aspect ratio 1.91:1, which chats and feeds
// show uncropped.
const Width, Height = 1200, 630

const margin = 80

// Card is the content of an image. Its texts can contain anything and be of any length; what does not fit
// ends in "…". The fonts have Latin, Greek and Cyrillic letters.
type Card struct {
	Site     string // title of the index
	Name     string
	Fallback string // drawn if the fonts lack a letter of the name
	About    string // one line, such as the kind and the maker
	Facts    string // one line
}

var palette = color.Palette{color.RGBA{0xfb, 0xfa, 0xf7, 0xff}, color.RGBA{0x1c, 0x1e, 0x21, 0xff}, color.RGBA{0x5c, 0x61, 0x66, 0xff}, color.RGBA{0x0f, 0x6b, 0x57, 0xff}}

const paper, ink, quiet, accent = 0, 1, 2, 3

var fonts = sync.OnceValue(func() [2]*opentype.Font {
	var parsed [2]*opentype.Font
	for i, data := range [][]byte{goregular.TTF, gobold.TTF} {
		f, err := opentype.Parse(data)
		if err != nil {
			panic("ogimage: " + err.Error()) // cannot happen: the fonts are embedded
		}
		parsed[i] = f
	}
	return parsed
})

// PNG draws a card. The same card always yields the same bytes. It may be called concurrently.
func PNG(c Card) ([]byte, error) {
	m := image.NewPaletted(image.Rect(0, 0, Width, Height), palette)
	draw.Draw(m, image.Rect(0, 0, Width, 14), image.NewUniform(palette[accent]), image.Point{}, draw.Src)
	for _, line := range []struct {
		text   string
		bold   int
		size   float64
		bottom int
		colour int
	}{{c.Site, 0, 34, 110, accent}, {c.Name, 1, 84, 320, ink}, {c.About, 0, 42, 410, quiet}, {c.Facts, 0, 36, 550, ink}} {
		face, err := opentype.NewFace(fonts()[line.bold], &opentype.FaceOptions{Size: line.size, DPI: 72})
		if err != nil {
			return nil, err
		}
		if line.bold == 1 && !drawable(face, line.text) {
			line.text = c.Fallback
		}
		d := font.Drawer{Dst: m, Src: image.NewUniform(palette[line.colour]), Face: face, Dot: fixed.P(margin, line.bottom)}
		d.DrawString(fit(&d, line.text))
	}
	var out bytes.Buffer
	err := png.Encode(&out, m)
	return out.Bytes(), err
}

// drawable reports whether a font has all letters of a text.
func drawable(face font.Face, text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		_, ok := face.GlyphAdvance(r)
		return !ok
	})
}

// maxRunes is far more than fits into a line.
const maxRunes = 200

// fit returns the start of a text that fits into a line, without letters that the font lacks.
func fit(d *font.Drawer, text string) string {
	var kept []rune
	for _, r := range text {
		if _, ok := d.Face.GlyphAdvance(r); ok && len(kept) < maxRunes {
			kept = append(kept, r)
		}
	}
	if text = string(kept); d.MeasureString(text).Ceil() <= Width-2*margin {
		return text
	}
	n := sort.Search(len(kept), func(i int) bool { return d.MeasureString(string(kept[:i+1])+"…").Ceil() > Width-2*margin })
	return strings.TrimRight(string(kept[:n]), " ") + "…"
}
