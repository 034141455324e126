package edge

import (
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"kindex/edge/live"
	"kindex/exports/store"
)

// TestVerifiedOnce opens a build whose files this process has verified. They are not read again, not
// even if one was damaged since, but they are in a new process, and if the build is opened again.
func TestVerifiedOnce(t *testing.T) {
	s := serveFew(t, Options{})
	flip(t, filepath.Join(store.BuildsDir(s.out), s.buildID(), "entities.csv"))
	refused := 0
	options := live.Options{Root: s.out, Log: slog.New(slog.DiscardHandler), Switched: func(*live.ServedBuild, time.Duration) {}, Refused: func() { refused++ }}
	l := live.New(options)
	l.MarkVerified("20260701-0123456789abcdef")
	var damage *store.DamageError
	if err := l.Load(); !errors.As(err, &damage) || refused != 1 {
		t.Fatalf("another build was verified: %v", err)
	}
	l.ForgetRefusal()
	l.MarkVerified(s.buildID())
	if err := l.Load(); err != nil || l.ID() != s.buildID() {
		t.Fatalf("the build was verified: %v", err)
	}
	if err := live.New(options).Load(); !errors.As(err, &damage) {
		t.Errorf("verified by another Reloader only: %v", err)
	}
}
