package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"kindex/builder/suite"
)

// document is a response, parsed as browsers parse it.
type document struct {
	url    *url.URL
	status int
	header http.Header
	body   []byte
	root   *html.Node // nil if the response is not HTML
	// unnamed means that the website does not know its own URL.
	unnamed bool
}

// client does not follow redirects.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// get sends a request like a browser without JavaScript.
func (w *website) get(t testing.TB, path string, signedIn bool, header ...string) document {
	t.Helper()
	req := suite.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+path, nil))(t)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	for pair := range slices.Chunk(header, 2) {
		req.Header.Set(pair[0], pair[1])
	}
	if signedIn {
		req.AddCookie(&http.Cookie{Name: "kindex-session", Value: w.session})
	}
	res := suite.Must(client.Do(req))(t)
	defer res.Body.Close()
	d := document{url: req.URL, status: res.StatusCode, header: res.Header, unnamed: w.unnamed}
	d.body = suite.Must(io.ReadAll(res.Body))(t)
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") && res.Header.Get("Content-Encoding") == "" {
		d.root = suite.Must(html.Parse(bytes.NewReader(d.body)))(t)
	}
	return d
}

// refreshes matches the start of a file that acts as a redirect, and captures the target.
var refreshes = regexp.MustCompile(`^<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Moved</title>\n<meta http-equiv="refresh" content="0; url=([^"]*)">\n`)

// moved returns the target of a redirect, or "".
func (d *document) moved() string {
	switch d.status {
	case http.StatusMovedPermanently, http.StatusSeeOther, http.StatusPermanentRedirect:
		return d.header.Get("Location")
	}
	if m := refreshes.FindSubmatch(d.body); m != nil && d.status == http.StatusOK {
		return html.UnescapeString(string(m[1]))
	}
	return ""
}

// policy returns the Content-Security-Policy of a page. In a file, the policy is in the head,
// before everything that it applies to.
func (d *document) policy() string {
	for n := range d.nodes {
		switch {
		case n.Data == "meta" && strings.EqualFold(attr(n, "http-equiv"), "content-security-policy"):
			return attr(n, "content")
		case n.Data == "script" || n.Data == "link" || n.Data == "body":
			return d.header.Get("Content-Security-Policy")
		}
	}
	return d.header.Get("Content-Security-Policy")
}

// nodes returns the elements of a document in order.
func (d *document) nodes(yield func(*html.Node) bool) {
	for n := range d.root.Descendants() {
		if n.Type == html.ElementNode && !yield(n) {
			return
		}
	}
}

// attr returns the value of an attribute, or "".
func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// text returns the text of an element.
func text(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// leads returns the URLs in a document, each with the name of the element that contains it.
func (d *document) leads() map[string]string {
	found := map[string]string{}
	for n := range d.nodes {
		for _, a := range n.Attr {
			switch {
			case a.Key == "href" && n.Data != "base", a.Key == "src", a.Key == "poster", a.Key == "data" && n.Data == "object":
				found[a.Val] = n.Data + " " + a.Key
			case a.Key == "action" && (!has(n, "method") || strings.EqualFold(attr(n, "method"), "get")):
				found[a.Val] = "form"
			case a.Key == "content" && attr(n, "property") == "og:url":
				found[a.Val] = "meta " + attr(n, "property")
			}
		}
	}
	return found
}

// listedAs returns the title under which search engines list a page, or "" if they must
// omit it or list another page instead.
func (d *document) listedAs() (title string) {
	if d.status != http.StatusOK {
		return ""
	}
	for n := range d.nodes {
		switch {
		case n.Data == "title" && title == "":
			title = text(n)
		case n.Data == "meta" && attr(n, "name") == "robots" && strings.Contains(attr(n, "content"), "noindex"):
			return ""
		case n.Data == "link" && attr(n, "rel") == "canonical":
			if to, err := d.url.Parse(attr(n, "href")); err != nil || to.RequestURI() != d.url.RequestURI() {
				return ""
			}
		}
	}
	return title
}

// faults returns the faults that can be detected on any kind of page.
func (d *document) faults() (wrong []string) {
	if d.root == nil {
		return []string{"it is no HTML but " + d.header.Get("Content-Type")}
	}
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if csp := d.policy(); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		add("its policy is %q", csp)
	}
	for name := range d.header {
		if strings.HasPrefix(strings.ToLower(name), "x-ratelimit") || strings.HasPrefix(strings.ToLower(name), "ratelimit") {
			add("it has the header %s", name)
		}
	}
	if bytes.Contains(d.body, []byte("ZgotmplZ")) {
		add("a template has met what it does not trust: ZgotmplZ")
	}
	counts, ids := map[string]int{}, map[string]int{}
	for n := range d.nodes {
		if n.Namespace == "" { // elements of images, such as SVG titles, do not count
			counts[n.Data]++
		}
		if id := attr(n, "id"); has(n, "id") {
			ids[id]++
		}
		wrong = append(wrong, unsafe(n, d.url.Host)...)
	}
	for id, n := range ids {
		if n > 1 || id == "" {
			add("%d elements have the id %q", n, id)
		}
	}
	if counts["h1"] != 1 || counts["title"] != 1 || counts["main"] != 1 {
		add("it has %d h1, %d titles, %d main", counts["h1"], counts["title"], counts["main"])
	}
	return append(wrong, d.incomplete(ids)...)
}

