package indexes_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/packed"
	"kindex/exports/store"
	"kindex/indexes"
)

// TestReuseOfDamaged checks that no files of a damaged index are shared.
func TestReuseOfDamaged(t *testing.T) {
	suite.InTest(t)
	for name, damage := range map[string]func(dir string) error{
		"it is gone":        os.RemoveAll,
		"no manifest":       func(dir string) error { return os.Remove(filepath.Join(dir, "manifest.json")) },
		"another version":   replaceIn("manifest.json", fmt.Sprintf(`"mappingVersion": %d`, indexes.MappingVersion), `"mappingVersion": 1`),
		"another build":     replaceIn("manifest.json", `"build": "2026`, `"build": "2025`),
		"no JSON":           replaceIn("manifest.json", "{", "["),
		"digests cut off":   func(dir string) error { return os.Truncate(filepath.Join(dir, "digests.bin"), 16*30) },
		"digests altered":   replaceAt("digests.bin", 5),
		"segment altered":   replaceAt("bleve/store/*.zap", 9000),
		"texts gone":        func(dir string) error { return os.Remove(filepath.Join(dir, "texts.bin")) },
		"something besides": func(dir string) error { return os.WriteFile(filepath.Join(dir, "more"), nil, 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newMutator(t, realCatalogue(t), 4, 9)
			root := t.TempDir()
			publishInto(t, root, d.sorted(), "")
			id, err := store.Current(root)
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(indexes.Dir(root, id)); err != nil {
				t.Fatal(err)
			}
			d.edits(1)
			if n := publishInto(t, root, d.sorted(), id); n != len(d.entities) {
				t.Errorf("%d documents were indexed, want all %d", n, len(d.entities))
			}
			m := openOutput(t, root).build.Manifest
			if _, err := indexes.Verify(indexes.Dir(root, m.ID), m.ID, m.Index); err != nil {
				t.Error(err)
			}
		})
	}
}

// replaceIn replaces a string in one of an index's files.
func replaceIn(file, old, by string) func(dir string) error {
	return func(dir string) error {
		path := filepath.Join(dir, file)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Contains(data, []byte(old)) {
			return fmt.Errorf("%s does not contain %q", file, old)
		}
		return os.WriteFile(path, bytes.Replace(data, []byte(old), []byte(by), 1), 0o644)
	}
}

// replaceAt alters one byte in one of an index's files.
func replaceAt(pattern string, at int) func(dir string) error {
	return func(dir string) error {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(paths) != 1 {
			return fmt.Errorf("%s: %v %v", pattern, paths, err)
		}
		data, err := os.ReadFile(paths[0])
		if err != nil {
			return err
		}
		data[at] ^= 1
		return os.WriteFile(paths[0], data, 0o644)
	}
}

