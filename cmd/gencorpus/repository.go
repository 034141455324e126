package main

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxCommits is the maximum number of commits in a history. At this maximum, there is
// about one commit every ten minutes.
const maxCommits = 100_000

// The time span of a history.
var (
	firstCommit = time.Date(2024, 11, 1, 8, 0, 0, 0, time.UTC)
	lastCommit  = time.Date(2026, 10, 31, 8, 0, 0, 0, time.UTC)
)

// The proportions of commits.
const (
	merged    = 0.10 // share of commits that merge a branch with one commit
	squashed  = 0.50 // share of squashed pull requests, with their number in the message
	unrelated = 0.02 // share of commits that do not touch the content
	skewed    = 0.01 // share of commits from a machine whose clock is slow
)

const (
	mainBranch = "refs/heads/main"
	sideBranch = "refs/heads/side" // deleted once all commits are written
	mailmap    = "Curator B <curator-b@example.org> cb <cb@old.example.org>\nCurator D <curator-d@example.org> <d@laptop.example.org>\n"
)

// authors lists author names as configured on different machines; .mailmap maps them to
// people.
var authors = []string{
	"Curator A <curator-a@example.org>", "Curator B <curator-b@example.org>", "cb <cb@old.example.org>",
	"Curator C <curator-c@example.org>", "Curator D <d@laptop.example.org>", "Figures Bot <bot@example.org>",
}

// merger is the committer recorded for pull requests that are merged on the server.
const merger = "Merge Queue <merge@example.org>"

// writeRepository writes the corpus as a git repository with a history.
func writeRepository(o options) (result, error) {
	if err := checkEmpty(o.repo); err != nil {
		return result{}, err
	}
	g, err := open(o)
	if err != nil {
		return result{}, err
	}
	if _, err := git(nil, "init", "-q", "--template=", "--object-format=sha1", "--initial-branch=main", o.repo); err != nil {
		return result{}, err
	}
	s := &stream{past: newHistory(g, firstCommit), rng: rand.New(rand.NewPCG(g.seed, 1<<63))}
	if err := s.importInto(o); err != nil {
		return result{}, err
	}
	for _, args := range [][]string{{"update-ref", "-d", sideBranch}, {"reset", "-q", "--hard", "main"}} {
		if _, err := git(nil, append([]string{"-C", o.repo}, args...)...); err != nil {
			return result{}, err
		}
	}
	r := result{counts: map[string]int{}, bytes: s.bytes, commits: o.commits, versions: s.versions}
	for typ, list := range s.past.existing {
		r.counts[typ] = len(list)
	}
	return r, nil
}

