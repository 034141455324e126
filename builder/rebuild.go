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
	"kindex/exports"
	"kindex/exports/store"
	"kindex/indexes"
)

// Comparison is how a published build compares with one made from its sources.
type Comparison struct {
	Published, Rebuilt *store.Manifest
	// FromCommit reports that the sources were those of the commit that the build names;
	// otherwise they were the folder as it is now.
	FromCommit bool
	Files      int      // that were compared
	Differs    []string // what is not the same, one sentence each; none where all is
}

// Rebuild builds content again as the published build of an output folder was made -
// at its commit and as-of time, in full, into a temporary folder - and compares both.
// Where the build names no commit, or was made with changes that were not committed,
// the folder is built as it is now: what then differs may have changed since, and of
// a folder without git the history is in the builds only.
//
// The search index, whose bytes do not follow from the content, is compared by what
// it answers when the name of an entity is searched for.
func Rebuild(ctx context.Context, content, out string) (c *Comparison, err error) {
	published, err := exports.OpenCurrent(out)
	if err != nil {
		return nil, err
	}
	defer published.Close()
	m := published.Manifest
	if m.Builder != Version {
		return nil, fmt.Errorf("build %s was made by version %s of the builder, and this is version %s: only the same version produces the same files", m.ID, m.Builder, Version)
	}
	tmp, err := os.MkdirTemp("", "kindex-verify-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
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
		return nil, fmt.Errorf("building %s again: %w", content, err)
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

// checkOut writes the content at a commit to a folder.
func (o *Options) checkOut(ctx context.Context, commit, into string) error {
	location, err := gitlog.FindLocation(ctx, o.Content)
	if err != nil {
		return err
	}
	// Whoever made the build has chosen this text: it must be nothing but the name of a
	// commit before it is an argument of git.
	switch name, err := location.Commit(ctx, commit); {
	case err != nil:
		return fmt.Errorf("%w; the build was made from this commit: fetch it", err)
	case name != commit:
		return fmt.Errorf("the build names %q as its commit, which is not the whole name of one", commit)
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
			c.differs("%s is not in the rebuilt one", f.Path)
		case other != f:
			c.differs("%s has %d bytes with SHA-256 %s, rebuilt %d with %s", f.Path, f.Size, f.SHA256, other.Size, other.SHA256)
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
			c.differs("the manifest says %s %s, rebuilt %s", name, before[name], after[name])
		}
	}
	if len(c.Differs) == 0 && c.Published.ID != c.Rebuilt.ID {
		c.differs("the id is %s, rebuilt %s", c.Published.ID, c.Rebuilt.ID)
	}
}

func (c *Comparison) differs(format string, args ...any) {
	c.Differs = append(c.Differs, fmt.Sprintf(format, args...))
}

// members are the parts of a manifest, compact.
func members(m store.Manifest) (list map[string]json.RawMessage) {
	data, _ := json.Marshal(m)      // texts, numbers and lists of them always encode
	_ = json.Unmarshal(data, &list) // and what was encoded can be read
	return list
}

// maxSearches is for how many entities the answers of search indexes are compared.
// Those of larger catalogues are taken at equal distances.
const maxSearches = 2000

// compareIndexes compares the search indexes of two builds with the same records.
func (c *Comparison) compareIndexes(out string, published *exports.Build, again string, rebuilt *exports.Build) (err error) {
	old, err := indexes.Open(out, published)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	now, err := indexes.Open(again, rebuilt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, now.Close()) }()
	all, err := rebuilt.Select(&exports.Filter{})
	if err != nil {
		return err
	}
	for o := 0; o < rebuilt.Len(); o += 1 + rebuilt.Len()/maxSearches {
		e, err := rebuilt.Entity(uint32(o))
		if err != nil {
			return err
		}
		const first = 20
		a, err := old.Search(e.Name, all, nil, 0, first)
		if err != nil {
			return err
		}
		b, err := now.Search(e.Name, all, nil, 0, first)
		if err != nil {
			return err
		}
		if !slices.Equal(a.Hits, b.Hits) || !a.Matches.Equals(b.Matches) {
			c.differs("the search index gives different results for %q", e.Name)
			break
		}
	}
	return nil
}
