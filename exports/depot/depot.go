// Package depot keeps published builds in a bucket, from which other machines fetch them.
//
//	current                     the published build, the hashes of its three files, who signed it
//	builds/<id>/build.json      what current contained when the build was published
//	builds/<id>/manifest.json   the manifest of the build
//	builds/<id>/index-….json    the manifest of its search index
//	builds/<id>/map-….bin       where the contents of all its files are
//	blobs/sha256/<2>/<64 hex>   packs, named by their hash
//	log/<8 hex>/…               the log of the builds that were signed with a key
//	clock                       written to learn what time it is there
//
// The files of a build are divided into chunks of about five kilobytes, at places that depend on
// their content. A chunk is stored once, however many files and builds contain it: a new build
// stores only chunks that the published one lacks. Up to 16 MiB of chunks form a pack, which is
// compressed as a whole. Files that can be recreated from others byte for byte are not stored:
// compressed variants, and JSON arrays that repeat a JSONL file.
//
// Packs and the files of a build never change. A publisher writes current last, and only if
// nobody else has written it in the meantime. A reader checks the hash of everything it reads,
// beginning with the hashes in current.
//
// A reader thus gets what was published, but cannot tell who published it. A publisher with a key
// signs a statement with the hashes of both manifests and appends it to the key's log (package
// buildlog), before it writes current. A reader with the verifier key accepts only builds that
// were signed and are in the log, and remembers the log's last checkpoint in its output folder,
// so that nobody can show it another history later. What is signed does not depend on anything
// current says about it: an attacker who changes current can only hide builds.
package depot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"regexp"

	"kindex/exports/bucket"
	"kindex/exports/store"
)

// format is the version of the layout. Readers refuse any other.
const format = 1

// Names of objects.
const (
	currentName  = "current"
	clockName    = "clock"
	buildsPrefix = "builds/"
	blobsPrefix  = "blobs/sha256/"
	logsPrefix   = "log/"
)

// Limits for what readers accept, in bytes. The map of a million entities takes about 100 MB.
const (
	maxCurrent  = 4 << 10
	maxManifest = 64 << 20
	maxMap      = 1 << 30
)

// current is the content of the object with that name, and of the description of a build.
type current struct {
	Format   int    `json:"format"`
	Build    string `json:"build"`
	Manifest string `json:"manifest"` // SHA-256 of each of the build's three objects
	Index    string `json:"index"`
	Map      string `json:"map"`
	// Signature is nil if the build was not signed. Only verifyStatement relies on it, and verifies it.
	Signature *Signature `json:"signature,omitempty"`
}

// Progress is called with the progress of a step. Several goroutines may call it at the same time.
type Progress func(step string, done, total int)

// report calls p unless it is nil.
func (p Progress) report(step string, done, total int) {
	if p != nil {
		p(step, done, total)
	}
}

// The names of a build's objects. Those that may differ between builds with the same ID have a
// part of their hash in the name, so that no publisher replaces what another one has published.
func descriptionName(id string) string { return buildsPrefix + id + "/build.json" }
func manifestName(c *current) string   { return buildsPrefix + c.Build + "/manifest.json" }
func indexName(c *current) string {
	return buildsPrefix + c.Build + "/index-" + c.Index[:16] + ".json"
}
func mapName(c *current) string { return buildsPrefix + c.Build + "/map-" + c.Map[:16] + ".bin" }

// sumOf returns the SHA-256 of data as hexadecimal digits.
func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// blobName returns the name of the pack with a hash.
func blobName(sum [sha256.Size]byte) string {
	h := hex.EncodeToString(sum[:])
	return blobsPrefix + h[:2] + "/" + h
}

var sumPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// readCurrent returns what is published, and its tag. It returns an error that wraps
// bucket.ErrUnchanged if the tag is known, and fs.ErrNotExist if nothing is published.
func readCurrent(ctx context.Context, from bucket.Reader, known string) (*current, string, error) {
	data, tag, err := from.Read(ctx, currentName, maxCurrent, known)
	if err != nil {
		return nil, tag, err
	}
	c, err := parseCurrent(from, currentName, data)
	return c, tag, err
}

// parseCurrent decodes current, or the description of a build.
func parseCurrent(from bucket.Reader, name string, data []byte) (*current, error) {
	c := new(current)
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("%s/%s is damaged: %w", from, name, err)
	}
	if c.Format != format {
		return nil, fmt.Errorf("%s has version %d of the layout, but this program reads version %d; use a newer kindex", from, c.Format, format)
	}
	if !store.ValidID(c.Build) || !sumPattern.MatchString(c.Manifest) || !sumPattern.MatchString(c.Index) || !sumPattern.MatchString(c.Map) {
		return nil, fmt.Errorf("%s/%s is damaged: it does not name a build and its hashes", from, name)
	}
	return c, nil
}

// readChecked reads an object whose SHA-256 is known.
func readChecked(ctx context.Context, from bucket.Reader, name, sum string, limit int64) ([]byte, error) {
	data, _, err := from.Read(ctx, name, limit, "")
	if err != nil {
		return nil, err
	}
	if sumOf(data) != sum {
		return nil, &DamageError{Name: from.String() + "/" + name}
	}
	return data, nil
}

// DamageError reports an object whose content does not have the hash it must have. It was
// truncated, replaced or altered.
type DamageError struct{ Name string }

// Error implements error.
func (e *DamageError) Error() string {
	return e.Name + " is damaged: its SHA-256 is not the one that was published"
}

// indexManifest has the members of the manifest of a search index that this package needs.
type indexManifest struct {
	MappingVersion int          `json:"mappingVersion"`
	Documents      int          `json:"documents"`
	SHA256         string       `json:"sha256"`
	Build          string       `json:"build"`
	Files          []store.File `json:"files"`
}

// fileSet is the files of a build and of its search index, without the two manifests.
type fileSet struct {
	manifest *store.Manifest
	files    []store.File // paths begin with exports/ or indexes/
}

// parseManifests returns the files that two manifests list.
func parseManifests(id string, manifest, index []byte) (*fileSet, error) {
	m, err := store.ParseManifest(manifest, id)
	if err != nil {
		return nil, err
	}
	var x indexManifest
	if err := json.Unmarshal(index, &x); err != nil {
		return nil, fmt.Errorf("the index of build %s: %w", id, err)
	}
	if err := store.CheckFiles(x.Files); err != nil {
		return nil, fmt.Errorf("the index of build %s: %w", id, err)
	}
	if m.ID != id || x.Build != id || x.MappingVersion != m.Index.MappingVersion || x.Documents != m.Index.Documents || x.SHA256 != m.Index.SHA256 {
		return nil, fmt.Errorf("the manifests of build %s and of its index do not belong together", id)
	}
	set := &fileSet{manifest: m, files: make([]store.File, 0, len(m.Files)+len(x.Files))}
	for _, f := range m.Files {
		f.Path = path.Join(exportsTree, f.Path)
		set.files = append(set.files, f)
	}
	for _, f := range x.Files {
		f.Path = path.Join(indexesTree, f.Path)
		set.files = append(set.files, f)
	}
	return set, nil
}

// The folders of an output folder; in each, builds/<id>/ has the files of a build.
const (
	exportsTree = "exports"
	indexesTree = "indexes"
)
