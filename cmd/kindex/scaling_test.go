package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports/store"
)

// TestScalingGuide runs the commands of site/docs/scaling.md with a folder instead of object
// storage and a web server on loopback. The edge and the pull that watches get each build that is
// published, and end when they are interrupted. The commands for signed builds are run by
// testdata/script/sign.txtar, serve_signed.txtar and verify_origin.txtar.
func TestScalingGuide(t *testing.T) {
	suite.InTest(t)
	dir, content := t.TempDir(), edgetest.Content(t, "ml-frameworks")
	bucket := filepath.Join(dir, "bucket")
	suite.Check(t, os.Mkdir(bucket, 0o755))
	web := httptest.NewServer(http.FileServerFS(os.DirFS(bucket)))
	defer web.Close()
	admin := suite.FreeAddress(t)
	replaced := strings.NewReplacer("/srv/", dir+"/", "s3://builds/index", "file:"+bucket, "https://builds.example.org/index", web.URL,
		"--content content", "--content "+content, "--watch", "--watch --interval 1s", "--dir", "--interval 1s --addr "+suite.FreeAddress(t)+" --admin "+admin+" --dir")
	commands := map[string][]string{}
	blocks := edgetest.Blocks(t, "site/docs/scaling.md")
	if len(blocks) != 3 {
		t.Fatalf("the guide has %d blocks, want one about builds, one about some files and one about signed builds", len(blocks))
	}
	for _, line := range strings.Split(blocks[0].Text, "\n") {
		if words := strings.Fields(replaced.Replace(line)); len(words) > 0 {
			commands[words[1]] = words[1:]
		}
	}
	for _, name := range []string{"build", "publish", "pull", "serve"} {
		if commands[name] == nil {
			t.Fatalf("the guide has no kindex %s", name)
		}
	}
	build := func(day string) string {
		t.Helper()
		for _, args := range [][]string{append(commands["build"], "--as-of", day), append(commands["publish"], "--dirty")} {
			succeed(t, args...)
		}
		return suite.Must(store.Current(filepath.Join(dir, "build")))(t)
	}
	first := build("2026-11-01")
	ended := make(chan error, 2)
	var running []*exec.Cmd
	for _, name := range []string{"pull", "serve"} {
		cmd := program(commands[name]...)
		suite.Check(t, cmd.Start())
		running = append(running, cmd)
		go func() { ended <- cmd.Wait() }()
		defer func() { _ = cmd.Process.Kill() }() // it has ended, unless the test failed
	}
	wait := func(id string) {
		t.Helper()
		for deadline := time.Now().Add(hanging); ; time.Sleep(50 * time.Millisecond) {
			got, err := store.Current(filepath.Join(dir, "copy"))
			status, served, _ := get("http://" + admin + "/readyz") // refused until the edge listens
			if err == nil && got == id && status == http.StatusOK && strings.Contains(served, id) {
				return
			}
			select {
			case err := <-ended:
				t.Fatalf("a command ended: %v", err)
			default:
			}
			if time.Now().After(deadline) {
				t.Fatalf("the copy is %s (%v), and the edge says %d %s; want %s", got, err, status, served, id)
			}
		}
	}
	wait(first)
	wait(build("2026-11-02"))
	words := strings.Fields(replaced.Replace(strings.ReplaceAll(blocks[1].Text, "'", "")))
	succeed(t, words[1:]...)
	if names := entries(t, filepath.Join(dir, "data")); !slices.Contains(names, "entities.parquet") || slices.Contains(names, "entities.csv") {
		t.Errorf("the folder for a pipeline has %s", names)
	}
	for _, cmd := range running {
		suite.Check(t, cmd.Process.Signal(syscall.SIGTERM))
	}
	for range running {
		if err := <-ended; err != nil {
			t.Errorf("interrupted: %v", err)
		}
	}
	for _, name := range []string{"kindex", "copy"} {
		succeed(t, "verify", filepath.Join(dir, name))
	}
}
