package edge

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/live"
	"kindex/edge/storage/storagetest"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
)

// TestPullWithWrongClock starts edges without a build whose clocks are wrong by half a century: each
// pulls the published build and serves it, and later ones too.
func TestPullWithWrongClock(t *testing.T) {
	suite.InTest(t)
	content, out := t.TempDir(), t.TempDir()
	to, err := bucket.Open("file:" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	publish := func(generation int) string {
		writeContent(t, content, 4, generation)
		id := buildInto(t, content, out, 1)
		if _, err := mirror.Publish(t.Context(), to, mirror.PublishOptions{Dir: out, Dirty: true}); err != nil {
			t.Fatal(err)
		}
		return id
	}
	id := publish(1)
	var servers []*Server
	for _, years := range []int{-50, 50} {
		s, err := New(Options{Dir: t.TempDir(), State: storagetest.SQLite(t), Pull: live.PullOptions{From: to, Interval: time.Second, AllowOlder: true},
			Now: func() time.Time { return time.Now().AddDate(years, 0, 0) }})
		if err != nil {
			t.Fatal(err)
		}
		servers = append(servers, s)
		if status := s.puller.Status(); status.Status != "waiting" || s.reloader.ID() != "" {
			t.Errorf("before the first check: %+v", status)
		}
		ctx, cancel := context.WithCancel(context.Background())
		wait := s.RunJobs(ctx)
		t.Cleanup(func() {
			cancel()
			wait()
		})
	}
	for generation := 2; ; generation++ {
		for _, s := range servers {
			for deadline := time.Now().Add(hanging); s.reloader.ID() != id; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%+v", s.puller.Status())
				}
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/entity/tool/n1", nil))
			if w.Code != http.StatusOK || w.Header().Get("X-Build") != id {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		}
		if generation > 3 {
			return
		}
		id = publish(generation)
	}
}
