package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"kindex/builder/scratch"
)

// ErrNoRepository is the error for a folder that is not in a working tree.
var ErrNoRepository = errors.New("not in a git repository")

// Repository is the repository whose working tree contains a folder. It is safe for
// concurrent use. Close it after use.
type Repository struct {
	Prefix  string // path of the folder relative to the root of the working tree: "" or ending in a slash
	Format  string // hash algorithm of object names: sha1 or sha256
	Shallow bool   // whether it is a shallow clone

	dir       string // absolute path of the folder
	gitDir    string
	commonDir string // the git directory that contains the objects and the configuration; in a linked working tree, that of the main working tree

	once    sync.Once
	private *scratch.Folder // our private git directory; see privateDir
	failed  error
}

// Open finds the repository that contains a folder. The error is ErrNoRepository if there is
// none. Git's own safe.directory check applies. It is an error if the folder itself looks like a
// git directory, because somebody may have committed such a folder to make its configuration
// take effect.
func Open(ctx context.Context, dir string) (*Repository, error) {
	r := &Repository{}
	var err error
	if r.dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if Available() && !mayContain(r.dir) {
		return nil, ErrNoRepository
	}
	out, err := r.discover(ctx, "--is-inside-work-tree", "--is-shallow-repository", "--show-object-format",
		"--absolute-git-dir", "--path-format=absolute", "--git-common-dir", "--show-prefix")
	switch {
	case MessageContains(err, "cannot use bare repository"):
		return nil, embedded(dir)
	case MessageContains(err, "not a git repository"):
		return nil, ErrNoRepository
	case err != nil:
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if lines[0] == "false" {
		return nil, ErrNoRepository
	}
	if len(lines) != 6 || !filepath.IsAbs(lines[4]) {
		return nil, fmt.Errorf("%s: unexpected output from git: %q; kindex needs git 2.31 or newer and a path without line breaks", dir, cleanMessage(out))
	}
	r.Shallow, r.Format, r.gitDir, r.commonDir, r.Prefix = lines[1] == "true", lines[2], lines[3], lines[4], lines[5]
	if r.Format != "sha1" && r.Format != "sha256" {
		return nil, fmt.Errorf("%s: the repository has the object format %q; only sha1 and sha256 are supported", dir, cleanMessage(r.Format))
	}
	if holds(r.gitDir, r.dir) { // git before 2.38 does not support safe.bareRepository
		return nil, embedded(dir)
	}
	return r, nil
}

// mayContain reports whether a folder can be in a repository, without running git: git finds one only by .git or, of
// a git directory, by HEAD, in the folder or above it.
func mayContain(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	for err == nil {
		for _, name := range []string{".git", "HEAD"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
				return true
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
	return true // git says why
}

func embedded(dir string) error {
	return fmt.Errorf("%s is in a folder that looks like a git directory (it contains HEAD, objects and refs), and the configuration in such a directory could run arbitrary commands; remove these files", dir)
}

// holds reports whether dir is the folder called above, or is in that folder.
func holds(above, dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(above, dir)
	return err == nil && filepath.IsLocal(rel)
}

// discover runs git rev-parse in the folder; rev-parse runs no other program. The user's
// settings apply: they determine whether the repository is trusted.
func (r *Repository) discover(ctx context.Context, args ...string) (string, error) {
	env := append(environment(basic, personal), forced...)
	return prepare(ctx, r.dir, env, protected, append([]string{"rev-parse"}, args...)).output()
}

// query runs a command on the repository itself, with its own configuration. Use it only for
// commands that read or write references, or that print settings or the index: rev-parse,
// symbolic-ref, for-each-ref, update-ref, config, and ls-files without options that compare with
// the working tree. They run no programs except hooks and the file system monitor, which protected
// disables.
func (r *Repository) query(ctx context.Context, args ...string) (string, error) {
	return r.queryProcess(ctx, args...).output()
}

func (r *Repository) queryProcess(ctx context.Context, args ...string) *process {
	env := append(environment(basic, personal), forced...)
	return prepare(ctx, r.gitDir, env, append([]string{"--git-dir=" + r.gitDir}, protected...), args)
}

// Head returns the hash of the checked-out commit, or "" before the first commit.
func (r *Repository) Head(ctx context.Context) (string, error) {
	out, err := r.query(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	if err == nil || ctx.Err() != nil {
		return strings.TrimSpace(out), err
	}
	// HEAD of a new repository names a branch that does not exist yet. A branch that
	// exists but cannot be read is an error.
	branch, failed := r.query(ctx, "symbolic-ref", "--quiet", "HEAD")
	if failed == nil {
		list := r.queryProcess(ctx, "for-each-ref", "--format=%(refname)", "--", strings.TrimSpace(branch))
		if out, failed = list.output(); failed == nil && out == "" && list.stderr.Len() == 0 {
			return "", nil
		}
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return "", fmt.Errorf("git rev-parse: %s: HEAD does not name a readable commit; run git fsck for details (%w)", r.dir, err)
}

// LeftOut returns the files that a sparse checkout leaves out of the working tree, relative to its
// root.
func (r *Repository) LeftOut(ctx context.Context) (names []string, err error) {
	out, err := r.query(ctx, "ls-files", "-t", "-z", "--full-name")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		if name, ok := strings.CutPrefix(entry, "S "); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

// operators matches the start of a suffix that follows a commit's name, as in HEAD~2 or
// v1^{tree}.
var operators = regexp.MustCompile(`[~^:]`)

// Resolve returns the object name of a revision, or "" if there is none. See gitrevisions(7);
// searches by message (:/text) are not supported.
func (r *Repository) Resolve(ctx context.Context, revision string) (string, error) {
	base, rest := revision, ""
	if at := operators.FindStringIndex(revision); at != nil {
		base, rest = revision[:at[0]], revision[at[0]:]
	}
	if base == "" || strings.HasPrefix(base, "-") || strings.ContainsAny(revision, "\x00\n") {
		return "", ctx.Err()
	}
	name := base
	if !IsObjectName(base) {
		// References are resolved in the repository itself, because resolving a reference does
		// not read any objects.
		out, err := r.query(ctx, "rev-parse", "--verify", "--quiet", base)
		if err != nil {
			return "", ctx.Err()
		}
		name = strings.TrimSpace(out)
	}
	out, err := r.Run(ctx, Command{Args: []string{"rev-parse", "--verify", "--quiet", name + rest}})
	if err != nil {
		return "", ctx.Err()
	}
	return strings.TrimSpace(out), nil
}

// Names returns the short names of all references.
func (r *Repository) Names(ctx context.Context) ([]string, error) {
	out, err := r.query(ctx, "for-each-ref", "--format=%(refname:short)")
	return strings.Fields(out), err
}

// IsObjectName reports whether s is a full SHA-1 or SHA-256 object name.
func IsObjectName(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// MayBePartial reports whether the repository may be a partial clone, which lacks objects
// that a server keeps for it.
func (r *Repository) MayBePartial() bool {
	packs, err := filepath.Glob(filepath.Join(escape(r.objects()), "pack", "*.promisor"))
	return err == nil && len(packs) > 0
}

func escape(path string) string {
	if filepath.Separator == '\\' {
		return path // patterns have no escape character on Windows
	}
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(path, `\$0`)
}

func (r *Repository) objects() string { return filepath.Join(r.commonDir, "objects") }

// Close removes the temporary files of the repository.
func (r *Repository) Close() error {
	r.once.Do(func() { r.failed = errors.New("the repository is closed") })
	if r.private == nil {
		return nil
	}
	return r.private.Close()
}

// Top returns the root of the working tree that contains a folder. The error is
// ErrNoRepository if there is none.
func Top(ctx context.Context, dir string) (string, error) {
	r, err := Open(ctx, dir)
	if err != nil {
		return "", err
	}
	top, err := r.discover(ctx, "--show-toplevel")
	return strings.TrimSuffix(top, "\n"), err
}

// CreateBranch creates a branch at a commit. It is an error if the branch already exists.
func (r *Repository) CreateBranch(ctx context.Context, name, commit string) error {
	// Newer versions of git also read hooks from the configuration, regardless of
	// core.hooksPath.
	hooks, err := r.query(ctx, "config", "--includes", "--show-scope", "--name-only", "--get-regexp", `^hook\..*\.command$`)
	if err != nil && ExitCode(err) != 1 {
		return err
	}
	for line := range strings.Lines(hooks) {
		if scope, key, _ := strings.Cut(line, "\t"); scope == "local" || scope == "worktree" {
			return fmt.Errorf("the repository's configuration has a hook (%s), which kindex does not run; remove it, or create the branch yourself: git branch %s %.12s",
				cleanMessage(key), name, commit)
		}
	}
	// The empty last argument makes git fail if the branch exists.
	_, err = r.query(ctx, "update-ref", "refs/heads/"+name, commit, "")
	return err
}

// Identity returns the environment variables that set the author and committer. Their values
// come from the settings of the user and the repository, and from the environment variables of
// this process, which take precedence.
func (r *Repository) Identity(ctx context.Context) (env []string, err error) {
	out, err := r.query(ctx, "config", "--includes", "--null", "--get-regexp", `^(user|author|committer)\.(name|email)$`)
	list, err := configured(out, err)
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	for _, s := range list {
		set[s.Name] = s.Value // the last value takes precedence
	}
	for _, role := range []string{"author", "committer"} {
		for _, what := range []string{"name", "email"} {
			if value := cmp.Or(set[role+"."+what], set["user."+what]); value != "" {
				env = append(env, "GIT_"+strings.ToUpper(role)+"_"+strings.ToUpper(what)+"="+value)
			}
		}
	}
	return append(env, environment([]string{"GIT_COMMITTER_*", "GIT_AUTHOR_*", "EMAIL"})...), nil
}
