package sdk_test

import (
	"bufio"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
)

// serveReceiver runs the receiver in the README, and sends it a delivery from an edge as well as
// forged deliveries.
func (v *venv) serveReceiver(t *testing.T, e *edgetest.Edge, secret string, d edgetest.Delivery) {
	t.Helper()
	address := suite.FreeAddress(t)
	name := filepath.Join(v.dir, "receiver.py")
	write(t, name, e.Example(t, pythonReadme, "receiver.py"))
	cmd := v.command(t, "python", "-X", "dev", "-W", "error", name)
	_, port, _ := strings.Cut(address, ":")
	cmd.Env = append(cmd.Env, "WEBHOOK_SECRET="+secret, "PORT="+port)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	suite.Check(t, err)
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	waitFor(t, address)
	suite.Equal(t, post(t, address, d.Header, append([]byte(" "), d.Body...)), 400, "a forged delivery")
	suite.Equal(t, post(t, address, nil, d.Body), 400, "an unsigned delivery")
	suite.Equal(t, post(t, address, d.Header, d.Body), 204, "a delivery")
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "webhook.test (a test)\n" {
		t.Errorf("the receiver printed %q: %v", line, err)
	}
}

func post(t *testing.T, address string, header http.Header, body []byte) int {
	t.Helper()
	req := suite.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/", bytes.NewReader(body)))(t)
	req.Header = header.Clone()
	resp := suite.Must(http.DefaultClient.Do(req))(t)
	resp.Body.Close()
	return resp.StatusCode
}

// waitFor waits until a server listens on an address.
func waitFor(t *testing.T, address string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
	}
	t.Fatal("nothing listens on " + address)
}

// venv is a virtual environment with the client installed.
type venv struct {
	dir string
	env []string
}

// pythonEnv returns environment variables in which Python and pip have their default settings,
// except that pip stores nothing outside the virtual environment.
func pythonEnv() (env []string) {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(strings.ToLower(variable), "=")
		if !strings.HasPrefix(name, "pip_") && !strings.HasPrefix(name, "python") && !strings.HasSuffix(name, "_proxy") {
			env = append(env, variable)
		}
	}
	return append(env, "PIP_CONFIG_FILE="+os.DevNull, "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_CACHE_DIR=1")
}

// needPython returns the path of a Python with venv. If there is none, it fails or skips the test.
func needPython(t *testing.T) string {
	t.Helper()
	return suite.Python(t, "python3", "venv", "ensurepip")
}

// fastVenv returns a folder, for PATH, with a python3 that unpacks pip into a new virtual environment, instead of
// compiling all of pip first, which takes longer than all programs that use the client. In make soak, and if
// Python has no wheel of pip, there is no such folder.
func fastVenv(t *testing.T, python string) []string {
	t.Helper()
	const find = `import ensurepip, glob, os, sysconfig
for folder in (sysconfig.get_config_var("WHEEL_PKG_DIR"), os.path.join(os.path.dirname(ensurepip.__file__), "_bundled")):
    for wheel in glob.glob(os.path.join(folder or "/nowhere", "pip-*.whl"))[:1]:
        print(wheel)`
	wheel, _, _ := strings.Cut(suite.Output(t, exec.Command(python, "-c", find)), "\n")
	if suite.Soaking() || wheel == "" {
		return nil
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "python3"), fmt.Sprintf(`#!/bin/bash
[ "$1 $2 $#" = "-m venv 3" ] || exec %[1]q "$@"
set -e
%[1]q -m venv --without-pip "$3"
%[1]q -m zipfile -e %[2]q "$3"/lib/python3*/site-packages
printf '#!%%s/bin/python3\nimport sys\nfrom pip._internal.cli.main import main\nsys.exit(main())\n' "$(realpath "$3")" > "$3/bin/pip"
chmod +x "$3/bin/pip"
`, python, wheel))
	suite.Check(t, os.Chmod(filepath.Join(dir, "python3"), 0o755))
	return []string{dir}
}

func (v *venv) command(t *testing.T, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), filepath.Join(v.dir, "bin", program), args...)
	cmd.Env = v.env
	return cmd
}

// python runs Python with all warnings enabled and treated as errors, and returns its standard
// output.
func (v *venv) python(t *testing.T, args []string, env ...string) []byte {
	t.Helper()
	cmd := v.command(t, "python", append([]string{"-X", "dev", "-W", "error"}, args...)...)
	cmd.Dir = filepath.Join("testdata", "python")
	cmd.Env = append(slices.Clone(v.env), "PYTHONDONTWRITEBYTECODE=1")
	cmd.Env = append(cmd.Env, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, stderr.Bytes())
	}
	if s := stderr.String(); strings.Contains(s, "Exception ignored") || strings.Contains(s, "Exception in thread") || strings.Contains(s, "Warning:") {
		t.Errorf("%v: %s", cmd.Args, s) // in __del__ and in threads, errors do not end the program
	}
	t.Logf("%s", stderr.Bytes())
	return out
}

// test runs programs in testdata, or classes of them, in one process.
func (v *venv) test(t *testing.T, env []string, names ...string) {
	t.Helper()
	v.python(t, append([]string{"-m", "unittest"}, names...), env...)
}

// registered registers a webhook, sends it a test, and returns the secret.
func (v *venv) registered(t *testing.T, url, key, receiver string) string {
	t.Helper()
	const register = `import kindex, sys
with kindex.Client(sys.argv[1], sys.argv[2]) as client:
    made = client.create_webhook(sys.argv[3], ["entity.updated"])
    client.test_webhook(made["id"])
    print(made["secret"], end="")`
	return string(v.python(t, []string{"-c", register, url, key, receiver}))
}

// overTLS serves an edge over HTTPS, and returns the URL and the certificate file.
func overTLS(t *testing.T, handler http.Handler) (url, ca string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // discard errors from clients that must not trust the certificate
	server.StartTLS()
	t.Cleanup(server.Close)
	ca = filepath.Join(t.TempDir(), "ca.pem")
	write(t, ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	return server.URL, ca
}
