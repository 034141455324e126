package docs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// requests records the range and the response status of each GET request under a path.
type requests struct {
	sync.Mutex
	ranges   []string
	statuses []int
}

func (q *requests) below(path string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, path) {
				w = &statused{w, q}
				q.Lock()
				q.ranges = append(q.ranges, r.Header.Get("Range"))
				q.Unlock()
			}
			next.ServeHTTP(w, r)
		})
	}
}

type statused struct {
	http.ResponseWriter
	q *requests
}

// WriteHeader implements http.ResponseWriter.
func (s *statused) WriteHeader(status int) {
	s.q.Lock()
	s.q.statuses = append(s.q.statuses, status)
	s.q.Unlock()
	s.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (s *statused) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// listed returns a file's entry in the manifest.
func (p *place) listed(path string) (sum string, size int64) {
	p.t.Helper()
	var m struct {
		Files []struct {
			Path, SHA256 string
			Size         int64
		}
	}
	suite.Check(p.t, json.Unmarshal(p.get("/api/export/manifest"), &m))
	for _, f := range m.Files {
		if f.Path == path {
			return f.SHA256, f.Size
		}
	}
	p.t.Fatalf("the manifest has no %s", path)
	return "", 0
}

func (p *place) sum(name string) string {
	sum := sha256.Sum256([]byte(p.read(name)))
	return hex.EncodeToString(sum[:])
}

// TestFetch interrupts a download more often than the recipe tries again, and resumes it in a second
// run. It checks that each byte is sent once, and that existing files are verified.
func TestFetch(t *testing.T) {
	suite.InTest(t)
	var asked requests
	p := start(t, asked.below("/data/"), edgetest.Cut("/data/", 1000, 10))
	if said := p.fails("bash", "fetch.sh", "entities.parquet"); !strings.Contains(said, "fetch.sh: could not download entities.parquet; run again to resume") {
		t.Error(said)
	}
	sum, size := p.listed("entities.parquet")
	part := "entities.parquet." + sum + ".part"
	if len(p.there("entities.parquet")) > 0 || p.size(part) != 10_000 {
		t.Fatalf("there are %v", p.there("entities*"))
	}
	p.must("bash", "fetch.sh", "entities.parquet")
	if p.sum("entities.parquet") != sum || p.size("entities.parquet") != size || len(p.there("*.part")) > 0 {
		t.Errorf("the file is not that of the build, or there are %v", p.there("*.part"))
	}
	for i, from := range asked.ranges {
		want := fmt.Sprintf("bytes=%d-", 1000*i)
		if i == 0 {
			want = ""
		}
		suite.Equal(t, from, want, "request", i)
	}
	// A file with the same size, but different content.
	p.write(part, strings.Repeat("x", int(size)))
	p.must("bash", "fetch.sh", "entities.parquet")
	// A partial file with a wrong start is detected only once it is complete.
	p.write(part, strings.Repeat("x", 500))
	p.must("bash", "fetch.sh", "leaderboards.json", "entities.parquet")
	if p.sum("entities.parquet") != sum || len(p.there("*.part")) > 0 || p.size("leaderboards.json") == 0 {
		t.Errorf("there are %v", p.there("*"))
	}
	if said := p.fails("bash", "fetch.sh", "entities.xlsx"); !strings.Contains(said, "the build has no file entities.xlsx") {
		t.Error(said)
	}
	p.key = "kx_wrong"
	if said := p.fails("bash", "fetch.sh", "entities.jsonl"); !strings.Contains(said, "401") {
		t.Error(said)
	}
}

// TestFetchOverTheLimit checks that the recipe fails at the rate limit instead of waiting
// until the next day.
func TestFetchOverTheLimit(t *testing.T) {
	var asked requests
	begin := time.Now()
	midnight := begin.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	p := startWith(t, edge.Options{LimitKey: 1, Now: func() time.Time { return midnight.Add(time.Since(begin) - 6*time.Hour) }}, asked.below("/api/export/manifest"))
	p.must("bash", "fetch.sh", "categories.json")
	if said := p.fails("bash", "fetch.sh", "categories.json"); !strings.Contains(said, "429") {
		t.Error(said)
	}
	suite.Equal(t, fmt.Sprint(asked.statuses), "[200 429]", "the responses")
}

// TestIfRange interrupts the download of an export under /api and resumes it, once from the
// same build and once after a new build has been published.
func TestIfRange(t *testing.T) {
	suite.InTest(t)
	s := newSeries(t)
	for name, newBuild := range map[string]bool{"the same build": false, "a new build": true} {
		t.Run(name, func(t *testing.T) {
			var recipe string
			var asked requests
			once := new(sync.Once)
			p := startWith(t, edge.Options{Dir: s.out, LimitKey: 100}, asked.below("/api/export/entities"), edgetest.Cut("/api/export/entities", 1000, 1),
				func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if r.Header.Get("Range") != "" && newBuild {
							once.Do(func() {
								s.edit("tool/pytorch", "^name: .*", "name: PyTorch 3")
								s.publish(0)
								if err := s.reload(); err != nil {
									t.Error(err)
								}
							})
						}
						next.ServeHTTP(w, r)
					})
				})
			s.reload = p.edge.Reload
			for _, b := range edgetest.Blocks(t, pipelines) {
				if strings.Contains(b.Text, "--etag-save") {
					recipe = strings.ReplaceAll(b.Text, "http://127.0.0.1:8080", p.edge.URL)
				}
			}
			p.must("bash", "-euo", "pipefail", "-c", recipe)
			if want := p.get("/api/export/entities?format=csv"); p.read("entities.csv") != string(want) {
				t.Errorf("the file has %d bytes, the export %d", p.size("entities.csv"), len(want))
			}
			want := "[200 206 200]" // the last request was sent by the test itself
			if newBuild {
				want = "[200 200 200 200]"
			}
			suite.Equal(t, fmt.Sprint(asked.statuses), want, "the responses")
		})
	}
}

