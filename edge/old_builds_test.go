package edge

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"kindex/edge/storage/storagetest"
)

// TestAttackMadeUpBuilds requests many builds that do not exist from one address: others still get
// files of the build before the current one.
func TestAttackMadeUpBuilds(t *testing.T) {
	content, out := t.TempDir(), t.TempDir()
	writeContent(t, content, 4, 0)
	old := buildInto(t, content, out, 2)
	writeContent(t, content, 4, 1)
	buildInto(t, content, out, 2)
	s, err := New(Options{Dir: out, State: storagetest.SQLite(t)})
	if err != nil {
		t.Fatal(err)
	}
	get := func(from, path string) int {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		r.RemoteAddr = from + ":1"
		s.ServeHTTP(w, r)
		return w.Code
	}
	for i := range 2000 {
		if code := get("198.51.100.7", fmt.Sprintf("/data/20260101-%016x/entities.csv", i)); code != http.StatusNotFound {
			t.Fatalf("a build that does not exist: %d", code)
		}
	}
	if code := get("203.0.113.5", "/data/"+old+"/entities.csv"); code != http.StatusOK {
		t.Errorf("others get %d", code)
	}
}
