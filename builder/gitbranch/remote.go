package gitbranch

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kindex/builder/git"
	"kindex/exports/safetext"
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

// Forge identifies the repository in which submissions are reviewed; a remote must point
// to it.
type Forge struct {
	Host       string // the git host, such as github.com, with the port if there is one
	Repository string // owner/name
	Token      string
}

// scp matches the short form of an ssh address: user@host:path. An address with a slash before
// the colon is a path on this machine instead.
var scp = regexp.MustCompile(`^(?:[^/:@]+@)?(\[[^\]/]+\]|[^/:@]+):([^:].*)$`)

// parseAddress parses the address of a remote the way git does. A local path gets the scheme
// file.
func parseAddress(address string) (*url.URL, error) {
	if strings.HasPrefix(address, "-") || strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, fmt.Errorf("%s is not a repository address", safetext.Address(address))
	}
	if strings.Contains(address, "://") {
		u, err := url.Parse(address)
		if err != nil || u.Opaque != "" {
			return nil, fmt.Errorf("malformed repository address; use an address such as https://github.com/owner/name.git")
		}
		return u, nil
	}
	if strings.Contains(address, "::") {
		return nil, fmt.Errorf("%s would run a program; use https:// or ssh", safetext.Address(address))
	}
	if m := scp.FindStringSubmatch(address); m != nil && !filepath.IsAbs(address) {
		return &url.URL{Scheme: "ssh", Host: m[1], Path: "/" + strings.TrimPrefix(m[2], "/")}, nil
	}
	if !filepath.IsAbs(address) {
		return nil, fmt.Errorf("%s is a relative path; use https:// or ssh", safetext.Address(address))
	}
	return &url.URL{Scheme: "file", Path: filepath.ToSlash(address)}, nil
}

// check parses the address of a remote, and returns an error if it is not the address of the
// forge's repository. With https, the host must be the forge's own host, because the token is
// sent to it. With ssh, no token is sent, and the host may be an alias from the user's ssh
// settings. A local path is accepted only if the forge is on this machine.
func (f Forge) check(remote, address string) (*url.URL, error) {
	u, err := parseAddress(address)
	if err != nil {
		return nil, fmt.Errorf("the remote %s: %w", remote, err)
	}
	here := safetext.Loopback(hostname(f.Host))
	switch u.Scheme {
	case "https", "http":
		if u.Scheme == "http" && !safetext.Loopback(u.Hostname()) {
			return nil, fmt.Errorf("the address of the remote %s starts with http://, so anyone on the network path could read the token; use https:// or ssh", remote)
		}
		if !sameHost(u, f.Host) && !(here && safetext.Loopback(u.Hostname())) {
			return nil, fmt.Errorf("the remote %s is on %s, but the forge's repositories are on %s, and its token may be sent only to that host, so nothing was sent; use https://%[3]s/%[4]s.git",
				remote, u.Host, f.Host, f.Repository)
		}
		// Pass only the checked parts of the address to git, so that git connects to the host
		// that was checked.
		u = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	case "ssh":
		if strings.HasPrefix(u.Host, "-") {
			return nil, fmt.Errorf("the remote %s: %q is not a host name", remote, u.Host)
		}
	case "file":
		if !here || u.Host != "" && u.Host != "localhost" {
			return nil, fmt.Errorf("the remote %s points to a repository on this machine, but the forge's repositories are on %s; use https://%[2]s/%[3]s.git", remote, f.Host, f.Repository)
		}
	default:
		return nil, fmt.Errorf("the address of the remote %s starts with %s:; use https:// or ssh", remote, u.Scheme)
	}
	path := strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git")
	if below := here && strings.HasSuffix(strings.ToLower(path), "/"+strings.ToLower(f.Repository)); !strings.EqualFold(path, f.Repository) && !below {
		return nil, fmt.Errorf("the remote %s is the repository %s, but --forge-repo is %s; correct --forge-repo or choose a different remote with --remote",
			remote, path, f.Repository)
	}
	return u, nil
}

func sameHost(u *url.URL, host string) bool {
	withPort := func(h string) string {
		if _, _, err := net.SplitHostPort(h); err == nil {
			return strings.ToLower(h)
		}
		return strings.ToLower(h) + map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	}
	return withPort(u.Host) == withPort(host)
}

func hostname(host string) string { return (&url.URL{Host: host}).Hostname() }
