package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
)

// View is a browser configuration: the preferred color scheme and the width in pixels.
type View struct {
	Scheme string
	Width  int64
}

func (v View) String() string { return fmt.Sprintf("%s, %d wide", v.Scheme, v.Width) }

// Views are the configurations in which pages must look right. Journeys run in the first one.
var Views = []View{{"light", 1440}, {"dark", 1440}, {"dark", 390}, {"light", 390}}

const height = 900

// OpenView opens a tab with the first of the Views.
func OpenView(t testing.TB) *Tab {
	t.Helper()
	b := Open(t, Views[0].Width, height)
	b.Do(t, Views[0].set())
	return b
}

func (v View) set() chromedp.Action[chromedp.Void] {
	return chromedp.Steps(chromedp.EmulateViewport(v.Width, height), Prefers("prefers-color-scheme", v.Scheme))
}

// LookAround opens the pages of a journey in the other Views (in make test, only in the narrow
// dark one) and then returns to the first View. It checks that each page has the right color
// scheme and is not wider than its window.
func (b *Tab) LookAround(t testing.TB, base string, paths ...string) {
	t.Helper()
	for _, v := range suite.Pick(Views[2:3], Views[1:]) {
		b.Do(t, v.set())
		for _, path := range paths {
			b.Load(t, chromedp.Navigate(base+path))
			for _, wide := range b.Overflowing(t) {
				t.Errorf("%s, %v: wider than the window: %s", path, v, wide)
			}
			if dark := Eval[bool](t, b, lightness+" < 0.5"); dark != (v.Scheme == "dark") {
				t.Errorf("%s, %v: wrong color scheme; page is dark: %v", path, v, dark)
			}
		}
	}
	b.Do(t, Views[0].set())
}

// lightness calculates the lightness of the page's background, from 0 to 1.
const lightness = `(c => (Number(c[0]) + Number(c[1]) + Number(c[2])) / 765)(getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g))`
