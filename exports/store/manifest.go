// Package store keeps builds in an output folder: it writes, publishes, verifies
// and removes them, and defines their manifest.
package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"kindex/exports/jsonenc"
	"kindex/exports/table"
)

// FormatVersion is the version of the format of builds. Readers reject builds in any other
// version. Such builds must be built again; they are never converted.
const FormatVersion = 15

// ManifestFile is the path of the manifest in a build.
const ManifestFile = "manifest.json"

// Manifest describes one build. It is written last.
type Manifest struct {
	FormatVersion  int                    `json:"formatVersion"`
	ID             string                 `json:"id"`
	Builder        string                 `json:"builder"` // version of the builder
	Title          string                 `json:"title"`
	Description    string                 `json:"description"`
	URL            jsonenc.OptionalString `json:"url"`        // public address of the service, null if the content has none
	Repository     *Repository            `json:"repository"` // null if the content has none
	Commit         jsonenc.OptionalString `json:"commit"`     // null outside a git repository
	CommitTime     jsonenc.OptionalString `json:"commitTime"` // RFC 3339 UTC, null without a commit
	Dirty          bool                   `json:"dirty"`      // whether the content had uncommitted changes
	AsOf           string                 `json:"asOf"`       // RFC 3339 UTC: the time for which scores were calculated
	ScoringVersion string                 `json:"scoringVersion"`
	Counts         Counts                 `json:"counts"`
	License        jsonenc.OptionalString `json:"license"` // SPDX expression for all parts together, null if not stated
	Sources        []Source               `json:"sources"`
	Index          IndexStub              `json:"index"`
	Files          []File                 `json:"files"`
}

// Counts holds the numbers of entities in a build.
type Counts struct {
	Entities   int            `json:"entities"` // listed entities: all but withdrawn ones
	Withdrawn  int            `json:"withdrawn"`
	Ranked     int            `json:"ranked"` // listed entities with a composite score
	Types      map[string]int `json:"types"`
	Categories int            `json:"categories"`
}

// Source credits a collection from which the index took facts.
type Source struct {
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	License string   `json:"license"`
	Types   []string `json:"types"`
	Changes string   `json:"changes"`
}

// IndexStub identifies the input of a build's search index. The index itself is not part of
// the build's identity, because it is fully determined by this input.
type IndexStub struct {
	MappingVersion int    `json:"mappingVersion"`
	Documents      int    `json:"documents"`
	SHA256         string `json:"sha256"` // hash of the documents, in order
}

// IndexManifest describes the search index of one build.
type IndexManifest struct {
	FormatVersion int `json:"formatVersion"`
	IndexStub
	Build string `json:"build"`
	Files []File `json:"files"`
}

// File is one file of a build.
type File struct {
	Path      string `json:"path"` // slash-separated, relative to the build's folder
	Size      int64  `json:"size"`
	SHA256    string `json:"sha256"`
	MediaType string `json:"mediaType"`
	Encoding  string `json:"encoding,omitempty"` // content coding of a precompressed variant
	License   string `json:"license,omitempty"`  // SPDX expression
}

// LastModified returns the commit time or the as-of time, whichever is later.
func (m *Manifest) LastModified() time.Time {
	asOf, _ := time.Parse(time.RFC3339, m.AsOf)
	commit, err := time.Parse(time.RFC3339, string(m.CommitTime))
	if err == nil && commit.After(asOf) {
		return commit
	}
	return asOf
}

// File returns the entry for a path.
func (m *Manifest) File(path string) (File, bool) {
	i, ok := slices.BinarySearchFunc(m.Files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return File{}, false
	}
	return m.Files[i], true
}

