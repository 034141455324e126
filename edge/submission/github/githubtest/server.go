// Package githubtest is a forge for tests: an HTTP server on the loopback interface with the
// few routes of the GitHub API that submissions and workflows need, with a real bare repository.
// It records requests that no forge would accept: a pull request for a branch that was not pushed
// or has no commits of its own, a second pull request for the same branch, a text that is too
// long, and a request without the token.
package githubtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Repository and Token are the only repository and the only token of the forge.
const (
	Repository = "example/index"
	Token      = "forge-token-of-the-test"
)

// Deleted is the From of a pull request from a repository that was deleted.
const Deleted = "deleted"

// Server is a running forge.
type Server struct {
	URL string

	http *httptest.Server
	bare string // the path of the repository to push to

	mu         sync.Mutex // held while a request is handled
	pulls      []*Pull
	violations []string
	fail       []func(http.ResponseWriter)
	requests   []string
	now        Behaviour
}

// Behaviour is what a forge does that others do not.
type Behaviour struct {
	Lose   int    // the number of creations after which the connection is closed, without a response
	Mute   bool   // responses are well-formed but empty
	All    bool   // lists include the pull requests of every branch, because the head parameter is ignored
	Before func() // called once, before the next response
}

// Behave changes the behaviour of the forge.
func (s *Server) Behave(change func(*Behaviour)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.now)
}

// Pull is a pull request.
type Pull struct {
	Number      int
	Title, Body string
	Head, Base  string
	State       string // open or closed
	Labels      []string
	Merged      bool
	From        string // the repository of the head branch, or Deleted
	Version     int    // increases with every change
}

const maxBody = 65536

// Start starts a forge with a bare repository.
func Start(bare string) *Server {
	s := &Server{bare: bare}
	mux := http.NewServeMux()
	const repo = "/repos/" + Repository
	mux.HandleFunc("GET "+repo, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"full_name": Repository, "default_branch": "main"})
	})
	mux.HandleFunc("GET "+repo+"/pulls", s.list)
	mux.HandleFunc("POST "+repo+"/pulls", s.create)
	mux.HandleFunc("GET "+repo+"/pulls/{number}", s.of(s.get))
	mux.HandleFunc("PATCH "+repo+"/pulls/{number}", s.of(s.edit))
	mux.HandleFunc("POST "+repo+"/issues/{number}/labels", s.of(label))
	mux.HandleFunc("DELETE "+repo+"/issues/{number}/labels/{label}", s.of(unlabel))
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.admit(w, r) {
			mux.ServeHTTP(w, r)
		}
	}))
	s.URL = s.http.URL
	return s
}

// Close stops the forge.
func (s *Server) Close() { s.http.Close() }

// Violations lists the requests that no forge would accept.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// Pulls returns the pull requests, oldest first.
func (s *Server) Pulls() []Pull {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Pull, len(s.pulls))
	for i, p := range s.pulls {
		list[i] = *p
	}
	return list
}

// Requests lists all requests, each with method and address.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ClosePull closes a pull request, merged or not.
func (s *Server) ClosePull(number int, merged bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number < 1 || number > len(s.pulls) {
		return fmt.Errorf("there is no pull request %d", number)
	}
	p := s.pulls[number-1]
	p.State, p.Merged = "closed", merged
	p.Version++
	return nil
}

// Merge merges a pull request whose branch is ahead of its base.
func (s *Server) Merge(number int) error {
	list := s.Pulls()
	if number < 1 || number > len(list) || list[number-1].State != "open" {
		return fmt.Errorf("there is no open pull request %d", number)
	}
	p := list[number-1]
	if out, err := s.git("fetch", "--quiet", s.bare, "refs/heads/"+p.Head+":refs/heads/"+p.Base); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return s.ClosePull(number, true)
}

// Add adds a pull request that the service did not open.
func (s *Server) Add(p Pull) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.Number = len(s.pulls) + 1
	s.pulls = append(s.pulls, &p)
}

// Fail makes the server respond to the next request with an error.
func (s *Server) Fail(status int, header map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = append(s.fail, func(w http.ResponseWriter) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		answer(w, status, map[string]any{"message": "the test requested a failure"})
	})
}