// git runs a git command without user configuration, which could change the
// result, and returns its output without the final newline.
func git(input io.Reader, args ...string) (output string, err error) {
	cmd := exec.Command("git", args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C")
	var out, problems bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, &out, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, problems.Bytes())
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// stream writes commits in the format of git fast-import.
type stream struct {
	*bufio.Writer
	past     *history
	rng      *rand.Rand
	side     int // mark of the last commit on the side branch
	pull     int // number of the last pull request
	versions int
	bytes    int64
}

// importInto pipes the history into git. Objects are compressed only lightly, because most
// of the time is spent on trees, which are stored as deltas.
func (s *stream) importInto(o options) error {
	r, w := io.Pipe()
	s.Writer = bufio.NewWriterSize(w, 1<<20)
	written := make(chan error, 1)
	go func() {
		err := s.write(o)
		w.CloseWithError(err)
		written <- err
	}()
	_, err := git(r, "-C", o.repo, "-c", "core.compression=1", "fast-import", "--quiet", "--done")
	r.CloseWithError(errors.New("git fast-import has ended")) // unblock the writer
	return errors.Join(err, <-written)
}

// write writes all commits.
func (s *stream) write(o options) error {
	if err := s.writeFirst(o); err != nil {
		return err
	}
	slot := lastCommit.Sub(firstCommit) / time.Duration(max(1, o.commits-1))
	for i := 1; i < o.commits; i++ {
		at := firstCommit.Add(time.Duration(i)*slot - time.Duration(s.rng.Int64N(int64(slot)))).Truncate(time.Second)
		s.writeNext(at)
	}
	fmt.Fprintln(s, "done")
	return s.Flush()
}

// writeFirst writes the initial commit.
func (s *stream) writeFirst(o options) error {
	folders, err := s.writeEntities(o.repo)
	if err != nil {
		return err
	}
	s.head(mainBranch, 0, commitInfo{author: authors[0], authored: firstCommit, committer: authors[0], committed: firstCommit, message: "Start the index"})
	s.file(".mailmap", []byte(mailmap))
	s.file("README.md", readme(firstCommit))
	for _, name := range rootFiles {
		data, err := os.ReadFile(filepath.Join(o.content, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		s.content(file{name, data})
	}
	for _, t := range folders {
		fmt.Fprintf(s, "M 040000 %s content/%s\n", t.id, t.name)
	}
	return nil
}

// folder is a folder whose tree is stored in the repository.
type folder struct{ name, id string }

// writeEntities writes the files of all entities, and the trees of their folders. git fast-import would search
// a folder from its start for each file that is added to it, which takes hours with a million files.
func (s *stream) writeEntities(repo string) ([]folder, error) {
	names := map[string]map[string][sha1.Size]byte{} // by folder and file
	for i := range s.past.g.subjects {
		e := s.past.current(i)
		data := appendYAML(nil, e)
		fmt.Fprintf(s, "blob\ndata %d\n%s\n", len(data), data)
		s.bytes += int64(len(data))
		s.versions++
		dir, name := path.Split(pathOf(e))
		if dir = path.Clean(dir); names[dir] == nil {
			names[dir] = map[string][sha1.Size]byte{}
		}
		// git's ID of the blob
		names[dir][name] = sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...))
	}
	var folders []folder
	for _, dir := range slices.Sorted(maps.Keys(names)) {
		var tree []byte
		for _, name := range slices.Sorted(maps.Keys(names[dir])) {
			id := names[dir][name]
			tree = append(fmt.Appendf(tree, "100644 %s\x00", name), id[:]...)
		}
		id, err := git(bytes.NewReader(tree), "-C", repo, "hash-object", "-t", "tree", "-w", "--stdin")
		if err != nil {
			return nil, err
		}
		folders = append(folders, folder{dir, id})
	}
	return folders, nil
}

// writeNext writes one more commit to the main branch.
func (s *stream) writeNext(at time.Time) {
	if s.rng.Float64() < skewed {
		at = at.Add(-7 * time.Hour)
	}
	who := pick(s.rng, authors)
	info := commitInfo{author: who, authored: at, committer: who, committed: at}
	if s.rng.Float64() < unrelated {
		info.message = "Record when the index was last checked"
		s.head(mainBranch, 0, info)
		s.file("README.md", readme(at))
		return
	}
	c := s.past.commit(at)
	info.message = c.subject
	branch := 0
	switch roll := s.rng.Float64(); {
	case roll < merged:
		info.authored = at.Add(-time.Duration(s.rng.IntN(100)) * time.Hour)
		branch = s.writeSide(info, c)
		s.pull++
		info = commitInfo{author: who, authored: at, committer: merger, committed: at,
			message: fmt.Sprintf("Merge pull request #%d from curators/edit-%d\n\n%s", s.pull, s.pull, c.subject)}
	case roll < merged+squashed:
		s.pull++
		info.authored = at.Add(-time.Duration(s.rng.IntN(100)) * time.Hour)
		info.committer = merger
		info.message = fmt.Sprintf("%s (#%d)", c.subject, s.pull)
	}
	s.head(mainBranch, branch, info)
	for _, f := range c.files {
		s.content(f)
	}
	s.versions += len(c.files)
}

// writeSide writes the single commit of a branch created from the main branch, and returns
// its mark.
func (s *stream) writeSide(info commitInfo, c *change) int {
	s.side++
	fmt.Fprintf(s, "reset %s\nfrom %s\n\n", sideBranch, mainBranch)
	info.committed, info.mark = info.authored, s.side
	s.head(sideBranch, 0, info)
	for _, f := range c.files {
		s.content(f)
	}
	return s.side
}

// commitInfo is the metadata of a commit.
type commitInfo struct {
	mark                int // 0 if there is none
	author, committer   string
	authored, committed time.Time
	message             string
}

// head starts a commit on a branch. It merges another commit unless merges is 0.
func (s *stream) head(branch string, merges int, c commitInfo) {
	fmt.Fprintf(s, "commit %s\n", branch)
	if c.mark > 0 {
		fmt.Fprintf(s, "mark :%d\n", c.mark)
	}
	fmt.Fprintf(s, "author %s %d +0100\ncommitter %s %d +0000\n", c.author, c.authored.Unix(), c.committer, c.committed.Unix())
	fmt.Fprintf(s, "data %d\n%s\n", len(c.message), c.message)
	if merges > 0 {
		fmt.Fprintf(s, "merge :%d\n", merges)
	}
}

// content writes or deletes a file in the content folder.
func (s *stream) content(f file) {
	s.bytes += int64(len(f.data))
	s.file("content/"+f.path, f.data)
}

// file writes or deletes a file in the current commit. The buffer keeps errors
// until it is flushed.
func (s *stream) file(path string, data []byte) {
	if data == nil {
		fmt.Fprintf(s, "D %s\n", path)
		return
	}
	fmt.Fprintf(s, "M 100644 inline %s\ndata %d\n", path, len(data))
	_, _ = s.Write(data)
	_ = s.WriteByte('\n')
}

// readme returns the repository's README, which builds do not read.
func readme(at time.Time) []byte {
	return fmt.Appendf(nil, "# A generated index\n\nLast checked on %s.\n", at.Format(time.DateOnly))
}
