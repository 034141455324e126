package history

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"kindex/exports/nearest"
)

// Place is where a content folder lies in a git repository.
type Place struct {
	dir    string // a folder within the repository that is there
	prefix string // the content folder from the root of the repository, "" for the root itself
}

// FindPlace asks git where dir lies. The folder itself need not be there: at
// another commit it may be.
func FindPlace(ctx context.Context, dir string) (*Place, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("git is needed to read commits, and is not on the path")
	}
	there, rest := filepath.Clean(dir), ""
	for {
		if info, err := os.Stat(there); err == nil && info.IsDir() {
			break
		}
		up := filepath.Dir(there)
		if up == there {
			return nil, fmt.Errorf("%s: there is no such folder", dir)
		}
		there, rest = up, filepath.Join(filepath.Base(there), rest)
	}
	prefix, err := git(ctx, there, "rev-parse", "--show-prefix")
	if err != nil {
		if strings.Contains(err.Error(), "not a git repository") {
			return nil, fmt.Errorf("%s lies in no git repository; commits can be compared within one only", dir)
		}
		return nil, err
	}
	prefix = path.Join(strings.TrimSuffix(prefix, "\n"), filepath.ToSlash(rest))
	return &Place{there, strings.TrimPrefix(prefix, ".")}, nil
}

// Resolve returns the hash of the commit that a name stands for: a branch, a
// tag, HEAD~2, the beginning of a hash.
func (p *Place) Resolve(ctx context.Context, name string) (string, error) {
	if strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\n") {
		return "", fmt.Errorf("%q names no commit", name)
	}
	hash, err := git(ctx, p.dir, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if err == nil {
		return strings.TrimSpace(hash), nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if _, err := git(ctx, p.dir, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil && name == "HEAD" {
		return "", errors.New("the repository has no commit yet")
	}
	text := fmt.Sprintf("there is no commit, branch or tag %q", name)
	names, err := git(ctx, p.dir, "for-each-ref", "--format=%(refname:short)")
	if err == nil {
		if near := nearest.Name(name, strings.Fields(names)); near != "" {
			text += fmt.Sprintf(" (did you mean %q?)", near)
		}
	}
	if p.shallow(ctx) {
		text += "; the clone is shallow, it may lie in what is missing: " + unshallow
	}
	return "", errors.New(text)
}

// unshallow is the command that completes a shallow clone.
const unshallow = "git fetch --unshallow"

func (p *Place) shallow(ctx context.Context) bool {
	answer, err := git(ctx, p.dir, "rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(answer) == "true"
}

// MergeBase returns the hash of the commit at which two commits parted.
func (p *Place) MergeBase(ctx context.Context, a, b string) (string, error) {
	hash, err := git(ctx, p.dir, "merge-base", a, b)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return strings.TrimSpace(hash), nil
	case !errors.As(err, &exit) || exit.ExitCode() != 1:
		return "", err
	case p.shallow(ctx):
		return "", fmt.Errorf("the commit at which %.12s and %.12s parted is not there, because the clone is shallow; fetch it with: %s", a, b, unshallow)
	}
	return "", fmt.Errorf("%.12s and %.12s have no commit in common; compare them directly, with two dots", a, b)
}

// WriteTree writes the content folder as it is at a commit into a folder, which
// must be empty. It returns false where the commit has no such folder. Only what
// the loader looks at is written: names to a depth of two, and the bytes of YAML
// files. A link is written as one that leads nowhere.
func (p *Place) WriteTree(ctx context.Context, commit, into string) (bool, error) {
	object, err := git(ctx, p.dir, "rev-parse", "--verify", "--quiet", commit+":"+p.prefix)
	if err != nil {
		return false, ctx.Err() // it is no part of the commit
	}
	object = strings.TrimSpace(object)
	if kind, err := git(ctx, p.dir, "cat-file", "-t", object); err != nil || strings.TrimSpace(kind) != "tree" {
		return false, err
	}
	listing, err := git(ctx, p.dir, "ls-tree", "-r", "-z", "--full-tree", object)
	if err != nil {
		return false, err
	}
	var d dump
	for line := range strings.SplitSeq(listing, "\x00") {
		if line == "" {
			continue // behind the last
		}
		entry, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(entry)
		if !ok || len(fields) != 3 {
			return false, fmt.Errorf("git ls-tree: unexpected answer %q", line)
		}
		target, err := makeRoom(into, name)
		if err == nil && target != "" {
			err = d.add(fields[0], fields[1], fields[2], target)
		}
		if err != nil {
			return false, err
		}
	}
	if err := p.writeObjects(ctx, d.hashes, d.files); err != nil {
		return false, err
	}
	for _, target := range d.links { // last, so that nothing is written through them
		if err := os.Symlink("nowhere", target); err != nil {
			return false, err
		}
	}
	return true, nil
}

// dump is what remains to be written of a commit.
type dump struct {
	hashes, files []string // blobs and where they go
	links         []string
}

// add takes one entry of a commit, by its mode, type and hash.
func (d *dump) add(mode, kind, hash, target string) error {
	switch {
	case mode == "120000":
		d.links = append(d.links, target)
		return nil
	case kind != "blob": // another repository within this one
		return os.Mkdir(target, 0o777)
	case path.Ext(target) != ".yaml":
		return os.WriteFile(target, nil, 0o666) // its name is all that counts
	}
	d.hashes, d.files = append(d.hashes, hash), append(d.files, target)
	return nil
}

// makeRoom makes the folder of a file of a commit and returns where the file
// goes, "" for one that lies too deep to be of interest. A commit that somebody
// has forged can hold any name, which must not lead out of the folder.
func makeRoom(into, name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name {
		return "", fmt.Errorf("the commit holds a file named %q, which can be nowhere", name)
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

// writeObjects writes blobs into files of their own.
func (p *Place) writeObjects(ctx context.Context, hashes, files []string) error {
	if len(hashes) == 0 {
		return nil
	}
	objects, err := start(ctx, []string{"-C", p.dir}, true, "cat-file", "--batch")
	if err != nil {
		return err
	}
	go func() { // git answers while it is asked
		defer objects.in.Close()
		_, _ = io.WriteString(objects.in, strings.Join(hashes, "\n")+"\n") // should it fail, answers are missing
	}()
	err = readObjects(bufio.NewReader(objects.out), hashes, files)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cmp.Or(objects.wait(), err) // git says why it has ended
	}
	if err != nil {
		objects.stop()
		return err
	}
	return objects.wait()
}

// readObjects takes apart what git cat-file --batch writes: for each blob a line
// with its hash, its type and its size, then its bytes and a line's end.
func readObjects(r *bufio.Reader, hashes, files []string) error {
	for i, file := range files {
		head, err := r.ReadString('\n')
		if err != nil {
			return fmt.Errorf("git cat-file: the answer ends before %s: %w", hashes[i], err)
		}
		fields := strings.Fields(head)
		if len(fields) != 3 || fields[0] != hashes[i] || fields[1] != "blob" {
			return fmt.Errorf("git cat-file: %s is asked for, and the answer is %q", hashes[i], strings.TrimSpace(head))
		}
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return fmt.Errorf("git cat-file: %s: %w", strings.TrimSpace(head), err)
		}
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		_, err = io.CopyN(f, r, size)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if _, err := r.Discard(1); err != nil {
			return fmt.Errorf("git cat-file: %s: %w", hashes[i], err)
		}
	}
	return nil
}
