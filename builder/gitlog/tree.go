package gitlog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"kindex/builder/git"
	"kindex/exports/didyoumean"
	"kindex/exports/safetext"
)

// Location is the location of a content folder in a git repository.
type Location struct {
	*git.Repository
	prefix string // the content folder relative to the root of the repository, or "" for the root itself
}

// FindLocation finds dir in its git repository. The folder need not exist in the working
// tree, because it may exist only in another commit. Close the location after use.
func FindLocation(ctx context.Context, dir string) (*Location, error) {
	if !git.Available() {
		return nil, errors.New("reading commits requires git, which was not found in PATH")
	}
	there, rest := filepath.Clean(dir), ""
	for {
		if info, err := os.Stat(there); err == nil && info.IsDir() {
			break
		}
		up := filepath.Dir(there)
		if up == there {
			return nil, fmt.Errorf("%s: no such folder", dir)
		}
		there, rest = up, filepath.Join(filepath.Base(there), rest)
	}
	r, err := git.Open(ctx, there)
	if errors.Is(err, git.ErrNoRepository) {
		return nil, fmt.Errorf("%s is not in a git repository; only commits in a git repository can be compared", dir)
	}
	if err != nil {
		return nil, err
	}
	prefix := path.Join(r.Prefix, filepath.ToSlash(rest))
	return &Location{r, strings.TrimPrefix(prefix, ".")}, nil
}

// Path returns the path of an entity file relative to the root of the repository.
func (p *Location) Path(typ, slug string) string { return path.Join(p.prefix, typ, slug+".yaml") }

// Folder returns the path of the content folder relative to the root of the repository; ""
// is the root itself.
func (p *Location) Folder() string { return p.prefix }

// Commit returns the hash of a commit, given a revision such as a branch, a tag, HEAD~2 or an
// abbreviated hash.
func (p *Location) Commit(ctx context.Context, name string) (string, error) {
	if strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\n") {
		return "", fmt.Errorf("%q is not a commit", name)
	}
	hash, err := p.Resolve(ctx, name+"^{commit}")
	if err != nil || hash != "" {
		return hash, err
	}
	if head, err := p.Head(ctx); err == nil && head == "" && name == "HEAD" {
		return "", errors.New("the repository has no commit yet")
	}
	if strings.Contains(name, "://") {
		return "", fmt.Errorf("%s is an address, not a commit, branch or tag; fetch it first", safetext.Address(name))
	}
	text := fmt.Sprintf("unknown commit, branch or tag %q", name)
	if names, err := p.Names(ctx); err == nil {
		if near := didyoumean.Name(name, names); near != "" {
			text += fmt.Sprintf(" (did you mean %q?)", near)
		}
	}
	if p.Shallow {
		text += "; the clone is shallow and may lack it: " + unshallow
	}
	return "", errors.New(text)
}

func (p *Location) git(ctx context.Context, args ...string) (string, error) {
	return p.Run(ctx, git.Command{Args: args})
}

// unshallow is the command that completes a shallow clone.
const unshallow = "git fetch --unshallow"

// MergeBase returns the hash of the merge base of two commits.
func (p *Location) MergeBase(ctx context.Context, a, b string) (string, error) {
	hash, err := p.git(ctx, "merge-base", a, b)
	switch {
	case err == nil:
		return strings.TrimSpace(hash), nil
	case git.ExitCode(err) != 1:
		return "", err
	case p.Shallow:
		return "", fmt.Errorf("the merge base of %.12s and %.12s is missing because the clone is shallow; fetch it with: %s", a, b, unshallow)
	}
	return "", fmt.Errorf("%.12s and %.12s have no commit in common; compare them directly, with two dots", a, b)
}

// WriteTree writes the content folder of a commit into an empty folder. It returns false if
// the commit has no such folder. It writes only what the loader reads: the names of files and
// folders to a depth of two, and the contents of YAML files. It writes every link as a
// dangling link.
func (p *Location) WriteTree(ctx context.Context, commit, into string) (bool, error) {
	object, err := p.Resolve(ctx, commit+":"+p.prefix)
	if err != nil || object == "" {
		return false, err // the folder is not in the commit
	}
	if kind, err := p.git(ctx, "cat-file", "-t", object); err != nil || strings.TrimSpace(kind) != "tree" {
		return false, err
	}
	list, err := entries(ctx, p.Repository, "-r", object)
	if err != nil {
		return false, err
	}
	var blobs []blob // each with the file to write it to
	var links []string
	for _, e := range list {
		target, err := makeRoom(into, e.path)
		switch {
		case err != nil || target == "":
		case e.mode == "120000":
			links = append(links, target)
		case e.kind != "blob": // a submodule
			err = os.Mkdir(target, 0o777)
		case path.Ext(target) != ".yaml":
			err = os.WriteFile(target, nil, 0o666) // only its name matters
		default:
			blobs = append(blobs, blob{e.object, target})
		}
		if err != nil {
			return false, err
		}
	}
	err = readBlobs(ctx, p.Repository, blobs, func(i int, data []byte) error { return os.WriteFile(blobs[i].file, data, 0o666) })
	if err != nil {
		return false, err
	}
	for _, target := range links { // links are created last, so that nothing is written through them
		if err := os.Symlink("nowhere", target); err != nil {
			return false, err
		}
	}
	return true, nil
}

