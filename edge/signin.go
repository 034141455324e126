package edge

import (
	"context"
	"net/http"
	"strings"
	"time"

	"kindex/edge/limit"
	"kindex/edge/signin"
)

// signin adds the pages for signing in, where the operator offers it. They are no
// part of the interface: they alone look at cookies, and cost nobody anything.
func (s *Server) signin() error {
	o := s.options.SignIn
	if !o.Configured() {
		return nil
	}
	s.starts = limit.NewMemory(nil, limit.MemoryOptions{Now: s.now, Log: s.log})
	o.MayStart = s.mayStart
	o.URL, o.Contact, o.Store, o.Now, o.Log, o.Title = s.options.URL, s.options.Contact, s.state, s.now, s.log, s.title
	var err error
	if s.people, err = signin.New(o); err != nil {
		return err
	}
	for _, r := range signin.Routes() {
		h := s.attend(r.Path, func(c *call, w http.ResponseWriter) {
			ctx, cancel := context.WithTimeout(c.request.Context(), writeTimeout) // nobody can be answered later
			defer cancel()
			s.people.ServeHTTP(w, c.request.WithContext(ctx))
		})
		s.router.Handle(r.Method, r.Path, h)
		if r.Method == http.MethodGet && !strings.HasSuffix(r.Path, "/callback") { // which is no mere look
			s.router.HEAD(r.Path, h)
		}
	}
	return nil
}

// mostStarts is how many sign-ins an address may begin in an hour: people behind one
// address are many, but not hundreds at a time.
const mostStarts = 60

func (s *Server) mayStart(r *http.Request) bool {
	who := limit.OfAddress(s.proxies.Client(r), mostStarts)
	who.Window = time.Hour
	st, err := s.starts.Take(r.Context(), who)
	return err == nil && st.Allowed
}

// title is what the index that is served is called.
func (s *Server) title() string {
	v := s.live.acquire()
	if v == nil {
		return "kindex"
	}
	defer v.release()
	return v.build.Manifest.Title
}
