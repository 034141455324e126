// Package audit_test tests the website as its users meet it. It checks all pages: that they are
// accessible, that strings cannot inject markup or scripts, that they are small, and that every
// link works. It also uses the website in a browser, like a visitor, a developer, a contributor and the
// owner of a webhook.
package audit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/edge/webhook"
	"kindex/site/pages"
	"kindex/site/static"
)

func TestMain(m *testing.M) { browser.Main(m, edgetest.Stop, removeBuilt) }

// Changes to the content that the tests check, in addition to those in edgetest.Content.
const (
	goneTool    = "tool/theano"
	renamedTool = "tool/flax"
	renamedTo   = "tool/flax-nnx"
)

// patience is how long a test waits for something before it gives up, which is far longer
// than even a slow machine needs.
const patience = 5 * time.Minute

// website is the website of an edge, or a static site.
type website struct {
	*edgetest.Edge                   // nil if files are served
	URL            string            // http://127.0.0.1:port
	dir            string            // the folder of the files, or "" for an edge
	unnamed        bool              // the website does not know its own URL
	session        string            // the session cookie of a signed-in user
	key            string            // an API key of the same account
	ids            map[string]string // IDs by their placeholders in the table of kinds
}

// static reports whether the website is a static site.
func (w *website) static() bool { return w.Edge == nil }

// The builds that all tests share: part is for static sites, which have a dozen files per entity.
var (
	whole = shared{}
	part  = shared{only: []string{"ml-frameworks", "tool/pytorch-geometric", "model/gpt-4", "model/gpt-5-6-sol", "model/phi-4"}}
)

// shared is a build, and a static site of it, for all tests.
type shared struct {
	only []string // categories and entities, or nil for all

	once, filed sync.Once
	dir, out    string
	files       *httptest.Server
}

func removeBuilt() {
	for _, b := range []*shared{&whole, &part} {
		if b.files != nil {
			b.files.Close()
		}
		if b.dir != "" {
			_ = os.RemoveAll(b.dir)
		}
	}
}

// build builds content with a history that contains every kind of change: one entity changed,
// one renamed, one deleted. It returns the output folder.
func (b *shared) build(t testing.TB) string {
	t.Helper()
	b.once.Do(func() {
		content := edgetest.Content(t, b.only...)
		suite.Check(t, os.Remove(filepath.Join(content, goneTool+".yaml")))
		suite.Check(t, os.Rename(filepath.Join(content, renamedTool+".yaml"), filepath.Join(content, renamedTo+".yaml")))
		edgetest.Commit(t, filepath.Dir(content), 1)
		edgetest.Priced(t, content, [4]int{1, 1, 1, 0})
		b.dir = suite.Must(os.MkdirTemp("", "kindex-audit-"))(t)
		b.out = filepath.Join(b.dir, "out")
		edgetest.Build(t, content, b.out)
	})
	return b.out
}

// file returns the website of the build as a static site that knows its URL. All tests share it.
func (b *shared) file(t testing.TB) *website {
	t.Helper()
	out := b.build(t)
	b.filed.Do(func() { b.files = writeFiles(t, out, filepath.Join(b.dir, "site"), true) })
	return &website{URL: b.files.URL, dir: filepath.Join(b.dir, "site"), ids: map[string]string{"MODEL": "priced-2", "OTHER": "priced-5"}}
}

// file writes the website of a build as a static site that does not know its URL.
func file(t testing.TB, out string) *website {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	server := writeFiles(t, out, dir, false)
	t.Cleanup(server.Close)
	return &website{URL: server.URL, dir: dir, unnamed: true}
}

// writeFiles writes the static site of a build, and serves it like any file host. A named site
// knows its URL, so it has canonical URLs and a sitemap. In CI, it is an
// error if MiniSearch is missing.
func writeFiles(t testing.TB, out, dir string, named bool) *httptest.Server {
	t.Helper()
	if !pages.Searchable() {
		suite.NotRun(t, "MiniSearch is missing; make site/pages/npm/minisearch.js fetches it")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	o := static.Options{Out: out, Dir: dir}
	if named {
		o.URL = server.URL
	}
	if _, err := static.Write(t.Context(), o); err != nil {
		server.Close()
		t.Fatal(err)
	}
	return server
}

// serve starts an edge with sign-in and a signed-in account.
func serve(t testing.TB, dir string, a attacker) *website {
	t.Helper()
	receiver := edgetest.NewReceiver(t)
	hub := authtest.StartGitHub(t)
	e := edgetest.Start(t, edge.Options{Dir: dir, Contact: "operator@example.org", LimitAnonymous: 20, LimitKey: 1000,
		Guard: receiver.Guard, WebhookSchedule: webhook.Schedule{time.Hour},
		SignIn: auth.Options{GitHub: auth.GitHub{Client: authtest.Client, Secret: authtest.ClientSecret, URL: hub.URL}}})
	const token = "a token that only this browser has, of many characters"
	sum := sha256.Sum256([]byte(token))
	if _, _, err := e.State.SignIn(t.Context(), auth.SignedInIdentity{Identity: auth.Identity{Provider: hub.URL, Subject: "1", Login: "ann"}, Name: "ann",
		Key: apikey.Generate(), Hash: hex.EncodeToString(sum[:]), At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	w := &website{Edge: e, URL: e.URL, session: token, ids: map[string]string{"MODEL": "claude-opus-4-8", "OTHER": "gpt-5-5"}}
	w.fill(t, receiver, a)
	return w
}