// Finalize sorts the files and sets the ID, which consists of the as-of day, for readability,
// and the first 64 bits of the SHA-256 of the manifest without the ID.
func (m *Manifest) Finalize() {
	slices.SortFunc(m.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	m.FormatVersion = FormatVersion
	m.ID = ""
	sum := sha256.Sum256(m.Encode())
	day := "00000000"
	if len(m.AsOf) >= 10 {
		day = strings.ReplaceAll(m.AsOf[:10], "-", "")
	}
	m.ID = day + "-" + hex.EncodeToString(sum[:8])
}

// Encode returns the manifest in its stored form.
func (m *Manifest) Encode() []byte {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic(err) // strings, numbers and lists of them can always be encoded
	}
	return append(b, '\n')
}

// ParseManifest decodes a manifest, which is named path in errors, and checks that this program supports its format
// and that it was not altered.
func ParseManifest(b []byte, path string) (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, &DamageError{Path: path, Problem: "is not a valid manifest: " + err.Error()}
	}
	if m.FormatVersion != FormatVersion {
		return nil, &DamageError{Path: path, Problem: fmt.Sprintf(
			"has format version %d, but this program reads version %d; build it again with this program", m.FormatVersion, FormatVersion)}
	}
	if err := CheckFiles(m.Files); err != nil {
		return nil, &DamageError{Path: path, Problem: err.Error()}
	}
	sealed := m
	sealed.Files = slices.Clone(m.Files)
	sealed.Finalize()
	if sealed.ID != m.ID {
		return nil, &DamageError{Path: path, Problem: fmt.Sprintf("has ID %s, but the ID of its content is %s", m.ID, sealed.ID)}
	}
	if !bytes.Equal(m.Encode(), b) {
		return nil, &DamageError{Path: path, Problem: "was altered: it has additional content or is formatted differently"}
	}
	return &m, nil
}

// FormatOf returns the format version of a manifest, which may be one that this program does not
// support.
func FormatOf(manifest []byte) (version int, err error) {
	var m struct {
		FormatVersion int `json:"formatVersion"`
	}
	err = json.Unmarshal(manifest, &m)
	return m.FormatVersion, err
}

// pathPattern matches the names of files in builds. Each part of a path consists of
// lower-case letters, digits and, except at the start, "-", "_" and ".". No such
// name is hidden or leads out of the folder.
var pathPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*){0,3}$`)

// ValidPath reports whether a build can have a file with a name.
func ValidPath(name string) bool {
	return len(name) <= 255 && pathPattern.MatchString(name) && filepath.IsLocal(filepath.FromSlash(name))
}

var sha256Pattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// CheckFiles rejects manifest entries that no builder writes, without looking at
// the files themselves.
func CheckFiles(files []File) error {
	seen := make(map[string]bool, len(files))
	for _, f := range files {
		switch {
		case !ValidPath(f.Path):
			return fmt.Errorf("lists file %.100q, which is not a valid file name in a build", f.Path)
		case f.Size < 0 || !sha256Pattern.MatchString(f.SHA256):
			return fmt.Errorf("has an invalid size or SHA-256 for %s", f.Path)
		case seen[f.Path]:
			return fmt.Errorf("lists file %s twice", f.Path)
		}
		seen[f.Path] = true
	}
	return nil
}

// DamageError reports that a build cannot be used because of one of its files.
type DamageError struct {
	Path    string
	Problem string
	Err     error // fs.ErrNotExist if the file is missing, otherwise nil
}

func missing(path string) error {
	return &DamageError{Path: path, Problem: "is missing", Err: fs.ErrNotExist}
}

// Unwrap returns the cause, if there is one.
func (e *DamageError) Unwrap() error { return e.Err }

// Error implements error.
func (e *DamageError) Error() string { return e.Path + " " + e.Problem }

// GzipExtension is the file extension of a file that is a gzip member.
const GzipExtension = ".gz"

var feedTypes = map[string]string{
	"feed.xml": "application/rss+xml", "feed.atom": "application/atom+xml", "feed.json": "application/feed+json",
}

// mediaType returns the media type of a file name without a compression extension.
func mediaType(name string) string {
	if feed := feedTypes[name]; feed != "" {
		return feed
	}
	for _, f := range table.Formats {
		if f.Extension == path.Ext(name) {
			return f.MediaType
		}
	}
	return "application/octet-stream"
}
