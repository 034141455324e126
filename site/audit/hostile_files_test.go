package audit_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// bearsFiled checks static sites: their files, and the pages that their scripts render from
// files containing hostile strings.
func bearsFiled(t *testing.T, builds map[attacker]string) {
	sites := map[attacker]*website{}
	for a, dir := range builds {
		sites[a] = file(t, dir)
	}
	paths := slices.DeleteFunc(hostilePages(), func(p string) bool { return strings.Contains(p, "?") }) // the pages that are files
	var open []kind                                                                                     // pages with scripts
	for _, path := range suite.Pick([]string{"/", "/leaderboards/class-0/", "/changes/", "/data/", "/submit/", "/tool/n0/", "/model/m0/"},
		[]string{"/", "/leaderboards/", "/leaderboards/class-0/", "/changes/", "/data/", "/submit/", "/tool/n0/", "/tool/n2/", "/tool/n4/", "/tool/n8/", "/model/m0/", "/model/m4/"}) {
		open = append(open, kind{name: path, path: path})
	}
	known := words{"mark": "anywhere", "bdi": "anywhere"} // each search marks different words
	sites[false].walk(t, paths, known.add)
	v := sites[false].visit(t)
	for _, k := range append(attacker(false).scripted(), open...) {
		for _, f := range v.harm(t, k, nil) {
			t.Errorf("with harmless words, %s: %s", k.name, f)
		}
		known.add(k.name, v.rendered(t, v.tab))
	}
	n := sites[true].walk(t, paths, func(path string, d *document) { d.checkBears(t, path, known) })
	if n < len(paths) {
		t.Errorf("checked %d pages", n)
	}
	sites[true].bears(t, append(attacker(true).scripted(), open...), known)
}

// scripted returns the pages that scripts render from files and URLs containing an attacker's
// strings.
func (a attacker) scripted() []kind {
	word, all := canary, len(markup)+len(wild)
	if !a {
		word, all = "plain", 1
	}
	const row, compares = found + ` && document.querySelector('.hits .row-name')`, `document.querySelector('#comparison:not([aria-busy]) table')`
	typing := fmt.Sprintf(`{ const e = document.querySelector('#add'); e.focus(); e.value = %q; e.dispatchEvent(new Event('input', {bubbles: true})) }`, word)
	list := []kind{
		{name: "all", path: "/search/", until: row},
		{name: "further", path: "/search/?page=2&sort=name", until: row},
		{name: "met", path: "/search/?q=" + word, until: row},
		{name: "near", path: "/search/?q=plian+wrods+" + word + "x&type=model", until: found},
		{name: "nothing", path: "/search/?q=qqqqzzzz", until: found},
		{name: "compare", path: "/compare/?e=tool/n0&e=tool/n1&e=tool/n2&e=tool/n3", until: compared(4)},
		{name: "compare-more", path: "/compare/?e=tool/n4&e=tool/n5&e=tool/n6&e=tool/n7", until: compared(4)},
		{name: "compare-models", path: "/compare/?e=model/m0&e=model/m3&e=model/m6&e=tool/n10", until: compared(4)},
		{name: "compare-one", path: "/compare/?e=model/m1", until: compared(1)},
		{name: "compare-typed", path: "/compare/?e=tool/n1", do: typing, until: `document.querySelector('[data-suggestions]:not([hidden]) a')`},
		{name: "compare-which", path: "/compare/?e=tool/n1&add=" + word, until: compares + ` && document.querySelector('.compare-notice a')`},
	}
	for _, field := range suite.Pick([]string{"tag", "license"}, []string{"tag", "provider", "license", "pricingModel"}) {
		list = append(list, kind{name: "chosen " + field, path: "/search/", do: clicked(`.facets a[href*="` + field + `="]`), until: row + ` && document.querySelector('.chosen-chip')`})
	}
	var texts []string
	for i := range all {
		text := a.markup(i)
		if i >= len(markup) {
			text = a.wild(i)
		}
		texts = append(texts, url.QueryEscape(cutTo(text, 400)))
		if i%suite.Pick(6, 1) == 0 { // all strings are also used below, several per request
			list = append(list, kind{name: fmt.Sprint("asked ", i), path: "/search/?q=" + texts[i], until: found})
		}
	}
	for some := range slices.Chunk(texts, 5) {
		q := some[0]
		list = append(list, kind{name: "narrowed " + q, path: "/search/?q=plain&tag=" + strings.Join(some, "&provider=x&tag=") + "&category=" + q + "&type=" + q + "&sort=" + q + "&page=" + q, until: found},
			kind{name: "compared " + q, path: "/compare/?e=tool/n1&e=" + strings.Join(some, "&e=tool/x&e=") + "&add=" + q, until: compares, lacks: true})
	}
	return list
}
