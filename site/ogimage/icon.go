package ogimage

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"

	"golang.org/x/image/vector"
)

// iconSize is the width and the height of the icon, in pixels.
const iconSize = 32

// ICO returns the site's icon for programs that request /favicon.ico and cannot read SVG:
// the shapes of icon.svg as a PNG inside an ICO file, supported since Windows Vista.
// https://learn.microsoft.com/en-us/previous-versions/ms997538(v=msdn.10)
func ICO() ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, iconSize, iconSize))
	ink := image.NewUniform(color.RGBA{0x0b, 0x6e, 0x63, 0xff})
	v := vector.NewRasterizer(iconSize, iconSize)
	for _, bar := range []struct{ y, width float32 }{{4, 18}, {10.5, 12}, {17, 7}} { // of 24
		roundBar(v, bar.y, bar.width)
	}
	v.Draw(img, img.Bounds(), ink, image.Point{})
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, part := range []any{
		[3]uint16{0, 1, 1},                // reserved, an icon, one image
		[4]uint8{iconSize, iconSize},      // no palette, reserved
		[2]uint16{1, 32},                  // planes, bits per pixel
		[2]uint32{uint32(data.Len()), 22}, // size, offset: after these 22 bytes
	} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	out.Write(data.Bytes())
	return out.Bytes(), nil
}

// roundBar adds a bar with round ends, 3 units high and 3 units from the left, to a drawing
// of 24 by 24 units.
func roundBar(v *vector.Rasterizer, y, width float32) {
	const unit, left, radius = iconSize / 24.0, 3, 1.5
	at := func(f func(x, y float32), x, y float32) { f(x*unit, y*unit) }
	curve := func(x1, y1, x2, y2 float32) { v.QuadTo(x1*unit, y1*unit, x2*unit, y2*unit) }
	right := left + width
	at(v.MoveTo, left+radius, y)
	at(v.LineTo, right-radius, y)
	curve(right, y, right, y+radius)
	curve(right, y+2*radius, right-radius, y+2*radius)
	at(v.LineTo, left+radius, y+2*radius)
	curve(left, y+2*radius, left, y+radius)
	curve(left, y, left+radius, y)
	v.ClosePath()
}
