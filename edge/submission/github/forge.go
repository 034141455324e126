// Package github communicates with the forge on which submissions are reviewed: it opens
// pull requests through the GitHub API or a compatible API, and follows their status.
package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/google/go-github/v88/github"

	"kindex/edge/submission"
	"kindex/exports/safetext"
)

// Options specify the forge and the repository on it.
type Options struct {
	URL        string // the base address of the API, such as https://api.github.com
	Repository string // owner/name
	Token      string
}

// Forge gives access to a repository on a forge. It is safe for concurrent use.
type Forge struct {
	client      *github.Client
	owner, name string
	apiHost     string
}

const timeout = 30 * time.Second

var repositoryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9_.-]*[A-Za-z0-9_-]$`)

// New checks the options and returns a Forge. It does not make any requests.
func New(o Options) (*Forge, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s is not the address of an API; use an address such as https://api.github.com", safetext.Address(o.URL))
	case u.Scheme == "http" && !safetext.Loopback(u.Hostname()):
		return nil, fmt.Errorf("the token would be sent to the forge %s unencrypted over http://; use https://", u.Host)
	case !repositoryName.MatchString(o.Repository):
		return nil, fmt.Errorf("%q is not a repository; use owner/name", o.Repository)
	case o.Token == "" || strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the forge token is missing or invalid: set the environment variable KINDEX_FORGE_TOKEN")
	}
	base := strings.TrimRight(o.URL, "/") + "/"
	f := &Forge{apiHost: strings.ToLower(u.Host)}
	f.owner, f.name, _ = strings.Cut(o.Repository, "/")
	// The client sends the token with every request, so redirects to other hosts are not
	// allowed.
	hold := &http.Client{Timeout: timeout, Transport: bounded{http.DefaultTransport}, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != u.Scheme || r.URL.Host != u.Host || len(via) > 5 {
			return fmt.Errorf("the forge redirects to %q, which must not receive the token", r.URL.Host)
		}
		return nil
	}}
	f.client, err = github.NewClient(github.WithHTTPClient(hold), github.WithAuthToken(o.Token), github.WithURLs(&base, nil),
		github.WithUserAgent("kindex"))
	return f, err
}

// maxAnswer is the maximum size of a response from the forge, in bytes. A list of pull requests
// takes up a few hundred kilobytes.
const maxAnswer = 16 << 20

type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, maxAnswer)
	}
	return res, err
}

// GitHost returns the host of the forge's repositories, with a port if necessary. Besides the
// API, it is the only host that may receive the token. The two hosts differ on github.com and GitHub
// Enterprise Cloud (api.example.ghe.com), but not elsewhere, as in https://forge.example.org/api/v3.
func (f *Forge) GitHost() string {
	if rest, ok := strings.CutPrefix(f.apiHost, "api."); ok && (rest == "github.com" || strings.HasSuffix(rest, ".ghe.com")) {
		return rest
	}
	return f.apiHost
}

// DefaultBranch returns the repository's default branch, which is the default target of pull
// requests.
func (f *Forge) DefaultBranch(ctx context.Context) (string, error) {
	r, _, err := f.client.Repositories.Get(ctx, f.owner, f.name)
	if err != nil {
		return "", f.explain(err)
	}
	branch := r.GetDefaultBranch()
	switch {
	case branch == "":
		return "", fmt.Errorf("%s/%s has no default branch yet", f.owner, f.name)
	case plainText(branch) != branch:
		return "", fmt.Errorf("%s/%s has a default branch with an unusable name: %q", f.owner, f.name, plainText(branch))
	}
	return branch, nil
}

// Request describes a pull request to be opened.
type Request struct{ Branch, Base, Title, Body string }

// Open opens a pull request, or returns the existing one for the branch.
func (f *Forge) Open(ctx context.Context, r Request) (submission.PullRequest, error) {
	if found, err := f.Find(ctx, r.Branch); err != nil || found.Number > 0 {
		return found, err
	}
	p, _, err := f.client.PullRequests.Create(ctx, f.owner, f.name, &github.NewPullRequest{
		Title: &r.Title, Head: &r.Branch, Base: &r.Base, Body: &r.Body, MaintainerCanModify: new(bool)})
	var refused *github.ErrorResponse
	if errors.As(err, &refused) && refused.Response.StatusCode == http.StatusUnprocessableEntity {
		// A concurrent call may have opened the pull request.
		if found, failed := f.Find(ctx, r.Branch); failed == nil && found.Number > 0 {
			return found, nil
		}
	}
	if err != nil {
		return submission.PullRequest{}, f.explain(err)
	}
	// Without its number, the pull request cannot be followed.
	if p.GetNumber() < 1 || !f.of(p, r.Branch) {
		return submission.PullRequest{}, fmt.Errorf("the forge created a pull request for %s, but its response has no pull request number", r.Branch)
	}
	return pullRequest(p), nil
}

// Find returns the newest pull request for a branch, open or closed. Its number is 0 if there
// is none.
func (f *Forge) Find(ctx context.Context, branch string) (submission.PullRequest, error) {
	list, _, err := f.client.PullRequests.List(ctx, f.owner, f.name, &github.PullRequestListOptions{
		State: "all", Head: f.owner + ":" + branch, Sort: "created", Direction: "desc"})
	if err != nil {
		return submission.PullRequest{}, f.explain(err)
	}
	for _, p := range list { // not all forges support the parameter head
		if f.of(p, branch) {
			return pullRequest(p), nil
		}
	}
	return submission.PullRequest{}, nil
}

// of reports whether a pull request is from a branch in the repository itself. A fork can have
// a branch with the same name. For a fork that has since been deleted, the forge does not
// return a repository.
func (f *Forge) of(p *github.PullRequest, branch string) bool {
	return p.GetHead().GetRef() == branch && strings.EqualFold(p.GetHead().GetRepo().GetFullName(), f.owner+"/"+f.name)
}

// Close closes a pull request without merging it.
func (f *Forge) Close(ctx context.Context, number int64) error {
	_, _, err := f.client.PullRequests.Edit(ctx, f.owner, f.name, int(number), &github.PullRequest{State: github.Ptr("closed")})
	return f.explain(err)
}

func pullRequest(p *github.PullRequest) submission.PullRequest {
	kept := submission.PullRequest{Number: int64(p.GetNumber())}
	if u, err := url.Parse(p.GetHTMLURL()); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.User == nil && len(p.GetHTMLURL()) <= maxURL {
		kept.URL = u.String()
	}
	return kept
}

const maxURL = 2000

// Error is returned when a call to the forge fails. Its message contains only the part of the
// forge's message that is safe to log and to print to a terminal.
type Error struct {
	message string
	cause   error
}

func (e *Error) Error() string { return e.message }

// Unwrap returns the error of the client library. The message of that error is not safe.
func (e *Error) Unwrap() error { return e.cause }

func (f *Forge) explain(err error) error {
	if err == nil {
		return nil
	}
	message := "the forge: "
	var refused *github.ErrorResponse
	if errors.As(err, &refused) {
		switch refused.Response.StatusCode {
		case http.StatusUnauthorized:
			message = "the forge rejected the token in KINDEX_FORGE_TOKEN: "
		case http.StatusForbidden:
			message = fmt.Sprintf("the token in KINDEX_FORGE_TOKEN lacks permission for this on %s/%s: ", f.owner, f.name)
		case http.StatusNotFound:
			message = fmt.Sprintf("%s/%s does not exist on the forge, or this token has no access to it: ", f.owner, f.name)
		}
	}
	return &Error{message + plainText(err.Error()), err}
}

// plainText returns a message from the forge as one line, shortened and without characters
// that a terminal might interpret or hide.
func plainText(s string) string {
	return safetext.Shorten(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd")), 300)
}
