package docs_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestMemory streams the rows of a build with the recipes, and then the same rows
// many times over: both must need about as much memory. The same programs, changed to read
// everything at once, must need more memory.
func TestMemory(t *testing.T) {
	suite.InTest(t)
	measure(t, start(t), start(t, repeated))
}

// repeated serves the rows of an export repeated many times.
func repeated(next http.Handler) http.Handler {
	const times = 100
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
	kilobytes := suite.Must(strconv.ParseInt(strings.TrimSpace(said), 10, 64))(p.t)
	return kilobytes << 10
}
