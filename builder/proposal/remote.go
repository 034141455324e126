package proposal

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/history"
)

// Remote is another repository that proposals are sent to.
type Remote struct {
	repository *Repository
	name       string
	token      string   // "" for none
	env        []string // tells git the token, nowhere else
}

// Remote finds a remote of the repository by its name. The token, "" for none,
// reaches git in its environment alone, and the remote's own host alone.
func (r *Repository) Remote(ctx context.Context, name, token string) (*Remote, error) {
	address, err := r.line(ctx, history.Command{Args: []string{"remote", "get-url", "--push", "--", name}})
	if err != nil {
		names, _ := r.Run(ctx, history.Command{Args: []string{"remote"}}) // only for the message
		return nil, fmt.Errorf("there is no remote %q; known are: %s", name, orNone(strings.Join(strings.Fields(names), ", ")))
	}
	remote := &Remote{repository: r, name: name, token: token}
	u, err := url.Parse(address)
	if err != nil || token == "" || u.Scheme != "http" && u.Scheme != "https" {
		return remote, nil // git or its helpers know how to get in
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("the address of the remote %s begins with http://, so that everybody on the way could read the token; use https:// or ssh", name)
	}
	remote.env = header(u, token)
	return remote, nil
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// header tells git, by variables that stand for settings, to send a token to one
// host and to follow it nowhere else. The empty value takes away what others have
// set for the host.
func header(u *url.URL, token string) []string {
	host := u.Scheme + "://" + u.Host + "/"
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))
	n, _ := strconv.Atoi(os.Getenv("GIT_CONFIG_COUNT")) // 0 where there are none
	var env []string
	for _, setting := range [][2]string{
		{"http." + host + ".extraheader", ""},
		{"http." + host + ".extraheader", "Authorization: Basic " + basic},
		{"http." + host + ".followRedirects", "false"},
	} {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, setting[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, setting[1]))
		n++
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}

// Fetch returns the newest commit of a branch of the remote. No branch of the
// repository moves.
func (m *Remote) Fetch(ctx context.Context, branch string) (string, error) {
	commit, err := m.Find(ctx, branch)
	if err == nil && commit == "" {
		err = fmt.Errorf("the remote %s has no branch %s", m.name, branch)
	}
	return commit, err
}

// Find is Fetch for a branch that may not be there, and "" then.
func (m *Remote) Find(ctx context.Context, branch string) (string, error) {
	ref := "refs/heads/" + branch
	if _, err := m.repository.Run(ctx, history.Command{Args: []string{"check-ref-format", ref}}); err != nil {
		return "", fmt.Errorf("%q is not the name of a branch", branch)
	}
	listed, err := m.run(ctx, "ls-remote", "--quiet", "--", m.name, ref)
	if err != nil {
		return "", fmt.Errorf("the remote %s cannot be asked: %w", m.name, err)
	}
	commit, _, there := strings.Cut(listed, "\t")
	if !there {
		return "", nil
	}
	if _, err := m.run(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--", m.name, ref); err != nil {
		return "", fmt.Errorf("the branch %s of %s cannot be fetched: %w", branch, m.name, err)
	}
	return m.repository.line(ctx, history.Command{Args: []string{"rev-parse", "--verify", "--quiet", commit + "^{commit}"}})
}

// Push sends a branch. It never overwrites what others have put there.
func (m *Remote) Push(ctx context.Context, b Branch) error {
	_, err := m.run(ctx, "push", "--no-follow-tags", "--no-signed", "--quiet", "--no-recurse-submodules",
		"--", m.name, b.Commit+":refs/heads/"+b.Name)
	if err != nil {
		return fmt.Errorf("the branch %s cannot be pushed to %s: %w", b.Name, m.name, err)
	}
	return nil
}

// run runs git with the token, and keeps it out of what is told.
func (m *Remote) run(ctx context.Context, args ...string) (string, error) {
	out, err := m.repository.Run(ctx, history.Command{Args: args, Env: slices.Clone(m.env), Remote: true})
	if err != nil && m.token != "" && strings.Contains(err.Error(), m.token) {
		err = errors.New(strings.ReplaceAll(err.Error(), m.token, "…"))
	}
	return out, err
}
