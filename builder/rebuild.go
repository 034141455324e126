package builder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kindex/builder/content/yamldoc"
	"kindex/builder/gitlog"
	"kindex/builder/scratch"
	"kindex/exports"
	"kindex/exports/jsonenc"
	"kindex/exports/store"
	"kindex/exports/view"
	"kindex/indexes"
)

// Comparison is the result of comparing a published build with a build made again from its
// sources.
type Comparison struct {
	Commit  jsonenc.OptionalString `json:"commit"` // "" if the content folder was used as it is now
	AsOf    string                 `json:"asOf"`
	Files   int                    `json:"files"`   // compared files
	Differs []string               `json:"differs"` // the differences, one sentence each
	Hint    jsonenc.OptionalString `json:"hint"`    // why they may differ
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
	c = &Comparison{AsOf: m.AsOf, Differs: []string{}}
	o := Options{Content: content, Out: filepath.Join(folder.Path, "out"), Keep: 1}
	if o.AsOf, err = time.Parse(time.RFC3339, m.AsOf); err != nil {
		return nil, err
	}
	if m.Commit != "" && !m.Dirty {
		c.Commit = m.Commit
		if err := o.load(ctx, string(m.Commit)); err != nil {
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
	c.compareManifests(*m, *rebuilt.Manifest)
	if len(c.Differs) == 0 {
		return c, c.compareIndexes(out, published, o.Out, rebuilt)
	}
	if m.Commit == "" {
		c.Hint = jsonenc.OptionalString(fmt.Sprintf("The build records no commit: %s may have changed since, and earlier changes are recorded only in the builds.", content))
	} else if m.Dirty {
		c.Hint = jsonenc.OptionalString(fmt.Sprintf("The build was made with uncommitted changes: kindex cannot tell whether they are still in %s.", content))
	}
	return c, nil
}

func (o *Options) load(ctx context.Context, commit string) error {
	location, err := gitlog.FindLocation(ctx, o.Content)
	if err != nil {
		return err
	}
	defer location.Close() // errors are ignored: leftover temporary files are removed by the system
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
	loaded, problems, err := LoadCommit(ctx, location, commit, o.Content)
	if n, _ := problems.Count(); err == nil && n > 0 {
		err = problems
	}
	o.Loaded, o.head = loaded, &head
	return err
}

// LoadCommit is like LoadContent for the folder as of a commit, which is read from a temporary copy. Messages
// have the path dir instead of that of the copy. If the commit has no such folder, the error is an fs.ErrNotExist.
func LoadCommit(ctx context.Context, location *gitlog.Location, commit, dir string) (l *Loaded, problems yamldoc.Problems, err error) {
	tmp, err := scratch.New("content")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, tmp.Close()) }()
	at := filepath.Join(tmp.Path, "content")
	if err := os.Mkdir(at, 0o777); err != nil {
		return nil, nil, err
	}
	if there, err := location.WriteTree(ctx, commit, at); err != nil {
		return nil, nil, err
	} else if !there {
		return nil, nil, &fs.PathError{Op: "commit " + commit, Path: dir, Err: fs.ErrNotExist}
	}
	l, problems, err = LoadContent(at, nil)
	shown := filepath.ToSlash(filepath.Clean(dir))
	below := shown + "/"
	if shown == "." {
		below = ""
	}
	at = filepath.ToSlash(at)
	replace := strings.NewReplacer(at+"/", below, at, shown).Replace
	for i := range problems {
		p := &problems[i]
		p.File, p.Message, p.Suggestion = replace(p.File), replace(p.Message), replace(p.Suggestion)
	}
	if err != nil {
		err = errors.New(replace(err.Error()))
	}
	return l, problems, err
}

