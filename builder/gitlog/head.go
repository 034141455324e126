// Package gitlog reads what git knows of a content folder: the commit that it
// is at, and every version of every entity since the first commit.
package gitlog

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/builder/git"
	"kindex/exports/record"
)

// Head is the state of the repository that a content folder lies in.
type Head struct {
	Commit string    // "" outside a repository, or before the first commit
	Time   time.Time // of the commit, by its committer
	// Path is the folder within the repository, with slashes; "" for its top, and
	// outside a repository.
	Path string
	// Dirty reports whether the content is not that of the commit: some file that was
	// read is not the committed one, or a committed one is missing. It is true outside
	// a repository. Line ends do not count.
	Dirty bool
	// Hidden tells that the folder lies in a repository, but that there is no git
	// to read it with.
	Hidden bool
}

// ReadHead asks git about dir, and compares the content that was read from there with
// the commit. A folder outside any repository, or a machine without git, is no error:
// the head is then empty and dirty.
func ReadHead(ctx context.Context, dir string, c *content.Content) (Head, error) {
	r, err := find(ctx, dir)
	if err != nil {
		return Head{}, err
	}
	if r == nil {
		within, is := hidden(dir)
		return Head{Dirty: true, Hidden: is, Path: within}, nil
	}
	defer r.Close() // what stays is the system's to remove
	h := Head{Path: strings.TrimSuffix(r.Prefix, "/"), Dirty: true}
	if h.Commit, err = r.Head(ctx); err != nil || h.Commit == "" {
		return h, err
	}
	if h, err = headAt(ctx, r, h.Commit, h.Path); err != nil {
		return Head{}, err
	}
	h.Dirty, err = differs(ctx, r, h.Commit, dir, c)
	return h, err
}

// CurrentCommit names the commit that is checked out where dir lies, "" where
// there is none: a cheap look, to be taken often.
func CurrentCommit(ctx context.Context, dir string) string {
	r, err := find(ctx, dir)
	if r == nil || err != nil {
		return "" // no repository, or no git
	}
	name, err := r.Head(ctx)
	if err != nil {
		return "" // nor a commit that can be read
	}
	return name
}

// differs reports whether the content is not that of a commit. Git itself is not asked
// (git status): it would run what the settings of the repository name, to learn which
// files have changed and to convert them.
func differs(ctx context.Context, r *git.Repository, commit, dir string, c *content.Content) (bool, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", commit, "--"}
	for _, name := range slices.Concat(record.Types, schema.RootFiles) {
		args = append(args, r.Prefix+name)
	}
	out, err := r.Run(ctx, git.Command{Args: args})
	if err != nil {
		return false, err
	}
	committed := map[string]string{} // blobs of regular files by path below the folder
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if line == "" {
			continue
		}
		about, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about) // mode, type, object
		below, ok2 := strings.CutPrefix(name, r.Prefix)
		if !ok || !ok2 || len(fields) != 3 {
			return false, fmt.Errorf("git ls-tree in %s: unexpected answer %q", dir, line)
		}
		if _, _, isEntity := entityPath(below); !isEntity && !slices.Contains(schema.RootFiles, below) {
			continue
		}
		committed[below] = "" // a link, say
		if strings.HasPrefix(fields[0], "100") {
			committed[below] = fields[2]
		}
	}
	n := 0
	for name, blob := range c.Files() {
		n++
		if want := committed[name]; want == "" || want != hex.EncodeToString(blob[:]) && !sameBytes(dir, name, blob, want) {
			return true, nil
		}
	}
	return n != len(committed), nil
}

// sameBytes reports whether a file that was read as one blob is the committed one after
// all, whose name may be of another kind (SHA-256), and whose lines a checkout on
// Windows ends with CR LF.
func sameBytes(dir, name string, read [sha1.Size]byte, want string) bool {
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil || git.BlobName(data, "sha1") != hex.EncodeToString(read[:]) {
		return false // it has changed since
	}
	format := "sha1"
	if len(want) == 2*sha256.Size {
		format = "sha256"
	}
	return git.BlobName(data, format) == want || git.BlobName(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), format) == want
}
