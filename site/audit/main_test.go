// Package audit_test tests all pages of the website: that they are accessible, that strings
// cannot inject markup or scripts, that they are small, and that every link works.
package audit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"kindex/edge"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/edge/webhook"
	"kindex/site/static/statictest"
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

// The builds that all tests share: whole has all the content for tests, and part has some of it.
// part is for static sites, which have a dozen files per entity.
var whole, part shared

type shared struct {
	sync.Once
	dir string
}

func removeBuilt() {
	for _, b := range []*shared{&whole, &part} {
		if b.dir != "" {
			_ = os.RemoveAll(b.dir)
		}
	}
}

// build builds the content for tests, or some categories of it, with a history that
// contains every kind of change: one entity changed, one renamed, one deleted.
func (b *shared) build(t testing.TB, categories ...string) string {
	t.Helper()
	b.Do(func() {
		content := edgetest.Content(t, categories...)
		if err := os.Remove(filepath.Join(content, goneTool+".yaml")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(content, renamedTool+".yaml"), filepath.Join(content, renamedTo+".yaml")); err != nil {
			t.Fatal(err)
		}
		edgetest.Commit(t, filepath.Dir(content), 1)
		edgetest.Priced(t, content, [4]int{1, 1, 1, 0})
		var err error
		if b.dir, err = os.MkdirTemp("", "kindex-audit-"); err != nil {
			t.Fatal(err)
		}
		edgetest.Build(t, content, b.dir)
	})
	return b.dir
}

// file writes the website of a build as a static site, and serves it.
func file(t testing.TB, dir string, named bool) *website {
	t.Helper()
	s := statictest.Serve(t, dir, named)
	return &website{URL: s.URL, dir: s.Dir, unnamed: !named, ids: map[string]string{"MODEL": "qwen3-7-max", "OTHER": "llama-3-3-70b-instruct"}}
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
