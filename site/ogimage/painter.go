package ogimage

import (
	"image"
	"image/color"
	"image/draw"
	"sync"

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

// fonts returns the fonts by weight. All have the same characters.
var fonts = sync.OnceValue(func() (all []*opentype.Font) {
	for _, data := range [][]byte{regular: goregular.TTF, medium: gomedium.TTF, bold: gobold.TTF} {
		f, err := opentype.Parse(data)
		if err != nil {
			panic(err) // cannot happen: the fonts are compiled in
		}
		all = append(all, f)
	}
	return all
})

// letters is a type style: weight and size in pixels.
type letters struct {
	weight weight
	size   int
}

// The colours of an image.
var (
	paper  = color.RGBA{0xfb, 0xfa, 0xf7, 0xff}
	ink    = color.RGBA{0x1c, 0x1b, 0x19, 0xff}
	accent = color.RGBA{0x0b, 0x6e, 0x63, 0xff}
	muted  = color.RGBA{0x67, 0x63, 0x5b, 0xff}
	rule   = color.RGBA{0xdb, 0xd7, 0xcd, 0xff}
	track  = color.RGBA{0xe9, 0xe6, 0xde, 0xff}
	stripe = color.RGBA{0xcb, 0xc6, 0xba, 0xff}
)

// steps is the number of shades from paper to the colour of letters.
const steps = 15

// palette holds all colours and the shades at the edges of letters, so that files are small.
var palette = func() color.Palette {
	all := color.Palette{paper, rule, track, stripe}
	for _, c := range []color.RGBA{ink, accent, muted} {
		for i := 1; i <= steps; i++ {
			mix := func(from, to uint8) uint8 { return uint8((int(from)*(steps-i) + int(to)*i + steps/2) / steps) }
			all = append(all, color.RGBA{mix(paper.R, c.R), mix(paper.G, c.G), mix(paper.B, c.B), 0xff})
		}
	}
	return all
}()

// painter draws one image.
type painter struct {
	canvas *image.RGBA
	faces  map[letters]font.Face
}

func newPainter() *painter {
	p := &painter{image.NewRGBA(image.Rect(0, 0, Width, Height)), map[letters]font.Face{}}
	p.fill(0, 0, Width, Height, paper)
	return p
}

// paletted returns the image in the colours of the palette.
func (p *painter) paletted() *image.Paletted {
	out, known := image.NewPaletted(p.canvas.Rect, palette), map[color.RGBA]uint8{}
	var last color.RGBA
	var index uint8
	for i := range out.Pix {
		c := color.RGBA{p.canvas.Pix[4*i], p.canvas.Pix[4*i+1], p.canvas.Pix[4*i+2], 0xff}
		if c != last {
			var ok bool
			if index, ok = known[c]; !ok {
				index = uint8(palette.Index(c))
				known[c] = index
			}
			last = c
		}
		out.Pix[i] = index
	}
	return out
}

func (p *painter) fill(x, y, w, h int, c color.Color) {
	draw.Draw(p.canvas, image.Rect(x, y, x+w, y+h), image.NewUniform(c), image.Point{}, draw.Src)
}

// hatch draws the bar of an unknown score.
func (p *painter) hatch(x, y, w, h int) {
	for i := range w * h {
		if col, row := x+i%w, y+i/w; (col+row)%8 < 2 {
			p.canvas.Set(col, row, stripe)
		}
	}
}

// face returns the face of a style.
func (p *painter) face(t letters) font.Face {
	f := p.faces[t]
	if f == nil {
		f, _ = opentype.NewFace(fonts()[t.weight], &opentype.FaceOptions{Size: float64(t.size), DPI: 72}) // never fails
		p.faces[t] = f
	}
	return f
}

// width returns the width of a line in pixels, rounded up.
func (p *painter) width(line string, t letters) int {
	return font.MeasureString(p.face(t), line).Ceil()
}

// write draws a line and returns where it ends. The shape of the first letter starts at
// x, without the font's side bearing, so that lines of different sizes are aligned.
func (p *painter) write(x, y int, line string, t letters, c color.Color) int {
	d := font.Drawer{Dst: p.canvas, Src: image.NewUniform(c), Face: p.face(t), Dot: fixed.P(x, y)}
	bounds, _ := d.BoundString(line)
	d.Dot.X += fixed.I(x) - bounds.Min.X
	d.DrawString(line)
	return d.Dot.X.Ceil()
}