func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	if s.now.Before != nil {
		s.now.Before()
		s.now.Before = nil
	}
	s.requests = append(s.requests, r.Method+" "+r.URL.String())
	if strings.Contains(r.URL.String(), Token) {
		s.violations = append(s.violations, "the token is in an address: "+r.URL.String())
	}
	if r.Header.Get("Authorization") != "Bearer "+Token {
		s.violations = append(s.violations, r.Method+" "+r.URL.Path+" without the token")
		answer(w, 401, map[string]any{"message": "Bad credentials"})
		return false
	}
	if len(s.fail) > 0 {
		s.fail[0](w)
		s.fail = s.fail[1:]
		return false
	}
	return true
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	list := []any{}
	for _, p := range slices.Backward(s.pulls) {
		state, head := r.URL.Query().Get("state"), r.URL.Query().Get("head")
		owner, _, _ := strings.Cut(p.from(), "/")
		if (state == "all" || state == p.State) && (s.now.All || head == "" || head == owner+":"+p.Head) {
			list = append(list, s.shown(p))
		}
	}
	answer(w, 200, list)
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	var in struct{ Title, Head, Base, Body string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		answer(w, 400, map[string]any{"message": err.Error()})
		return
	}
	refuse := func(why string) {
		s.violations = append(s.violations, why)
		answer(w, 422, map[string]any{"message": why})
	}
	switch {
	case !s.has(in.Head):
		refuse("a pull request for " + in.Head + ", which was not pushed")
	case !s.has(in.Base):
		refuse("a pull request into " + in.Base + ", which does not exist")
	case slices.ContainsFunc(s.pulls, func(p *Pull) bool { return p.from() == Repository && p.Head == in.Head && p.State == "open" }):
		refuse("a second pull request for " + in.Head)
	case len(in.Body) > maxBody:
		refuse("a body that is too long")
	case !s.ahead(in.Base, in.Head):
		refuse("no commits between " + in.Base + " and " + in.Head)
	default:
		p := &Pull{Number: len(s.pulls) + 1, Title: in.Title, Body: in.Body, Head: in.Head, Base: in.Base, State: "open"}
		s.pulls = append(s.pulls, p)
		if s.now.Lose > 0 {
			s.now.Lose--
			panic(http.ErrAbortHandler)
		}
		answer(w, 201, s.shown(p))
	}
}

func (s *Server) of(handle func(http.ResponseWriter, *http.Request, *Pull)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("number"))
		if err != nil || n < 1 || n > len(s.pulls) {
			notFound(w)
			return
		}
		handle(w, r, s.pulls[n-1])
	}
}

func notFound(w http.ResponseWriter) { answer(w, 404, map[string]any{"message": "Not Found"}) }

func (s *Server) get(w http.ResponseWriter, _ *http.Request, p *Pull) { answer(w, 200, s.shown(p)) }

func (s *Server) edit(w http.ResponseWriter, r *http.Request, p *Pull) {
	var in struct{ State, Title, Body, Base string }
	err := json.NewDecoder(r.Body).Decode(&in)
	if err != nil || len(in.Body) > maxBody || in.Base != "" && !s.has(in.Base) || in.State != "" && in.State != "open" && in.State != "closed" {
		s.violations = append(s.violations, "an invalid change of a pull request")
		answer(w, 422, map[string]any{"message": "Validation Failed"})
		return
	}
	p.State, p.Title = cmp.Or(in.State, p.State), cmp.Or(in.Title, p.Title)
	p.Body, p.Base = cmp.Or(in.Body, p.Body), cmp.Or(in.Base, p.Base)
	p.Version++
	answer(w, 200, s.shown(p))
}

func label(w http.ResponseWriter, r *http.Request, p *Pull) {
	var in struct{ Labels []string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		notFound(w)
		return
	}
	p.Labels = append(slices.DeleteFunc(p.Labels, func(name string) bool { return slices.Contains(in.Labels, name) }), in.Labels...)
	answer(w, 200, p.labels())
}

func unlabel(w http.ResponseWriter, r *http.Request, p *Pull) {
	if !slices.Contains(p.Labels, r.PathValue("label")) {
		notFound(w)
		return
	}
	p.Labels = slices.DeleteFunc(slices.Clone(p.Labels), func(name string) bool { return name == r.PathValue("label") })
	answer(w, 200, p.labels())
}

func (p *Pull) labels() []any {
	list := []any{}
	for _, name := range p.Labels {
		list = append(list, map[string]any{"name": name})
	}
	return list
}

func (p *Pull) from() string { return cmp.Or(p.From, Repository) }

func (s *Server) shown(p *Pull) map[string]any {
	if s.now.Mute {
		return map[string]any{}
	}
	repo := map[string]any{"full_name": p.from()}
	if p.From == Deleted {
		repo = nil
	}
	return map[string]any{"number": p.Number, "state": p.State, "merged": p.Merged, "title": p.Title, "body": p.Body, "labels": p.labels(),
		"html_url": fmt.Sprintf("https://forge.example.org/%s/pull/%d", Repository, p.Number),
		"head":     map[string]any{"ref": p.Head, "repo": repo}, "base": map[string]any{"ref": p.Base}}
}

func (s *Server) has(branch string) bool {
	_, err := s.git("show-ref", "--verify", "--quiet", "refs/heads/"+branch)
	return err == nil
}

func (s *Server) ahead(base, head string) bool {
	out, err := s.git("rev-list", "--count", "refs/heads/"+base+"..refs/heads/"+head)
	return err == nil && strings.TrimSpace(out) != "0"
}

func (s *Server) git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"--git-dir", s.bare}, args...)...).CombinedOutput()
	return string(out), err
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error only means that the client has disconnected
}
