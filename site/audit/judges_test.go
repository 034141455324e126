package audit_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"

	"kindex/builder/suite"
	"kindex/edge/edgetest/browser"
)

// TestNu checks that the Nu HTML checker finds no error and no warning in any kind of page,
// as sent and as rendered by scripts.
func TestNu(t *testing.T) {
	suite.InSoak(t, "checks every kind of page with a Java program; TestWebsite checks each in other ways")
	jar := judge(t, "java", "vnu-jar/build/dist/vnu.jar")
	w := serve(t, whole.build(t), false)
	dir, kinds := t.TempDir(), w.kinds(t)
	for _, signedIn := range w.people() {
		tab := w.open(t, desktop, signedIn)
		for _, k := range kinds {
			if k.signedIn != signedIn {
				continue
			}
			body := w.get(t, k.path, signedIn).body
			if k.do != "" {
				tab.Do(t, chromedp.EmulateViewport(desktop, height))
				w.reach(t, tab, k)
				body = w.rendered(t, tab).body
			}
			save(t, filepath.Join(dir, k.name+".html"), body)
		}
	}
	save(t, filepath.Join(dir, "wrong.html"), []byte("<!doctype html><title>Wrong</title><p id=a><p id=a>"))
	cmd := exec.CommandContext(t.Context(), "java", "-jar", jar, "--format", "json", "--exit-zero-always", "--stdout", dir)
	out := suite.Must(cmd.Output())(t)
	var said struct {
		Messages []struct {
			Type, SubType, URL, Message, Extract string
		}
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	seen := false
	for _, m := range said.Messages {
		name := filepath.Base(m.URL)
		if name == "wrong.html" {
			seen = seen || strings.Contains(m.Message, "Duplicate ID")
			continue
		}
		t.Errorf("%s: %s %s: %s in %q", name, m.Type, m.SubType, m.Message, m.Extract)
	}
	if !seen {
		t.Errorf("the mistake in wrong.html is not found: %s", out)
	}
}

// least holds the minimum Lighthouse scores.
var least = map[string]float64{"performance": 0.95, "accessibility": 1, "best-practices": 1, "seo": 1}

// TestLighthouse checks that every kind of page that can be seen without signing in reaches
// the minimum Lighthouse scores. Pages that search engines must not list may lose points, but
// only for that reason.
func TestLighthouse(t *testing.T) {
	suite.InSoak(t, "loads each kind of page up to three times; TestWebsite has budgets, axe and what search engines read")
	judge(t, "node", "lighthouse/package.json")
	chromium := browser.Program(t)
	w := serve(t, whole.build(t), false)
	args, unlisted := []string{filepath.Join("testdata", "lighthouse.mjs")}, map[string]bool{}
	for _, k := range w.kinds(t) {
		if k.signedIn || k.status != 0 || k.do != "" {
			continue
		}
		d := w.get(t, k.path, false)
		unlisted[w.URL+k.path] = d.unlisted()
		args = append(args, w.URL+k.path)
	}
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "CHROMIUM="+chromium), os.Stderr
	out := suite.Must(cmd.Output())(t)
	var judged []struct {
		Address, Error string
		Scores         map[string]float64
		Missed, Slow   []string
	}
	if err := json.Unmarshal(out, &judged); err != nil || len(judged) != len(args)-1 || len(judged) < 20 {
		t.Fatalf("%d of %d pages: %v %s", len(judged), len(args)-1, err, out)
	}
	for _, j := range judged {
		t.Logf("%s: %v", j.Address, j.Scores)
		for name, want := range least {
			if unlisted[j.Address] && name == "seo" && slices.Equal(j.Missed, []string{"is-crawlable"}) {
				continue
			}
			if j.Error != "" || j.Scores[name] < want {
				t.Errorf("%s: %s is %.2f: %q %q %s", j.Address, name, j.Scores[name], j.Missed, j.Slow, j.Error)
			}
		}
	}
}

// judge returns the path of a file in site/node_modules. It skips the test if the file,
// or the program that runs it, is missing.
func judge(t *testing.T, program, file string) string {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		suite.Missing(t, program)
	}
	return filepath.Join(suite.NodeModules(t, file), filepath.FromSlash(file))
}

func save(t *testing.T, path string, body []byte) {
	t.Helper()
	suite.Check(t, os.WriteFile(path, body, 0o644))
}

// unlisted reports whether the page or /robots.txt tells search engines not to list the page.
func (d *document) unlisted() bool {
	return strings.HasPrefix(d.url.Path, "/developer/") || slices.ContainsFunc(slices.Collect(d.nodes), func(n *html.Node) bool {
		return n.Data == "meta" && attr(n, "name") == "robots" && strings.Contains(attr(n, "content"), "noindex")
	})
}
