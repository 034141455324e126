package gitlog

import (
	"bufio"
	"cmp"
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
)

// Location is where a content folder lies in a git repository.
type Location struct {
	*git.Repository
	prefix string // the content folder from the root of the repository, "" for the root itself
}

// FindLocation asks git where dir lies. The folder itself need not be there: at
// another commit it may be. Close the place after use.
func FindLocation(ctx context.Context, dir string) (*Location, error) {
	if !git.Available() {
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
	r, err := git.Open(ctx, there)
	if errors.Is(err, git.ErrNoRepository) {
		return nil, fmt.Errorf("%s lies in no git repository; commits can be compared within one only", dir)
	}
	if err != nil {
		return nil, err
	}
	prefix := path.Join(r.Prefix, filepath.ToSlash(rest))
	return &Location{r, strings.TrimPrefix(prefix, ".")}, nil
}

// Path is where the file of an entity lies, from the root of the repository.
func (p *Location) Path(typ, slug string) string { return path.Join(p.prefix, typ, slug+".yaml") }

// Folder is where the content folder lies, from the root of the repository; "" is
// the root itself.
func (p *Location) Folder() string { return p.prefix }

// Commit returns the hash of the commit that a name stands for: a branch, a
// tag, HEAD~2, the beginning of a hash.
func (p *Location) Commit(ctx context.Context, name string) (string, error) {
	if strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\n") {
		return "", fmt.Errorf("%q names no commit", name)
	}
	hash, err := p.Resolve(ctx, name+"^{commit}")
	if err != nil || hash != "" {
		return hash, err
	}
	if head, err := p.Head(ctx); err == nil && head == "" && name == "HEAD" {
		return "", errors.New("the repository has no commit yet")
	}
	text := fmt.Sprintf("there is no commit, branch or tag %q", name)
	if names, err := p.Names(ctx); err == nil {
		if near := didyoumean.Name(name, names); near != "" {
			text += fmt.Sprintf(" (did you mean %q?)", near)
		}
	}
	if p.Shallow {
		text += "; the clone is shallow, it may lie in what is missing: " + unshallow
	}
	return "", errors.New(text)
}

func (p *Location) git(ctx context.Context, args ...string) (string, error) {
	return p.Run(ctx, git.Command{Args: args})
}

// unshallow is the command that completes a shallow clone.
const unshallow = "git fetch --unshallow"

// MergeBase returns the hash of the commit at which two commits parted.
func (p *Location) MergeBase(ctx context.Context, a, b string) (string, error) {
	hash, err := p.git(ctx, "merge-base", a, b)
	switch {
	case err == nil:
		return strings.TrimSpace(hash), nil
	case git.ExitCode(err) != 1:
		return "", err
	case p.Shallow:
		return "", fmt.Errorf("the commit at which %.12s and %.12s parted is not there, because the clone is shallow; fetch it with: %s", a, b, unshallow)
	}
	return "", fmt.Errorf("%.12s and %.12s have no commit in common; compare them directly, with two dots", a, b)
}

// WriteTree writes the content folder as it is at a commit into a folder, which
// must be empty. It returns false where the commit has no such folder. Only what
// the loader looks at is written: names to a depth of two, and the bytes of YAML
// files. A link is written as one that leads nowhere.
func (p *Location) WriteTree(ctx context.Context, commit, into string) (bool, error) {
	object, err := p.Resolve(ctx, commit+":"+p.prefix)
	if err != nil || object == "" {
		return false, err // it is no part of the commit
	}
	if kind, err := p.git(ctx, "cat-file", "-t", object); err != nil || strings.TrimSpace(kind) != "tree" {
		return false, err
	}
	listing, err := p.git(ctx, "ls-tree", "-r", "-z", "--full-tree", object)
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
func (p *Location) writeObjects(ctx context.Context, hashes, files []string) error {
	if len(hashes) == 0 {
		return nil
	}
	objects, err := p.StartWithInput(ctx, git.Command{Args: []string{"cat-file", "--batch"}})
	if err != nil {
		return err
	}
	go func() { // git answers while it is asked
		defer objects.In.Close()
		_, _ = io.WriteString(objects.In, strings.Join(hashes, "\n")+"\n") // should it fail, answers are missing
	}()
	err = readObjects(bufio.NewReader(objects.Out), hashes, files)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cmp.Or(objects.Wait(), err) // git says why it has ended
	}
	if err != nil {
		objects.Stop()
		return err
	}
	return objects.Wait()
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
