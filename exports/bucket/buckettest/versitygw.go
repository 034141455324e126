// Package buckettest runs an S3-compatible server for tests.
package buckettest

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
)

// Server is versitygw with one bucket.
type Server struct {
	Address string // of the bucket, for bucket.Open
	URL     string // of the server
	Bucket  string // its name
	Dir     string // has each object of the bucket as a file

	t    *testing.T
	args []string
	cmd  *exec.Cmd
	log  *os.File
}

// S3 starts a server with an empty bucket and returns the bucket's address; see Start.
func S3(t *testing.T) (address string) {
	t.Helper()
	return Start(t).Address
}

// Start starts a server with an empty bucket. The variables that bucket.Open reads are set until
// the test ends, which also stops the server.
func Start(t *testing.T) *Server {
	t.Helper()
	suite.InSoak(t, "compiling the server takes a minute; the same test runs on a folder and a web server")
	root := suite.Root(t)
	program := filepath.Join(root, "bin", "versitygw") // go build leaves it alone if it is up to date
	build := exec.Command("go", "build", "-modfile=.tools.mod", "-o", program, "github.com/versity/versitygw/cmd/versitygw")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	host, dir := suite.FreeAddress(t), t.TempDir()
	// A folder in the root of the server is a bucket.
	buckets, metadata := filepath.Join(dir, "root"), filepath.Join(dir, "metadata")
	s := &Server{Address: "s3://builds", URL: "http://" + host, Bucket: "builds", Dir: filepath.Join(buckets, "builds"), t: t,
		args: []string{program, "--access", "tester", "--secret", "tester-secret", "--port", host, "--quiet", "posix", "--sidecar", metadata, buckets}}
	for _, d := range []string{s.Dir, metadata} {
		suite.Check(t, os.MkdirAll(d, 0o755))
	}
	var err error
	if s.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "tester")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "tester-secret")
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
	t.Cleanup(func() {
		s.Kill()
		_ = s.log.Close()
	})
	s.Restart()
	return s
}

// Kill ends the server without a warning. It may be called again.
func (s *Server) Kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		_ = s.cmd.Wait()
	}
	s.cmd = nil
}

// Restart starts the server after Kill, with the same address and objects.
func (s *Server) Restart() {
	s.t.Helper()
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	suite.Check(s.t, s.cmd.Start())
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if resp, err := http.Get(s.URL); err == nil {
			_ = resp.Body.Close()
			return
		}
	}
	text, err := os.ReadFile(s.log.Name())
	s.t.Fatal(fmt.Errorf("the server did not start: %s %w", text, err))
}
