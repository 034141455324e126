package collect_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/suite"
)

// figures returns the figures of a generated entity: the same ones whatever is asked before.
func figures(id string) map[string]any {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	return map[string]any{"stars": float64(1000 + r.IntN(100000)), "forks": float64(r.IntN(9000)), "lastCommit": fmt.Sprintf("2026-10-%02d", 1+r.IntN(28))}
}

// generated returns a content folder with n entities.
func generated(t testing.TB, n int) map[string]string {
	t.Helper()
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("tool/t%d.yaml", i)] = tool(fmt.Sprintf("T%d", i), fmt.Sprintf("signals:\n  contributors: {value: %d, date: 2025-01-01}   # kept\n", i))
	}
	return files
}

// A source that fails at random ends, after reruns, in the same files as one that does not.
func TestRandomFailures(t *testing.T) {
	n := suite.Pick(200, 1000)
	good := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) { reply(w, figures(r.URL.Path[1:])) })
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(7, 11))
	bad := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		x := dice.IntN(20)
		mu.Unlock()
		switch {
		case x < 2:
			w.WriteHeader(500)
		case x == 2:
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<html>Unicorn!</html>"))
		case x == 3:
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"stars": 12`))
		case x == 4:
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{`))
		case x == 5:
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(429)
		case x == 6:
			reply(w, map[string]any{})
		default:
			reply(w, figures(r.URL.Path[1:]))
		}
	})
	files := generated(t, n)
	want := write(t, files)
	mustRun(t, options(t, want, newClock("2026-11-23"), inBatches(forge(good), 20)))
	dir := write(t, files)
	for run := 1; ; run++ {
		o := options(t, dir, newClock("2026-11-23"), inBatches(strict(bad), 20))
		r := mustRun(t, o)
		if r.Sources[0].Failed == 0 && r.Sources[0].Error == "" {
			t.Logf("%d runs", run)
			break
		}
		if run == 50 {
			t.Fatalf("still failing: %+v", r.Sources[0])
		}
	}
	compareFolders(t, read(t, want), read(t, dir))
}

// strict returns a source that treats an empty object as an error, as a source does that checks its answers.
func strict(base string) *collect.Source {
	s := forge(base)
	ask := s.Ask
	s.Ask = func(ctx context.Context, c *collect.Client, ids []string) ([]collect.Answer, error) {
		list, err := ask(ctx, c, ids)
		for _, a := range list {
			if len(a.Values) == 0 {
				return nil, fmt.Errorf("the response has no figures of %s", a.ID)
			}
		}
		return list, err
	}
	return s
}

func compareFolders(t *testing.T, want, got map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s differs:\n%s\nwant\n%s", name, got[name], text)
			return
		}
	}
	suite.Equal(t, len(got), len(want))
}
