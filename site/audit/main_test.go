// Package audit_test tests all pages of the website at once: that they can be used by
// everybody, that nobody's words run in them, that they are small, and that every
// link leads somewhere.
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
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/edge/keys"
	"kindex/edge/signin"
	"kindex/edge/signin/signintest"
	"kindex/edge/webhook"
)

func TestMain(m *testing.M) { browser.Main(m, edgetest.Stop, removeBuilt) }

// What has happened in the content that the tests look at, beside the changes of
// edgetest.Content.
const (
	goneTool    = "tool/theano"
	renamedTool = "tool/umap"
	renamedTo   = "tool/umap-learn"
)

// website is an edge with the shipped content.
type website struct {
	*edgetest.Edge
	session string            // the cookie of somebody who is signed in
	key     string            // of the API, of the same account
	ids     map[string]string // of what that account has, by what stands for it in the table of kinds
}

// built is the build of all tests.
var built struct {
	sync.Once
	dir string
}

func removeBuilt() {
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
}

// build is the shipped content with a history in which there is one of everything
// that pages tell: an entity changed, renamed, gone.
func build(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		content := edgetest.Content(t)
		if err := os.Remove(filepath.Join(content, goneTool+".yaml")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(content, renamedTool+".yaml"), filepath.Join(content, renamedTo+".yaml")); err != nil {
			t.Fatal(err)
		}
		edgetest.Commit(t, filepath.Dir(content), 1)
		var err error
		if built.dir, err = os.MkdirTemp("", "kindex-audit-"); err != nil {
			t.Fatal(err)
		}
		edgetest.Build(t, content, built.dir)
	})
	return built.dir
}

// serve starts an edge on which people can sign in, and where somebody is.
func serve(t testing.TB, dir string, a attacker) *website {
	t.Helper()
	receiver := edgetest.NewReceiver(t)
	hub := signintest.StartGitHub(t)
	e := edgetest.Start(t, edge.Options{Dir: dir, Contact: "operator@example.org", LimitAnonymous: 20, LimitKey: 1000,
		Guard: receiver.Guard, WebhookSchedule: webhook.Schedule{time.Hour},
		SignIn: signin.Options{GitHub: signin.GitHub{Client: signintest.Client, Secret: signintest.ClientSecret, URL: hub.URL}}})
	const token = "a token that only this browser has, of many characters"
	sum := sha256.Sum256([]byte(token))
	if _, _, err := e.State.SignIn(t.Context(), signin.Arrival{Identity: signin.Identity{Provider: hub.URL, Subject: "1", Login: "ann"}, Name: "ann",
		Key: keys.Generate(), Hash: hex.EncodeToString(sum[:]), At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	w := &website{Edge: e, session: token, ids: map[string]string{}}
	w.fill(t, receiver, a)
	return w
}
