package gitlog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"kindex/builder/content"
	"kindex/builder/git"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// logFormat is the format of a commit in git log. Each field ends with a NUL, which no field
// can contain. The fields are followed by the entries of --raw -z, which start with a colon.
const (
	logFormat = "%H%x00%ct%x00%P%x00%aN%x00%s%x00%b%x00"
	logFields = 6
)

// logged is a commit from git log, with the entity files that it changed relative to its
// first parent.
type logged struct {
	record.ArchivedCommit
	time  time.Time // of the committer, in UTC
	files []*file
}

// file is an entity file in the state in which a commit left it.
type file struct {
	typ, slug  string
	blob       string // object name of the file
	gone       bool
	entity     *record.Entity // nil if it is deleted or cannot be read
	incomplete bool           // whether the file has values that the index does not declare
	problem    string         // the reason the file cannot be read
}

// key returns the address of the entity.
func (f *file) key() string { return f.typ + "/" + f.slug }

// readLog returns the commits up to head and after since or, if since is "", all commits, oldest first, that
// changed entity files in the folder with a path.
func (r *repository) readLog(ctx context.Context, head, since, folder string) (commits []*logged, err error) {
	args := []string{
		"log", "--first-parent", "--reverse", "--diff-merges=first-parent", "--root", "--raw", "-z", "--no-abbrev",
		"--no-renames", "--no-relative", "--ignore-submodules=none", "--no-ext-diff", "--no-textconv", "--no-color",
		"--no-show-signature", "--no-notes", "--no-decorate", "--no-follow", "-O" + os.DevNull,
		"--encoding=UTF-8", "--format=tformat:" + logFormat, head,
	}
	if since != "" {
		args = append(args, "^"+since)
	}
	args = append(args, "--")
	for _, kind := range r.kinds.Names() {
		args = append(args, folder+kind)
	}
	err = r.Stream(ctx, r.command(args...), func(out *bufio.Reader) error {
		in := &logReader{in: out, kinds: r.kinds, path: folder}
		for {
			c, err := in.read()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if used, ok := r.times[c.Hash]; ok {
				c.time = used
			}
			if len(c.files) > 0 {
				commits = append(commits, c)
			}
		}
	})
	return commits, err
}

// logReader reads the output of git log.
type logReader struct {
	in    *bufio.Reader
	kinds *kinds.Set
	path  string // path of the content folder
	next  []byte // a token read ahead
}

// read returns the next commit, or io.EOF after the last one.
func (l *logReader) read() (*logged, error) {
	first, err := l.token()
	if err != nil {
		return nil, err
	}
	c := &logged{}
	if c.Hash = string(first); !git.IsObjectName(c.Hash) {
		return nil, unexpected(first)
	}
	var fields [logFields]string
	for i := 1; i < logFields; i++ {
		t, err := l.rest()
		if err != nil {
			return nil, err
		}
		fields[i] = string(t)
	}
	c.time, c.Author = commitTime(fields[1]), cleanName(fields[3])
	c.PullRequest = pullRequest(strings.TrimSpace(fields[4]), fields[5], strings.Contains(fields[2], " "))
	for {
		entry, err := l.token()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		if entry[0] != ':' {
			l.next = entry
			return c, nil
		}
		if err := l.entry(c, string(entry)); err != nil {
			return nil, err
		}
	}
}

// entry adds one changed file, whose path is the next token, if it is an entity file.
func (l *logReader) entry(c *logged, entry string) error {
	f := strings.Fields(entry[1:]) // old mode, new mode, old object, new object, status
	if len(f) != 5 || !git.IsObjectName(f[2]) || !git.IsObjectName(f[3]) || !strings.ContainsAny(f[4][:1], "AMDT") {
		return unexpected([]byte(entry))
	}
	path, err := l.rest()
	if err != nil {
		return err
	}
	below, ok := strings.CutPrefix(string(path), l.path)
	typ, slug, ok2 := entityPath(l.kinds, below)
	if !ok || !ok2 {
		return nil
	}
	e := &file{typ: typ, slug: slug, blob: f[3]}
	switch mode := f[1]; {
	case f[4] == "D":
		e.gone = true
	case mode == "120000":
		e.problem = "must be a regular file, not a link"
	case mode == "160000":
		e.problem = "must be a regular file, not a submodule"
	case !strings.HasPrefix(mode, "100"):
		return unexpected([]byte(entry))
	case f[2] == f[3] && strings.HasPrefix(f[0], "100"):
		return nil // only its mode has changed
	}
	c.files = append(c.files, e)
	return nil
}

// token returns the next non-empty field.
func (l *logReader) token() ([]byte, error) {
	if t := l.next; t != nil {
		l.next = nil
		return t, nil
	}
	for {
		t, err := l.field()
		if errors.Is(err, io.EOF) && len(bytes.TrimSpace(t)) == 0 {
			return nil, io.EOF
		}
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("git log: output ends within %q", shorten(t))
		}
		if err != nil {
			return nil, err
		}
		// The message and the entries may be separated by a NUL, a line end, or both.
		if t = bytes.TrimLeft(t[:len(t)-1], "\n"); len(t) > 0 {
			return t, nil
		}
	}
}

// rest returns the bytes up to the next NUL, which must exist.
func (l *logReader) rest() ([]byte, error) {
	t, err := l.field()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("git log: output ends within %q", shorten(t))
	}
	if err != nil {
		return nil, err
	}
	return t[:len(t)-1], nil
}

// maxField is the number of bytes of a field that are kept. A commit message can have
// hundreds of megabytes.
const maxField = 1 << 20

// field reads up to and including the next NUL. If the field is too long, it is truncated.
func (l *logReader) field() (t []byte, err error) {
	for {
		part, err := l.in.ReadSlice(0)
		if room := maxField - len(t); len(part) <= room {
			t = append(t, part...)
		} else {
			t = append(t, part[:room]...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return t, err
		default:
			t[len(t)-1] = 0
			return t, nil
		}
	}
}

func unexpected(t []byte) error { return fmt.Errorf("git log: unexpected output %q", shorten(t)) }

func shorten(t []byte) []byte { return t[:min(len(t), 200)] }

// entityPath returns the type and slug of the entity at a path relative to the content
// folder.
func entityPath(declared *kinds.Set, path string) (typ, slug string, ok bool) {
	typ, base, _ := strings.Cut(path, "/")
	slug, yaml := strings.CutSuffix(base, ".yaml")
	k := declared.Kind(typ)
	if k == nil || !yaml || !content.ValidSlug(slug) {
		return "", "", false
	}
	return k.Name, strings.Clone(slug), true
}

// firstTime and lastTime are the earliest and latest times that RFC 3339 can express.
var (
	firstTime = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	lastTime  = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
)

// commitTime parses a commit time, which git prints in seconds. If the commit has no valid
// time, git prints nothing, and commitTime returns the Unix time 0.
func commitTime(seconds string) time.Time {
	n, _ := strconv.ParseInt(seconds, 10, 64) // a number with too many digits becomes the largest possible one
	return time.Unix(max(firstTime.Unix(), min(n, lastTime.Unix())), 0).UTC()
}

// maxName is the maximum length of a name in characters. It is limited because every change
// stores the name of the commit's author.
const maxName = 200

// cleanName makes a name readable, whatever bytes it contains. It removes all invisible
// characters except those that join letters in some scripts.
func cleanName(name string) string {
	clean := strings.TrimSpace(safetext.Replace(strings.ToValidUTF8(name, "\ufffd"), "\ufffd"))
	return safetext.Shorten(clean, maxName)
}
