package builder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kindex/builder/gitlog"
	"kindex/builder/scratch"
	"kindex/exports"
	"kindex/exports/store"
	"kindex/exports/view"
	"kindex/indexes"
)

// Comparison is the result of comparing a published build with a build made again from its
// sources.
type Comparison struct {
	Published, Rebuilt *store.Manifest
	// FromCommit is set if the sources were taken from the build's commit; otherwise the content
	// folder was used as it is now.
	FromCommit bool
	Files      int      // compared files
	Differs    []string // the differences, one sentence each
}

// Rebuild rebuilds the published build of an output folder and compares the result with it. It
// makes a full build of the same commit in a temporary folder, with the same as-of time. If the
// published build has no commit, or contains uncommitted changes, Rebuild builds the content
// folder as it is now. Differences may then be due to later changes. The history of a folder
// without git cannot be rebuilt, because it is only in the builds.
//
// The search index is not reproducible byte for byte. Instead, Rebuild compares the results of
// searches for entity names.
func Rebuild(ctx context.Context, content, out string) (c *Comparison, err error) {
	published, err := exports.OpenCurrent(out)
	if err != nil {
		return nil, err
	}
	defer published.Close()
	m := published.Manifest
	if m.Builder != Version {
		return nil, fmt.Errorf("build %s was built by version %s of the builder, but this is version %s: only the same version produces the same files", m.ID, m.Builder, Version)
	}
	folder, err := scratch.New("verify")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	tmp := folder.Path
	c = &Comparison{Published: m}
	o := Options{Content: content, Out: filepath.Join(tmp, "out"), Keep: 1}
	if o.AsOf, err = time.Parse(time.RFC3339, m.AsOf); err != nil {
		return nil, err
	}
	if c.FromCommit = m.Commit != "" && !m.Dirty; c.FromCommit {
		if err := o.checkOut(ctx, string(m.Commit), filepath.Join(tmp, "content")); err != nil {
			return nil, err
		}
	}
	if _, err := Build(ctx, o); err != nil {
		return nil, fmt.Errorf("rebuilding %s: %w", content, err)
	}
	rebuilt, err := exports.OpenCurrent(o.Out)
	if err != nil {
		return nil, err
	}
	defer rebuilt.Close()
	c.Rebuilt = rebuilt.Manifest
	c.compareManifests()
	if len(c.Differs) == 0 {
		err = c.compareIndexes(out, published, o.Out, rebuilt)
	}
	return c, err
}

// checkOut writes the content of a commit to a folder.
func (o *Options) checkOut(ctx context.Context, commit, into string) error {
	location, err := gitlog.FindLocation(ctx, o.Content)
	if err != nil {
		return err
	}
	// The commit comes from an untrusted build, so check that it is a full commit hash before it
	// is passed to git.
	switch name, err := location.Commit(ctx, commit); {
	case err != nil:
		return fmt.Errorf("%w; the build was made from this commit, so fetch it", err)
	case name != commit:
		return fmt.Errorf("the build records commit %q, which is not a full commit hash", commit)
	}
	head, err := location.HeadAt(ctx, commit)
	if err != nil {
		return err
	}
	if err := os.Mkdir(into, 0o777); err != nil {
		return err
	}
	there, err := location.WriteTree(ctx, commit, into)
	if err != nil {
		return err
	}
	if !there {
		return fmt.Errorf("commit %s has no folder %s", commit, o.Content)
	}
	loaded, problems, err := LoadContent(into, nil)
	if err != nil {
		return err
	}
	if n, _ := problems.Count(); n > 0 {
		return problems
	}
	o.Loaded, o.head = loaded, &head
	return nil
}

// compareManifests lists the differences between two builds.
func (c *Comparison) compareManifests() {
	old, now := *c.Published, *c.Rebuilt
	for _, f := range old.Files {
		c.Files++
		switch other, ok := now.File(f.Path); {
		case !ok:
			c.differs("%s is not in the rebuilt build", f.Path)
		case other != f:
			c.differs("%s has %d bytes with SHA-256 %s in the published build, but %d bytes with SHA-256 %s in the rebuilt one", f.Path, f.Size, f.SHA256, other.Size, other.SHA256)
		}
	}
	for _, f := range now.Files {
		if _, ok := old.File(f.Path); !ok {
			c.differs("%s is missing", f.Path)
		}
	}
	old.Files, now.Files, old.ID, now.ID = nil, nil, "", ""
	before, after := members(old), members(now)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if !bytes.Equal(before[name], after[name]) {
			c.differs("the manifest has %s %s in the published build, but %s in the rebuilt one", name, before[name], after[name])
		}
	}
	if len(c.Differs) == 0 && c.Published.ID != c.Rebuilt.ID {
		c.differs("the ID of the published build is %s, but that of the rebuilt one is %s", c.Published.ID, c.Rebuilt.ID)
	}
}

func (c *Comparison) differs(format string, args ...any) {
	c.Differs = append(c.Differs, fmt.Sprintf(format, args...))
}

// members returns the members of a manifest, each as compact JSON.
func members(m store.Manifest) (list map[string]json.RawMessage) {
	data, _ := json.Marshal(m)      // encoding strings, numbers and lists of them cannot fail
	_ = json.Unmarshal(data, &list) // decoding the result cannot fail either
	return list
}

// maxSearches is the maximum number of entities for which search results are compared. From a
// larger catalogue, entities are picked at regular intervals.
const maxSearches = 2000

// compareIndexes compares the search indexes of two builds that have the same records.
func (c *Comparison) compareIndexes(out string, published *exports.Build, again string, rebuilt *exports.Build) error {
	old, err := indexes.Open(out, published)
	if err != nil {
		return err
	}
	now, err := indexes.Open(again, rebuilt)
	if err != nil {
		return err
	}
	all := rebuilt.Select(&view.Filter{})
	for o := 0; o < rebuilt.Len(); o += 1 + rebuilt.Len()/maxSearches {
		e := rebuilt.Entity(uint32(o))
		const first = 20
		a, b := old.Search(e.Name, all, nil, 0, first), now.Search(e.Name, all, nil, 0, first)
		if !slices.Equal(a.Hits, b.Hits) || !a.Matches.Equals(b.Matches) {
			c.differs("the search index gives different results for %q", e.Name)
			break
		}
	}
	return nil
}
