package auth_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/auth"
	"kindex/exports"
	"kindex/exports/store"
	"kindex/site/pages"
	"kindex/site/panel"
)

// website is the website that renders the pages in these tests, for a build with one entity.
var website struct {
	sync.Once
	site *pages.Site
	dir  string
	err  error
}

func site(t testing.TB) *pages.Site {
	t.Helper()
	w := &website
	w.Do(func() {
		if w.dir, w.err = os.MkdirTemp("", "kindex-signin-"); w.err != nil {
			return
		}
		content, out := filepath.Join(w.dir, "content"), filepath.Join(w.dir, "out")
		w.err = errors.Join(os.MkdirAll(filepath.Join(content, "tool"), 0o755),
			os.WriteFile(filepath.Join(content, "tool", "one.yaml"), []byte("name: One\ncategory: other\ndescription: The only entity that these tests need.\n"), 0o644),
			os.WriteFile(filepath.Join(content, "index.yaml"), []byte("title: Test index\n"), 0o644))
		if w.err != nil {
			return
		}
		var r *builder.Report
		if r, w.err = builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: time.Now().UTC().Truncate(24 * time.Hour)}); w.err != nil {
			return
		}
		var b *exports.Build
		if b, w.err = exports.Open(filepath.Join(store.BuildsDir(out), r.ID)); w.err == nil {
			var from pages.Source
			if from, w.err = pages.SourceOf(b); w.err != nil {
				return
			}
			w.site = pages.New(from, pages.Options{SignIn: true, Contact: "operator@example.org"})
		}
	})
	suite.Require(t, w.err == nil, w.err)
	return w.site
}

// look renders the pages in the same way as the edge.
type look struct {
	site *pages.Site
	base string
}

func (l look) render(r *http.Request, p *panel.Page) ([]byte, error) {
	a, err := l.site.Panel(pages.Request{Path: r.URL.Path, Base: l.base}, p)
	if err != nil {
		return nil, err
	}
	return a.Body, nil
}

// developer is the page for signed-in users: it shows the account and its keys.
func (v *service) developer(w http.ResponseWriter, r *http.Request, l look) {
	auth.Guard(w.Header())
	account, token, err := v.handler.Load().Session(r)
	if errors.Is(err, auth.ErrSignedOut) {
		w.Header().Set("Location", "/signin")
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	list, failed := v.state.Keys(r.Context(), account.ID)
	if errors.Join(err, failed) != nil {
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	p := &panel.Keys{Most: 5}
	for _, k := range list {
		p.Keys = append(p.Keys, panel.APIKey{ID: k.ID, Name: k.Name, Masked: k.Masked, CreatedAt: k.CreatedAt})
	}
	body, err := l.render(r, &panel.Page{Template: "keys", Title: "API keys", Member: panel.Member{Account: account.Name, Token: token}, Data: p})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(body)
}

// belongs reports whether a request is for the page for signed-in users.
func belongs(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.TrimSuffix(r.URL.Path, "/")+"/" == auth.Panel
}
