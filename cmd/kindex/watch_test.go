package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
	"kindex/exports/kinds"
	"kindex/exports/store"
)

// TestEditingSession edits a copy of real content the way people and editors do,
// while serve --watch is running. There are good and bad edits, half-written files, files
// written through temporary files, renames, deletions, and several edits at once. Good
// edits must be live at once, and the final build must equal a build from scratch.
func TestEditingSession(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	dir := t.TempDir()
	suite.CopyContent(t, filepath.Join(dir, "content"), suite.Pick([]string{"ml-frameworks", "embedding", "language"}, nil)...)
	separate(t, filepath.Join(dir, "content"))
	commitAll(t, filepath.Join(dir, "content")) // without git, every build would add its changes to the history
	s := startSession(t, dir)
	sessionEdits := suite.Pick(48, 200)
	for s.edits = 1; s.edits <= sessionEdits; s.edits++ {
		s.edit()
		if s.edits%10 == 0 {
			s.checkLive()
		} else if s.rng.IntN(3) > 0 { // in the other cases, the next edit follows immediately
			time.Sleep(time.Duration(s.rng.IntN(80)) * time.Millisecond)
		}
	}
	for name := range s.broken {
		s.write(name, s.good[name])
	}
	code, stderr := kindex(t, "build", "--content", filepath.Join(dir, "content"), "--out", filepath.Join(dir, "fresh"), "--as-of", "2026-07-01")
	if code != cli.ExitOK {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	fresh, err := store.Current(filepath.Join(dir, "fresh"))
	if err != nil {
		t.Fatal(err)
	}
	s.await("the build of the last edits", func() bool {
		return s.record(s.keys()[0])["build"] == fresh
	})
	slices.Sort(s.latencies)
	t.Logf("%d edits of %d kinds, %d times an edit was awaited: live after %v (median), %v (maximum)", sessionEdits, len(s.kinds), len(s.latencies),
		s.latencies[len(s.latencies)/2], s.latencies[len(s.latencies)-1])
	for _, kind := range []string{"in place", "through a temporary file", "with a backup", "with a swap file", "half-written", "deleted", "created",
		"renamed", "bad", "touched", "mended", "categories or scoring", "changed"} {
		if s.kinds[kind] == 0 {
			t.Errorf("there was no edit of the kind %s", kind)
		}
	}
	s.stop()
	intact(t, filepath.Join(dir, "out"))
}

// commitAll turns a folder into a git repository with one commit.
func commitAll(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "First"}} {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), programEnvironment...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
}

// session is a person editing content.
type session struct {
	t         *testing.T
	rng       *rand.Rand
	dir, base string
	server    *running
	errors    bytes.Buffer // the server's stderr
	stopped   bool

	edits     int
	good      map[string]string // the last good version of each file in the content folder
	broken    map[string]bool   // files whose current version is bad
	last      string            // the file changed by the last good edit
	kinds     map[string]int
	ways      []int // ways to write a file that are still to be used
	turns     []int // kinds of edits still to make
	latencies []time.Duration
}

func startSession(t *testing.T, dir string) *session {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	s := &session{t: t, rng: rand.New(rand.NewPCG(seed, 0)), dir: dir, good: map[string]string{}, broken: map[string]bool{}, kinds: map[string]int{}}
	for _, typ := range kinds.Default().Names() {
		for _, name := range entries(t, filepath.Join(dir, "content", typ)) {
			data, err := os.ReadFile(filepath.Join(dir, "content", typ, name))
			if err != nil {
				t.Fatal(err)
			}
			s.good[typ+"/"+name] = string(data)
		}
	}
	cmd := program("serve", "--watch", "--content", filepath.Join(dir, "content"), "--dir", filepath.Join(dir, "out"),
		"--addr", "127.0.0.1:0", "--admin", "", "--as-of", "2026-07-01")
	cmd.Stderr = &s.errors
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.server = &running{cmd, bufio.NewReader(out)}
	t.Cleanup(s.stop)
	for {
		line := s.server.firstLine(t)
		if addr, ok := strings.CutPrefix(line, "serving "); ok {
			s.base = strings.TrimSpace(addr)
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, s.server.stderr) }() // the server must never block on stdout
	return s
}

