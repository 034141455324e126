package gitlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"kindex/builder/git"
	"kindex/exports/kinds"
)

// ShallowError is the error for a repository that does not contain its full history.
type ShallowError struct{ Dir string }

// Error implements error.
func (e *ShallowError) Error() string {
	return fmt.Sprintf("%s: its repository is a shallow clone without the earlier history; "+
		"fetch the missing history: git fetch --unshallow (with actions/checkout: fetch-depth: 0)", e.Dir)
}

// repository is the repository of a content folder, at one commit.
type repository struct {
	*git.Repository
	kinds   *kinds.Set
	dir     string               // the content folder
	head    string               // object name of the commit
	mailmap string               // object name of .mailmap in that commit, or "" if there is none
	times   map[string]time.Time // what replaces the times of commits, by object name
}

// open finds the repository of a folder, at the given commit or, if none is given, at HEAD. It
// returns nil if there is no folder, repository, git or commit.
func open(ctx context.Context, dir, commit string) (*repository, error) {
	found, err := find(ctx, dir)
	if found == nil {
		return nil, err
	}
	r := &repository{Repository: found, dir: dir, head: commit}
	if commit == "" {
		r.head, err = r.Head(ctx)
	}
	if err != nil || r.head == "" {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// at calls do with the repository of a folder, as open returns it. Without one, or without a folder, it does nothing.
func at(ctx context.Context, dir, commit string, do func(r *repository) error) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil //nolint:nilerr // there is no folder
	}
	r, err := open(ctx, dir, commit)
	if r == nil {
		return err
	}
	return errors.Join(do(r), r.Close())
}

// find returns the repository of a folder, or nil if there is none or git is not installed.
func find(ctx context.Context, dir string) (*git.Repository, error) {
	if !git.Available() {
		return nil, nil
	}
	r, err := git.Open(ctx, dir)
	if errors.Is(err, git.ErrNoRepository) {
		return nil, nil
	}
	return r, err
}

// hidden reports whether a folder is in a repository that cannot be read because git is not
// installed. It also returns the folder's path in the repository, as in Head.Path.
func hidden(dir string) (within string, ok bool) {
	if git.Available() {
		return "", false
	}
	up, err := filepath.Abs(dir)
	for err == nil {
		if _, err := os.Lstat(filepath.Join(up, ".git")); err == nil {
			return within, true
		}
		if up == filepath.Dir(up) {
			break
		}
		within, up = path.Join(filepath.Base(up), within), filepath.Dir(up)
	}
	return "", false
}

func (r *repository) findMailmap(ctx context.Context) (string, error) {
	list, err := entries(ctx, r.Repository, r.head, ".mailmap")
	if err != nil || len(list) == 0 || !list[0].isFile() {
		return "", r.explain(ctx, err) // a link or a folder is not used as a mailmap
	}
	return list[0].object, nil
}

// entry is a line of git ls-tree: something in a commit or a folder of it.
type entry struct {
	mode, kind, object, path string
	size                     int // with -l, of a file that is there; otherwise -1
}

func (e *entry) isFile() bool { return strings.HasPrefix(e.mode, "100") }

func entries(ctx context.Context, r *git.Repository, args ...string) (list []entry, err error) {
	out, err := r.Run(ctx, git.Command{Args: append([]string{"ls-tree", "-z", "--full-tree"}, args...)})
	for line := range strings.SplitSeq(out, "\x00") {
		if line == "" {
			continue // behind the last NUL
		}
		about, path, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) < 3 {
			return nil, fmt.Errorf("git ls-tree: unexpected output %q", line)
		}
		e := entry{fields[0], fields[1], fields[2], path, -1}
		if len(fields) > 3 {
			if size, err := strconv.Atoi(fields[3]); err == nil { // "-" of a folder, and "BAD" of a missing object, are none
				e.size = size
			}
		}
		list = append(list, e)
	}
	return list, err
}

// command returns a command that uses the mailmap in the commit and no other mailmap.
func (r *repository) command(args ...string) git.Command {
	return git.Command{Args: args, Config: []string{"mailmap.file=" + os.DevNull, "mailmap.blob=" + r.mailmap}}
}

func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	out, err := r.Run(ctx, r.command(args...))
	return out, r.explain(ctx, err)
}

// onFirstParentLine reports whether a commit is in the first-parent history of HEAD.
func (r *repository) onFirstParentLine(ctx context.Context, commit string) (bool, error) {
	if commit == r.head {
		return true, nil
	}
	if _, err := r.git(ctx, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return false, ctx.Err() // the commit no longer exists here
	}
	// Of the commits in HEAD's first-parent history that are not in the history of commit, the
	// oldest must have commit as its first parent. At the boundary of a shallow clone, it has
	// no parent.
	out, err := r.git(ctx, "rev-list", "--first-parent", "--parents", r.head, "--not", commit)
	if err != nil {
		return false, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	oldest := strings.Fields(lines[len(lines)-1])
	return len(oldest) > 1 && oldest[1] == commit, nil
}

func (r *repository) complete(ctx context.Context) (bool, error) {
	if !r.Shallow {
		return true, nil
	}
	root, err := r.git(ctx, "rev-list", "--first-parent", "--max-parents=0", r.head)
	if err != nil {
		return false, err
	}
	// Git hides parents beyond the boundary, but the commit object still lists them.
	text, err := r.git(ctx, "cat-file", "commit", strings.TrimSpace(root))
	header, _, _ := strings.Cut(text, "\n\n")
	return !strings.Contains(header, "\nparent "), err
}

// explain adds a hint to an error on how to fix it, if a partial clone may be the cause.
func (r *repository) explain(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || !r.MayBePartial() {
		return err
	}
	return fmt.Errorf("%s: the repository may be a partial clone that lacks some objects of its history; fetch them: git fetch --refetch --no-filter (%w)", r.dir, err)
}
