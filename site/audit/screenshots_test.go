package audit_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"kindex/edge/edgetest/browser"
)

// shots lists the screenshots in the documentation.
var shots = []struct {
	name, path, scheme string
	width, height      int64
	signedIn           bool
	first              string // a script that runs before the screenshot is taken
}{
	{"home", "/", "light", 1440, 900, false, ""},
	{"home-phone-dark", "/", "dark", 390, 844, false, ""},
	{"search", "/search/?q=gradent+boosting", "light", 1440, 900, false, ""},
	{"entity", "/tool/pytorch/", "light", 1440, 900, false, ""},
	{"entity-dark", "/tool/pytorch/", "dark", 1440, 900, false, `document.querySelector('#score').scrollIntoView()`},
	{"model-phone", "/model/claude-opus-4-8/", "light", 390, 844, false, ""},
	{"leaderboard", "/leaderboards/ai-tools/", "light", 1440, 900, false, ""},
	{"compare", "/compare/?e=tool/pytorch&e=tool/tensorflow&e=tool/jax", "light", 1440, 900, false, ""},
	{"submit", "/submit/", "light", 1440, 900, false, typed(complete...)},
	{"developer", "/developer/", "light", 1440, 900, true, ""},
}

// maxPicture is the maximum size of a screenshot in bytes.
const maxPicture = 150_000

// fewColours reduces an image to its 256 most frequent colours. Pages have few colours,
// and text uses shades of them.
func fewColours(data []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	area, times := from.Bounds(), map[color.Color]int{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			times[from.At(x, y)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(times), func(a, b color.Color) int { return times[b] - times[a] })
	to := image.NewPaletted(area, color.Palette(frequent[:min(256, len(frequent))]))
	index := map[color.Color]uint8{}
	for _, c := range frequent {
		index[c] = uint8(to.Palette.Index(c))
	}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			to.SetColorIndex(x, y, index[from.At(x, y)])
		}
	}
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	err = enc.Encode(&b, to)
	return b.Bytes(), err
}

// shoot takes the screenshots.
func (w *website) shoot(t *testing.T, dir string) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for range 340 { // makes the page show usage for the key
		w.get(t, "/api/meta", false, "x-api-key", w.key)
	}
	for _, signedIn := range []bool{false, true} {
		tab := w.open(t, desktop, signedIn)
		for _, s := range shots {
			if s.signedIn != signedIn {
				continue
			}
			tab.Do(t, chromedp.EmulateViewport(s.width, s.height), likes("prefers-color-scheme", s.scheme, "prefers-reduced-motion", "reduce"),
				chromedp.Navigate(w.URL+s.path), chromedp.Evaluate[chromedp.Void](s.first+`;document.activeElement?.blur()`))
			settled(t, tab, `document.fonts.status === 'loaded' && !(document.querySelector('[data-propose]') && !document.querySelector('[data-text]')?.textContent.includes('pola-rs'))`)
			picture, err := fewColours(browser.Run(t, tab, chromedp.CaptureScreenshot()))
			if err != nil {
				t.Fatal(err)
			}
			if len(picture) > maxPicture {
				t.Errorf("%s has %d bytes", s.name, len(picture))
			}
			if err := os.WriteFile(filepath.Join(dir, s.name+".png"), picture, 0o644); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %d bytes", s.name, len(picture))
		}
	}
}
