package ogimage

import (
	"image"
	"image/color"
)

// steps is the number of shades from paper to a full colour.
const steps = 15

// ramp is the palette index of the lightest shade of a colour. Letters and bars are drawn
// only on paper, so every pixel is a shade of a single colour. This keeps the number of
// colours small enough for a palette, and therefore the file small.
type ramp uint8

const (
	paper  ramp = 0
	ink    ramp = 1
	accent ramp = ink + steps
	muted  ramp = accent + steps
	rule   ramp = muted + steps // one shade
	track  ramp = rule + 1      // one shade
	stripe ramp = track + 1     // one shade
)

var palette = func() color.Palette {
	at := color.RGBA{0xfb, 0xfa, 0xf7, 0xff}
	all := color.Palette{at}
	for _, c := range []color.RGBA{{0x1c, 0x1b, 0x19, 0xff}, {0x0b, 0x6e, 0x63, 0xff}, {0x67, 0x63, 0x5b, 0xff}} {
		for i := 1; i <= steps; i++ {
			mix := func(from, to uint8) uint8 { return uint8((int(from)*(steps-i) + int(to)*i + steps/2) / steps) }
			all = append(all, color.RGBA{mix(at.R, c.R), mix(at.G, c.G), mix(at.B, c.B), 0xff})
		}
	}
	return append(all, color.RGBA{0xdb, 0xd7, 0xcd, 0xff}, color.RGBA{0xe9, 0xe6, 0xde, 0xff}, color.RGBA{0xcb, 0xc6, 0xba, 0xff})
}()

// full returns the palette index of a full colour.
func (r ramp) full() uint8 {
	switch r {
	case ink, accent, muted:
		return uint8(r) + steps - 1
	}
	return uint8(r)
}

// shade returns the palette index of a colour that covers part of a pixel; 255 means all
// of it.
func (r ramp) shade(coverage uint8) uint8 {
	n := (int(coverage)*steps + 127) / 255
	if n == 0 {
		return uint8(paper)
	}
	return uint8(r) + uint8(n) - 1
}

// changes counts the pixels whose colour differs from that of the previous pixel.
func (p *painter) changes() (n int) {
	before := uint8(paper)
	for _, pixel := range p.canvas.Pix {
		if pixel != before {
			n++
		}
		before = pixel
	}
	return n
}

// coarsen reduces each colour to the given number of shades, which must divide steps.
func (p *painter) coarsen(shades int) {
	by := steps / shades
	if by == 1 {
		return
	}
	var to [256]uint8
	for i := range to {
		to[i] = uint8(i)
	}
	for _, c := range []ramp{ink, accent, muted} {
		for n := 1; n <= steps; n++ {
			to[int(c)+n-1] = c.shade(uint8((n + by/2) / by * by * 255 / steps))
		}
	}
	for i, was := range p.canvas.Pix {
		p.canvas.Pix[i] = to[was]
	}
}

func (p *painter) clear() { clear(p.canvas.Pix) }

func (p *painter) fill(x, y, w, h int, c ramp) {
	full := c.full()
	for row := y; row < y+h; row++ {
		line := p.canvas.Pix[row*p.canvas.Stride:]
		for col := x; col < x+w; col++ {
			line[col] = full
		}
	}
}

// bar draws a rectangle num/den pixels wide. The last pixel is shaded according to the
// fraction of it that is covered.
func (p *painter) bar(x, y, num, den, h int) {
	whole, rest := num/den, num%den
	p.fill(x, y, whole, h, accent)
	if shade := accent.shade(uint8(rest * 255 / den)); shade != uint8(paper) {
		for row := y; row < y+h; row++ {
			p.canvas.Pix[row*p.canvas.Stride+x+whole] = shade
		}
	}
}

// hatch draws the bar of an unknown score.
func (p *painter) hatch(x, y, w, h int) {
	for row := y; row < y+h; row++ {
		for col := x; col < x+w; col++ {
			if (col+row)%8 < 2 {
				p.canvas.Pix[row*p.canvas.Stride+col] = uint8(stripe)
			}
		}
	}
}

// stamp draws the shape of a letter. If two overlap, the darker shade wins.
func (p *painter) stamp(at image.Rectangle, mask *image.Alpha, c ramp) {
	in := at.Intersect(p.canvas.Rect)
	for y := in.Min.Y; y < in.Max.Y; y++ {
		from := mask.Pix[(y-at.Min.Y)*mask.Stride+in.Min.X-at.Min.X:]
		to := p.canvas.Pix[y*p.canvas.Stride+in.Min.X:]
		for i := range in.Dx() {
			to[i] = max(to[i], c.shade(from[i]))
		}
	}
}
