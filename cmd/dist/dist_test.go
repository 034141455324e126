package main

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"kindex/builder/suite"
)

// made is the signed release for all platforms that the tests share. The first test that needs it makes it.
var made struct {
	once                       sync.Once
	where, root, dir, verifier string
}

const releaseURL = "https://127.0.0.1/releases/" + version

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(made.where) // "" removes nothing
	os.Exit(code)
}

// releaseFiles returns the folder with the files of the release.
func releaseFiles(t *testing.T) string {
	t.Helper()
	suite.InSoak(t, "the program is compiled for all platforms, with the flags of a release, which takes minutes; make test checks what is refused")
	made.once.Do(func() {
		where := suite.Must(os.MkdirTemp("", "kindex-dist-"))(t)
		made.where, made.root = where, filepath.Join(where, "repository")
		repository(t, made.root)
		signer, verifier, err := note.GenerateKey(rand.Reader, "releases.example.org")
		suite.Check(t, err)
		file := filepath.Join(where, "release.key")
		suite.Check(t, os.WriteFile(file, []byte(signer+"\n"), 0o600))
		dir := filepath.Join(made.root, ".dist")
		code, stdout, stderr := dist(t, "-version", version, "-root", made.root, "-out", dir, "-url", releaseURL)
		if code != exitOK || !strings.Contains(stderr, "NOT SIGNED") {
			t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
		}
		t.Setenv("KINDEX_RELEASE_KEY_FILE", file)
		code, stdout, stderr = dist(t, "-sign", "-out", dir)
		if code != exitOK || !strings.Contains(stdout, verifier) || stderr != "" {
			t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
		}
		made.verifier, made.dir = verifier, dir
	})
	if made.dir == "" {
		t.Fatal("the release could not be created; see the first test that needed it")
	}
	return made.dir
}

// TestReproducible creates the files of a release for Linux, which have every format, at another path,
// with an empty build cache and without a key: each must be the same except the sums and the script
// that contains the key.
func TestReproducible(t *testing.T) {
	first := releaseFiles(t)
	root := filepath.Join(t.TempDir(), "a much longer path", "kindex")
	gitIn(t, ".", "clone", "-q", made.root, root)
	suite.Check(t, writeFile(filepath.Join(root, filepath.FromSlash(minisearch)), read(t, filepath.Join(made.root, filepath.FromSlash(minisearch))), 0o644))
	t.Setenv("GOCACHE", t.TempDir())
	second := filepath.Join(t.TempDir(), "out")
	code, _, stderr := dist(t, "-version", version, "-root", root, "-out", second, "-platforms", "linux/amd64,linux/arm64", "-url", releaseURL)
	if code != exitOK || !strings.Contains(stderr, "NOT SIGNED") {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	differs := []string{sumsFile, installFile}
	names := namesIn(t, second)
	if len(names) < 8 {
		t.Errorf("there are only %v", names)
	}
	for _, name := range names {
		if slices.Contains(differs, name) {
			continue
		}
		suite.Equal(t, digest(t, filepath.Join(first, name)), digest(t, filepath.Join(second, name)), name)
	}
}

// TestSums checks the sums with sha256sum, and their signature.
func TestSums(t *testing.T) {
	dir := releaseFiles(t)
	out := mustRun(t, dir, "sha256sum", "--check", "--strict", sumsFile)
	if got, want := strings.Count(out, ": OK\n"), len(namesIn(t, dir))-2; got != want {
		t.Errorf("%d sums, want %d:\n%s", got, want, out)
	}
	verifier := suite.Must(note.NewVerifier(made.verifier))(t)
	n, err := note.Open(read(t, filepath.Join(dir, noteFile)), note.VerifierList(verifier))
	if err != nil || n.Text != string(read(t, filepath.Join(dir, sumsFile))) {
		t.Errorf("%v", err)
	}
}

// TestActionAgrees checks that the files have the names that .github/actions/validate
// downloads, and are programs of the release.
func TestActionAgrees(t *testing.T) {
	dir := releaseFiles(t)
	action := string(read(t, filepath.Join(suite.Root(t), ".github", "actions", "validate", "action.yml")))
	for _, platform := range platforms {
		system, arch, _ := strings.Cut(platform, "/")
		name := target{system, arch}.program()
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
		if system == "linux" && !strings.Contains(action, "file="+name+" ;;") {
			t.Errorf("the action does not download %s", name)
		}
	}
	suite.Contains(t, action, "get "+sumsFile+"\n", sumsFile)
	program := filepath.Join(dir, "kindex-linux-"+runtime.GOARCH)
	checkProgram(t, exec.Command(program, "version", "--json"))
	if out := mustRun(t, dir, "file", "-b", program); !strings.Contains(out, "statically linked") || !strings.Contains(out, ", stripped") {
		t.Error(out)
	}
	if text := read(t, program); strings.Contains(string(text), made.root) {
		t.Errorf("the program contains the path of the repository")
	}
}

// checkProgram runs a program of the release, which must print its version as JSON.
func checkProgram(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	commit := strings.TrimSpace(mustRun(t, made.root, "git", "rev-parse", "HEAD"))
	for _, want := range []string{`"version": "` + version + `"`, `"commit": "` + commit + `"`, `"commitTime": "2026-11-01T12:00:00Z"`, `"dirty": false`} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Fatalf("%v: %s does not print %s:\n%s", err, cmd, want, out)
		}
	}
}

