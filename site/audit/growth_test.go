package audit_test

import (
	"path/filepath"
	"slices"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// TestGrowth opens the page of an entity whose figures were read several times: axe finds
// nothing, nothing overflows a phone, and each chart has its growth in text above it.
func TestGrowth(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	content, out := edgetest.NewRepository(t), filepath.Join(t.TempDir(), "out")
	edgetest.Priced(t, content, [4]int{370, 60, 6, 0})
	edgetest.Build(t, content, out)
	e := edgetest.Start(t, edge.Options{Dir: out})
	w := &website{Edge: e, URL: e.URL}
	l := w.looker(t, false)
	l.look(t, kind{name: "growth", path: "/model/priced/", at: served})
	got := eval[[]string](t, l.tab, "%s", `[...document.querySelectorAll('.curves figure')].map(f => {
  const growth = f.querySelector('.growth'), chart = f.querySelector('.chart-area')
  const rows = growth ? [...growth.children].map(r => r.innerText.replace(/\s+/g, ' ')).join(' | ') : 'none'
  const placed = !growth || growth.checkVisibility() && growth.getBoundingClientRect().bottom <= chart.getBoundingClientRect().top
  return f.querySelector('figcaption').innerText.split(' (')[0] + ': ' + rows + (placed ? '' : ', not above its chart')
})`)
	const since = " from 16 Nov 2025 to 21 Nov 2026"
	grown := func(month, year string) string {
		return "Last 7 days unknown | Last 30 days " + month + " from 22 Sep 2026 to 21 Nov 2026 | Last 365 days " + year + since
	}
	want := []string{"Contributors: " + grown("no change", "no change"), "Downloads: none",
		"Likes: " + grown("+800 (+57.1%)", "+1,200 (+120%)"), "Stars: " + grown("+800 (+57.1%)", "+1,200 (+120%)")}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the charts are %q, want %q", got, want)
	}
}
