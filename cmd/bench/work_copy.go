package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// editedType is the type of the entities to edit. Entities of this type have stars.
const editedType = "tool"

// workCopy is a copy of the content in which entities are edited. The original is
// not modified.
type workCopy struct {
	repo     string // "" for a plain folder
	content  string
	entities int
	newest   string   // the file of the last edit
	files    []string // files of entities with a description and stars, shuffled
	edits    int
}

// plainFolder copies the corpus on the first call, and returns the copy.
func (b *bench) plainFolder() (*workCopy, error) {
	if b.plain != nil {
		return b.plain, nil
	}
	w := &workCopy{content: filepath.Join(b.tmp, "plain")}
	if err := linkTree(b.corpus, w.content); err != nil {
		return nil, err
	}
	b.plain = w
	return w, w.survey(b.seed)
}

// clone copies the repository on the first call, and returns the copy.
func (b *bench) clone(ctx context.Context) (*workCopy, error) {
	if b.repository != nil {
		return b.repository, nil
	}
	w := &workCopy{repo: filepath.Join(b.tmp, "repository")}
	w.content = filepath.Join(w.repo, "content")
	if _, err := git(ctx, b.tmp, "clone", "-q", "--local", "--no-tags", b.history, w.repo); err != nil {
		return nil, err
	}
	b.repository = w
	return w, w.survey(b.seed)
}

// linkTree copies a folder using hard links. That is safe because edits replace
// files and never modify them in place.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if os.Link(path, target) == nil {
			return nil
		}
		return copyFile(path, target) // the folders may be on different disks
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// readFiles reads all files of a folder, so that they are in the page cache: whatever is measured next should not
// depend on the disk, nor on what ran before.
func readFiles(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, f)
		return errors.Join(err, f.Close())
	})
}

// survey counts the entities and shuffles the files of the edited type.
func (w *workCopy) survey(seed uint64) error {
	folders, err := filepath.Glob(filepath.Join(w.content, "*", "*.yaml"))
	if err != nil {
		return err
	}
	for _, path := range folders {
		w.entities++
		if filepath.Base(filepath.Dir(path)) == editedType {
			w.files = append(w.files, path)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 17))
	rng.Shuffle(len(w.files), func(i, j int) { w.files[i], w.files[j] = w.files[j], w.files[i] })
	return nil
}

// editedEntity is an entity after an edit.
type editedEntity struct {
	slug, mark string // mark is a string that only the new description contains
}

var (
	descriptionLine = regexp.MustCompile(`(?m)^(description: \w[^\n]*|description: "[^\n]*)$`)
	starsLine       = regexp.MustCompile(`(?m)^(  stars: \{value: )(\d+)`)
)

// edit changes the description and the stars of one more entity. Like an editor, it
// writes a new file and renames it into place.
func (w *workCopy) edit() (editedEntity, error) {
	for len(w.files) > 0 {
		path := w.files[0]
		w.files = w.files[1:]
		text, err := os.ReadFile(path)
		if err != nil {
			return editedEntity{}, err
		}
		mark := fmt.Sprintf("Edit number %d.", w.edits+1)
		changed, ok := rewrite(text, mark)
		if !ok {
			continue
		}
		w.edits++
		w.newest = path
		tmp := path + ".tmp"
		if err := os.WriteFile(tmp, changed, 0o644); err != nil {
			return editedEntity{}, err
		}
		slug := strings.TrimSuffix(filepath.Base(path), ".yaml")
		return editedEntity{slug, mark}, os.Rename(tmp, path)
	}
	return editedEntity{}, fmt.Errorf("%s: too few files of type %s with a description on one line and stars", w.content, editedType)
}

// findEdit returns how long it takes to find the last edit: in a repository, where it must be the last commit, with
// git; in a plain folder, with find.
func (w *workCopy) findEdit(ctx context.Context) (time.Duration, error) {
	start := time.Now()
	if w.repo != "" {
		_, err := git(ctx, w.repo, "diff-tree", "-r", "--name-only", "HEAD~1", "HEAD")
		return time.Since(start), err
	}
	marker := w.content + ".marker"
	info, err := os.Stat(w.newest)
	if err == nil {
		err = os.WriteFile(marker, nil, 0o644)
	}
	if err == nil {
		err = os.Chtimes(marker, time.Time{}, info.ModTime().Add(-time.Second))
	}
	if err != nil {
		return 0, err
	}
	start = time.Now()
	out, err := exec.CommandContext(ctx, "find", w.content, "-newer", marker).Output()
	took := time.Since(start)
	if err == nil && !bytes.Contains(out, []byte(w.newest)) {
		err = fmt.Errorf("find does not list %s: %s", w.newest, tail(out))
	}
	return took, err
}

// rewrite appends a sentence to the description and increments the number of stars.
func rewrite(text []byte, sentence string) (changed []byte, ok bool) {
	d := descriptionLine.FindIndex(text)
	if d == nil || d[1]-d[0] > 1500 || bytes.HasPrefix(text[min(d[1]+1, len(text)):], []byte(" ")) {
		return nil, false
	}
	line := append([]byte{}, text[d[0]:d[1]]...)
	if quoted := bytes.TrimSuffix(line, []byte(`"`)); len(quoted) < len(line) {
		line = append(quoted, ` `+sentence+`"`...)
	} else {
		line = append(line, ` `+sentence...)
	}
	changed = append(append(append([]byte{}, text[:d[0]]...), line...), text[d[1]:]...)
	s := starsLine.FindSubmatchIndex(changed)
	if s == nil {
		return nil, false
	}
	stars, err := strconv.Atoi(string(changed[s[4]:s[5]]))
	if err != nil {
		return nil, false
	}
	return append(strconv.AppendInt(append([]byte{}, changed[:s[4]]...), int64(stars+1+stars/20), 10), changed[s[5]:]...), true
}

// commit commits the edits if there is a repository.
func (w *workCopy) commit(ctx context.Context) error {
	if w.repo == "" {
		return nil
	}
	_, err := git(ctx, w.repo, "-c", "user.name=Curator A", "-c", "user.email=curator-a@example.org",
		"commit", "-q", "--all", "-m", fmt.Sprintf("Edit %d (#%d)", w.edits, w.edits))
	return err
}

// git runs a git command in a folder without user configuration and returns its
// output. Commits are dated after the end of the history and before the as-of time.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	at, err := time.Parse(time.DateOnly, asOf)
	if err != nil {
		return nil, err
	}
	when := at.Add(-time.Hour).Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, tail(problems.Bytes()))
	}
	return out.Bytes(), nil
}
