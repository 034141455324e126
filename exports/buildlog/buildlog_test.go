package buildlog_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"kindex/exports/buildlog"
)

// memory is a storage in memory. Files may only be overwritten with other bytes by Replace with
// the right tag; anything else would break a log for somebody who reads it meanwhile.
type memory struct {
	mu    sync.Mutex
	t     testing.TB
	files map[string][]byte
}

func newMemory(t testing.TB) *memory { return &memory{t: t, files: map[string][]byte{}} }

func tagOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func (m *memory) Read(_ context.Context, name string, limit int64) ([]byte, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.files[name]
	if !ok {
		return nil, "", fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	if int64(len(data)) > limit {
		return nil, "", fmt.Errorf("%s has more than %d bytes", name, limit)
	}
	return bytes.Clone(data), tagOf(data), nil
}

func (m *memory) Write(_ context.Context, name string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, ok := m.files[name]; ok && !bytes.Equal(old, data) {
		m.t.Errorf("%s was overwritten with other bytes", name)
	}
	m.files[name] = bytes.Clone(data)
	return nil
}

func (m *memory) Replace(_ context.Context, name string, data []byte, tag string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, ok := m.files[name]
	if ok != (tag != "") || ok && tagOf(old) != tag {
		return fmt.Errorf("%s %w", name, buildlog.ErrConflict)
	}
	m.files[name] = bytes.Clone(data)
	return nil
}

// names returns the names of the files, sorted.
func (m *memory) names() []string { return slices.Sorted(maps.Keys(m.files)) }

func (m *memory) clone() *memory { return &memory{t: m.t, files: maps.Clone(m.files)} }

// mortal is a storage that fails from some operation on, like a publisher that is killed.
type mortal struct {
	*memory
	left *int
}

var errKilled = errors.New("killed")

func (m mortal) alive() error {
	if *m.left--; *m.left < 0 {
		return errKilled
	}
	return nil
}

func (m mortal) Read(ctx context.Context, name string, limit int64) ([]byte, string, error) {
	if err := m.alive(); err != nil {
		return nil, "", err
	}
	return m.memory.Read(ctx, name, limit)
}

func (m mortal) Write(ctx context.Context, name string, data []byte) error {
	return errors.Join(m.alive(), m.memory.Write(ctx, name, data)) // killed before the answer
}

func (m mortal) Replace(ctx context.Context, name string, data []byte, tag string) error {
	if err := m.alive(); err != nil {
		return err
	}
	return m.memory.Replace(ctx, name, data, tag)
}

type keys struct {
	signer   note.Signer
	verifier note.Verifier
}

func newKeys(t testing.TB, name string) keys {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	return keys{signer, verifier}
}

func build(n int) buildlog.Statement {
	return buildlog.Statement{Build: fmt.Sprintf("20261101-%016x", n), Manifest: sha256.Sum256([]byte(fmt.Sprint(n))), Size: int64(n), Index: sha256.Sum256([]byte("index")),
		Commit: strings.Repeat("ab", 20), AsOf: time.Date(2026, 11, 1, 0, 0, n, 0, time.UTC)}
}

func (k keys) append(t testing.TB, to buildlog.Storage, n int) *buildlog.Statement {
	t.Helper()
	s, signed, err := buildlog.Append(t.Context(), to, k.signer, k.verifier, build(n))
	if err != nil {
		t.Fatal(err)
	}
	if opened, err := buildlog.OpenStatement(signed, k.verifier); err != nil || *opened != *s {
		t.Fatalf("signed %v, got %v, %v", s, opened, err)
	}
	return s
}

func (k keys) checkpoint(t testing.TB, from buildlog.Reader) buildlog.Checkpoint {
	t.Helper()
	c, _, _, err := buildlog.ReadCheckpoint(t.Context(), from, k.verifier)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// plainRoot computes the root of a Merkle tree as RFC 6962, section 2.1, defines it.
func plainRoot(entries []string) tlog.Hash {
	if len(entries) == 1 {
		return sha256.Sum256([]byte("\x00" + entries[0]))
	}
	half := 1
	for 2*half < len(entries) {
		half *= 2
	}
	left, right := plainRoot(entries[:half]), plainRoot(entries[half:])
	return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
}

// TestAppend appends statements over the limits of tiles, and compares each root with one that is
// computed from all entries.
func TestAppend(t *testing.T) {
	k, m := newKeys(t, "example.org/index"), newMemory(t)
	if _, _, _, err := buildlog.ReadCheckpoint(t.Context(), m, k.verifier); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("checkpoint of no log: %v", err)
	}
	var entries []string
	var checkpoints []buildlog.Checkpoint
	for n := range 530 {
		s := k.append(t, m, n)
		if again := k.append(t, m, n); *again != *s || s.Position != int64(n) {
			t.Fatalf("appended %v, then %v", s, again)
		}
		entries = append(entries, s.Text())
		c := k.checkpoint(t, m)
		if want := plainRoot(entries); c.Root != want || c.Size != int64(n)+1 {
			t.Fatalf("after %d entries: %s, want the root %s", n+1, c, want)
		}
		checkpoints = append(checkpoints, c)
	}
	last := checkpoints[len(checkpoints)-1]
	for n, c := range checkpoints {
		if err := buildlog.CheckConsistency(t.Context(), m, c, last); err != nil {
			t.Fatal(err)
		}
		s, err := buildlog.ParseStatement(entries[n])
		if err == nil {
			err = buildlog.CheckIncluded(t.Context(), m, last, s)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	list, err := buildlog.Statements(t.Context(), m, last, 250, 265)
	if err != nil || len(list) != 265 || list[0].Text() != entries[250] || list[264].Text() != entries[514] {
		t.Errorf("%d statements, %v", len(list), err)
	}
	// The paths of the format, with 530 = 2 × 256 + 18 entries.
	for _, name := range []string{"tile/0/000", "tile/0/001", "tile/0/002.p/18", "tile/1/000.p/2", "tile/entries/001", "tile/entries/002.p/18"} {
		if m.files[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestOthersAreRefused alters what a log says in every way that its publisher did not sign.
func TestOthersAreRefused(t *testing.T) {
	k, other, m := newKeys(t, "example.org"), newKeys(t, "example.org"), newMemory(t)
	for n := range 5 {
		k.append(t, m, n)
	}
	c := k.checkpoint(t, m)
	s := k.append(t, m, 4)
	if _, _, err := buildlog.Append(t.Context(), m, other.signer, other.verifier, build(5)); err == nil {
		t.Error("a stranger appended")
	}
	if _, _, _, err := buildlog.ReadCheckpoint(t.Context(), m, other.verifier); err == nil || !strings.Contains(err.Error(), "not with the key") {
		t.Errorf("the checkpoint with another key: %v", err)
	}
	for _, change := range []func(*buildlog.Statement){
		func(s *buildlog.Statement) { s.Position-- }, func(s *buildlog.Statement) { s.Position = 5 },
		func(s *buildlog.Statement) { s.Manifest[7] ^= 1 }, func(s *buildlog.Statement) { s.Commit = "" }, func(s *buildlog.Statement) { s.Index[0] ^= 1 },
		func(s *buildlog.Statement) { s.AsOf = s.AsOf.Add(time.Second) },
	} {
		altered := *s
		change(&altered)
		if err := buildlog.CheckIncluded(t.Context(), m, c, &altered); err == nil {
			t.Errorf("%v is in the log", altered)
		}
	}
	if err := buildlog.CheckIncluded(t.Context(), m, c, s); err != nil {
		t.Error(err)
	}
	signed, err := s.Sign(k.signer)
	if err != nil {
		t.Fatal(err)
	}
	for i := range signed {
		altered := bytes.Clone(signed)
		altered[i] ^= 1
		// Some bits of the last base64 character of the signature mean nothing.
		if got, err := buildlog.OpenStatement(altered, k.verifier); err == nil && (*got != *s || i < len(s.Text())) {
			t.Errorf("byte %d was altered, but the note was opened: %v", i, got)
		}
	}
}

// TestDamage changes one byte in each file of a log. No damage may go unnoticed by a reader that
// needs the file.
func TestDamage(t *testing.T) {
	k, m := newKeys(t, "example.org"), newMemory(t)
	for n := range 7 {
		k.append(t, m, n)
	}
	first := buildlog.Checkpoint{Origin: "example.org", Size: 1, Root: plainRoot([]string{k.statement(t, m, 0).Text()})}
	read := func(m *memory) error {
		c, _, _, err := buildlog.ReadCheckpoint(t.Context(), m, k.verifier)
		if err == nil {
			err = buildlog.CheckConsistency(t.Context(), m, first, c)
		}
		if err == nil {
			_, err = buildlog.Statements(t.Context(), m, c, 0, 100)
		}
		return err
	}
	if err := read(m); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"checkpoint", "tile/0/000.p/7", "tile/entries/000.p/7"} {
		for i := range m.files[name] {
			damaged := m.clone()
			damaged.files[name] = bytes.Clone(m.files[name])
			damaged.files[name][i] ^= 0x20
			if err := read(damaged); err == nil {
				t.Errorf("%s: byte %d was changed, but nothing was noticed", name, i)
			}
		}
		shorter, without := m.clone(), m.clone()
		shorter.files[name] = m.files[name][:len(m.files[name])-1]
		delete(without.files, name)
		if read(shorter) == nil || read(without) == nil {
			t.Errorf("%s: it is shorter or gone, but nothing was noticed", name)
		}
	}
}

func (k keys) statement(t testing.TB, m *memory, position int64) *buildlog.Statement {
	t.Helper()
	list, err := buildlog.Statements(t.Context(), m, k.checkpoint(t, m), position, 1)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	return list[0]
}

// TestFork lets a publisher show two readers different histories.
func TestFork(t *testing.T) {
	k, m := newKeys(t, "example.org"), newMemory(t)
	k.append(t, m, 0)
	before := k.checkpoint(t, m)
	forked := m.clone()
	k.append(t, m, 1)
	seen := k.checkpoint(t, m)
	k.append(t, forked, 2)
	k.append(t, forked, 3)
	now := k.checkpoint(t, forked)
	var fork *buildlog.ForkError
	err := buildlog.CheckConsistency(t.Context(), forked, seen, now)
	if !errors.As(err, &fork) || !strings.Contains(err.Error(), seen.String()) || !strings.Contains(err.Error(), now.String()) {
		t.Errorf("fork: %v", err)
	}
	if err := buildlog.CheckConsistency(t.Context(), forked, before, now); err != nil {
		t.Errorf("the common part: %v", err)
	}
	if err := buildlog.CheckConsistency(t.Context(), m, seen, before); err != nil {
		t.Errorf("an older checkpoint: %v", err)
	}
}

// TestPublishers lets several publishers append at the same time, each of which is killed again
// and again. Each statement must be in the log; one whose publisher was killed may be there twice.
func TestPublishers(t *testing.T) {
	k, m := newKeys(t, "example.org"), newMemory(t)
	const publishers, each = 6, 8
	var wg sync.WaitGroup
	kills := make([]int, publishers)
	for p := range publishers {
		wg.Go(func() {
			rng := mathrand.New(mathrand.NewPCG(uint64(p), 1))
			for n := range each {
				for {
					left := rng.IntN(30)
					_, _, err := buildlog.Append(context.Background(), mortal{m, &left}, k.signer, k.verifier, build(p*each+n))
					if err == nil {
						break
					}
					if !errors.Is(err, errKilled) {
						t.Error(err)
						return
					}
					kills[p]++
				}
			}
		})
	}
	wg.Wait()
	c := k.checkpoint(t, m)
	list, err := buildlog.Statements(t.Context(), m, c, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, s := range list {
		found[s.Build]++
	}
	for n := range publishers * each {
		if b := build(n).Build; found[b] == 0 {
			t.Errorf("%s is missing", b)
		}
	}
	t.Logf("%d statements about %d builds after %d kills; files %d", len(list), len(found), kills, len(m.names()))
}

func FuzzParse(f *testing.F) {
	s := build(1)
	s.Origin = "example.org"
	f.Add(s.Text())
	f.Add(buildlog.Checkpoint{Origin: "example.org", Size: 3}.Text())
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := buildlog.ParseStatement(text); err == nil && s.Text() != text {
			t.Errorf("%q is read as %q", text, s.Text())
		}
		if c, err := buildlog.ParseCheckpoint(text); err == nil && !strings.HasPrefix(text, c.Text()) {
			t.Errorf("%q is read as %q", text, c.Text())
		}
	})
}
