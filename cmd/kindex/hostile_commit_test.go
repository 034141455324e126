package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"kindex/builder/suite"
	"kindex/exports"
)

// TestHostileCommit checks that a commit's author and message, which are untrusted, can
// neither control a terminal nor bloat the changelog or memory.
func TestHostileCommit(t *testing.T) {
	suite.InTest(t)
	h := newHostile(t)
	for i := range 100 {
		h.write(filepath.Join(h.dir, "content", "tool", fmt.Sprintf("saw-%d.yaml", i)), fmt.Sprintf("name: Saw %d\ndescription: Cuts.\ncategory: hand-tools\n", i))
	}
	h.git(h.dir, "add", ".")
	h.git(h.dir, "commit", "-q", "-m", "Saws")
	peak, changes := h.measure("modest")
	name := "\x1b]0;owned\x07\u202egnp.exe \u2028 " + strings.Repeat("x", 300_000)
	// A shell writes the message, so that this process stays small: the peak memory
	// reported for a program is never below the peak of its parent process.
	commit := h.git(h.dir, "cat-file", "commit", "HEAD") + "\n"
	h.write(filepath.Join(h.root, "head"), strings.Replace(commit, "author Ada ", "author "+name+" ", 1))
	size := suite.Pick(60, 110) // MB
	h.shell(fmt.Sprintf("SIZE=%d000000; ", size) + `{ cat "$ROOT/head"; yes 'A line of a message.' | head -c "$SIZE"; } > "$ROOT/commit"`)
	id := h.git(h.dir, "-c", "core.looseCompression=0", "hash-object", "-t", "commit", "-w", filepath.Join(h.root, "commit"))
	h.git(h.dir, "update-ref", "refs/heads/main", id)
	hostilePeak, hostileChanges := h.measure("build")
	if more := hostilePeak - peak; more > 48<<20 {
		t.Errorf("a message of %d MB took %d MiB more memory", size, more>>20)
	}
	if hostileChanges > 2*changes {
		t.Errorf("with a long name the changelog has %d bytes instead of %d", hostileChanges, changes)
	}
	said, err := h.kindex("history", "--dir", "../build", "--limit", "2")
	if err != nil || !strings.Contains(said, "owned") {
		t.Fatalf("%v: %s", err, said)
	}
	if i := strings.IndexFunc(said, func(r rune) bool {
		return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028'
	}); i >= 0 {
		t.Errorf("history prints %q", said[i:min(len(said), i+20)])
	}
}

// measure builds the content, and returns the peak memory of that process and the size of the
// changelog.
func (h *hostile) measure(out string) (peak, changes int64) {
	h.Helper()
	cmd := program("build", "--content", "content", "--out", filepath.Join(h.root, out), "--as-of", "2026-07-01", "--json")
	cmd.Dir = h.dir
	said, err := cmd.Output()
	var report struct {
		Dir       string
		PeakBytes int64
	}
	if failed := json.Unmarshal(said, &report); err != nil || failed != nil {
		h.Fatalf("%v: %s", err, said)
	}
	b := suite.Must(exports.Open(filepath.Join(h.root, out, "exports", "builds", filepath.Base(report.Dir))))(h)
	defer b.Close()
	for i := range b.History().Changes() {
		changes += int64(len(b.History().ChangeLine(i)))
	}
	return report.PeakBytes, changes
}