// TestRefused checks what cannot become a release.
func TestRefused(t *testing.T) {
	root := t.TempDir()
	gitIn(t, root, "init", "-q", "-b", "main")
	gitIn(t, root, "commit", "-q", "--allow-empty", "-m", "1")
	gitIn(t, root, "tag", "v0.1.0")
	gitIn(t, root, "commit", "-q", "--allow-empty", "-m", "2")
	full := t.TempDir()
	suite.Check(t, os.WriteFile(filepath.Join(full, "thesis.txt"), nil, 0o600))
	for what, c := range map[string]struct {
		args []string
		env  string
		code int
		says string
	}{
		"no version":        {nil, "", exitUsage, "must be a tag such as v1.2.3"},
		"no v":              {[]string{"-version", "1.2.3"}, "", exitUsage, "must be a tag such as v1.2.3"},
		"a short version":   {[]string{"-version", "v1"}, "", exitUsage, "must be a tag such as v1.2.3"},
		"build metadata":    {[]string{"-version", "v1.2.3+x"}, "", exitUsage, "must be a tag such as v1.2.3"},
		"a path":            {[]string{"-version", "v1.2.3/../x"}, "", exitUsage, "must be a tag such as v1.2.3"},
		"another platform":  {[]string{"-version", "v1.2.3", "-platforms", "plan9/amd64"}, "", exitUsage, "expected one or more of: linux/amd64"},
		"an argument":       {[]string{"-version", "v1.2.3", "x"}, "", exitUsage, "unexpected argument"},
		"a shell command":   {[]string{"-version", "v1.2.3", "-url", "https://x/'$(id)"}, "", exitUsage, "must be an https address"},
		"another commit":    {[]string{"-version", "v0.1.0"}, "", exitProblem, "the tag v0.1.0 points to commit"},
		"a folder in use":   {[]string{"-version", "v1.2.3", "-out", full}, "", exitProblem, "is not an earlier release"},
		"no such key":       {[]string{"-sign"}, "KINDEX_RELEASE_KEY_FILE=/nonexistent", exitProblem, "KINDEX_RELEASE_KEY: stat /nonexistent"},
		"an empty key file": {[]string{"-sign"}, "KINDEX_RELEASE_KEY_FILE=/dev/null", exitProblem, "is not a key file"},
		"not a key":         {[]string{"-sign"}, "KINDEX_RELEASE_KEY=hunter2", exitProblem, "KINDEX_RELEASE_KEY: is not a key that kindex sign init created"},
		"no key":            {[]string{"-sign"}, "", exitProblem, "neither KINDEX_RELEASE_KEY nor KINDEX_RELEASE_KEY_FILE is set"},
		"sign and write":    {[]string{"-sign", "-version", "v1.2.3"}, "", exitUsage, "-version and -url belong to the run that writes it"},
		"no date":           {[]string{"-version", "v1.2.3"}, "SOURCE_DATE_EPOCH=today", exitProblem, "must be a number of seconds"},
		"no MiniSearch":     {[]string{"-version", "v1.2.3"}, "", exitProblem, "run: make site/pages/npm/minisearch.js"},
	} {
		t.Run(what, func(t *testing.T) {
			if name, value, ok := strings.Cut(c.env, "="); ok {
				t.Setenv(name, value)
			}
			out := filepath.Join(t.TempDir(), "out")
			code, _, stderr := dist(t, append([]string{"-root", root, "-out", out}, c.args...)...)
			if code != c.code || !strings.Contains(stderr, c.says) || strings.Contains(stderr, "hunter2") {
				t.Errorf("exit %d, %s", code, stderr)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("something was written")
			}
		})
	}
	suite.Check(t, os.WriteFile(filepath.Join(root, "new"), nil, 0o600))
	if code, _, stderr := dist(t, "-version", "v1.2.3", "-root", root); code != exitProblem || !strings.Contains(stderr, "has uncommitted changes") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestSign signs a folder, and refuses to sign it again, files that are not those of the sums, and
// a folder without sums.
func TestSign(t *testing.T) {
	secret, public, err := note.GenerateKey(rand.Reader, "releases.example.org")
	suite.Check(t, err)
	t.Setenv("KINDEX_RELEASE_KEY", secret)
	dir := t.TempDir()
	refused := func(says string) {
		t.Helper()
		if code, _, stderr := dist(t, "-sign", "-out", dir); code != exitProblem || !strings.Contains(stderr, says) || strings.Contains(stderr, secret) {
			t.Errorf("exit %d, %s; want %s", code, stderr, says)
		}
	}
	refused("write the release first")
	write := func(name, text string) {
		t.Helper()
		suite.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("kindex", "program")
	write(installFile, installText)
	sums := suite.Must(sumsOf(dir))(t)
	write(sumsFile, string(sums))
	write("kindex", "another program")
	refused("are not those of SHA256SUMS")
	write("kindex", "program")
	if code, stdout, stderr := dist(t, "-sign", "-out", dir); code != exitOK || !strings.Contains(stdout, public) {
		t.Fatalf("exit %d, %s%s", code, stdout, stderr)
	}
	verifier := suite.Must(note.NewVerifier(public))(t)
	n, err := note.Open(read(t, filepath.Join(dir, noteFile)), note.VerifierList(verifier))
	if err != nil || n.Text != string(read(t, filepath.Join(dir, sumsFile))) {
		t.Fatalf("%v: %+v", err, n)
	}
	if script := string(read(t, filepath.Join(dir, installFile))); !strings.Contains(script, "\nkey='"+public+"'\n") {
		t.Error("the install script does not contain the public key")
	}
	mustRun(t, dir, "sha256sum", "--check", "--strict", sumsFile)
	refused("is signed already")
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries := suite.Must(os.ReadDir(dir))(t)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	return suite.Must(os.ReadFile(path))(t)
}

func digest(t *testing.T, path string) string {
	t.Helper()
	return fmt.Sprintf("%x", sha256.Sum256(read(t, path)))
}
