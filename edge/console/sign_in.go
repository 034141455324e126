package console

import (
	"context"
	"net/http"
	"strings"

	"kindex/edge/auth"
	"kindex/edge/ratelimit"
	"kindex/edge/web"
	"kindex/site/pages"
	"kindex/site/panel"
)

// openSignIn sets up the sign-in pages and the panel, if the operator has enabled sign-in. These
// pages are not part of the API: they are the only ones that use cookies, and they do not count
// towards the API limits.
func (s *Console) openSignIn(o auth.Options) error {
	if !o.Configured() {
		return nil
	}
	o.AllowStart, o.Address = s.allowSignIn, s.Shared.ClientAddress
	o.URL, o.Store, o.Now, o.Log, o.Render = s.Shared.URL, s.State, s.Shared.Now, s.Shared.Log, s.renderSignIn
	var err error
	if s.auth, err = auth.New(o); err != nil {
		return err
	}
	for _, r := range auth.Routes() {
		s.Routes = append(s.Routes, pageRoute{r.Method, r.Path, func(c *web.Call, w http.ResponseWriter) {
			ctx, cancel := context.WithTimeout(c.Request.Context(), s.WriteTimeout) // no response could be sent after this time
			defer cancel()
			s.auth.ServeHTTP(w, c.Request.WithContext(ctx))
		}})
	}
	s.Routes = append(s.Routes, s.panel()...)
	return nil
}

func (s *Console) allowSignIn(r *http.Request) bool {
	_, ok := s.Shared.Limits.Allow(ratelimit.SignIn, s.Shared.Proxies.Client(r), 1)
	return ok
}

func (s *Console) renderSignIn(r *http.Request, p *panel.Page) ([]byte, error) {
	v := s.Live.Current()
	if v == nil {
		return nil, web.ErrNotReady()
	}
	a, err := v.Site().Panel(pages.Request{Path: r.URL.Path, Base: strings.TrimSuffix(s.Shared.URL, "/")}, p)
	if err != nil {
		return nil, err
	}
	return a.Body, nil
}
