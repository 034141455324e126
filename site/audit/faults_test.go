package audit_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"kindex/builder/suite"
)

// TestFaults checks that this package's checks find faults.
func TestFaults(t *testing.T) {
	const canonical = `<link rel="canonical" href="http://127.0.0.1/">`
	const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">` // of a file, which has no headers
	const good = `<!doctype html><html lang="en"><head><title>Good</title>` + canonical + `</head>` +
		`<body><main><h1 id="a">Good</h1><a href="#a">up</a><svg><title>One</title></svg></main></body></html>`
	for _, c := range []struct{ from, to, want string }{
		{"", "", ""},
		{"<a ", `<a onclick="x()" `, "attribute onclick"},
		{"<a ", `<a style="color:red" `, "attribute style"},
		{`href="#a"`, `href="java&#9;script:alert(1)"`, "<a href="},
		{`href="#a"`, `href="data:text/html,x"`, "<a href="},
		{`href="#a"`, `href="#b"`, "leads to #b"},
		{`href="#a"`, `href="https://elsewhere.example/"`, "may see who opened it"},
		{`href="#a"`, `href="https://user:secret@elsewhere.example/" rel="noopener"`, "the password"},
		{"<a ", `<img src="https://elsewhere.example/x.png" alt=""><a `, "loads https://elsewhere"},
		{"<a ", `<img src="/x.png"><a `, "has no text"},
		{"<a ", `<script>alert(1)</script><a `, "script in the page"},
		{"<a ", `<script type="application/ld+json">{"a":</script><a `, "JSON-LD"},
		{"<a ", `<style>a{}</style><a `, "<style>"},
		{"<a ", `<iframe></iframe><a `, "<iframe>"},
		{"<a ", `<meta http-equiv="refresh" content="0"><a `, "http-equiv"},
		{"<a ", `<label for="nothing">x</label><a id="a" `, `2 elements have the id "a"`},
		{"<a ", `<label for="nothing">x</label><a `, "means nothing"},
		{"<a ", `<form action="/"><input><button type="button">x</button></form><a `, "no button"},
		{"<a ", `<table><tr><th scope="rowgroup" id="g"><th scope="row" id="r"><td headers="g r">x</table><a `, "the cell"},
		{"<a ", `<h1>Two</h1><a `, "2 h1"},
		{` lang="en"`, "", "language"},
		{"http://127.0.0.1/", "http://elsewhere.example/", "canonical"},
		{"up", "ZgotmplZ", "does not trust"},
		{"<title>", `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'"><title>`, "its policy"},
		{canonical, policy, ""},
		{"<title>", policy + "<title>", "without knowing its own"}, // a site of an unknown URL must not claim one
		{"</head>", policy + "</head>", "its policy is"},           // the policy must precede everything that it applies to
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		root := suite.Must(html.Parse(strings.NewReader(text)))(t)
		d := &document{url: &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/"}, status: http.StatusOK, body: []byte(text), root: root,
			header: http.Header{"Content-Security-Policy": {"default-src 'none'"}}}
		if strings.Contains(c.to, policy) {
			d.header, d.unnamed = http.Header{}, true
		}
		found := d.faults()
		if c.want == "" && len(found) > 0 || c.want != "" && !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, c.want) }) {
			t.Errorf("%q in place of %q: %q", c.to, c.from, found)
		}
	}
	checkWords(t)
}

// checkWords checks that attacks are detected by elements, attributes and classes that occur
// on no harmless page.
func checkWords(t *testing.T) {
	t.Helper()
	known := words{}
	known.add("/", &document{root: suite.Must(html.Parse(strings.NewReader("<p class=a>x")))(t)})
	attack := &document{root: suite.Must(html.Parse(strings.NewReader("<p class=zqx><zqx onzqx=1>")))(t)}
	found := strings.Join(attack.unlike(known), "\n")
	for _, w := range []string{"<zqx>", "<zqx onzqx>", "<p class=zqx>"} {
		suite.Contains(t, found, w)
	}
}
