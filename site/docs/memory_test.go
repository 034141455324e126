package docs_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// TestMemory streams the rows of a build with the recipes, and then the same rows
// many times over: both must need about as much memory. The same programs, changed to read
// everything at once, must need more memory. TestMemoryOfABuild does the same with a whole
// build.
func TestMemory(t *testing.T) {
	suite.InTest(t)
	measure(t, start(t), start(t, repeated))
}

// TestMemoryOfNode is TestMemory for a recipe in JavaScript.
func TestMemoryOfNode(t *testing.T) {
	suite.InSoak(t, "Node is slow with so little memory; TestMemory measures a recipe in Python")
	measureNode(start(t, repeated))
}

// repeated serves the rows of an export repeated many times.
func repeated(next http.Handler) http.Handler {
	times := suite.Pick(100, 150)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/export/entities" {
			next.ServeHTTP(w, r)
			return
		}
		zipped := r.Header.Get("Accept-Encoding") != ""
		r.Header.Del("Accept-Encoding")
		all := httptest.NewRecorder()
		next.ServeHTTP(all, r)
		var to io.Writer = w
		w.Header().Set("Content-Type", all.Header().Get("Content-Type"))
		if zipped { // all recipes accept gzip
			w.Header().Set("Content-Encoding", "gzip")
			z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
			defer z.Close()
			to = z
		}
		w.WriteHeader(all.Code)
		for range times {
			if _, err := to.Write(all.Body.Bytes()); err != nil {
				return
			}
		}
	})
}

// TestMemoryOfABuild is TestMemory with a build of 20,000 entities.
func TestMemoryOfABuild(t *testing.T) {
	suite.InSoak(t, "generates and builds 20,000 entities; TestMemory streams repeated rows")
	corpus, out := filepath.Join(t.TempDir(), "corpus"), filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"./cmd/gencorpus", "-n", "20000", "-content", "builder/suite/testdata/content", "-out", corpus},
		{"./cmd/kindex", "build", "--content", corpus, "--out", out, "--as-of", edgetest.Today().Format(time.DateOnly)},
	} {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"run"}, args...)...)
		cmd.Dir = suite.Root(t)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, said)
		}
	}
	large := startWith(t, edge.Options{Dir: out, LimitKey: 100})
	measure(t, start(t), large)
	measureNode(large)
}

// measure runs a recipe with few entities and with many. Python frees memory immediately,
// so its peak is measured.
func measure(t *testing.T, small, large *place) {
	t.Helper()
	large.greedy("models.py", "table.writerows(rows(", "table.writerows(list(rows(", `.join(fields)))`, `.join(fields))))`)
	few, many, greed := small.peak("python3", "models.py"), large.peak("python3", "models.py"), large.peak("python3", "greedy-models.py")
	n := strings.Count(large.read("models.csv"), "\n")
	if n < 5000 || greed-few < 4<<20 {
		t.Errorf("too little to measure: %d rows need %d KiB when read at once", n, (greed-few)>>10)
	}
	t.Logf("models.py: %d MiB for few, %d MiB for %d rows, %d MiB all at once", few>>20, many>>20, n, greed>>20)
	if many-few > (greed-few)/2 {
		t.Errorf("models.py needs %d KiB more for %d rows; reading all at once needs %d KiB more", (many-few)>>10, n, (greed-few)>>10)
	}
}

// measureNode runs a recipe with many entities. Node frees memory only when it must, so it
// gets only a little: enough to stream the rows, but too little to keep them all.
func measureNode(large *place) {
	large.t.Helper()
	large.greedy("texts.mjs", "for await (const e of objects(source))", "const all = []; for await (const e of objects(source)) all.push(e)\n  for (const e of all)")
	node := []string{"node", "--max-old-space-size=12", "--max-semi-space-size=1"}
	large.must(append(node, "texts.mjs")...)
	if n := strings.Count(large.read("texts.jsonl"), "\n"); n < 19_000 {
		large.t.Errorf("only %d texts", n)
	}
	if said := large.fails(append(node, "greedy-texts.mjs")...); !strings.Contains(said, "heap out of memory") {
		large.t.Errorf("reading all at once, with little memory: %s", said)
	}
}

// greedy writes a copy of a recipe that reads everything into memory at once.
func (p *place) greedy(script string, change ...string) {
	p.t.Helper()
	text := p.read(script)
	for pair := range slices.Chunk(change, 2) {
		if !strings.Contains(text, pair[0]) {
			p.t.Fatalf("%s has no %s", script, pair[0])
		}
		text = strings.Replace(text, pair[0], pair[1], 1)
	}
	p.write("greedy-"+script, text)
}

// peak runs a program and returns its peak memory in bytes. A small program starts it,
// because Linux also counts the memory of the parent process, which would otherwise be
// the builder.
func (p *place) peak(args ...string) int64 {
	p.t.Helper()
	said := p.must(append([]string{"python3", "-c", `import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)`}, args...)...)
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(said), 10, 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return kilobytes << 10
}
