package gitbranch

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"kindex/builder/git"
)

// Remote is another repository to which proposals are pushed.
type Remote struct {
	repository  *Repository
	name        string
	fetch, push string // its addresses
	token       string // "" if there is none
}

// Remote finds a remote of the repository by name. If the remote does not point to the forge's
// repository, it returns an error without contacting any address. It uses no other part of the
// repository's configuration than the addresses of remotes. The token is passed to git only in
// its environment, and sent only to the forge's own host.
func (r *Repository) Remote(ctx context.Context, name string, f Forge) (*Remote, error) {
	fetch, push, known, err := r.Repository.Remote(ctx, name)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(known, name) || fetch == "" && push == "" {
		return nil, fmt.Errorf("unknown remote %q; expected one of: %s", name, orNone(strings.Join(known, ", ")))
	}
	remote := &Remote{repository: r, name: name, fetch: fetch, push: push, token: f.Token}
	for _, address := range []*string{&remote.fetch, &remote.push} {
		u, err := f.check(name, *address)
		if err != nil {
			return nil, err
		}
		if u.Scheme == "http" || u.Scheme == "https" {
			*address = u.String()
		}
	}
	return remote, nil
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// header returns environment variables that make git send a token to a single host and follow
// no redirects from that host. The empty value removes headers that other settings define for
// the host.
func header(u *url.URL, token string) []string {
	host := u.Scheme + "://" + u.Host + "/"
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))
	return git.Secret(
		git.Setting{Name: "http." + host + ".extraheader", Value: ""},
		git.Setting{Name: "http." + host + ".extraheader", Value: "Authorization: Basic " + basic},
		git.Setting{Name: "http." + host + ".followRedirects", Value: "false"})
}

// Fetch fetches the newest commit of a branch of the remote and returns it. It does not
// change any branch of the repository.
func (m *Remote) Fetch(ctx context.Context, branch string) (string, error) {
	commit, err := m.Find(ctx, branch)
	if err == nil && commit == "" {
		err = fmt.Errorf("the remote %s has no branch %s", m.name, branch)
	}
	return commit, err
}

// Find is like Fetch, but returns "" if the branch does not exist.
func (m *Remote) Find(ctx context.Context, branch string) (string, error) {
	if err := m.repository.CheckBranchName(ctx, branch); err != nil {
		return "", err
	}
	ref := "refs/heads/" + branch
	listed, err := m.run(ctx, "ls-remote", "--quiet", m.fetch, ref)
	if err != nil {
		return "", fmt.Errorf("the remote %s cannot be queried: %w", m.name, err)
	}
	commit, _, there := strings.Cut(listed, "\t")
	if !there {
		return "", nil
	}
	if !git.IsObjectName(commit) {
		return "", fmt.Errorf("the remote %s returned %[3]q for the branch %[2]s, which is not a commit hash", m.name, branch, commit)
	}
	if _, err := m.run(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", m.fetch, ref); err != nil {
		return "", fmt.Errorf("the branch %s of %s cannot be fetched: %w", branch, m.name, err)
	}
	return m.repository.Resolve(ctx, commit+"^{commit}")
}

// Push pushes a branch. It never overwrites an existing branch.
func (m *Remote) Push(ctx context.Context, b Branch) error {
	_, err := m.run(ctx, "push", "--no-follow-tags", "--no-signed", "--quiet", "--no-recurse-submodules", m.push, b.Commit+":refs/heads/"+b.Name)
	if err != nil {
		return fmt.Errorf("the branch %s cannot be pushed to %s: %w", b.Name, m.name, err)
	}
	return nil
}

// run runs git with the token, and removes the token from errors. The last two arguments are
// the address and the reference.
func (m *Remote) run(ctx context.Context, command string, args ...string) (string, error) {
	at := len(args) - 2
	u, err := parseAddress(args[at])
	if err != nil {
		return "", err
	}
	all, env := []string{command}, []string(nil)
	switch u.Scheme {
	case "file":
		all = append(all, git.Programs(command)...)
	case "http", "https":
		env = header(u, m.token)
	}
	out, err := m.repository.RunRemote(ctx, git.Command{Args: slices.Concat(all, args[:at], []string{"--"}, args[at:]), Env: env})
	if err != nil && m.token != "" && strings.Contains(err.Error(), m.token) {
		err = errors.New(strings.ReplaceAll(err.Error(), m.token, "…"))
	}
	return out, err
}