func (s *session) stop() {
	if s.stopped {
		return
	}
	s.stopped = true
	_ = s.server.cmd.Process.Signal(syscall.SIGTERM)
	if err := s.server.cmd.Wait(); err != nil {
		s.t.Errorf("the server ended with %v: %s", err, s.errors.String())
	}
}

func (s *session) keys() []string {
	var list []string
	for name := range s.good {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func (s *session) path(name string) string { return filepath.Join(s.dir, "content", name) }

func (s *session) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// write writes a file in one of the ways used by editors.
func (s *session) write(name, text string) {
	path := s.path(name)
	switch s.next(&s.ways, 5) {
	case 0: // in place
		s.count("in place")
		s.check(os.WriteFile(path, []byte(text), 0o644))
	case 1: // a new file is renamed over it
		s.count("through a temporary file")
		tmp := path + fmt.Sprintf(".%d.tmp", s.edits)
		s.check(os.WriteFile(tmp, []byte(text), 0o644))
		s.check(os.Rename(tmp, path))
	case 2: // the old file is kept as a backup
		s.count("with a backup")
		if err := os.Rename(path, path+"~"); err != nil && !os.IsNotExist(err) {
			s.t.Fatal(err)
		}
		s.check(os.WriteFile(path, []byte(text), 0o644))
	case 3: // a swap file is created and removed
		s.count("with a swap file")
		swap := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".swp")
		s.check(os.WriteFile(swap, []byte("swap"), 0o600))
		s.check(os.WriteFile(path, []byte(text), 0o644))
		s.check(os.Remove(swap))
	default: // slowly
		s.count("half-written")
		f, err := os.Create(path)
		s.check(err)
		for _, part := range []string{text[:len(text)/2], text[len(text)/2:]} {
			_, err := f.WriteString(part)
			s.check(err)
			time.Sleep(time.Duration(s.rng.IntN(150)) * time.Millisecond)
		}
		s.check(f.Close())
	}
	delete(s.broken, name)
}

func (s *session) count(kind string) { s.kinds[kind]++ }

// linking matches what makes one file depend on others: identifiers, which two entities
// cannot share, and successors, which must exist.
var linking = regexp.MustCompile(`(?m)^(ids|lifecycle):.*\n(?: .*\n)*`)

// separate removes what makes files depend on each other, so that any file can be copied or
// deleted.
func separate(t *testing.T, content string) {
	t.Helper()
	for _, typ := range kinds.Default().Names() {
		for _, name := range entries(t, filepath.Join(content, typ)) {
			path := filepath.Join(content, typ, name)
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, linking.ReplaceAll(text, nil), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// next picks a random number below n. It picks every number once before it repeats any.
func (s *session) next(turns *[]int, n int) int {
	if len(*turns) == 0 {
		*turns = s.rng.Perm(n)
	}
	one := (*turns)[0]
	*turns = (*turns)[1:]
	return one
}

// change writes a good version of a file, which the entity's record must show.
func (s *session) change(name, text string) {
	s.write(name, text)
	s.good[name] = text
	s.last = name
}

// edit makes a single edit.
func (s *session) edit() {
	keys := s.keys()
	name := keys[s.rng.IntN(len(keys))]
	text := s.good[name]
	numbered := fmt.Sprintf("Edited %d", s.edits)
	switch s.next(&s.turns, 12) {
	case 0: // gone
		s.count("deleted")
		s.check(os.Remove(s.path(name)))
		delete(s.good, name)
		delete(s.broken, name)
	case 1: // new
		s.count("created")
		typ, _, _ := strings.Cut(name, "/")
		s.change(fmt.Sprintf("%s/new-%d.yaml", typ, s.edits), renamed(withoutFormerly(text), numbered))
	case 2: // another slug
		s.count("renamed")
		typ, base, _ := strings.Cut(name, "/")
		now := fmt.Sprintf("%s/moved-%d.yaml", typ, s.edits)
		s.check(os.Rename(s.path(name), s.path(now)))
		delete(s.good, name)
		delete(s.broken, name)
		s.change(now, renamed(withoutFormerly(text), numbered)+"formerly: ["+strings.TrimSuffix(base, ".yaml")+"]\n")
	case 3: // bad
		s.count("bad")
		bad := []string{"name: [", text + "nonsense: 1\n", strings.Replace(text, "category: ", "category: no-such-", 1), "", "\x00", text + text}
		s.write(name, bad[s.rng.IntN(len(bad))])
		s.broken[name] = true
	case 4: // touched
		s.count("touched")
		now := time.Now()
		s.check(os.Chtimes(s.path(name), now, now))
	case 5: // back to the committed or last good version
		s.count("mended")
		for b := range s.broken {
			name = b
			break
		}
		s.change(name, s.good[name])
	case 6: // root files affect all entities
		s.count("categories or scoring")
		s.editRootFile()
	default:
		s.count("changed")
		s.change(name, renamed(text, numbered))
	}
}

// editRootFile changes the title of a category, or the formula.
func (s *session) editRootFile() {
	name, line := "categories.yaml", fmt.Sprintf("title: Edited %d", s.edits)
	pattern := regexp.MustCompile(`title: .*`)
	if s.rng.IntN(2) == 0 {
		name, line = "scoring.yaml", fmt.Sprintf("deprecatedCap: %d", 20+s.rng.IntN(30))
		pattern = regexp.MustCompile(`deprecatedCap: .*`)
	}
	data, err := os.ReadFile(s.path(name))
	s.check(err)
	at := pattern.FindIndex(data)
	if at == nil {
		s.t.Fatalf("%s contains no match for %v", name, pattern)
	}
	s.check(os.WriteFile(s.path(name), slices.Concat(data[:at[0]], []byte(line), data[at[1]:]), 0o644))
}

// renamed gives an entity a new name.
func renamed(text, name string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "name: ") {
			lines[i] = "name: " + name + "\n"
		}
	}
	return strings.Join(lines, "")
}

func withoutFormerly(text string) string {
	var out bytes.Buffer
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, "formerly: ") {
			out.WriteString(l)
		}
	}
	return out.String()
}

