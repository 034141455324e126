// Package gitlog reads the git history of a content folder: its current commit, and every
// version of every entity since the first commit.
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
)

// Head is the state of the repository that contains a content folder.
type Head struct {
	Commit string    // "" outside a repository, or before the first commit
	Time   time.Time // committer time of the commit
	// Path is the slash-separated path of the folder in the repository. It is "" for the root
	// of the repository, and outside a repository.
	Path string
	// Dirty reports whether the content differs from the commit: a file that was read differs
	// from the committed file, or a committed file is missing. Differences in line endings are
	// ignored. Outside a repository, Dirty is true.
	Dirty bool
	// Hidden is set if the folder is in a repository, but git is not installed.
	Hidden bool
}

// ReadHead returns the head of dir, and compares the content that was read from there with
// the commit. If dir is outside any repository or git is not installed, it returns an empty,
// dirty head and no error.
func ReadHead(ctx context.Context, dir string, c *content.Content) (Head, error) {
	r, err := find(ctx, dir)
	if err != nil {
		return Head{}, err
	}
	if r == nil {
		within, is := hidden(dir)
		return Head{Dirty: true, Hidden: is, Path: within}, nil
	}
	defer r.Close() // errors are ignored: leftover temporary files are removed by the system
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

// CurrentCommit returns the commit that is checked out in the repository of dir, or "" if there
// is none. The call is cheap enough to be made often.
func CurrentCommit(ctx context.Context, dir string) (name string) {
	_ = at(ctx, dir, "", func(r *repository) error { name = r.head; return nil }) // without a readable commit, there is none
	return name
}

// differs reports whether the content differs from a commit. It does not use git status, which
// would run programs that the repository's settings specify for finding and converting changed
// files.
func differs(ctx context.Context, r *git.Repository, commit, dir string, c *content.Content) (bool, error) {
	declared := c.Declared()
	args := []string{"-r", commit, "--"}
	for _, name := range slices.Concat(declared.Names(), schema.RootFiles, []string{schema.StatusFile}) {
		args = append(args, r.Prefix+name)
	}
	list, err := entries(ctx, r, args...)
	if err != nil {
		return false, err
	}
	committed := map[string]string{} // blobs of regular files, keyed by path relative to the folder
	for _, e := range list {
		below := strings.TrimPrefix(e.path, r.Prefix)
		if _, _, isEntity := entityPath(declared, below); !isEntity && !schema.IsRootFile(below) {
			continue
		}
		committed[below] = "" // not a regular file: for example, a link
		if e.isFile() {
			committed[below] = e.object
		}
	}
	var read map[string][sha1.Size]byte
	if c != nil {
		read = c.Blobs
	}
	for name, blob := range read {
		if want := committed[name]; want == "" || want != hex.EncodeToString(blob[:]) && !sameBytes(dir, name, blob, want) {
			return true, nil
		}
	}
	return len(read) != len(committed), nil
}

// sameBytes reports whether a file has the committed content although its SHA-1 is not the
// committed object name. There are two possible causes: object names may be SHA-256 hashes, and
// on Windows, lines may be checked out with CR LF.
func sameBytes(dir, name string, read [sha1.Size]byte, want string) bool {
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil || git.BlobName(data, "sha1") != hex.EncodeToString(read[:]) {
		return false // the file has changed since it was read
	}
	format := "sha1"
	if len(want) == 2*sha256.Size {
		format = "sha256"
	}
	return git.BlobName(data, format) == want || git.BlobName(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), format) == want
}

// Ahead is a commit that is dated later than the time at which its content is read, because the
// clock of the machine that made it was ahead.
type Ahead struct {
	Hash string
	Said time.Time // the committer time
	// Used is the time to use instead: that of the next commit whose time is plausible or, if there
	// is none, the time at which the content is read.
	Used time.Time
}

// String describes the commit and what is done about it.
func (a Ahead) String() string {
	return fmt.Sprintf("commit %s is dated %s, which is in the future: its changes are dated %s",
		a.Hash[:12], a.Said.Format(time.DateOnly), a.Used.Format(time.DateOnly))
}

// tolerance is how much later than the time of reading a commit may be dated. A build has the
// time of the last midnight in UTC, and clocks are set to any zone.
const tolerance = 36 * time.Hour

// CommitsAhead returns the commits in the first-parent history of HEAD that are ahead of a time,
// newest first. Outside a repository or without git, it returns none.
func CommitsAhead(ctx context.Context, dir string, now time.Time) (list []Ahead, err error) {
	err = at(ctx, dir, "", func(r *repository) error {
		list, err = commitsAhead(ctx, r.Repository, r.head, now)
		return err
	})
	return list, err
}

// IsMerged reports whether a commit is an ancestor of another, but not by first parents only.
func IsMerged(ctx context.Context, dir, commit, into string) (merged bool, err error) {
	if !git.IsObjectName(commit) {
		return false, nil
	}
	err = at(ctx, dir, into, func(r *repository) error {
		if _, err := r.git(ctx, "cat-file", "-e", commit+"^{commit}"); err != nil {
			return ctx.Err() // the commit no longer exists here
		}
		base, err := r.git(ctx, "rev-list", "--count", commit, "--not", into)
		if err != nil || strings.TrimSpace(base) != "0" {
			return err
		}
		first, err := r.onFirstParentLine(ctx, commit)
		merged = !first && err == nil
		return err
	})
	return merged, err
}

func commitsAhead(ctx context.Context, r *git.Repository, commit string, now time.Time) (list []Ahead, err error) {
	out, err := r.Run(ctx, git.Command{Args: []string{"log", "--first-parent", "--no-show-signature", "--format=tformat:%H %ct", commit, "--"}})
	if err != nil {
		return nil, err
	}
	used := now.UTC()
	for line := range strings.Lines(out) {
		hash, seconds, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !git.IsObjectName(hash) {
			return nil, unexpected(line)
		}
		if said := commitTime(seconds); said.Sub(now) > tolerance {
			list = append(list, Ahead{hash, said, used})
		} else {
			used = said
		}
	}
	return list, nil
}
