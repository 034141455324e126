package audit_test

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"kindex/builder/suite"
	"kindex/edge/edgetest/browser"
)

// visitor is a visitor to the website, which is served by an edge or a file host.
type visitor struct {
	*testing.T
	tab    *browser.Tab
	base   string
	out    string // the output folder
	served bool   // served by an edge
	// scripts means that the browser runs scripts. If it does not, the visitor uses links and
	// forms instead.
	scripts bool
	seen    []string // paths of visited pages
}

// visit makes the journey of a visitor.
func visit(t *testing.T, who visitor) {
	v := &who
	v.T, v.tab = t, browser.Open(t, desktop, height)
	v.tab.Do(t, likes("prefers-reduced-motion", "reduce")) // pages scroll at once
	if !v.scripts {
		v.tab.Do(t, withoutScripts)
	}
	v.follow("/", chromedp.Navigate(v.base+"/"))
	switch {
	case v.scripts:
		v.find()
	case v.served:
		v.findByForm()
	default:
		v.findByCategory()
	}
	v.readReasons()
	if v.scripts {
		waitingSeen(t, v.tab)
	}
	if v.scripts || v.served {
		v.compare()
	} else {
		v.standBeside()
	}
	v.goBackInTime()
	v.followChange()
	if !v.scripts { // TestWebsite and TestFiles look at the pages with scripts
		v.lookAtAll()
	}
	v.tab.CheckQuiet(t, v.base)
	v.goAstray()
}

// follow takes steps that lead to another page, whose path must start with want.
func (v *visitor) follow(want string, steps ...chromedp.Action[chromedp.Void]) {
	v.Helper()
	res := v.tab.Load(v, steps...)
	u := suite.Must(url.Parse(res.URL))(v)
	if res.Status != http.StatusOK || !strings.HasPrefix(strings.ReplaceAll(u.RequestURI(), "%2F", "/"), want) {
		v.Fatalf("%s leads to %s, %d", want, res.URL, res.Status)
	}
	if !slices.Contains(v.seen, u.RequestURI()) {
		v.seen = append(v.seen, u.RequestURI())
	}
}

// find finds PyTorch by a misspelt name and opens it, using only the keyboard.
func (v *visitor) find() {
	v.tab.Do(v, chromedp.KeyEvent(kb.Tab))
	focusIs(v, v.tab, `href="#main"`)
	v.tab.Do(v, chromedp.KeyEvent(kb.Enter))
	focusIs(v, v.tab, "<main")
	v.tab.Do(v, browser.Press("/"))
	focusIs(v, v.tab, "<input")
	v.tab.Do(v, browser.Press("pytrch"))
	v.follow("/search/?q=pytrch", browser.Press(kb.Enter))
	// The results are updated while the user types, and the URL of the final search can be shared.
	v.tab.Do(v, chromedp.WaitVisible(`.hits .row-name`), chromedp.Evaluate[chromedp.Void](`document.querySelector('.hits').dataset.old = 1`), chromedp.WaitVisible(`#q:focus`),
		chromedp.KeyEvent(kb.End), chromedp.KeyEvent(" "), chromedp.KeyEvent("lightning"), chromedp.WaitNotPresent(`.hits[data-old]`))
	settled(v, v.tab, `location.search === '?q=pytrch+lightning' && document.activeElement.id === 'q'`)
	v.tab.Do(v, chromedp.KeyEvent(strings.Repeat(kb.Backspace, len(" lightning"))))
	const first = `location.search === '?q=pytrch' && document.querySelector('.hits .row-name')?.textContent === 'PyTorch'`
	settled(v, v.tab, first)
	v.tab.Do(v, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowUp))
	focusIs(v, v.tab, "/tool/pytorch/")
	v.follow("/tool/pytorch/", browser.Press(kb.Enter))
	v.tab.Do(v, chromedp.Evaluate[chromedp.Void](`setTimeout(() => history.back())`))
	settled(v, v.tab, first+` && document.querySelector('#q').value === 'pytrch'`)
	v.follow("/tool/pytorch/", chromedp.Click(`.hits a.row-name`))
}

