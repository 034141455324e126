package exports

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/bulk"
	"kindex/exports/jsonenc"
	"kindex/exports/packed"
	"kindex/exports/store"
	"kindex/exports/table"
)

// thing is a row of a test table whose JSON object contains more than its cells.
type thing struct{ key, text string }

func tableOf(base string, things []thing) *bulk.Table {
	t := &bulk.Table{Base: base, Columns: []table.Column{{Name: "key", Kind: table.Text}, {Name: "text", Kind: table.Text}}}
	for _, x := range things {
		t.Keys = append(t.Keys, x.key)
	}
	t.Rows = func(i int) []table.Row { return []table.Row{things[i].row()} }
	t.Inputs = inputsOf(things)
	return t
}

// inputsOf returns the Inputs of a table of things.
func inputsOf(things []thing) func(dst []byte, i int) []byte {
	return func(dst []byte, i int) []byte {
		sum := sha256.Sum256([]byte(things[i].key + "\n" + things[i].text))
		return append(dst, sum[:]...)
	}
}

func (x thing) row() table.Row { return table.Row{{Text: x.key}, {Text: x.text[:len(x.text)/2]}} }

// withObjects turns a table into one with objects. Instead of Inputs, the table has Kept: the number of things
// at the beginning that earlier also has.
func withObjects(t *bulk.Table, earlier *Build, things []thing) *bulk.Table {
	t.Inputs = nil
	t.JSON = func(dst []byte, i int) ([]byte, error) {
		return append(jsonenc.AppendString(append(dst, `{"it":`...), things[i].key+"\n"+things[i].text), '}'), nil
	}
	t.Cells = func(object []byte) table.Row { return thingOf(object).row() }
	if earlier == nil {
		return t
	}
	lines, _, err := earlier.Open(t.Base + ".jsonl")
	if err != nil {
		panic(err)
	}
	defer lines.Close()
	for scan := bufio.NewScanner(lines); t.Kept < len(things) && scan.Scan() && thingOf(scan.Bytes()) == things[t.Kept]; {
		t.Kept++
	}
	return t
}

func thingOf(object []byte) thing {
	var o struct{ It string }
	if err := json.Unmarshal(object, &o); err != nil {
		panic(err)
	}
	key, text, _ := strings.Cut(o.It, "\n")
	return thing{key, text}
}

func (x thing) compare(y thing) int { return strings.Compare(x.key, y.key) }

// withEdits returns a copy of a list of things with random edits.
func withEdits(rng *rand.Rand, things []thing) []thing {
	things = slices.Clone(things)
	for range rng.IntN(4) {
		switch n := len(things); rng.IntN(6) {
		case 0:
			things = nil
		case 1: // brackets and headers are at the start and end of a file
			things = things[min(n, 1):]
		case 2:
			things = things[:max(n-1, 0)]
		case 3:
			for range rng.IntN(800) {
				things = append(things, thing{fmt.Sprint("new", rng.Uint64()), "new"})
			}
		default:
			if n > 0 {
				things[rng.IntN(n)].text += "x"
			}
		}
	}
	slices.SortFunc(things, thing.compare)
	return things
}

// writeTables writes a table in both forms, with and without objects, to a new
// build that reuses an earlier build. It returns the new build's folder.
func writeTables(t *testing.T, earlier *Build, things []thing) (dir string) {
	t.Helper()
	root := t.TempDir()
	id := writeBuildReusing(t, root, earlier, nil, func(w *Writer) error {
		if err := w.WriteTable(tableOf("flat", things)); err != nil {
			return err
		}
		long := tableOf("long", things)
		long.Rows = func(i int) (rows []table.Row) {
			for range 1 + len(things[i].text)%3 {
				rows = append(rows, things[i].row())
			}
			return rows
		}
		err := w.WriteTable(withObjects(tableOf("objects", things), earlier, things))
		if err == nil {
			err = w.WriteTable(long)
		}
		return err
	})
	return filepath.Join(store.BuildsDir(root), id)
}

func openDir(t *testing.T, dir string) *Build {
	t.Helper()
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// TestTablesReuseAnEarlierBuild edits a table at random, again and again, and compares the
// files written while reusing a build with those written from scratch.
func TestTablesReuseAnEarlierBuild(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	var things []thing
	earlier := openDir(t, writeTables(t, nil, nil))
	for round := range suite.Pick(17, 40) {
		if things = withEdits(rng, things); round%8 == 0 {
			things = withEdits(rng, append(things, thing{"only", fmt.Sprint(round)})[:1])
		}
		upon, full := writeTables(t, earlier, things), writeTables(t, nil, things)
		sameFolders(t, upon, full)
		earlier = openDir(t, upon)
	}
}

// sameFolders checks that two folders contain the same files.
func sameFolders(t *testing.T, got, want string) {
	t.Helper()
	m, err := store.Verify(want)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.VerifyFiles(got, m.Files, store.ManifestFile); err != nil {
		t.Errorf("the incremental build differs from the full one: %v", err)
	}
	a, errA := os.ReadFile(filepath.Join(got, store.ManifestFile))
	b, errB := os.ReadFile(filepath.Join(want, store.ManifestFile))
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("the manifests differ: %v, %v", errA, errB)
	}
}

