package web

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestLogFailure checks that an unavailable database is one line a second, and that all other failures
// are logged.
func TestLogFailure(t *testing.T) {
	var log bytes.Buffer
	now := time.Unix(1_800_000_000, 0)
	s := &Shared{Log: slog.New(slog.NewTextHandler(&log, nil)), Now: func() time.Time { return now }}
	for range 100 {
		s.LogFailure("id", "/down", NewProblem("state-unavailable", ""))
	}
	for range 3 {
		s.LogFailure("id", "/broken", NewProblem("internal", ""))
	}
	now = now.Add(time.Second)
	s.LogFailure("id", "/down", NewProblem("state-unavailable", ""))
	for path, want := range map[string]int{"/down": 2, "/broken": 3} {
		suite.Equal(t, strings.Count(log.String(), "path="+path), want, "lines for", path)
	}
}
