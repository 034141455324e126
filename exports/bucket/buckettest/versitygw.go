// Package buckettest runs an S3-compatible server for tests.
package buckettest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
)

// S3 starts versitygw with an empty bucket and returns the bucket's address. The variables that
// bucket.Open reads are set until the test ends, which also stops the server.
func S3(t *testing.T) (address string) {
	t.Helper()
	suite.InSoak(t, "compiling the server takes a minute; the same test runs on a folder and a web server")
	dir := t.TempDir()
	program := filepath.Join(dir, "versitygw")
	build := exec.Command("go", "build", "-modfile=.tools.mod", "-o", program, "github.com/versity/versitygw/cmd/versitygw")
	build.Dir = suite.Root(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	// A folder in the root of the server is a bucket.
	root, metadata := filepath.Join(dir, "root"), filepath.Join(dir, "metadata")
	for _, d := range []string{filepath.Join(root, "builds"), metadata} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "--access", "tester", "--secret", "tester-secret", "--port", host, "--quiet", "posix", "--sidecar", metadata, root)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		_ = log.Close()
	})
	t.Setenv("AWS_ACCESS_KEY_ID", "tester")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "tester-secret")
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ENDPOINT_URL", "http://"+host)
	for range 100 {
		resp, err := http.Get("http://" + host + "/")
		if err == nil {
			_ = resp.Body.Close()
			return "s3://builds"
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, err := os.ReadFile(log.Name())
	t.Fatal(fmt.Errorf("the server did not start: %s %w", text, err))
	return ""
}
