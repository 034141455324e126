package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// The time span of a history.
var (
	firstCommit = time.Date(2024, 11, 1, 8, 0, 0, 0, time.UTC)
	lastCommit  = time.Date(2026, 10, 31, 8, 0, 0, 0, time.UTC)
)

// history edits the entities, commit by commit, and writes the commits for git fast-import. The
// buffer keeps errors until it is flushed.
type history struct {
	*bufio.Writer
	g     *generator
	rng   *rand.Rand
	now   map[int]*entity // by index of their subject
	alive []int
	at    time.Time
}

// current returns an entity as it is.
func (h *history) current(i int) *entity {
	if e := h.now[i]; e != nil {
		return e
	}
	return h.g.entity(i)
}

// edit changes an entity and writes its file. Most edits update figures.
func (h *history) edit(i int) {
	was := h.current(i)
	e := &entity{was.typ, was.slug, maps.Clone(was.text)}
	p, base := h.g.pools[e.typ], h.g.subjects[i].base
	switch roll := h.rng.IntN(100); {
	case roll < 3 && len(h.alive) > 20:
		h.alive = slices.DeleteFunc(h.alive, func(k int) bool { return k == i })
		fmt.Fprintf(h, "D content/%s\n", was.path())
		return
	case roll < 6 && e.text["formerly"] == "":
		var name string
		name, e.slug = h.g.newName(e.typ)
		e.text["name"], e.text["formerly"] = "name: "+name+"\n", "formerly: ["+was.slug+"]\n"
		fmt.Fprintf(h, "D content/%s\n", was.path())
	case roll < 16:
		e.text["tags"] = swapTag(h.rng, e.text["tags"], pick(h.rng, p.all).text["tags"])
	case roll < 30 || e.text["signals"] == "":
		e.text["description"] = describe(h.rng, base, pick(h.rng, p.all), pick(h.rng, p.byCategory[base.category]))
	default:
		e.text["signals"] = restate(e.text["signals"], func(what string, t time.Time) time.Time {
			if what == "date" {
				return h.at
			}
			return t
		}, func(line string, value float64) float64 {
			if strings.HasPrefix(line, "    - ") || strings.Contains(line, "Tokens:") {
				return value
			}
			return math.Round(value * (1 + 0.05*h.rng.ExpFloat64()))
		})
	}
	h.write(i, e)
}

// write writes the file of an entity.
func (h *history) write(i int, e *entity) {
	h.now[i] = e
	h.file("content/"+e.path(), h.g.bytes(e))
}

func (h *history) file(path string, data []byte) {
	fmt.Fprintf(h, "M 100644 inline %s\ndata %d\n%s\n", path, len(data), data)
}

// commit starts a commit, which follows the one before.
func (h *history) commit(at time.Time, message string) {
	h.at = at
	who := pick(h.rng, []string{"Curator A <curator-a@example.org>", "Curator B <curator-b@example.org>", "Figures Bot <bot@example.org>"})
	fmt.Fprintf(h, "commit refs/heads/main\ncommitter %s %d +0100\ndata %d\n%s\n", who, at.Unix(), len(message), message)
}

// commits writes all commits.
func (h *history) commits(n int) error {
	h.g.back = int(lastCommit.Sub(firstCommit).Hours()/24) + 30 // no figure is newer than its commit
	h.commit(firstCommit, "Start the index")
	for _, name := range slices.Sorted(maps.Keys(h.g.shared)) {
		h.file("content/"+name, h.g.shared[name])
	}
	for i := range h.g.subjects {
		h.write(i, h.current(i))
		h.alive = append(h.alive, i)
	}
	for k := 1; k < n; k++ {
		at := firstCommit.Add(time.Duration(float64(lastCommit.Sub(firstCommit)) * float64(k) / float64(n)))
		h.commit(at.Truncate(time.Second), fmt.Sprintf("Edit the index (#%d)", k))
		for range 1 + min(h.rng.IntN(4), h.rng.IntN(4)) {
			h.edit(pick(h.rng, h.alive))
		}
		if h.rng.IntN(20) == 0 {
			h.g.addSubject()
			i := len(h.g.subjects) - 1
			h.alive = append(h.alive, i)
			h.write(i, h.current(i))
		}
	}
	fmt.Fprintln(h, "done")
	return h.Flush()
}

// writeRepository writes the entities as a git repository with a history.
func writeRepository(g *generator, o options) error {
	if err := git(nil, "init", "-q", "--template=", "--object-format=sha1", "--initial-branch=main", o.repo); err != nil {
		return err
	}
	r, w := io.Pipe()
	h := &history{Writer: bufio.NewWriterSize(w, 1<<20), g: g, rng: rand.New(rand.NewPCG(g.seed, 1<<63)), now: map[int]*entity{}}
	go func() { w.CloseWithError(h.commits(o.commits)) }()
	// Most of the time is spent on trees, which are stored as differences.
	err := git(r, "-C", o.repo, "-c", "core.compression=1", "fast-import", "--quiet", "--done")
	if r.CloseWithError(io.ErrClosedPipe); err != nil { // unblock the writer
		return err
	}
	return git(nil, "-C", o.repo, "reset", "-q", "--hard", "main")
}

// git runs a command without user configuration, which could change the result.
func git(input io.Reader, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Stdin = input
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C")
	var problems bytes.Buffer
	if cmd.Stderr = &problems; cmd.Run() != nil {
		return fmt.Errorf("git %s: %s", strings.Join(args, " "), problems.Bytes())
	}
	return nil
}
