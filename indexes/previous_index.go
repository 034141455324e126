package indexes

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"kindex/exports/store"
)

// The files of an index that shares those of an earlier one, beside the shared
// ones: where the documents went (ordinalsFile), and what the records are made of
// that are new since, or were edited, in the order of their ordinals. These are
// indexed whenever the index is opened.
const changedFile = "edited.json"

// digestsFile holds the digest of each document by its number.
const digestsFile = "digests.bin"

// maxChanged is how many documents an index may have outside of the files that it
// shares. Each takes some 5 kB of memory and forty microseconds whenever the index
// is opened, and their terms are looked up beside those of the segment. With one
// in two hundred, an index of a hundred thousand opens in twenty milliseconds and
// most searches take up to a fifth longer. The least is for people who edit a
// small index all day: that many cost nothing to speak of.
func maxChanged(documents int) int { return max(64, documents/200) }

// minShared is how many of the documents in shared files must still count:
// three quarters. What is in there for nothing is read nevertheless.
func minShared(documents int) int { return documents - documents/4 }

// previousIndex is the index of another build, as far as a new one can share it.
type previousIndex struct {
	dir      string
	files    []store.File // that are the same in all indexes which share them
	ordinals []uint32     // by document: where it is now
	changed  []source
}

// ReuseFrom names the previous build, of the same output folder. Where its index holds
// most of the documents, Write makes one that shares its files, in a fraction of
// the time: both answer the same. Otherwise, or if it is missing or damaged or was
// made by another version, all documents are indexed.
//
// The files are shared by hard links: the earlier index can be removed.
func (p *Prepared) ReuseFrom(id string) { p.previousID = id }

// findPrevious returns the index to share the files of, nil if there is none that fits.
func (p *Prepared) findPrevious(root string, digests []digest) *previousIndex {
	if p.previousID == "" || len(digests) == 0 {
		return nil
	}
	x := &previousIndex{dir: Dir(root, p.previousID)}
	m, err := readManifest(x.dir, p.previousID)
	if err != nil {
		return nil
	}
	// Every byte is checked: a damaged file would be handed on to all that follow.
	if store.VerifyFiles(x.dir, m.Files, manifestFile) != nil {
		return nil
	}
	for _, f := range m.Files {
		if f.Path != ordinalsFile && f.Path != changedFile {
			x.files = append(x.files, f)
		}
	}
	known, err := (&mappedFiles{dir: x.dir, manifest: m}).read(digestsFile)
	if err != nil || !x.match(p, known, digests) {
		return nil
	}
	return x
}

// match finds the documents that are known, and tells whether they are enough.
func (x *previousIndex) match(p *Prepared, known []byte, digests []digest) bool {
	const size = len(digest{})
	docNums := make(map[digest]uint32, len(known)/size)
	x.ordinals = make([]uint32, len(known)/size)
	for docNum := range x.ordinals {
		docNums[digest(known[docNum*size:])] = uint32(docNum)
		x.ordinals[docNum] = noDoc
	}
	for ordinal, d := range digests {
		if docNum, ok := docNums[d]; ok && x.ordinals[docNum] == noDoc {
			x.ordinals[docNum] = uint32(ordinal)
			continue
		}
		if len(x.changed) == maxChanged(len(digests)) {
			return false
		}
		x.changed = append(x.changed, p.source(ordinal))
	}
	return len(digests)-len(x.changed) >= minShared(len(x.ordinals))
}

// write makes the files of an index that shares those of the earlier one.
func (x *previousIndex) write(dir string) error {
	for _, f := range x.files {
		if err := linkOrCopy(filepath.Join(x.dir, filepath.FromSlash(f.Path)), filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil {
			return err
		}
	}
	var ordinals []byte
	for _, o := range x.ordinals {
		ordinals = binary.LittleEndian.AppendUint32(ordinals, o)
	}
	if err := os.WriteFile(filepath.Join(dir, ordinalsFile), ordinals, 0o644); err != nil {
		return err
	}
	changed, err := json.MarshalIndent(append([]source{}, x.changed...), "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, changedFile), append(changed, '\n'), 0o644)
}

// linkOrCopy gives a file a second name, or copies it where that cannot be: across
// file systems, or on one without links. What Bleve keeps beside its segment is
// small and always copied: whoever opens it locks it, under all its names.
func linkOrCopy(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil { // as Bleve does
		return err
	}
	if filepath.Ext(from) != ".bolt" && os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