func (c *Comparison) compareManifests(old, now store.Manifest) {
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
	ids := []string{old.ID, now.ID}
	old.Files, now.Files, old.ID, now.ID = nil, nil, "", ""
	before, after := members(old), members(now)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if !bytes.Equal(before[name], after[name]) {
			c.differs("the manifest has %s %s in the published build, but %s in the rebuilt one", name, before[name], after[name])
		}
	}
	if len(c.Differs) == 0 && ids[0] != ids[1] {
		c.differs("the ID of the published build is %s, but that of the rebuilt one is %s", ids[0], ids[1])
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

// openPrevious opens the previous build: the current build in the output folder or, if that is
// damaged, the newest intact one. Every byte of it must be intact. It is not an error if there is
// no such build, because a build without it usually has the same result.
func (b *build) openPrevious(ctx context.Context) error {
	id, err := store.Current(b.Out)
	if errors.Is(err, store.ErrNoBuild) {
		// Without a pointer, either none of these builds was ever published, or somebody has
		// removed the pointer.
		if ids, _ := store.Builds(b.Out, "exports", "builds"); len(ids) > 0 {
			b.warn("warning: %s is missing, although there are builds in %s: no build is reused, "+
				"and content that is not in git starts a new history. To continue from one of these builds, write its ID to the missing file and build again",
				filepath.Join(b.Out, "exports", "current"), store.BuildsDir(b.Out))
		}
		return nil
	}
	var link *store.LinkError
	if errors.As(err, &link) {
		return err
	}
	if b.tracked = Tracked(ctx, b.Out); b.tracked != "" || ctx.Err() != nil {
		return ctx.Err()
	}
	ids, _ := store.Builds(b.Out, "exports", "builds")
	if slices.Reverse(ids); err == nil {
		ids = slices.Insert(slices.DeleteFunc(ids, func(x string) bool { return x == id }), 0, id)
	}
	b.damaged = err
	for _, id := range ids {
		dir := filepath.Join(store.BuildsDir(b.Out), id)
		if _, err = store.Verify(dir); err == nil {
			b.previous, err = exports.Open(dir)
		}
		if err == nil {
			break
		}
		if b.skipped = true; b.damaged == nil {
			b.damaged = err
		}
	}
	if b.previous != nil && b.damaged != nil {
		b.warn("warning: %v; continuing from build %s", b.damaged, b.previous.Manifest.ID)
	}
	return nil
}

// Tracked returns why no build in an output folder is trusted, or "". Builds that git tracks are
// not: anyone who can commit could have written them.
func Tracked(ctx context.Context, out string) string {
	switch is, err := gitlog.Tracked(ctx, store.BuildsDir(out), indexes.Dir(out, "")); {
	case err != nil:
		return fmt.Sprintf("git cannot determine whether it is committed (%v); fix that problem, or use an --out folder outside the repository", err)
	case is:
		return "git tracks files in exports/builds or indexes/builds, so anyone who can commit could have written it (to stop tracking the files: git rm -r --cached exports/builds indexes/builds, then commit)"
	}
	return ""
}

// refuseTracked decides whether a previous build that git tracks is an error. It is called once it
// is known where the history is. If the history is in git, the result is the same without the
// previous build. The history of a plain folder is only in its builds.
func (b *build) refuseTracked() error {
	switch {
	case b.tracked == "":
	case b.head.Commit == "" || b.head.Hidden:
		return fmt.Errorf("the previous build in %s is not used: %s; only that build has the history of %s. "+
			"To start a new history, use a different --out folder, or remove exports/ and indexes/ from this one", b.Out, b.tracked, b.Content)
	default:
		b.warn("warning: the previous build in %s is not used: %s; everything is built from the content and its git history, with the same result", b.Out, b.tracked)
	}
	return nil
}

// cache returns the previous build if its versions can be continued from, because this version of
// the builder would read the same ones. Otherwise, it returns nil.
func (b *build) cache() *exports.Build {
	if b.previous == nil || b.previous.Manifest.Builder != Version || b.redeclared() {
		return nil
	}
	return b.previous
}
