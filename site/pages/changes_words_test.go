package pages_test

import (
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/site/pages"
)

// TestChangedWords checks that pages mark the words that differ between two descriptions, with
// all text escaped.
func TestChangedWords(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	content, out := t.TempDir(), t.TempDir()
	for _, words := range []string{"on <b>one</b> machine", "on many & <i>large</i> machines"} {
		text := "name: One\ncategory: tools\ndescription: >-\n  Trains and evaluates networks of all kinds " + words + ", with little code and in the open.\n"
		suite.Write(t, content, map[string]string{"tool/one.yaml": text})
		edgetest.Build(t, content, out)
	}
	s := siteOf(t, out, pages.Options{})
	const want = `networks of all kinds on <del><span class="unseen">(deleted:</span> &lt;b&gt;one&lt;/b&gt; machine,<span class="unseen">)</span></del> ` +
		`<ins><span class="unseen">(inserted:</span> many &amp; &lt;i&gt;large&lt;/i&gt; machines,<span class="unseen">)</span></ins> with little`
	for _, path := range []string{"/tool/one/", "/changes/"} {
		suite.Contains(t, string(get(t, s, path).Body), want, path)
	}
}
