package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"kindex/builder/suite"
)

// openImage unpacks the layout and returns the image of this architecture.
func openImage(t *testing.T) v1.Image {
	t.Helper()
	dir := t.TempDir()
	mustRun(t, dir, "tar", "-xf", filepath.Join(releaseFiles(t), "kindex-"+version+"-image.tar"))
	outer := suite.Must(layout.ImageIndexFromPath(dir))(t)
	m, err := outer.IndexManifest()
	if err != nil || len(m.Manifests) != 1 || m.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != version {
		t.Fatalf("%+v: %v", m, err)
	}
	index := suite.Must(outer.ImageIndex(m.Manifests[0].Digest))(t)
	suite.Check(t, validate.Index(index))
	m = suite.Must(index.IndexManifest())(t)
	for _, d := range m.Manifests {
		if d.Platform.OS == "linux" && d.Platform.Architecture == runtime.GOARCH {
			return suite.Must(index.Image(d.Digest))(t)
		}
	}
	t.Fatalf("no image for this machine: %+v", m)
	return nil
}

// unpackRoot writes the file system of the image, and checks who owns what.
func unpackRoot(t *testing.T, image v1.Image) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.Chmod(filepath.Dir(root), 0o755); err != nil { // the service runs as another user
		t.Fatal(err)
	}
	files := mutate.Extract(image)
	defer files.Close()
	var programs int
	for r := tar.NewReader(files); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		suite.Check(t, err)
		path := filepath.Join(root, filepath.FromSlash(h.Name))
		if (h.Uid == uid) != (h.Name == "data/" || h.Name == "data") || h.Mode&0o6000 != 0 || !filepath.IsLocal(filepath.FromSlash(h.Name)) {
			t.Errorf("%+v", h)
		}
		if h.Mode&0o111 != 0 && h.Typeflag == tar.TypeReg {
			programs++
		}
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			var data []byte
			if data, err = io.ReadAll(r); err == nil {
				err = writeFile(path, data, os.FileMode(h.Mode&0o777))
			}
		}
		suite.Check(t, err)
	}
	if programs != 1 {
		t.Errorf("%d programs, want only kindex", programs)
	}
	return root
}

// TestImage serves a build from the image: its root is the root of the process, its
// configuration decides the arguments, the environment and the user, and the build is in the
// one volume.
func TestImage(t *testing.T) {
	image := openImage(t)
	c := suite.Must(image.ConfigFile())(t)
	if c.Config.User != "65532:65532" || len(c.Config.Volumes) != 1 || !c.Created.Equal(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)) ||
		c.Config.Labels["org.opencontainers.image.version"] != version {
		t.Errorf("%+v", c)
	}
	root := unpackRoot(t, image)
	pool := x509.NewCertPool()
	if pem := read(t, filepath.Join(root, "etc", "ssl", "certs", "ca-certificates.crt")); !pool.AppendCertsFromPEM(pem) || bytes.Count(pem, []byte("BEGIN CERTIFICATE")) < 80 {
		t.Error("the image has no certificates")
	}
	buildVolume(t, root)

	address := suite.FreeAddress(t)
	args := append(append([]string{}, c.Config.Entrypoint...), c.Config.Cmd...)
	cmd := inRoot(t, root, args, c.Config.WorkingDir)
	cmd.Env = append(append(cmd.Env, c.Config.Env...), "KINDEX_ADDR="+address, "TZ=Europe/Berlin")
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	suite.Check(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	page, err := getPage(t.Context(), "http://"+address+"/api/entity/tool/example", ended)
	if err != nil || !strings.Contains(page, `"Example"`) {
		_ = cmd.Process.Kill()
		t.Fatalf("%v: %s\n%s", err, page, log.String())
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := <-ended; err != nil {
		t.Errorf("stopped: %v\n%s", err, log.String())
	}
}

// buildVolume puts a build into the folder of the volume, and gives it to the user of the
// service.
func buildVolume(t *testing.T, root string) {
	t.Helper()
	content := t.TempDir()
	entity := "name: Example\ncategory: tools\ndescription: An example of a tool.\n"
	suite.Check(t, writeFile(filepath.Join(content, "tool", "example.yaml"), []byte(entity), 0o644))
	data := filepath.Join(root, "data")
	mustRun(t, content, filepath.Join(root, "usr", "bin", "kindex"), "build", "--content", content, "--out", data)
	if os.Geteuid() == 0 {
		mustRun(t, ".", "chown", "-R", "65532:65532", data)
	}
}

// inRoot returns a command that runs in the root folder as the user of the service. Only root
// can do that; other users get a user namespace of their own, and if the machine has none, the
// program runs outside the folder.
func inRoot(t *testing.T, root string, args []string, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = []string{}
	if os.Geteuid() == 0 {
		cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		return cmd
	}
	if exec.Command("unshare", "--user", "--map-root-user", "--root="+root, args[0], "version").Run() == nil {
		cmd = exec.Command("unshare", append([]string{"--user", "--map-root-user", "--root=" + root, "--wd=" + dir}, args...)...)
		cmd.Env = []string{}
		return cmd
	}
	t.Log("this user can neither chroot nor create a user namespace, so the program runs outside the image's root folder")
	cmd = exec.Command(filepath.Join(root, args[0]), append(args[1:], "--dir", filepath.Join(root, "data"))...)
	cmd.Env = []string{}
	return cmd
}

// getPage repeats a request until the server answers or ends.
func getPage(ctx context.Context, url string, ended <-chan error) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return "", err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			return string(body), err
		}
		select {
		case err := <-ended:
			return "", errors.Join(errors.New("the server ended"), err)
		case <-ctx.Done():
			return "", err
		case <-time.After(50 * time.Millisecond):
		}
	}
}
