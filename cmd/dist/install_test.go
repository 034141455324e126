package main

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestInstall installs from good and bad servers. From a bad one, nothing may be installed.
func TestInstall(t *testing.T) {
	dir := releaseFiles(t)
	need(t, "curl", "openssl", "awk")
	archive := "kindex-" + version + "-linux-" + runtime.GOARCH + ".tar.gz"
	files := map[string]string{}
	for _, name := range []string{archive, sumsFile, noteFile} {
		files[name] = string(read(t, filepath.Join(dir, name)))
	}
	other := "releases.example.org+" + strings.Repeat("0", 8) + made.verifier[strings.LastIndex(made.verifier[:len("releases.example.org+")+9], "+"):]
	stranger := "releases.example.org+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
	altered := strings.Replace(files[archive], "\x00", "\x01", 1)
	for what, c := range map[string]struct {
		change map[string]string // files of the server; "" is missing
		args   []string
		says   string // "" if it must be installed
	}{
		"signed":                      {nil, nil, ""},
		"without a key":               {map[string]string{noteFile: ""}, []string{"--key", ""}, ""},
		"a truncated archive":         {map[string]string{archive: files[archive][:1000]}, nil, "The SHA-256 of " + archive},
		"an empty archive":            {map[string]string{archive: "\n"}, nil, "The SHA-256 of " + archive},
		"an altered archive":          {map[string]string{archive: altered}, nil, "The SHA-256 of " + archive},
		"altered, no key":             {map[string]string{archive: altered}, []string{"--key", ""}, "The SHA-256 of " + archive},
		"no archive":                  {map[string]string{archive: ""}, nil, "could not be downloaded"},
		"no note":                     {map[string]string{noteFile: ""}, nil, "could not be downloaded"},
		"no sums":                     {map[string]string{sumsFile: ""}, []string{"--key", ""}, "could not be downloaded"},
		"other sums":                  {map[string]string{noteFile: strings.Replace(files[noteFile], "a", "b", 1)}, nil, "The signature of SHA256SUMS is not from"},
		"a truncated note":            {map[string]string{noteFile: files[noteFile][:200]}, nil, "is not signed by"},
		"no signature":                {map[string]string{noteFile: files[sumsFile] + "\n"}, nil, "is not signed by"},
		"a text without the archive":  {map[string]string{sumsFile: "0  x\n"}, []string{"--key", ""}, "SHA256SUMS does not list " + archive},
		"a signature by a stranger":   {nil, []string{"--key", stranger}, "The signature of SHA256SUMS is not from"},
		"another hash":                {nil, []string{"--key", other}, "The signature of SHA256SUMS is not from"},
		"another name":                {nil, []string{"--key", "x" + made.verifier}, "is not signed by"},
		"half a key":                  {nil, []string{"--key", made.verifier[:40]}, "is not an Ed25519 key"},
		"no https":                    {nil, []string{"--url", "http://127.0.0.1:1"}, "Use --url with the https address"},
		"an option without its value": {nil, []string{"--prefix"}, "is not an option or lacks its value"},
		"an unknown option":           {nil, []string{"--no", "x"}, "--no is not an option"},
	} {
		home := t.TempDir()
		out, err := install(t, home, func(name string) string {
			if text, changed := c.change[name]; changed {
				return text
			}
			return files[name]
		}, c.args...)
		program := filepath.Join(home, "a b", "bin", "kindex")
		_, missing := os.Stat(program)
		if ok := c.says == ""; (err == nil) != ok || (missing == nil) != ok || !strings.Contains(out, c.says) {
			t.Errorf("%s: %v, installed: %v\n%s", what, err, missing, out)
		}
		if c.says != "" {
			continue
		}
		checkProgram(t, exec.Command(program, "version", "--json"))
		for _, name := range []string{"share/man/man1/kindex-build.1", "share/bash-completion/completions/kindex", "share/zsh/site-functions/_kindex", "share/fish/vendor_completions.d/kindex.fish"} {
			if _, err := os.Stat(filepath.Join(home, "a b", name)); err != nil {
				t.Error(err)
			}
		}
		if unsigned := strings.Contains(out, "only the checksums are verified"); unsigned != (len(c.args) > 0) {
			t.Errorf("%s: %s", what, out)
		}
		if names := namesIn(t, home); len(names) != 1 {
			t.Errorf("%s: temporary files are left: %v", what, names)
		}
	}
}

// install runs install.sh with the home folder, to install into its folder "a b" from a server
// that serves what files returns for a name, unless that is "". It returns what the script prints.
func install(t *testing.T, home string, files func(name string) string, args ...string) (string, error) {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := files(strings.TrimPrefix(r.URL.Path, "/releases/"+version+"/"))
		if text == "" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(text))
	}))
	defer s.Close()
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	suite.Check(t, os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	args = append([]string{filepath.Join(releaseFiles(t), "install.sh"), "--prefix", filepath.Join(home, "a b"), "--url", s.URL + "/releases/" + version}, args...)
	cmd := exec.Command("sh", args...)
	cmd.Env = append(os.Environ(), "CURL_CA_BUNDLE="+certificate, "HOME="+home, "TMPDIR="+home)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestFirstHour installs the program from a release, and runs the script of a new user's first hour
// with it: from the download until their own index is served, in less than five minutes.
func TestFirstHour(t *testing.T) {
	dir := releaseFiles(t)
	need(t, "curl", "openssl", "awk")
	home := t.TempDir()
	scripts := filepath.Join(home, "scripts.test")
	mustRun(t, ".", "go", "test", "-c", "-o", scripts, "kindex/cmd/kindex")
	begin := time.Now()
	out, err := install(t, home, func(name string) string { return string(read(t, filepath.Join(dir, name))) })
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(scripts, "-test.v", "-test.run", "^TestScripts$/^first_hour$")
	cmd.Dir = filepath.Join(suite.Root(t), "cmd", "kindex")
	cmd.Env = append(os.Environ(), "KINDEX_TESTED_PROGRAM="+filepath.Join(home, "a b", "bin", "kindex"))
	text, err := cmd.CombinedOutput()
	took := time.Since(begin)
	if err != nil || !strings.Contains(string(text), "--- PASS: TestScripts/first_hour") || took > 5*time.Minute {
		t.Errorf("%v after %v\n%s", err, took, text)
	}
	t.Logf("installed, imported, built and served in %v", took)
}

// TestInstallScript checks that the script contains its release, that it does nothing if it is cut
// off anywhere, and that the template in the repository installs nothing.
func TestInstallScript(t *testing.T) {
	dir := releaseFiles(t)
	text := string(read(t, filepath.Join(dir, "install.sh")))
	for _, line := range []string{"version='" + version + "'", "url='" + releaseURL + "'", "key='" + made.verifier + "'"} {
		suite.Contains(t, text, "\n"+line+"\n", line)
	}
	home := t.TempDir()
	for size := 0; size < len(text)-len("main \"$@\"\n"); size += 97 {
		cmd := exec.Command("sh", "-c", text[:size])
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
		if out, _ := cmd.CombinedOutput(); len(namesIn(t, home)) > 0 || strings.Contains(string(out), "kindex v") {
			t.Fatalf("cut off after %d bytes, the script did something: %s", size, out)
		}
	}
	if out, err := exec.Command("sh", "install.sh", "--prefix", home).CombinedOutput(); err == nil || !strings.Contains(string(out), "only the template") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := exec.LookPath("shellcheck"); err == nil {
		mustRun(t, ".", "shellcheck", filepath.Join(dir, "install.sh"))
	}
}