// incomplete returns what is missing from a page.
func (d *document) incomplete(ids map[string]int) (wrong []string) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	canonical, noIndex := "", false
	for n := range d.nodes {
		switch {
		case n.Data == "html" && attr(n, "lang") == "":
			add("its language is not said")
		case (n.Data == "title" && n.Namespace == "" || n.Data == "h1" || n.Data == "main") && len(text(n)) < 2:
			add("its %s is empty", n.Data)
		case n.Data == "link" && attr(n, "rel") == "canonical":
			canonical = attr(n, "href")
		case n.Data == "meta" && attr(n, "name") == "robots":
			noIndex = attr(n, "content") == "noindex"
		case n.Data == "img" && !has(n, "alt"):
			add("the picture %s has no text", attr(n, "src"))
		}
		switch {
		case n.Data == "form" && !sends(n):
			add("a form has no button that submits it: %s", attr(n, "action"))
		case n.Data == "table":
			wrong = append(wrong, unheaded(n)...)
		}
		for _, key := range []string{"for", "aria-labelledby", "aria-describedby", "aria-controls", "list", "form", "headers"} {
			for id := range strings.FieldsSeq(attr(n, key)) {
				if ids[id] == 0 {
					add("<%s %s=%q> means nothing", n.Data, key, id)
				}
			}
		}
		if to := attr(n, "href"); strings.HasPrefix(to, "#") && ids[to[1:]] == 0 {
			add("a link leads to %s, which is not there", to)
		}
	}
	if d.unnamed {
		if canonical != "" {
			add("it has the canonical address %q, without knowing its own", canonical)
		}
	} else if at, err := url.Parse(canonical); d.status == http.StatusOK && !noIndex && (err != nil || at.Host != d.url.Host || at.RawQuery != "" && !strings.HasPrefix(at.Path, "/compare/")) {
		add("its canonical address is %q", canonical)
	}
	return wrong
}

// sends reports whether a form has a submit button (WCAG, technique H32): not everyone can
// press Enter.
func sends(form *html.Node) bool {
	for n := range form.Descendants() {
		kind := attr(n, "type")
		if n.Data == "button" && kind != "button" && kind != "reset" || n.Data == "input" && (kind == "submit" || kind == "image") {
			return true
		}
	}
	return false
}

// unheaded returns the cells that do not name the headers of their group, row and column
// (H43), if the table has row groups. In such a table, a cell's position does not identify
// its headers.
func unheaded(table *html.Node) (wrong []string) {
	scopes, grouped := map[string]string{}, false
	for n := range table.Descendants() {
		if n.Data == "th" {
			scopes[attr(n, "id")] = attr(n, "scope")
			grouped = grouped || attr(n, "scope") == "rowgroup"
		}
	}
	for n := range table.Descendants() {
		if !grouped || n.Data != "td" || n.FirstChild == nil {
			continue
		}
		named := map[string]bool{}
		for id := range strings.FieldsSeq(attr(n, "headers")) {
			named[scopes[id]] = true
		}
		if !named["rowgroup"] || !named["row"] || !named["col"] {
			wrong = append(wrong, fmt.Sprintf("the cell %.50q has the headers %q", text(n), attr(n, "headers")))
		}
	}
	return wrong
}

// unsafe returns things that no page may contain: inline scripts or styles, and URLs with
// schemes that our own pages do not use. The site is on the host.
func unsafe(n *html.Node, host string) (wrong []string) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	switch n.Data {
	case "style", "base", "iframe", "object", "embed", "frame", "applet":
		add("it has a <%s>", n.Data)
	case "script":
		switch kind := attr(n, "type"); {
		case kind == "application/ld+json":
			if !json.Valid([]byte(text(n))) {
				add("its JSON-LD is none: %.200s", text(n))
			}
		case !has(n, "src") || text(n) != "":
			add("it has a script in the page: %.200s", text(n))
		}
	case "meta":
		if e := attr(n, "http-equiv"); e != "" && !strings.EqualFold(e, "content-security-policy") {
			add("it has a meta http-equiv %q", e)
		}
	}
	for _, a := range n.Attr {
		value := strings.ToLower(strings.TrimSpace(a.Val))
		switch {
		case a.Key == "style" || a.Key == "srcdoc" || strings.HasPrefix(a.Key, "on"):
			add("<%s> has the attribute %s", n.Data, a.Key)
		case a.Key == "href" && has(n, "download") && strings.HasPrefix(value, "data:text/yaml;charset=utf-8,"): // a file to save, which no browser shows
		case slices.Contains([]string{"href", "src", "action", "formaction", "poster", "data", "ping", "cite", "background", "xlink:href"}, a.Key):
			if u, err := url.Parse(value); err != nil || !slices.Contains([]string{"", "http", "https", "mailto"}, u.Scheme) {
				add("<%s %s=%.200q>", n.Data, a.Key, a.Val)
			} else if u.User != nil {
				add("<%s> has the password in %s", n.Data, a.Val)
			} else if u.Host != "" && u.Host != host && n.Data == "a" && !strings.Contains(attr(n, "rel"), "noopener") {
				add("%s may see who opened it", a.Val)
			} else if u.Host != "" && n.Data != "a" && n.Data != "link" {
				add("<%s> loads %s", n.Data, a.Val)
			}
		}
	}
	return wrong
}