// TestOneEditPacksOneShard fills the compressed files of an earlier build with a
// marker, so that data copied from them can be recognized.
func TestOneEditPacksOneShard(t *testing.T) {
	suite.InTest(t)
	var things []thing
	for i := range 5000 {
		things = append(things, thing{fmt.Sprintf("key-%04d", i), "some text"})
	}
	dir := writeTables(t, nil, things)
	count := func(b *Build, file string, section int) (pieces, marked int) {
		data, _, _ := b.File(file)
		sections, err := packed.UnpackSections(b.files[store.ShardsFile("flat")], store.ShardSections)
		if err != nil {
			t.Fatal(err)
		}
		for i := range len(sections[section]) / 8 {
			n := packed.Uint64At(sections[section], i)
			pieces++
			marked += bytes.Count(data[:n], bytes.Repeat([]byte("!"), int(n)))
			data = data[n:]
		}
		return pieces, marked
	}
	before := openDir(t, dir)
	for _, file := range compressedFiles {
		markFile(t, filepath.Join(dir, file))
	}
	for edits, places := range map[int][]int{0: nil, 1: {2500}, 2: {0, 4999}} {
		now := slices.Clone(things)
		for _, i := range places {
			now[i].text += " and more"
		}
		after := openDir(t, writeTables(t, before, now))
		for i, file := range compressedFiles {
			if pieces, marked := count(after, file, store.ShardCompressed+i); pieces < 10 || marked != pieces-edits {
				t.Errorf("%d edits: %d of %d pieces of %s were taken from the earlier build, want all but one per edit", edits, marked, pieces, file)
			}
		}
	}
}

// compressedFiles are the compressed files of the table flat, in the order of the sections of its shards file.
var compressedFiles = []string{"flat.json.zst", "flat.jsonl.zst", "flat.csv.zst"}

// markFile fills a file, so that whatever is taken from it can be recognized.
func markFile(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.WriteFile(path, bytes.Repeat([]byte("!"), int(info.Size())), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestTablesThatCannotBeTaken reuses an earlier build whose shard table does not
// match its files.
func TestTablesThatCannotBeTaken(t *testing.T) {
	suite.InTest(t)
	things := []thing{{"a", "text"}, {"b", "text"}}
	dir := writeTables(t, nil, things)
	want := writeTables(t, nil, things)
	for _, file := range compressedFiles {
		markFile(t, filepath.Join(dir, file))
	}
	for name, spoil := range map[string]func(*Build){
		"no shard table":    func(b *Build) { delete(b.files, store.ShardsFile("flat")) },
		"of another length": func(b *Build) { b.files[store.ShardsFile("flat")] = b.files[store.ShardsFile("flat")][:40] },
		"empty": func(b *Build) {
			b.files[store.ShardsFile("flat")] = packed.PackSections(make([][]byte, store.ShardSections)...)
		},
		"no such folder": func(b *Build) { b.Dir += "-gone" },
		"of other files": func(b *Build) {
			i := slices.IndexFunc(b.Manifest.Files, func(f store.File) bool { return f.Path == "flat.csv.zst" })
			b.Manifest.Files[i].Size++
		},
	} {
		b, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		spoil(b)
		t.Log(name)
		sameFolders(t, writeTables(t, b, things), want)
	}
}

// TestOneEditMakesTheRowsOfOneRowGroup counts the items whose rows are made. After an edit, these are the
// items of its row group.
func TestOneEditMakesTheRowsOfOneRowGroup(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	const limit = 100_000 // the table is large
	var things []thing
	for i := range 24_000 {
		things = append(things, thing{fmt.Sprintf("key-%05d", i), "some text"})
	}
	write := func(earlier *Build, things []thing) (dir string, made int) {
		root := t.TempDir()
		var rows atomic.Int64
		id := writeBuildReusing(t, root, earlier, nil, func(w *Writer) error {
			w.Tables.LargeTable = limit
			flat := tableOf("flat", things)
			make := flat.Rows
			flat.Rows = func(i int) []table.Row {
				rows.Add(1)
				return make(i)
			}
			return w.WriteTable(flat)
		})
		return filepath.Join(store.BuildsDir(root), id), int(rows.Load())
	}
	dir, made := write(nil, things)
	before := openDir(t, dir)
	sections, err := packed.UnpackSections(before.files[store.ShardsFile("flat")], store.ShardSections)
	if err != nil {
		t.Fatal(err)
	}
	if groups := len(sections[store.ShardGroups]) / 8; groups < 3 || made != len(things) {
		t.Fatalf("%d row groups, and the rows of %d items were made, want several groups and all %d items", groups, made, len(things))
	}
	for name, edit := range map[string]func(now []thing) []thing{
		"none":   func(now []thing) []thing { return now },
		"edit":   func(now []thing) []thing { now[12_000].text += " and more"; return now },
		"insert": func(now []thing) []thing { return slices.Insert(now, 12_000, thing{"key-11999a", "new"}) },
		"last":   func(now []thing) []thing { return now[:len(now)-1] },
	} {
		now := edit(slices.Clone(things))
		upon, made := write(before, now)
		full, _ := write(nil, now)
		sameFolders(t, upon, full)
		if made > len(things)*3/4 || (name == "none") != (made == 0) {
			t.Errorf("%s: the rows of %d items were made", name, made)
		}
	}
}