// readReasons checks the explanation of the score: the points add up to it, and each
// measure names its source.
func (v *visitor) readReasons() {
	e := known(v.T, v.out, "tool", "pytorch")
	shown := browser.Eval[struct {
		Head, Foot, Total string
		Points            []string
		Measures          int
		Sources           []string
	}](v, v.tab, `(() => {
  const one = s => document.querySelector(s).textContent.trim()
  const all = s => [...document.querySelectorAll(s)]
  return {
    Head: one('.entity-number strong'), Foot: one('#score .total-score strong'), Total: document.querySelector('#score').dataset.total,
    Points: all('#score .part-points strong').map(e => e.textContent),
    Measures: all('#score .measure').length,
    Sources: all('#score .measure-note a').map(a => a.href),
  }
})()`)
	sum := 0.0
	for _, p := range shown.Points {
		sum += number(v, p)
	}
	// Each part is rounded to two decimals, the score to one.
	if len(shown.Points) < 3 || math.Abs(sum-number(v, shown.Total)) > 0.005*float64(len(shown.Points)+1) || math.Abs(sum-number(v, shown.Foot)) > 0.1 {
		v.Errorf("the parts are %q, with the sum %.2f; the page shows %+v", shown.Points, sum, shown)
	}
	if want := e.Scores.Composite.String(); shown.Head != want || shown.Foot != want {
		v.Errorf("the score is %s; the page shows %+v", want, shown)
	}
	if shown.Measures == 0 || len(shown.Sources) != shown.Measures || !slices.Contains(shown.Sources, e.Signals.Facts[0].Source) {
		v.Errorf("%d measures have the sources %q", shown.Measures, shown.Sources)
	}
}

// compare follows the page's link to a comparison with a similar entity, adds a third entity
// by name, and hides the rows in which all entities are equal. Escape closes the suggestions.
func (v *visitor) compare() {
	v.follow("/compare/?e=tool/pytorch&e=", chromedp.Click(`#alternatives a[href*="/compare/"]`))
	v.tab.Until(v, `document.querySelectorAll('[data-comparison] thead th[data-key]').length === 2`)
	keys := browser.Eval[[]string](v, v.tab, `[...document.querySelectorAll('[data-comparison] thead th[data-key]')].map(e => e.dataset.key)`)
	var scores []string
	for _, key := range keys {
		typ, slug, _ := strings.Cut(key, "/")
		scores = append(scores, known(v.T, v.out, typ, slug).Scores.Composite.String())
	}
	if got := browser.Eval[[]string](v, v.tab, `[...document.querySelectorAll('[data-field=composite] .value')].map(e => e.textContent)`); keys[0] != "tool/pytorch" || !slices.Equal(got, scores) {
		v.Errorf("%q have the scores %q; the comparison shows %q", keys, scores, got)
	}
	if !v.scripts {
		v.addByForm(keys)
		return
	}
	const suggested = `document.querySelector('[data-suggestions]:not([hidden]) a')`
	v.tab.Do(v, chromedp.SendKeys(`#add`, "ker"))
	v.tab.Until(v, suggested)
	v.tab.Do(v, browser.Press(kb.ArrowDown))
	focusIs(v, v.tab, "<a ")
	v.tab.Do(v, browser.Press(kb.Escape))
	v.tab.Until(v, `document.activeElement.id === 'add' && !`+suggested)
	v.tab.Do(v, browser.Press("a"))
	v.tab.Until(v, suggested+`?.textContent === 'Keras'`)
	v.tab.Do(v, browser.Press(kb.ArrowDown))
	v.follow("/compare/?e=tool/pytorch&e="+keys[1]+"&e=tool/keras", browser.Press(kb.Enter))
	v.tab.Until(v, `document.querySelectorAll('[data-comparison] thead th[data-key]').length === 3`)
	v.tab.Do(v, chromedp.Click(`.differences input`))
	rows := browser.Eval[[][]string](v, v.tab, `[...document.querySelectorAll('[data-comparison] tr[data-field]')].filter(r => r.offsetParent !== null && r.cells.length === 4)
  .map(r => [...r.cells].map(c => c.innerText.trim()))`)
	all := browser.Eval[int](v, v.tab, `document.querySelectorAll('[data-comparison] tr[data-field]').length`)
	if len(rows) < 5 || len(rows) >= all {
		v.Errorf("%d of %d rows differ", len(rows), all)
	}
	for _, r := range rows {
		if r[1] == r[2] && r[2] == r[3] {
			v.Errorf("%s does not differ: %q", r[0], r[1])
		}
	}
}

// standing is a leaderboard as a page shows it.
type standing struct {
	Path, Day string
	Keys      []string
	Scores    []string // the scores by which the leaderboard is ranked
}

func (v *visitor) standing() standing {
	v.Helper()
	return browser.Eval[standing](v, v.tab, `({
  Path: location.pathname, Day: document.querySelector('.slider output, [data-days] [aria-current]').textContent,
  Keys: [...document.querySelectorAll('[data-board] tbody tr')].map(r => r.dataset.key),
  Scores: [...document.querySelectorAll('[data-board] tbody td[data-score=composite]')].map(c => c.dataset.value),
})`)
}