// TestStreams breaks the connections of the streaming recipes: the recipes must fail and
// leave no file that looks complete. It then compares their results with the export.
func TestStreams(t *testing.T) {
	suite.InTest(t)
	for _, c := range []struct {
		program, script, makes, says string
		check                        func(*testing.T, *place)
	}{
		{"node", "texts.mjs", "texts.jsonl", "terminated", checkTexts},
		{"python3", "models.py", "models.csv", "IncompleteRead", checkModels},
	} {
		t.Run(c.script, func(t *testing.T) {
			p := start(t, edgetest.Cut("/api/export/entities", 1000, 1))
			suite.Contains(t, p.fails(c.program, c.script), c.says)
			if len(p.there(c.makes)) > 0 {
				t.Errorf("%s is there", c.makes)
			}
			p.must(c.program, c.script)
			if len(p.there(c.makes)) != 1 || len(p.there(c.makes+".part")) != 0 {
				t.Errorf("there are %v", p.there("*"))
			}
			c.check(t, p)
			p.key = "kx_wrong"
			if said := p.fails(c.program, c.script); !strings.Contains(said, "401") {
				t.Error(said)
			}
		})
	}
}

func checkTexts(t *testing.T, p *place) {
	t.Helper()
	texts, fresh := objects(t, []byte(p.read("texts.jsonl"))), p.fresh()
	if len(texts) != len(fresh) {
		t.Fatalf("%d texts of %d entities", len(texts), len(fresh))
	}
	for i, e := range fresh {
		id, text := e["type"].(string)+"/"+e["slug"].(string), texts[i]["text"].(string)
		if texts[i]["id"] != id || !strings.HasPrefix(text, e["name"].(string)+": "+e["description"].(string)) {
			t.Errorf("%s has %v", id, texts[i])
		}
	}
}

func checkModels(t *testing.T, p *place) {
	t.Helper()
	models := 0
	for _, e := range p.fresh() {
		if e["type"] == "model" {
			models++
		}
	}
	out := p.must("python3", "-c", `import csv; print(*[r["slug"] for r in csv.DictReader(open("models.csv", encoding="utf-8", newline=""))])`)
	if got := len(strings.Fields(out)); got != models || models == 0 {
		t.Errorf("%d of %d models", got, models)
	}
}
