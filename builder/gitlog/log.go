package gitlog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
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
		var c *logged
		for {
			token, err := nextToken(out)
			if errors.Is(err, io.EOF) && token == "" {
				break
			}
			var rest [logFields - 1]string
			switch {
			case err != nil:
			case git.IsObjectName(token):
				if err = readFields(out, rest[:]); err == nil {
					c = r.commit(token, rest)
					commits = append(commits, c)
				}
			case token[0] == ':' && c != nil:
				if err = readFields(out, rest[:1]); err == nil {
					err = r.changed(c, token, strings.TrimPrefix(rest[0], folder))
				}
			default:
				err = unexpected(token)
			}
			if err != nil {
				return err
			}
		}
		commits = slices.DeleteFunc(commits, func(c *logged) bool { return len(c.files) == 0 })
		return nil
	})
	return commits, err
}

func (r *repository) commit(hash string, fields [logFields - 1]string) *logged {
	c := &logged{time: commitTime(fields[0])}
	c.Hash, c.Author = hash, cleanName(fields[2])
	c.PullRequest = pullRequest(strings.TrimSpace(fields[3]), fields[4], strings.Contains(fields[1], " "))
	if used, ok := r.times[hash]; ok {
		c.time = used
	}
	return c
}

// changed adds a changed file to a commit, if it is an entity file. path is relative to the content folder.
func (r *repository) changed(c *logged, entry, path string) error {
	f := strings.Fields(entry[1:]) // old mode, new mode, old object, new object, status
	if len(f) != 5 || !git.IsObjectName(f[2]) || !git.IsObjectName(f[3]) || !strings.ContainsAny(f[4][:1], "AMDT") {
		return unexpected(entry)
	}
	typ, slug, ok := entityPath(r.kinds, path)
	if !ok {
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
		return unexpected(entry)
	case f[2] == f[3] && strings.HasPrefix(f[0], "100"):
		return nil // only its mode has changed
	}
	c.files = append(c.files, e)
	return nil
}

// nextToken returns the next field that is not empty. The message of a commit and the entries may be separated
// by a NUL, a line end, or both.
func nextToken(in *bufio.Reader) (string, error) {
	for {
		t, err := readField(in)
		if t = strings.TrimLeft(t, "\n"); t != "" || err != nil {
			return t, err
		}
	}
}

func readFields(in *bufio.Reader, fields []string) (err error) {
	for i := range fields {
		if fields[i], err = readField(in); err != nil {
			return fmt.Errorf("git log: output ends within %q: %w", shorten(fields[i]), err)
		}
	}
	return nil
}

// maxField is the number of bytes of a field that are kept. A commit message can have
// hundreds of megabytes.
const maxField = 1 << 20

// readField returns the bytes up to the next NUL, and the first ones of a field that is too long.
func readField(in *bufio.Reader) (string, error) {
	var t []byte
	for {
		part, err := in.ReadSlice(0)
		t = append(t, part[:min(len(part), maxField-len(t))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimSuffix(string(t), "\x00"), err
		}
	}
}

func unexpected(t string) error { return fmt.Errorf("git log: unexpected output %q", shorten(t)) }

func shorten(t string) string { return t[:min(len(t), 200)] }

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

// Patterns of the merge commit messages that hosting services write.
var (
	giteaMerge     = regexp.MustCompile(`^Merge pull request '.*' \(#([1-9][0-9]{0,8})\) from `) // also Forgejo and Codeberg
	azureMerge     = regexp.MustCompile(`^Merged PR ([1-9][0-9]{0,8}): `)
	serverMerge    = regexp.MustCompile(`^Pull request #([1-9][0-9]{0,8}): `) // Bitbucket Data Center
	githubMerge    = regexp.MustCompile(`^Merge pull request #([1-9][0-9]{0,8}) from `)
	bitbucketMerge = regexp.MustCompile(`^Merged in .+ \(pull request #([1-9][0-9]{0,8})\)$`)
	squashed       = regexp.MustCompile(`\(#([1-9][0-9]{0,8})\)$`)
	gitlabMerge    = regexp.MustCompile(`(?m)^See merge request [^\s!]*!([1-9][0-9]{0,8})\r?$`)
)

// pullRequest returns the number of the pull request that a commit merges, as recorded by
// GitHub, GitLab, Gitea, Forgejo, Azure DevOps or Bitbucket, or 0 if there is none. Other numbers in a message are ignored.
func pullRequest(subject, body string, merge bool) int {
	for _, form := range []*regexp.Regexp{githubMerge, giteaMerge, azureMerge, bitbucketMerge, serverMerge, squashed} {
		if m := form.FindStringSubmatch(subject); m != nil {
			return number(m[1])
		}
	}
	if all := gitlabMerge.FindAllStringSubmatch(body, -1); merge && len(all) > 0 {
		return number(all[len(all)-1][1])
	}
	return 0
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // at most nine digits
	return n
}
