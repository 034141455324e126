package gitbranch

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"kindex/exports/safetext"
)

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

// sameHost reports whether an address has the same host as a forge.
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
