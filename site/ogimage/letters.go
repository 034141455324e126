package ogimage

import (
	"image"
	"sync"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// weight is one of the Go fonts (https://go.dev/blog/go-fonts).
type weight uint8

const (
	regular weight = iota
	medium
	bold
)

// fonts returns the fonts by weight. They are parsed only once.
var fonts = sync.OnceValues(func() ([]*opentype.Font, error) {
	var all []*opentype.Font
	for _, data := range [][]byte{regular: goregular.TTF, medium: gomedium.TTF, bold: gobold.TTF} {
		f, err := opentype.Parse(data)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
})

func fontsError() error { _, err := fonts(); return err }

// letters is a type style: weight, size in pixels, and letter spacing as a fraction of
// the size.
type letters struct {
	weight  weight
	size    int
	spacing float64
}

// painter draws one image at a time.
type painter struct {
	canvas  *image.Paletted
	faces   map[letters]font.Face
	buffers buffers
}

func newPainter() *painter {
	return &painter{
		canvas: image.NewPaletted(image.Rect(0, 0, Width, Height), palette),
		faces:  map[letters]font.Face{},
	}
}

// face returns the face of a style and caches it; there are at most a few dozen styles.
func (p *painter) face(t letters) font.Face {
	t.spacing = 0
	if f := p.faces[t]; f != nil {
		return f
	}
	all, _ := fonts()                                                                                                         // PNG has checked the error
	f, _ := opentype.NewFace(all[t.weight], &opentype.FaceOptions{Size: float64(t.size), DPI: 72, Hinting: font.HintingNone}) // NewFace never fails
	p.faces[t] = f
	return f
}

// advance returns how far a letter moves the pen.
func (t letters) advance(f font.Face, r rune) fixed.Int26_6 {
	a, _ := f.GlyphAdvance(r)
	return a + fixed.Int26_6(t.spacing*float64(t.size)*64)
}

// width returns the width of a line in pixels, rounded up.
func (p *painter) width(line string, t letters) int {
	f := p.face(t)
	var sum fixed.Int26_6
	for _, r := range line {
		sum += t.advance(f, r)
	}
	return sum.Ceil()
}

// write draws a line and returns where it ends. The shape of the first letter starts at
// x, without the font's side bearing, so that lines of different sizes are aligned.
func (p *painter) write(x, y int, line string, t letters, c ramp) int {
	f := p.face(t)
	dot := fixed.P(x, y)
	first, _ := utf8.DecodeRuneInString(line)
	if bounds, _, ok := f.GlyphBounds(first); ok {
		dot.X -= bounds.Min.X
	}
	for _, r := range line {
		at, mask, _, _, ok := f.Glyph(dot, r)
		if alpha, is := mask.(*image.Alpha); ok && is {
			p.stamp(at, alpha, c)
		}
		dot.X += t.advance(f, r)
	}
	return dot.X.Ceil()
}
