package docs_test

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// TestMemory streams the shipped content and 20,000 entities by the recipes, which must
// need about as much memory for both; reading all into memory at once, which the
// same programs do with a change, must not.
func TestMemory(t *testing.T) {
	suite.InTest(t)
	corpus, out := filepath.Join(t.TempDir(), "corpus"), filepath.Join(t.TempDir(), "out")
	// As programs of their own: the race detector would slow the builder down.
	for _, args := range [][]string{
		{"./cmd/corpus", "-n", "20000", "-content", "content", "-out", corpus},
		{"./cmd/kindex", "build", "--content", corpus, "--out", out, "--as-of", edgetest.Today().Format(time.DateOnly)},
	} {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"run"}, args...)...)
		cmd.Dir = edgetest.Root(t)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, said)
		}
	}
	small, large := start(t), startWith(t, edge.Options{Dir: out, LimitKey: 100})
	_, size := large.listed("entities.jsonl")
	for _, c := range []struct{ program, script, makes, all, atOnce string }{
		{"node", "texts.mjs", "texts.jsonl", "for await (const e of objects(source))",
			"const all = []; for await (const e of objects(source)) all.push(e)\n  for (const e of all)"},
		{"python3", "models.py", "models.csv", "table.writerows(rows(", "table.writerows(list(rows("},
	} {
		few, many := small.peak(c.program, c.script), large.peak(c.program, c.script)
		if c.makes == "texts.jsonl" {
			if n := strings.Count(large.read(c.makes), "\n"); n < 19_000 {
				t.Errorf("%d texts of some 20,000 entities", n)
			}
		}
		greedy := strings.Replace(large.read(c.script), c.all, c.atOnce, 1)
		if strings.Contains(c.atOnce, "list(") {
			greedy = strings.Replace(greedy, `.join(fields)))`, `.join(fields))))`, 1)
		}
		large.write("greedy-"+c.script, greedy)
		greed := large.peak(c.program, "greedy-"+c.script)
		t.Logf("%s: %d MiB for 480 entities, %d MiB for 20,000 (%d MB of JSONL), %d MiB all at once", c.script, few>>20, many>>20, size/1e6, greed>>20)
		if many-few > 24<<20 {
			t.Errorf("%s needs %d MiB more for 20,000 entities", c.script, (many-few)>>20)
		}
		if greed < many+(2<<20) {
			t.Errorf("all at once, %s needs %d MiB, and %d MiB as it streams: this measures nothing", c.script, greed>>20, many>>20)
		}
	}
}

// peak runs a program and returns the most memory that it held, in bytes. Another
// program asks, since Linux counts the memory of whoever starts one, and that is the
// builder here.
func (p *place) peak(args ...string) int64 {
	p.t.Helper()
	begin := time.Now()
	said := p.must(append([]string{"python3", "-c", `import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)`}, args...)...)
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(said), 10, 64)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Logf("%v took %v", args, time.Since(begin).Round(time.Millisecond))
	return kilobytes << 10
}