// makeRoom creates the folder for a file and returns the path of the file, or "" if the file
// is too deep to matter. A forged commit can contain any name, so makeRoom rejects names that
// lead out of the folder.
func makeRoom(into, name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name {
		return "", fmt.Errorf("the commit contains a file with the invalid name %q", name)
	}
	parts := strings.Split(name, "/")
	folders := parts[:min(len(parts)-1, 2)]
	if err := os.MkdirAll(filepath.Join(append([]string{into}, folders...)...), 0o777); err != nil {
		return "", err
	}
	if len(parts) > 2 {
		return "", nil
	}
	return filepath.Join(into, filepath.FromSlash(name)), nil
}

// HeadAt returns the head that ReadHead would return if a commit were checked out without
// changes. commit is the commit's object name.
func (p *Location) HeadAt(ctx context.Context, commit string) (Head, error) {
	return headAt(ctx, p.Repository, commit, p.prefix)
}

// headAt returns the head that a folder in the repository would have if a commit were checked
// out without changes.
func headAt(ctx context.Context, r *git.Repository, commit, prefix string) (Head, error) {
	seconds, err := r.Run(ctx, git.Command{Args: []string{"log", "-1", "--no-show-signature", "--format=%ct", commit, "--"}})
	if err != nil {
		return Head{}, err
	}
	return Head{Commit: commit, Time: commitTime(strings.TrimSpace(seconds)), Path: prefix}, nil
}

// File returns the content of a file of the content folder as of a commit, or nil if the commit
// has no such file. name is relative to the folder, and commit is the commit's object name. Of a
// file that is too large for the parser, File returns only enough for the parser to report that.
// ok is false if the repository lacks the commit or the content, as shallow and partial clones do.
func (p *Location) File(ctx context.Context, commit, name string) (text []byte, ok bool, err error) {
	object, err := p.Resolve(ctx, commit+":"+path.Join(p.prefix, name))
	if err != nil {
		return nil, false, err
	}
	if object == "" {
		known, err := p.Resolve(ctx, commit+"^{commit}")
		return nil, known != "", err
	}
	err = readBlobs(ctx, p.Repository, []blob{{object, name}}, func(_ int, data []byte) error { text = data; return nil })
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	return text, err == nil, nil
}

// enoughToRefuse is the number of bytes of a file that are kept for the parser. It is more than
// the parser accepts, so that the parser reports larger files as too large.
const enoughToRefuse = 1 << 20

// blob is a file of a commit.
type blob struct {
	name string // of the object
	file string // for errors
}

// readBlobs reads blobs, and calls each with every blob's index and bytes, or the first ones of a blob that
// is too large for the parser.
func readBlobs(ctx context.Context, r *git.Repository, blobs []blob, each func(i int, data []byte) error) error {
	if len(blobs) == 0 {
		return nil
	}
	var names strings.Builder
	for _, b := range blobs {
		names.WriteString(b.name + "\n")
	}
	return r.Stream(ctx, git.Command{Args: []string{"cat-file", "--batch"}, Input: []byte(names.String())}, func(in *bufio.Reader) error {
		for i, b := range blobs {
			data, err := b.read(in)
			if err == nil {
				err = each(i, data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// read reads one response of git cat-file --batch: "<name> blob <size>", a line end, the bytes, a line end.
func (b *blob) read(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: output ends before %s: %w", b.name, err)
	}
	said, named := strings.CutPrefix(strings.TrimSuffix(line, "\n"), b.name+" ")
	digits, isBlob := strings.CutPrefix(said, "blob ")
	size, err := strconv.ParseInt(digits, 10, 64)
	if !named || isBlob && (err != nil || size < 0) {
		return nil, fmt.Errorf("git cat-file: unexpected response %q", line)
	}
	if !isBlob {
		return nil, fmt.Errorf("git cat-file: %s: object %s is %s; run git fsck for details", b.file, b.name, said)
	}
	data := make([]byte, min(size, enoughToRefuse))
	if _, err = io.ReadFull(in, data); err == nil {
		_, err = io.CopyN(io.Discard, in, size-int64(len(data))+1)
	}
	if err != nil {
		return nil, fmt.Errorf("git cat-file: output ends within %s: %w", b.name, err)
	}
	return data, nil
}
