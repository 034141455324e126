package pages_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/edgetest"
)

// thePast is a build of the content for tests with a history of six weeks, in which entities
// were added, removed, renamed, and gained stars. Tests share it.
var thePast struct {
	sync.Once
	out string
}

func pastBuild(t testing.TB) string {
	t.Helper()
	thePast.Do(func() {
		repo := t.TempDir()
		// The build is used after the test that created it has ended.
		out := suite.Must(os.MkdirTemp("", "kindex-pages-"))(t)
		thePast.out = out
		writePast(t, repo)
		suite.Must(builder.Build(context.Background(), builder.Options{Content: filepath.Join(repo, "content"), Out: out, AsOf: edgetest.Today(), Keep: 1}))(t)
	})
	return thePast.out
}

var lifecyclePattern = regexp.MustCompile(`(?m)^lifecycle:\n(  .*\n)+`)

var starsPattern = regexp.MustCompile(`(stars: \{value: )(\d+)`)

// writePast commits content on several days.
func writePast(t testing.TB, repo string) {
	t.Helper()
	content := filepath.Join(repo, "content")
	suite.CopyContent(t, content)
	suite.Output(t, exec.Command("git", "init", "-q", "-b", "main", repo))
	files := suite.Must(filepath.Glob(filepath.Join(content, "*", "*.yaml")))(t)
	texts := map[string][]byte{}
	for _, f := range files {
		text := suite.Must(os.ReadFile(f))(t)
		texts[f] = lifecyclePattern.ReplaceAll(text, nil) // a successor may not be there yet
		suite.Check(t, os.WriteFile(f, texts[f], 0o644))
	}
	renamed := map[string]bool{}
	draw := func(file string, step, of int) bool {
		h := fnv.New32a()
		fmt.Fprint(h, filepath.Base(file), step)
		return h.Sum32()%uint32(of) == 0
	}
	for step, daysAgo := range []int{45, 30, 16, 9, 3, 1} {
		for _, f := range files {
			switch now := texts[f]; {
			case filepath.Base(filepath.Dir(f)) == "category" || renamed[f]:
			case step == 0 && draw(f, 100, 9): // the entity is added later
				suite.Check(t, os.Remove(f))
			case step == 0 || draw(f, step, 8):
				stars := starsPattern.ReplaceAllFunc(now, func(m []byte) []byte {
					return []byte(fmt.Sprintf("stars: {value: %d", (step+1)*(10+len(filepath.Base(f))*len(now)%10_000)))
				})
				suite.Check(t, os.WriteFile(f, stars, 0o644))
			case step > 2 && draw(f, 100+step, 40):
				suite.Check(t, os.RemoveAll(f))
			case step == 3 && draw(f, 200, 30) && fileThere(f) && !bytes.Contains(now, []byte("\nformerly:")):
				suite.Check(t, os.WriteFile(strings.TrimSuffix(f, ".yaml")+"-renamed.yaml",
					append(slices.Clone(now), "\nformerly: ["+strings.TrimSuffix(filepath.Base(f), ".yaml")+"]\n"...), 0o644))
				suite.Check(t, os.Remove(f))
				renamed[f] = true
			}
		}
		edgetest.Commit(t, repo, daysAgo)
	}
}

func fileThere(f string) bool {
	_, err := os.Stat(f)
	return err == nil
}
