package audit_test

import (
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest/browser"
)

// waitingScript lists the parts of a page that do not work without scripts: visible controls
// that do nothing, and text that stays hidden. It ignores hidden parts of forms that use
// POST, because the page that follows such a form shows them.
const waitingScript = `(() => {
  const list = []
  const add = (why, e) => list.push(why + ': ' + e.outerHTML.slice(0, 160))
  for (const e of document.querySelectorAll('button[type=button], [role=button], [contenteditable], select, input:not([type=hidden]), textarea, button')) {
    if (e.checkVisibility() && (e.type === 'button' || !e.form || !e.form.hasAttribute('action'))) add('nothing happens by', e)
  }
  for (const e of document.querySelectorAll('main [hidden]')) {
    if (e.textContent.trim() && !e.matches('button') && !e.closest('form[method=post]')) add('nothing shows', e)
  }
  if (!document.querySelector('.theme').hidden) list.push('a script has run')
  if ((document.querySelector('main')?.innerText.trim().length ?? 0) < 120) list.push('there is next to nothing to read')
  return list
})()`

// waiting fails the test if something on the page in a tab needs scripts.
func waiting(t testing.TB, tab *browser.Tab, path string) {
	t.Helper()
	for _, w := range browser.Eval[[]string](t, tab, "%s", waitingScript) {
		t.Errorf("%s, without scripts: %s", path, w)
	}
}

// waitingSeen checks that waiting detects faults, using a page whose scripts have run.
func waitingSeen(t testing.TB, tab *browser.Tab) {
	t.Helper()
	found := strings.Join(browser.Eval[[]string](t, tab, "%s", waitingScript), "\n")
	for _, want := range []string{"a script has run", "nothing happens by: <button"} {
		suite.Contains(t, found, want)
	}
}
