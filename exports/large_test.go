package exports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/store"
)

// largeTables writes tables as writeTables does. Those with more than limit bytes of JSONL are large.
func largeTables(t *testing.T, earlier *Build, things []thing, limit int64, storeTexts bool) (dir string) {
	t.Helper()
	root := t.TempDir()
	id := writeBuildReusing(t, root, earlier, nil, func(w *Writer) error {
		w.Tables.LargeTable, w.Tables.StoreTexts = limit, storeTexts
		err := w.WriteTable(tableOf("flat", things))
		if err == nil {
			err = w.WriteTable(withObjects(tableOf("changelog", things), earlier, things))
		}
		return err
	})
	return filepath.Join(store.BuildsDir(root), id)
}

func manyThings(rng *rand.Rand, n int) (things []thing) {
	for i := range n {
		things = append(things, thing{fmt.Sprintf("key-%06d", i), strings.Repeat("text ", rng.IntN(40)) + fmt.Sprint(rng.Uint64())})
	}
	return things
}

// readAll reads a file of a build as a whole and in random parts, and checks that they agree.
func readAll(t *testing.T, rng *rand.Rand, b *Build, path string) []byte {
	t.Helper()
	c, f, err := b.Open(path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer c.Close()
	data, err := io.ReadAll(c)
	if err != nil || int64(len(data)) != f.Size || c.Size() != f.Size {
		t.Fatalf("%s has %d bytes, want %d: %v", path, len(data), f.Size, err)
	}
	for range 20 {
		off := rng.IntN(len(data) + 1)
		part := make([]byte, 1+rng.IntN(5000))
		n, err := c.ReadAt(part, int64(off))
		if n < len(part) != errors.Is(err, io.EOF) || !bytes.Equal(part[:n], data[off:min(off+len(part), len(data))]) {
			t.Fatalf("%s: %d bytes from %d on are wrong: %v", path, n, off, err)
		}
	}
	return data
}

// TestLargeTable writes the same large tables with and without their texts: the builds have the
// same ID, and every file has the same bytes. The texts are those of a table that is not large.
func TestLargeTable(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 9))
	things := manyThings(rng, 3000)
	stored, lean := largeTables(t, nil, things, 10_000, true), largeTables(t, nil, things, 10_000, false)
	if a, b := filepath.Base(stored), filepath.Base(lean); a != b {
		t.Fatalf("the builds are %s and %s", a, b)
	}
	small := openDir(t, largeTables(t, nil, things, 1<<30, false))
	a, b := openDir(t, stored), openDir(t, lean)
	var missing []string
	for _, f := range a.Manifest.Files {
		_, err := os.Stat(filepath.Join(lean, f.Path))
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, f.Path)
		}
		if got := readAll(t, rng, b, f.Path); !bytes.Equal(got, readAll(t, rng, a, f.Path)) {
			t.Errorf("%s differs", f.Path)
		} else if !strings.HasPrefix(f.Path, "lookup/") && !bytes.Equal(got, readAll(t, rng, small, f.Path)) {
			t.Errorf("%s differs from that of a table that is not large", f.Path)
		}
	}
	if want := []string{"changelog.csv", "changelog.json", "changelog.jsonl", "flat.csv", "flat.json", "flat.jsonl"}; !slices.Equal(missing, want) {
		t.Errorf("%q are not stored, want %q", missing, want)
	}
	for _, f := range small.Manifest.Files {
		_, there := a.Manifest.File(f.Path)
		want := !strings.HasSuffix(f.Path, ".json.zst") && !strings.HasSuffix(f.Path, ".json.gz") || strings.HasPrefix(f.Path, ScoringFile) || strings.HasPrefix(f.Path, EntitiesFile)
		if there != want {
			t.Errorf("%s in a build with large tables: %t", f.Path, there)
		}
	}
	for _, dir := range []string{stored, lean} {
		if _, err := store.Verify(dir); err != nil {
			t.Error(err)
		}
		if _, err := store.VerifyKnown(dir, nil); err != nil {
			t.Error(err)
		}
	}
}

// TestTableBecomesLarge edits tables so that they become large and small again, each build reusing
// the one before. The files must be those of a full build.
func TestTableBecomesLarge(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 9))
	things := manyThings(rng, 2000)
	var earlier *Build
	for _, n := range []int{2000, 500, 1500, 2000, 0, 1200} {
		const limit = 150_000 // reached within a shard that is neither the first nor the last
		upon, full := largeTables(t, earlier, things[:n], limit, false), largeTables(t, nil, things[:n], limit, false)
		sameFolders(t, upon, full)
		earlier = openDir(t, upon)
	}
}

// TestDamageOfLargeTable damages the files that the texts of a large table are recreated from.
func TestDamageOfLargeTable(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 9))
	dir := largeTables(t, nil, manyThings(rng, 2000), 10_000, false)
	for name, texts := range map[string][]string{
		"flat.jsonl.zst":         {"flat.jsonl", "flat.json"},
		"flat.csv.zst":           {"flat.csv"},
		"changelog.jsonl.zst":    {"changelog.jsonl", "changelog.json"},
		store.ShardsFile("flat"): {"flat.jsonl"},
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		intact, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for kind, damaged := range map[string][]byte{
			"flipped":   flipped(intact, rng.IntN(len(intact)/2)+len(intact)/4),
			"truncated": intact[:len(intact)-1],
			"missing":   nil,
			"zeros":     make([]byte, len(intact)),
		} {
			if damaged == nil {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, damaged, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err := store.Verify(dir)
			if err == nil || !strings.Contains(err.Error(), filepath.FromSlash(name)) {
				t.Errorf("%s %s: %v", name, kind, err)
			}
			var damage *store.DamageError
			if _, err := store.VerifyKnown(dir, nil); !errors.As(err, &damage) {
				t.Errorf("%s %s, stored files: %v", name, kind, err)
			}
			if kind == "zeros" {
				for _, text := range texts {
					if err == nil || !strings.Contains(err.Error(), text+" ") {
						t.Errorf("%s %s: %s is not said to be damaged: %v", name, kind, text, err)
					}
				}
			}
			if err := os.WriteFile(path, intact, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := store.Verify(dir); err != nil {
		t.Error(err)
	}
	// The text of a table that is not large must be there.
	small := largeTables(t, nil, manyThings(rng, 10), 1<<30, false)
	if err := os.Remove(filepath.Join(small, "flat.csv")); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Verify(small); err == nil || !strings.Contains(err.Error(), "flat.csv is missing") {
		t.Errorf("a missing text of a small table: %v", err)
	}
	if _, err := Open(small); err == nil {
		t.Error("a build without a text of a small table was opened")
	}
}

func flipped(data []byte, i int) []byte {
	data = slices.Clone(data)
	data[i] ^= 1
	return data
}
