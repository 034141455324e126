package edge

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"kindex/edge/ratelimit"
)

// RemovePrepared removes the content folders and builds that the tests have shared.
func RemovePrepared() { _ = os.RemoveAll(prepared.dir) } // "" removes nothing

// prepared holds the content folders and builds that most tests start from. Each is created only
// once, because copying takes a twentieth of the time that building takes.
var prepared struct {
	mu   sync.Mutex
	dir  string
	made map[string]bool
}

// prepare returns a copy, for this test only, of a folder filled by fill. Each name must always
// be used with the same fill.
func prepare(t testing.TB, name string, fill func(dir string)) string {
	t.Helper()
	prepared.mu.Lock()
	defer prepared.mu.Unlock()
	if prepared.dir == "" {
		dir, err := os.MkdirTemp("", "kindex-edge-")
		if err != nil {
			t.Fatal(err)
		}
		prepared.dir, prepared.made = dir, map[string]bool{}
	}
	master := filepath.Join(prepared.dir, name)
	if !prepared.made[name] {
		if err := os.RemoveAll(master); err != nil { // left behind by a test that failed halfway
			t.Fatal(err)
		}
		if err := os.Mkdir(master, 0o755); err != nil {
			t.Fatal(err)
		}
		fill(master)
		prepared.made[name] = true
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(master)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// patient lets requests for pages and exports wait as long as a slow machine may
// need, even if several exports come from the same address. Call it before the first request.
func (s *served) patient() {
	l := s.shared.Limits
	for _, g := range []**ratelimit.Gate{&l.PageGate, &l.ExportGate} {
		o := (*g).GateOptions
		o.PerCaller, o.Wait = 0, hanging
		*g = ratelimit.NewGate(o)
	}
}

// smallBuild returns a content folder with n tools at generation 0, as written by writeContent,
// and a build of that content.
func smallBuild(t testing.TB, n int) (content, out string) {
	t.Helper()
	dir := prepare(t, fmt.Sprint(n, " tools"), func(dir string) {
		writeContent(t, filepath.Join(dir, "content"), n, 0)
		buildInto(t, filepath.Join(dir, "content"), filepath.Join(dir, "out"), 3)
	})
	return filepath.Join(dir, "content"), filepath.Join(dir, "out")
}
