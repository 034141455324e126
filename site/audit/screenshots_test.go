package audit_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/edgetest/browser"
)

// shots lists the pages whose screenshots are in the documentation.
var shots = []struct {
	name, path string
	signedIn   bool
	first      string // a script that runs before the screenshots are taken
}{
	{name: "home", path: "/"},
	{name: "models", path: "/models/"},
	{name: "tools", path: "/tools/"},
	{name: "model", path: "/model/claude-opus-4-8/"},
	{name: "tool", path: "/tool/pytorch/"},
	{name: "provider", path: "/provider/anthropic/"},
	{name: "benchmark", path: "/benchmark/swe-bench-verified/"},
	{name: "prices", path: "/prices/?modality=image&minContext=200k"},
	{name: "board", path: "/leaderboards/coding-models/"},
	{name: "compare", path: "/compare/?e=model/claude-opus-4-8&e=model/gpt-5-5&e=model/gemini-3-1-pro-preview&e=model/deepseek-v4-pro"},
	{name: "changes", path: "/changes/"},
	{name: "search", path: "/search/?q=gradent+boosting"},
	{name: "submit", path: "/submit/", first: typed(complete...)},
	{name: "developer", path: "/developer/", signedIn: true},
}

// windows are the windows, and schemes the colour schemes, of the screenshots.
var (
	windows = [][2]int64{{1440, 900}, {820, 1100}, {390, 844}}
	schemes = []string{"light", "dark"}
)

// shipped builds a content folder with its history, as of the day of its last commit.
func shipped(t *testing.T, content string) string {
	t.Helper()
	out := t.TempDir()
	day := suite.Must(exec.Command("git", "-C", content, "log", "-1", "--format=%cs", ".").Output())(t)
	asOf := suite.Must(time.Parse(time.DateOnly, strings.TrimSpace(string(day))))(t)
	suite.Must(builder.Build(t.Context(), builder.Options{Content: content, Out: out, AsOf: asOf, Keep: 1}))(t)
	return out
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
	suite.Check(t, os.MkdirAll(dir, 0o755))
	for range 340 { // makes the page show usage for the key
		w.get(t, "/api/meta", false, "x-api-key", w.key)
	}
	for _, signedIn := range []bool{false, true} {
		tab := w.open(t, desktop, signedIn)
		for _, s := range shots {
			if s.signedIn != signedIn {
				continue
			}
			tab.Do(t, chromedp.Navigate(w.URL+s.path), chromedp.Evaluate[chromedp.Void](s.first+`;document.activeElement?.blur()`))
			settled(t, tab, `document.fonts.status === 'loaded' && !(document.querySelector('[data-propose]') && !document.querySelector('[data-text]')?.textContent.includes('pola-rs'))`)
			for _, window := range windows {
				for _, scheme := range schemes {
					tab.Do(t, chromedp.EmulateViewport(window[0], window[1]), likes("prefers-color-scheme", scheme, "prefers-reduced-motion", "reduce"))
					settled(t, tab, fmt.Sprintf(`document.documentElement.dataset.theme === %q`, scheme))
					picture := suite.Must(fewColours(browser.Run(t, tab, chromedp.CaptureScreenshot())))(t)
					name := fmt.Sprintf("%s-%d-%s.png", s.name, window[0], scheme)
					if len(picture) > maxPicture {
						t.Errorf("%s has %d bytes", name, len(picture))
					}
					suite.Check(t, os.WriteFile(filepath.Join(dir, name), picture, 0o644))
				}
			}
		}
	}
}
