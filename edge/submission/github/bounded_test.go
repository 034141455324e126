package github

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"kindex/builder/suite"
)

// TestEndlessAnswers makes a forge send an endless response.
func TestEndlessAnswers(t *testing.T) {
	suite.InTest(t)
	var written atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"default_branch":"`))
		for chunk := []byte(strings.Repeat("x", 1<<20)); written.Load() < 256<<20; {
			n, err := w.Write(chunk)
			if written.Add(int64(n)); err != nil {
				return
			}
		}
		_, _ = w.Write([]byte(`"}`))
	}))
	defer s.Close()
	f := suite.Must(New(Options{URL: s.URL, Repository: "owner/name", Token: "token"}))(t)
	if branch, err := f.DefaultBranch(t.Context()); err == nil {
		t.Errorf("%d bytes were accepted as a branch", len(branch))
	}
	if n := written.Load(); n > 4*maxAnswer {
		t.Errorf("%d MiB were read", n>>20)
	}
}
