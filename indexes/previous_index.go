package indexes

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"kindex/exports/store"
)

// An index that shares the files of an earlier index has two additional files: ordinalsFile,
// and changedFile, which contains the sources of new and edited records, ordered by ordinal.
// These records are indexed each time the index is opened.
const changedFile = "edited.json"

// digestsFile contains the digests of all documents, ordered by document number.
const digestsFile = "digests.bin"

// maxChanged returns the maximum number of documents that an index may have outside its
// shared files. Each of these documents takes about 5 kB of memory and 40 µs when the index
// is opened, and searches look up terms in them as well as in the segment. With one document
// in two hundred outside the shared files, an index of a hundred thousand documents opens in
// 20 ms, and most searches take up to a fifth longer. The limit is never below 64, which
// costs next to nothing and helps people who edit a small index all day.
func maxChanged(documents int) int { return max(64, documents/200) }

// minShared returns how many of the documents in shared files must still be in use: three
// quarters. The share is limited because searches read the unused documents too.
func minShared(documents int) int { return documents - documents/4 }

// previousIndex is the part of another build's index that a new index can share.
type previousIndex struct {
	dir      string
	files    []store.File // the shared files
	ordinals []uint32     // by document number: the document's ordinal in the new build
	records  int          // of the new build
	changed  []source
}

// ReuseFrom names the previous build in the same output folder. If that build's
// index contains most of the documents, Write shares its files, which takes a
// fraction of the time and produces the same search results. If it does not, or if
// that index is missing, damaged or of a different version, Write indexes all
// documents.
//
// Files are shared through hard links, so the earlier index can be removed. known has the identities
// of the files of that index, as far as they are known; these files are not read.
func (p *Prepared) ReuseFrom(id string, known store.Identities) {
	p.previousID, p.known = id, known
}

// findPrevious returns the index whose files can be shared, or nil if there is
// none.
func (p *Prepared) findPrevious(root string, digests []digest) *previousIndex {
	if p.previousID == "" || len(digests) == 0 {
		return nil
	}
	x := &previousIndex{dir: Dir(root, p.previousID)}
	m, err := readManifest(x.dir, p.previousID)
	if err != nil {
		return nil
	}
	// A damaged file would be passed on to all later indexes.
	if store.VerifyKnownFiles(x.dir, m.Files, manifestFile, p.known) != nil {
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

// match finds the documents that the earlier index contains and reports whether
// there are enough of them.
func (x *previousIndex) match(p *Prepared, known []byte, digests []digest) bool {
	const size = len(digest{})
	x.records = len(digests)
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

// write writes the files of an index that shares files with the earlier index.
func (x *previousIndex) write(dir string) error {
	for _, f := range x.files {
		if err := linkOrCopy(filepath.Join(x.dir, filepath.FromSlash(f.Path)), filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ordinalsFile), packOrdinals(x.ordinals, x.records), 0o644); err != nil {
		return err
	}
	changed, err := json.MarshalIndent(append([]source{}, x.changed...), "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, changedFile), append(changed, '\n'), 0o644)
}

// linkOrCopy creates a hard link. If that is impossible, such as across file
// systems, it creates a copy. Bleve's own files next to its segment are small and
// always copied, because opening them locks them under all their names.
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