// claimSizes sets the sizes in the manifest of an index to those of its files, as
// an attacker who forges an index would.
func claimSizes(t *testing.T, dir string) (restore func()) {
	t.Helper()
	path := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(path)
	var m indexes.Manifest
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Files {
		if info, err := os.Stat(filepath.Join(dir, m.Files[i].Path)); err == nil {
			m.Files[i].Size = info.Size()
		}
	}
	write := func(data []byte, err error) {
		if err == nil {
			err = os.WriteFile(path, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(json.Marshal(&m))
	return func() { write(data, nil) }
}

// TestOpenDamagedReused opens indexes that reuse other indexes and whose own files are
// damaged. Verify would find every changed byte, so this test covers the changes that could
// do harm if an index is opened without calling Verify.
func TestOpenDamagedReused(t *testing.T) {
	suite.InTest(t)
	c := newChain(t, 4, 10)
	c.edits(6)
	if n := c.publish(t); n == 0 || n > 6 {
		t.Fatalf("%d documents were indexed", n)
	}
	m := c.latest.build.Manifest
	dir := indexes.Dir(c.root, m.ID)
	// ordinals changes the file of ordinals, given the ordinals by document and the documents by ordinal.
	ordinals := func(change func(ordinals, documents []byte) []byte) func() error {
		return func() error {
			path := filepath.Join(dir, "ordinals.bin")
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			parts, err := packed.UnpackSections(data, 2)
			if err != nil {
				return err
			}
			return os.WriteFile(path, change(parts[0], parts[1]), 0o644)
		}
	}
	both := func(ordinals, documents []byte) []byte { return packed.PackSections(ordinals, documents) }
	edited := func(text string) func() error {
		return func() error { return os.WriteFile(filepath.Join(dir, "edited.json"), []byte(text), 0o644) }
	}
	cutOff := func(file string) func() error {
		return func() error {
			path := filepath.Join(dir, file)
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return os.Truncate(path, info.Size()-8)
		}
	}
	set := func(list []byte, number, value uint32) []byte {
		binary.LittleEndian.PutUint32(list[4*number:], value)
		return list
	}
	const none = 0xffffffff
	for name, k := range map[string]struct {
		damage func() error
		want   string
	}{
		"a number cut off":      {ordinals(func(o, d []byte) []byte { return both(o[:len(o)-3], d) }), "has sections of"},
		"cut off":               {ordinals(func(o, d []byte) []byte { return both(o, d)[:20] }), "truncated"},
		"one document too few":  {ordinals(func(o, d []byte) []byte { return both(o[:len(o)-4], d) }), "documents"},
		"one document too many": {ordinals(func(o, d []byte) []byte { return both(append(o, 255, 255, 255, 255), d) }), "documents"},
		"no document":           {ordinals(func(_, d []byte) []byte { return both(nil, d) }), "documents"},
		"one record too few":    {ordinals(func(o, d []byte) []byte { return both(o, d[:len(d)-4]) }), "has sections of"},
		"nothing at all":        {ordinals(func(_, _ []byte) []byte { return nil }), "truncated"},
		"outside":               {ordinals(func(o, d []byte) []byte { return both(set(o, 3, uint32(c.latest.build.Len())), d) }), "there are only"},
		"document outside":      {ordinals(func(o, d []byte) []byte { return both(o, set(d, 3, 1<<20)) }), "not back"},
		"twice":                 {ordinals(func(o, d []byte) []byte { copy(o[4:8], o[:4]); return both(o, d) }), "not back"},
		"one way only":          {ordinals(func(o, d []byte) []byte { return both(set(o, 3, none), d) }), "records to documents"},
		"one more is gone": {ordinals(func(o, d []byte) []byte {
			record := binary.LittleEndian.Uint32(o[4*3:])
			return both(set(o, 3, none), set(d, record, none))
		}), "edited.json has"},
		"one text too few": {edited("[]"), "edited.json has 0 documents"},
		"no texts":         {edited("null"), "edited.json has 0 documents"},
		"no list":          {edited(`[{"name": "x"`), "edited.json is not a list"},
		"no map":           {func() error { return os.Remove(filepath.Join(dir, "ordinals.bin")) }, "ordinals.bin"},
		"pairs cut off":    {cutOff("pairs.bin"), "pairs.bin has"},
		"terms cut off":    {cutOff("terms.bin"), "terms.bin"},
		"no terms":         {func() error { return os.Remove(filepath.Join(dir, "terms.bin")) }, "terms.bin"},
		"prefixes cut off": {cutOff("prefixes.bin"), "prefixes.bin"},
		"phrases cut off":  {cutOff("phrases.bin"), "phrases.bin"},
		"no file of texts": {func() error { return os.Remove(filepath.Join(dir, "edited.json")) }, "edited.json"},
	} {
		whole := map[string][]byte{}
		for _, file := range []string{"ordinals.bin", "edited.json", "pairs.bin", "terms.bin", "prefixes.bin", "phrases.bin"} {
			data, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			whole[file] = data
		}
		if err := k.damage(); err != nil {
			t.Fatal(err)
		}
		restore := claimSizes(t, dir)
		if x, err := indexes.Open(c.root, c.latest.build); err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v, want %q", name, err, k.want)
			if err == nil {
				t.Error(x.Close())
			}
		}
		restore()
		var damaged *store.DamageError
		if _, err := indexes.Verify(dir, m.ID, m.Index); !errors.As(err, &damaged) {
			t.Errorf("%s: Verify says %v", name, err)
		}
		for file, data := range whole {
			if err := os.WriteFile(filepath.Join(dir, file), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	x, err := indexes.Open(c.root, c.latest.build)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}
