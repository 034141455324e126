package edge_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"kindex/site/sdk"
)

// clients returns requests for the client libraries.
func clients() []request {
	return slices.Concat(
		ok("getTypescriptSdk", "/api/sdk/typescript", ""),
		ok("getPythonSdk", "/api/sdk/python", ""),
		ok("getTypescriptSdkVersion", "/api/sdk/typescript/", "0.5.0.tgz"),
		ok("getPythonSdkVersion", "/api/sdk/python/", "kindex-0.5.0.tar.gz"),
		status(404, "getTypescriptSdkVersion", "file", "/api/sdk/typescript/0.5.tgz", "/api/sdk/typescript/kindex-0.5.0.tar.gz", "/api/sdk/typescript/..%2Fpython"),
		status(404, "getPythonSdkVersion", "file", "/api/sdk/python/kindex-0.0.0.tar.gz", "/api/sdk/python/"+strings.Repeat("x", 300)),
	)
}

// badges returns requests for badges.
func badges() []request {
	return slices.Concat(
		ok("getBadge", "/badge/", "tool/pytorch.svg", "model/o3.svg", "tool/theano.svg", "tool/pytorch.svg?show=rank&label=our%20place",
			"tool/keras.svg?show=trend", "model/o3.svg?show=rank", "tool/pytorch.svg?label=%3Cscript%3E%26%22'"),
		bad("getBadge", "/badge/tool/pytorch.svg", "show", "stars", "Score", ""),
		bad("getBadge", "/badge/tool/pytorch.svg", "label", "", "%20", strings.Repeat("x", 61)),
		beyond("getBadge", "/badge/tool/pytorch.svg", "label", "%00", "%ff", "%E2%80%AE"),
		status(301, "getBadge", "", "/badge/tool/mxnet.svg"),
		status(404, "getBadge", "slug", "/badge/tool/pytorhc.svg"),
		status(404, "getBadge", "type", "/badge/robot/pytorch.svg"),
		status(410, "getBadge", "slug", "/badge/tool/short-lived.svg"),
	)
}

// testBeyondJSON checks responses in formats other than JSON, which no schema can check.
func testBeyondJSON(t *testing.T, c *contract) {
	markdown := map[string]string{}
	for accept, want := range map[string]string{
		"text/markdown": "text/markdown", "text/markdown, */*;q=0.1": "text/markdown", "text/markdown;q=0.5, application/json": "application/json",
		"*/*": "application/json", "text/html": "application/json", "": "application/json", "application/json;q=0.1, text/markdown;q=0.2": "text/markdown",
	} {
		var header []string
		if accept != "" {
			header = []string{"Accept: " + accept}
		}
		a := c.send(t, request{op: "getEntity", target: "/api/entity/tool/pytorch", status: 200, header: header})
		if got, _, _ := strings.Cut(a.header.Get("Content-Type"), ";"); got != want {
			t.Errorf("Accept: %s: got %s", accept, got)
		}
		if vary := strings.Join(a.header.Values("Vary"), ", "); !strings.Contains(vary+",", "Accept,") {
			t.Errorf("Vary: %s does not name Accept", vary)
		}
		markdown[want] = string(a.body)
	}
	a := c.send(t, request{op: "getEntity", target: "/api/entity/tool/pytorch.md", status: 200, header: []string{"Accept: application/json"}})
	if string(a.body) != markdown["text/markdown"] || !strings.HasPrefix(markdown["text/markdown"], "# PyTorch\n") {
		t.Errorf("the Markdown of PyTorch is\n%s\nand with Accept\n%s", a.body, markdown["text/markdown"])
	}
	to := c.send(t, request{op: "getEntity", target: "/api/entity/tool/mxnet.md", status: 301})
	if got := to.header.Get("Location"); got != "/api/entity/tool/incubator-mxnet.md" {
		t.Errorf("an earlier slug with .md redirects to %s", got)
	}
	if got := c.send(t, request{op: "getBadge", target: "/badge/tool/mxnet.svg?show=rank", status: 301}).header.Get("Location"); got != "/badge/tool/incubator-mxnet.svg?show=rank" {
		t.Errorf("an earlier slug of a badge redirects to %s", got)
	}
	checkCroissant(t, c)
	testLibraries(t, c)
}

// checkPicture checks that an SVG is well-formed XML with a title and has no external
// references.
func checkPicture(t *testing.T, target string, a *answer) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(a.body))
	title := false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v in %s", target, err, a.body)
		}
		e, _ := token.(xml.StartElement)
		title = title || e.Name.Local == "title"
		if slices.Contains([]string{"script", "image", "use", "foreignObject", "a"}, e.Name.Local) {
			t.Errorf("%s has the element %s", target, e.Name.Local)
		}
	}
	if !title {
		t.Errorf("%s has no title: %s", target, a.body)
	}
}

// checkCroissant: the dataset's files are those in the manifest.
func checkCroissant(t *testing.T, c *contract) {
	t.Helper()
	var manifest struct {
		Files []struct{ URL, SHA256 string }
	}
	c.send(t, request{op: "getManifest", target: "/api/export/manifest", status: 200}).decode(t, &manifest)
	sums := map[string]string{}
	for _, f := range manifest.Files {
		sums[f.URL] = f.SHA256
	}
	var dataset struct {
		Version      string
		Distribution []struct{ ContentURL, SHA256 string }
	}
	a := c.send(t, request{op: "getCroissant", target: "/api/export/croissant", status: 200})
	a.decode(t, &dataset)
	if !strings.HasSuffix(dataset.Version, "+"+c.build) || len(dataset.Distribution) == 0 {
		t.Errorf("the dataset has version %q and %d files", dataset.Version, len(dataset.Distribution))
	}
	for _, f := range dataset.Distribution {
		path, of := strings.CutPrefix(f.ContentURL, c.url)
		if !of || sums[path] == "" || sums[path] != f.SHA256 {
			t.Errorf("%s with %s is not in the manifest", f.ContentURL, f.SHA256)
		}
	}
}

// testLibraries: the newest version of each library is the version in the description, and the
// address in Content-Location serves the same bytes.
func testLibraries(t *testing.T, c *contract) {
	for op, language := range map[string]string{"getTypescriptSdk": sdk.TypeScript, "getPythonSdk": sdk.Python} {
		newest := c.send(t, request{op: op, target: "/api/sdk/" + language, status: 200})
		if !strings.Contains(newest.header.Get("Content-Disposition"), "kindex-"+c.doc.Info.Version+".t") {
			t.Errorf("the newest version of %s is %s", language, newest.header.Get("Content-Disposition"))
		}
		lasting := c.send(t, request{op: op + "Version", target: newest.header.Get("Content-Location"), status: 200})
		if !bytes.Equal(newest.body, lasting.body) {
			t.Errorf("%s is a different archive", newest.header.Get("Content-Location"))
		}
		var p struct{ Suggestion string }
		wrong := c.send(t, request{op: op + "Version", target: newest.header.Get("Content-Location") + "x", status: 404})
		if err := json.Unmarshal(wrong.body, &p); err != nil || p.Suggestion != newest.header.Get("Content-Location") {
			t.Errorf("one extra letter: %s", wrong.body)
		}
	}
}
