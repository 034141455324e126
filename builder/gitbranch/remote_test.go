package gitbranch_test

import (
	"encoding/base64"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"kindex/builder/gitbranch"
	"kindex/builder/gitlog"
	"kindex/builder/suite"
)

const token = "token-of-the-test"

// git runs git in a folder, as a generic user.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return strings.TrimSpace(suite.Output(t, exec.Command("git", append([]string{"-C", dir}, args...)...)))
}

// checkout creates a repository with one commit, and a bare repository next to it.
func checkout(t *testing.T) (dir, bare string) {
	t.Helper()
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"} {
		t.Setenv(name, value)
	}
	root := t.TempDir()
	dir, bare = filepath.Join(root, "checkout"), filepath.Join(root, "example", "index.git")
	git(t, root, "init", "-q", "-b", "main", dir)
	git(t, root, "init", "-q", "--bare", "-b", "main", bare)
	suite.Write(t, dir, map[string]string{"a \"folder\"/content/tool/x.yaml": "name: X\n"})
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "First")
	git(t, dir, "push", "-q", bare, "main")
	return dir, bare
}

// logArguments puts a wrapper in front of the real git that logs its arguments.
func logArguments(t *testing.T) (log string) {
	t.Helper()
	real := suite.Must(exec.LookPath("git"))(t)
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" >> '" + log + "'\nexec '" + real + "' \"$@\"\n"
	suite.Check(t, os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return log
}

// overHTTP serves a bare repository over HTTP to clients with the token.
func overHTTP(t *testing.T, bare string) (s *httptest.Server, refused *atomic.Int64) {
	t.Helper()
	git(t, bare, "config", "http.receivepack", "true")
	backend := &cgi.Handler{Path: filepath.Join(git(t, bare, "--exec-path"), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(filepath.Dir(bare)), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=test"}}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
	refused = new(atomic.Int64)
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Values("Authorization"); len(got) != 1 || got[0] != want {
			refused.Add(1)
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s, refused
}

// forgeAt returns a forge whose repositories are on the given host.
func forgeAt(address, token string) gitbranch.Forge {
	return gitbranch.Forge{Host: strings.TrimPrefix(address, "http://"), Repository: "example/index", Token: token}
}

var example = gitbranch.Proposal{ID: "sub_aaaaaaaaaaaaaaaaaaaa", Type: "tool", Slug: "saw", YAML: []byte("name: Saw\n"), Account: "ada"}

// TestPushOverHTTP checks that the token is sent only in a header, and that it appears
// neither on a command line nor in a settings file.
func TestPushOverHTTP(t *testing.T) {
	suite.InTest(t)
	dir, bare := checkout(t)
	s, refused := overHTTP(t, bare)
	git(t, dir, "remote", "add", "origin", s.URL+"/example/index.git")
	// Headers that another tool has set for the host must not be sent with the token.
	git(t, dir, "config", "http."+s.URL+"/.extraheader", "Authorization: Basic c29tZWJvZHk6ZWxzZQ==")
	log := logArguments(t)
	location := suite.Must(gitlog.FindLocation(t.Context(), filepath.Join(dir, "a \"folder\"", "content")))(t)
	defer location.Close()
	r := &gitbranch.Repository{Location: location}
	remote := suite.Must(r.Remote(t.Context(), "origin", forgeAt(s.URL, token)))(t)
	base := suite.Must(remote.Fetch(t.Context(), "main"))(t)
	b, err := r.Prepare(t.Context(), base, example)
	if err == nil {
		b, err = r.Write(t.Context(), b, example)
	}
	if err == nil {
		err = remote.Push(t.Context(), b)
	}
	suite.Check(t, err)
	if err := remote.Push(t.Context(), b); err != nil {
		t.Errorf("a second time: %v", err)
	}
	suite.Equal(t, git(t, bare, "show", "submission/"+example.ID+":a \"folder\"/content/tool/saw.yaml"), "name: Saw", "pushed")
	if n := refused.Load(); n > 0 {
		t.Errorf("%d requests without the token, or with a second one", n)
	}
	for _, file := range []string{log, filepath.Join(dir, ".git", "config")} {
		if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), token) || strings.Contains(string(data), "eC1hY2Nlc3M") {
			t.Errorf("%s has the token, or cannot be read (%v)", file, err)
		}
	}
	wrong := suite.Must(r.Remote(t.Context(), "origin", forgeAt(s.URL, "wrong-token")))(t)
	if err := wrong.Push(t.Context(), b); err == nil || strings.Contains(err.Error(), "wrong-token") {
		t.Errorf("with a wrong token: %v", err)
	}
}

// TestSecurityTokenStaysWithItsHost checks that the token is not sent to a remote on another
// host or without encryption.
func TestSecurityTokenStaysWithItsHost(t *testing.T) {
	dir, _ := checkout(t)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("led to %s", r.URL) }))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.String(), http.StatusFound)
	}))
	defer s.Close()
	git(t, dir, "remote", "add", "origin", s.URL+"/example/index.git")
	git(t, dir, "remote", "add", "clear", "http://forge.example.org/example/index.git")
	git(t, dir, "remote", "add", "command", "ext::sh -c touch%20pwned")
	location := suite.Must(gitlog.FindLocation(t.Context(), dir))(t)
	defer location.Close()
	r := &gitbranch.Repository{Location: location}
	remote := suite.Must(r.Remote(t.Context(), "origin", forgeAt(s.URL, token)))(t)
	if _, err := remote.Fetch(t.Context(), "main"); err == nil {
		t.Error("the redirect was followed")
	}
	if _, err := r.Remote(t.Context(), "clear", forgeAt("http://forge.example.org", token)); err == nil || !strings.Contains(err.Error(), "anyone on the network path could read the token") {
		t.Error(err)
	}
	remote, err := r.Remote(t.Context(), "command", forgeAt(s.URL, token))
	if err == nil {
		_, err = remote.Fetch(t.Context(), "main")
	}
	if err == nil {
		t.Error("a command was run")
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("a command was run")
	}
}

func TestCredit(t *testing.T) {
	for name, want := range map[string]string{
		"Ada Lovelace": "Ada Lovelace", "Zoë O'Neil-Ö (x)": "Zoë O'Neil-Ö (x)", "@everyone": "_everyone", "fixes #1": "fixes _1",
		"closes GH-12 gh-3": "closes GH_12 gh_3", "a@example.org": "a_example.org", "x\nSubmitted-by: y": "x Submitted-by_ y",
		"https://forge.example/o/r/issues/1": "https___forge.example_o_r_issues_1", "<a>": "_a_", "  ": "unnamed", "": "unnamed", "---": "unnamed",
		"a\u202eb\u200bc\x00d": "abcd", "$(x) `y`": "_(x) _y_",
	} {
		suite.Equal(t, gitbranch.Credit(name), want, name)
	}
	suite.Equal(t, len([]rune(gitbranch.Credit(strings.Repeat("é", 300)))), 100)
}
