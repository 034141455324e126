package collect_test

import (
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/suite"
)

// The environment variables that make TestCollectInChild run a collection.
const (
	childFolder = "KINDEX_TEST_COLLECT_FOLDER"
	childServer = "KINDEX_TEST_COLLECT_SERVER"
)

// TestCollectInChild is what TestKilled starts and kills.
func TestCollectInChild(t *testing.T) {
	dir := os.Getenv(childFolder)
	if dir == "" {
		return // it checks nothing by itself
	}
	mustRun(t, options(t, dir, newClock("2026-11-23"), inBatches(forge(os.Getenv(childServer)), 20)))
}

func startChild(t *testing.T, dir, url string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestCollectInChild$")
	c.Env = append(os.Environ(), childFolder+"="+dir, childServer+"="+url)
	suite.Check(t, c.Start())
	return c
}

// A run that is killed leaves only whole files behind, and another run completes it.
func TestKilled(t *testing.T) {
	entities, kills := suite.Pick(100, 300), suite.Pick(6, 30)
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) { reply(w, figures(r.URL.Path[1:])) })
	files := generated(t, entities)
	dir := write(t, files)
	before := read(t, dir)
	began := time.Now()
	suite.Check(t, startChild(t, dir, url).Wait())
	took := time.Since(began)
	want := read(t, dir)
	dice, asking, writing, done := rand.New(rand.NewPCG(3, 5)), 0, 0, 0
	for range kills {
		dir := write(t, files)
		c := startChild(t, dir, url)
		time.Sleep(time.Duration(dice.Float64() * float64(took)))
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
		changed := 0
		for name, text := range read(t, dir) {
			switch {
			case strings.HasSuffix(name, ".part") || strings.HasPrefix(name, ".tmp-"):
			case text == before[name]:
			case text == want[name]:
				changed++
			default:
				t.Fatalf("%s is half written:\n%s", name, text)
			}
		}
		switch {
		case changed == 0:
			asking++
		case changed < len(want):
			writing++
		default:
			done++
		}
		mustRun(t, options(t, dir, newClock("2026-11-23"), inBatches(forge(url), 20)))
		compareFolders(t, want, read(t, dir))
	}
	t.Logf("killed %d times before writing, %d times while writing, %d times at the end", asking, writing, done)
}

// Two runs cannot use one cache at the same time.
func TestLocked(t *testing.T) {
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", "")})
	var o, other collect.Options
	url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) {
		if _, err := collect.Run(t.Context(), other); err == nil || !strings.Contains(err.Error(), "another kindex collect is using") {
			t.Errorf("got %v", err)
		}
		reply(w, map[string]any{"stars": 1.0, "forks": 1.0})
	})
	o = options(t, dir, newClock("2026-11-23"), forge(url))
	other = o
	mustRun(t, o)
}
