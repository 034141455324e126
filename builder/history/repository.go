package history

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// ShallowError says that a repository does not hold its whole history.
type ShallowError struct{ Dir string }

// Error implements error.
func (e *ShallowError) Error() string {
	return fmt.Sprintf("%s: the history of its repository is cut off (a shallow clone), so that nothing can be said of earlier changes; "+
		"fetch the rest: git fetch --unshallow (with actions/checkout: fetch-depth: 0)", e.Dir)
}

// repository is the one that a content folder lies in, at one commit.
type repository struct {
	dir     string // the content folder
	gitDir  string
	objects string // where its objects lie
	path    string // of the content folder within it, as git rev-parse --show-prefix says
	head    string // object name of the commit, "" for none
	mailmap string // object name of .mailmap in it, "" for none
	shallow bool
}

// open finds the repository of a folder, at a commit or else at HEAD. Where there
// is none, or no git, or no commit, its head is "".
func open(ctx context.Context, dir, commit string) (*repository, error) {
	r := &repository{dir: dir}
	if inside, err := insideWorkTree(ctx, dir); err != nil || !inside {
		return r, err
	}
	var err error
	ask := func(args ...string) (answer string) {
		if err == nil {
			answer, err = git(ctx, dir, append([]string{"rev-parse"}, args...)...)
		}
		return strings.TrimSuffix(answer, "\n")
	}
	r.path = ask("--show-prefix")
	r.gitDir = ask("--absolute-git-dir")
	r.objects = ask("--path-format=absolute", "--git-path", "objects")
	r.shallow = ask("--is-shallow-repository") == "true"
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(r.objects) {
		return nil, fmt.Errorf("%s: this git is too old to walk the history; version 2.31 or newer is needed", dir)
	}
	if r.head = commit; commit == "" {
		if r.head, err = r.readHead(ctx); err != nil || r.head == "" {
			return r, err
		}
	}
	r.mailmap, err = r.findMailmap(ctx)
	return r, err
}

// insideWorkTree tells whether a folder lies in the working tree of a repository.
func insideWorkTree(ctx context.Context, dir string) (bool, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return false, nil
	}
	inside, err := git(ctx, dir, "rev-parse", "--is-inside-work-tree")
	if err != nil && strings.Contains(err.Error(), "not a git repository") {
		return false, nil
	}
	return strings.TrimSpace(inside) == "true", err
}

// hidden tells whether a folder lies in a repository that cannot be read for want
// of git, and where in it, as Head.Path says.
func hidden(dir string) (within string, ok bool) {
	if _, err := exec.LookPath("git"); err == nil {
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

// readHead returns the object name of HEAD, "" before the first commit.
func (r *repository) readHead(ctx context.Context) (string, error) {
	head, err := r.git(ctx, "rev-parse", "--quiet", "--verify", "HEAD")
	if err == nil {
		return strings.TrimSpace(head), nil
	}
	// The branch of a new repository has a name, and git log says why it ends.
	_, why := r.git(ctx, "log", "-1", "--no-show-signature", "--format=%H")
	if why == nil || ctx.Err() != nil || strings.Contains(why.Error(), "does not have any commits") {
		return "", ctx.Err()
	}
	return "", fmt.Errorf("%s: HEAD names no commit that can be read; git fsck tells more (%w)", r.dir, why)
}

// findMailmap returns the object name of the mailmap in the commit.
func (r *repository) findMailmap(ctx context.Context) (string, error) {
	entry, err := r.git(ctx, "ls-tree", "-z", r.head, ".mailmap")
	if err != nil || !strings.HasPrefix(entry, "100") {
		return "", err // a link, or a folder, is none
	}
	var mode, kind, name string
	if _, err := fmt.Sscan(entry, &mode, &kind, &name); err != nil {
		return "", fmt.Errorf("git ls-tree in %s: unexpected answer %q", r.dir, entry)
	}
	return name, nil
}

// told makes git work on the repository, and on nothing of the working tree: the
// folder of the objects stands in for it, because git would read an uncommitted
// .mailmap at its top.
func (r *repository) told() []string {
	return []string{
		"-C", r.objects, "--git-dir=" + r.gitDir, "--work-tree=" + r.objects, "--literal-pathspecs",
		"-c", "mailmap.file=" + os.DevNull, "-c", "mailmap.blob=" + r.mailmap,
	}
}

// git runs a git command on the repository.
func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	p, err := start(ctx, r.told(), false, args...)
	if err != nil {
		return "", err
	}
	out, err := p.read()
	return out, r.explain(ctx, err)
}

// leadsTo tells whether going from parent to first parent leads from HEAD to a
// commit.
func (r *repository) leadsTo(ctx context.Context, commit string) (bool, error) {
	if commit == r.head {
		return true, nil
	}
	if _, err := r.git(ctx, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return false, ctx.Err() // it is not here any more
	}
	// The oldest commit that is not in the history of the other must have it as
	// its first parent. Where a shallow clone is cut off, there is no parent.
	out, err := r.git(ctx, "rev-list", "--first-parent", "--parents", r.head, "--not", commit)
	if err != nil {
		return false, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	oldest := strings.Fields(lines[len(lines)-1])
	return len(oldest) > 1 && oldest[1] == commit, nil
}

// complete tells whether the first-parent history is here to its very beginning.
func (r *repository) complete(ctx context.Context) (bool, error) {
	if !r.shallow {
		return true, nil
	}
	root, err := r.git(ctx, "rev-list", "--first-parent", "--max-parents=0", r.head)
	if err != nil {
		return false, err
	}
	// Git hides the parents that are cut off, but the commit still names them.
	text, err := r.git(ctx, "cat-file", "commit", strings.TrimSpace(root))
	header, _, _ := strings.Cut(text, "\n\n")
	return !strings.Contains(header, "\nparent "), err
}

// explain adds to an error what mends it where a partial clone is the cause.
func (r *repository) explain(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	p, failed := start(ctx, r.told(), false, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`)
	if failed != nil {
		return err
	}
	if out, _ := p.read(); out == "" {
		return err
	}
	return fmt.Errorf("%s: the repository may not hold every object of its history (a partial clone); fetch the rest: git fetch --refetch --no-filter (%w)", r.dir, err)
}