// checkLive waits until the last good edit is visible, and checks that bad edits have not
// changed any entity.
func (s *session) checkLive() {
	if s.good[s.last] == "" || s.broken[s.last] {
		return
	}
	want := ""
	for l := range strings.Lines(s.good[s.last]) {
		if name, ok := strings.CutPrefix(l, "name: "); ok {
			want = strings.Trim(strings.TrimSpace(name), `"'`)
		}
	}
	start := time.Now()
	s.await(s.last+" with the name "+want, func() bool { return s.record(s.last)["name"] == want })
	s.latencies = append(s.latencies, time.Since(start).Round(time.Millisecond))
	for name := range s.broken {
		if s.record(name)["name"] == nil {
			s.t.Errorf("edit %d: %s is bad, and its last good version is gone", s.edits, name)
		}
	}
}

// record requests an entity; it returns "" if there is none.
func (s *session) record(name string) map[string]any {
	s.t.Helper()
	r, err := http.Get(s.base + "/api/entity/" + strings.TrimSuffix(name, ".yaml"))
	s.check(err)
	defer r.Body.Close()
	var authored map[string]any
	s.check(json.NewDecoder(r.Body).Decode(&authored))
	if r.StatusCode != http.StatusOK {
		return nil
	}
	return authored
}

func (s *session) await(what string, done func() bool) {
	s.t.Helper()
	for start := time.Now(); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > hanging {
			s.t.Fatalf("edit %d: %s: still not live after %v", s.edits, what, hanging)
		}
	}
}