// goBackInTime uses the slider of a leaderboard, or its list of days, to open an earlier day
// on which the order was different. It then returns to the present. PyTorch had fewer stars
// on the earlier day: see edgetest.Content.
func (v *visitor) goBackInTime() {
	v.follow("/leaderboards/", chromedp.Click(`.nav a[href="/leaderboards/"]`))
	v.follow("/leaderboards/ml-frameworks/", chromedp.Click(`main a[href="/leaderboards/ml-frameworks/"]`))
	now := v.standing()
	if v.scripts {
		v.tab.Do(v, chromedp.Focus(`input[data-slider]`), browser.Press(kb.Home), browser.Press(kb.ArrowRight), browser.Press(kb.ArrowLeft))
		v.tab.Until(v, `document.querySelector('.slider output').textContent !== %q`, now.Day)
		day := v.text(`.slider output`)
		v.follow("/leaderboards/ml-frameworks/at-", browser.Press(kb.Enter))
		focusIs(v, v.tab, "range")
		suite.Equal(v, v.text(`.slider output`), day, "the slider opens")
	} else {
		v.tab.Do(v, chromedp.Click(`[data-days] summary`))
		v.follow("/leaderboards/ml-frameworks/at-", chromedp.Click(`[data-days] li:last-child a`))
	}
	then := v.standing()
	if then.Day == now.Day || slices.Equal(then.Keys, now.Keys) {
		v.Errorf("on %s the order was that of %s", then.Day, now.Day)
	}
	before, after := slices.Index(then.Keys, "tool/pytorch"), slices.Index(now.Keys, "tool/pytorch")
	if after < 0 || before >= 0 && before <= after {
		v.Errorf("with fewer stars, PyTorch was in row %d, now it is in row %d", before+1, after+1)
	}
	for _, s := range []standing{then, now} {
		if len(s.Keys) < 20 || len(s.Scores) != len(s.Keys) || !slices.IsSortedFunc(s.Scores, func(a, b string) int { return int(number(v, b) - number(v, a)) }) {
			v.Errorf("%s is not in order: %q", s.Path, s.Scores)
		}
	}
	if v.scripts {
		v.follow("/leaderboards/ml-frameworks/", browser.Press(kb.End), browser.Press(kb.Enter))
	} else {
		v.follow("/leaderboards/ml-frameworks/", chromedp.Click(`.past-note a`))
	}
	if back := v.standing(); back.Path != "/leaderboards/ml-frameworks/" || !slices.Equal(back.Keys, now.Keys) {
		v.Errorf("back, the page is %+v", back)
	}
}

// followChange goes from the list of changes to a changed entity, whose page shows the
// same change.
func (v *visitor) followChange() {
	v.follow("/changes/", chromedp.Click(`.nav a[href="/changes/"]`))
	v.follow("/changes/event-updated/", chromedp.Click(`.change-filters a[href="/changes/event-updated/"]`))
	const change = `[...document.querySelectorAll('.telling')].find(e => e.querySelector('h3 a[href="/tool/pytorch/"]'))`
	told := browser.Eval[string](v, v.tab, change+`.querySelector('.telling-by code').textContent`)
	v.follow("/tool/pytorch/", chromedp.Click(`.telling h3 a[href="/tool/pytorch/"]`))
	suite.Contains(v, browser.Eval[string](v, v.tab, `document.querySelector('#history .told > li').innerText`), told, "the change of commit")
}

// goAstray opens a wrong URL. A file host responds with its own page or with 404.html,
// neither of which has suggestions.
func (v *visitor) goAstray() {
	wrong := "/tool/pytrch/"
	if !v.served {
		res := suite.Must(http.Get(v.base + wrong))(v)
		res.Body.Close()
		suite.Equal(v, res.StatusCode, http.StatusNotFound, wrong)
		v.follow("/404.html", chromedp.Navigate(v.base+"/404.html"))
		v.follow("/search/", chromedp.Click(`.problem a[href="/search/"]`))
		v.tab.CheckQuiet(v, v.base)
		return
	}
	if res := v.tab.Load(v, chromedp.Navigate(v.base+wrong)); res.Status != http.StatusNotFound {
		v.Errorf("%s answers %d", wrong, res.Status)
	}
	if said := v.tab.Said(); len(said) != 1 || !strings.Contains(said[0], "status of 404") { // the console reports only the page itself
		v.Errorf("the console shows %q", said)
	}
	v.follow("/tool/pytorch/", chromedp.Click(`.near a[href="/tool/pytorch/"]`))
}

// number formats a number as pages do.
func number(t testing.TB, text string) float64 {
	t.Helper()
	return suite.Must(parse(text))(t)
}

func parse(text string) (float64, error) {
	return strconv.ParseFloat(strings.ReplaceAll(strings.ReplaceAll(text, ",", ""), "−", "-"), 64)
}
