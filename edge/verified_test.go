package edge_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/live"
	"kindex/exports/store"
)

// TestVerifiedOnce opens a build whose files this process has verified. They are not read again, not
// even if one was damaged since, but they are in a new process, and if the build is opened again.
func TestVerifiedOnce(t *testing.T) {
	suite.InTest(t)
	root, content := t.TempDir(), t.TempDir()
	text := "name: Hammer\ncategory: steel\ndescription: Drives nails into wood.\n"
	if err := os.MkdirAll(filepath.Join(content, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(content, "tool", "hammer.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	built, err := builder.Build(t.Context(), builder.Options{Content: content, Out: root, AsOf: time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(store.BuildsDir(root), built.ID, "entities.csv")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[0] ^= 1
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	refused := 0
	options := live.Options{Root: root, Log: slog.New(slog.DiscardHandler), Switched: func(*live.ServedBuild, time.Duration) {}, Refused: func() { refused++ }}
	l := live.New(options)
	l.MarkVerified("20260701-0123456789abcdef")
	var damage *store.DamageError
	if err := l.Load(); !errors.As(err, &damage) || refused != 1 {
		t.Fatalf("another build was verified: %v", err)
	}
	l.ForgetRefusal()
	l.MarkVerified(built.ID)
	if err := l.Load(); err != nil || l.ID() != built.ID {
		t.Fatalf("the build was verified: %v", err)
	}
	if err := live.New(options).Load(); !errors.As(err, &damage) {
		t.Errorf("verified by another Reloader only: %v", err)
	}
}
