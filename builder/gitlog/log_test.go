package gitlog

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"kindex/builder/content"
	"kindex/builder/git"
	"kindex/exports/kinds"
)

const (
	hashA  = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	hashB  = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	noBlob = "0000000000000000000000000000000000000000"
)

// logs contains outputs of git log, with @ for NUL, and the parsed results: commits by author,
// each with its files. If the last line is in brackets, it is the error.
var logs = []struct{ in, want string }{
	{"", ""},
	{hashA + "@100@@Ada@one@@@\n:000000 100644 " + noBlob + " " + hashB + " A@c/tool/a.yaml@", "Ada: tool/a=bb"},
	{hashA + "@100@@Ada@one@@:000000 100644 " + noBlob + " " + hashB + " A@c/tool/a.yaml@" + hashB + "@1@" + hashA + "@Bob@:100644 x@body\n:1\n@@",
		"Ada: tool/a=bb\nBob:"},
	{hashA + "@1@@Ada@s@b\n@@\n:100644 000000 " + hashA + " " + noBlob + " D@c/tool/a.yaml@:100644 120000 " + hashA + " " + hashB +
		" T@c/model/b.yaml@:100644 100755 " + hashA + " " + hashA + " M@c/model/c.yaml@:100644 100644 " + hashA + " " + hashB + " M@c/tool/x/y.yaml@",
		"Ada: tool/a gone model/b (must be a regular file, not a link)"},
	{hashA + "@1@@Ada@s", "[git log: output ends within \"s\"]"},
	{hashA + "@1@@Ada@s@@@\n:100644 000000 " + hashA + " " + noBlob + " D@c/tool/a", "[git log: output ends within \"c/tool/a\"]"},
	{hashA[:39], "[git log: output ends within \"" + hashA[:39] + "\"]"},
	{"fatal@", "[git log: unexpected output \"fatal\"]"},
	{hashA + "@1@@Ada@s@@@:100644 100644 " + hashA + " " + hashB + " R100@c/tool/a.yaml@c/tool/b.yaml@", "[git log: unexpected output \":100644 100644 " + hashA + " " + hashB + " R100\"]"},
	{hashA + "@1@@Ada@s@@@:100644 040000 " + hashA + " " + hashB + " M@c/tool/a.yaml@", "[git log: unexpected output \":100644 040000 " + hashA + " " + hashB + " M\"]"},
	{hashA + "@1@@Ada@s@@@::100644@", "[git log: unexpected output \"::100644\"]"},
}

func TestLogReader(t *testing.T) {
	for _, c := range logs {
		in := strings.ReplaceAll(c.in, "@", "\x00")
		if got := readAll(in); got != c.want {
			t.Errorf("%q: read %q, want %q", in, got, c.want)
		}
	}
}

// readAll parses the output of git log and formats the result.
func readAll(in string) string {
	l := &logReader{in: bufio.NewReaderSize(strings.NewReader(in), 16), kinds: kinds.Default(), path: "c/"}
	var lines []string
	for {
		c, err := l.read()
		if errors.Is(err, io.EOF) {
			return strings.Join(lines, "\n")
		}
		if err != nil {
			return strings.Join(append(lines, "["+err.Error()+"]"), "\n")
		}
		line := c.Author + ":"
		for _, f := range c.files {
			line += " " + f.typ + "/" + f.slug
			switch {
			case f.gone:
				line += " gone"
			case f.problem != "":
				line += " (" + f.problem + ")"
			default:
				line += "=" + f.blob[:2]
			}
		}
		lines = append(lines, line)
	}
}

// FuzzLogReader checks that, for any input, the reader does not panic, ends with EOF or an
// error, and returns only well-formed commits.
func FuzzLogReader(f *testing.F) {
	for _, c := range logs {
		f.Add(strings.ReplaceAll(c.in, "@", "\x00"))
	}
	f.Fuzz(func(t *testing.T, in string) {
		l := &logReader{in: bufio.NewReader(strings.NewReader(in)), kinds: kinds.Default(), path: "c/"}
		for n := 0; ; n++ {
			c, err := l.read()
			if err != nil {
				if errors.Is(err, io.EOF) != (err == io.EOF) || c != nil { //nolint:errorlint // io.EOF is never wrapped
					t.Errorf("read %v, %v", c, err)
				}
				return
			}
			if n > len(in) || !git.IsObjectName(c.Hash) || !utf8.ValidString(c.Author) || c.time.Year() < 0 || c.time.Year() > 9999 || c.PullRequest < 0 {
				t.Fatalf("commit %+v", c.ArchivedCommit)
			}
			for _, x := range c.files {
				if !content.ValidSlug(x.slug) || x.typ != kinds.Default().Names()[0] && x.typ != kinds.Default().Names()[1] || !git.IsObjectName(x.blob) {
					t.Errorf("file %+v", x)
				}
			}
		}
	})
}

var messages = []struct {
	subject, body string
	merge         bool
	want          int
}{
	{"Merge pull request #12 from ada/branch", "Add (#3)", true, 12},
	{"Merge pull request #12 from ada/branch (#13)", "", false, 12},
	{"Add a tool (#12)", "", false, 12},
	{`Revert "Add a tool (#3)" (#12)`, "This reverts commit aaaa.", false, 12},
	{`Revert "Add a tool (#3)"`, "", false, 0},
	{`Revert "Merge pull request #3 from x"`, "", false, 0},
	{"Fix #12", "See #12, (#13)", false, 0},
	{"Add (#12) again", "", false, 0},
	{"Add (#0)", "", false, 0},
	{"Add (#012)", "", false, 0},
	{"Add (# 12)", "", false, 0},
	{"Add (#1234567890)", "", false, 0},
	{"Add (#123456789)", "", false, 123456789},
	{"(#1)", "", false, 1},
	{"Merge branch 'x' into 'main'", "A title\n\nSee merge request group/sub/project!12\n", true, 12},
	{"Merge branch 'x' into 'main'", "See merge request group/project!12\r\n", true, 12},
	{"Merge branch 'x' into 'main'", "See merge request !12", true, 12},
	{"Merge branch 'x' into 'main'", "See merge request group/project!3\n\nSee merge request group/project!12", true, 12},
	{"Merge branch 'x' into 'main'", "See merge request group/project!12", false, 0},
	{"Merge branch 'x' into 'main'", "Do see merge request group/project!12", true, 0},
	{"Merge branch 'x' into 'main'", "See merge request group/project!12 and more", true, 0},
	{"Merged in ada/branch (pull request #12)", "Add", true, 12},
	{"Merge pull request 'Add saw (again)' (#13) from ada/saw into main", "Reviewed-on: https://codeberg.org/acme/index/pulls/13", true, 13},
	{"Merge pull request #14 'Add' from ada/saw", "", true, 0},
	{"Merged PR 15: Add saw", "Related work items: #99", true, 15},
	{"Merged PR abc: Add saw", "", true, 0},
	{"Pull request #16: Add saw", "Merge in INDEX/index from saw to main", true, 16},
	{"Pull request #17 was fine", "", false, 0},
	{"merged in ada/branch (pull request #12)", "", true, 0},
	{"Merge pull request 12 from x", "", true, 0},
	{"", "", false, 0},
}

func TestPullRequest(t *testing.T) {
	for _, c := range messages {
		if got := pullRequest(c.subject, c.body, c.merge); got != c.want {
			t.Errorf("%q, %q, merge %v: %d, want %d", c.subject, c.body, c.merge, got, c.want)
		}
	}
}

// FuzzPullRequest checks that every number that is found occurs in the message after a #, a ! or PR.
func FuzzPullRequest(f *testing.F) {
	for _, c := range messages {
		f.Add(c.subject, c.body, c.merge)
	}
	f.Fuzz(func(t *testing.T, subject, body string, merge bool) {
		n := pullRequest(subject, body, merge)
		if n < 0 || n > 0 && !strings.Contains(subject, "#"+strconv.Itoa(n)) && !strings.Contains(subject, "PR "+strconv.Itoa(n)) && !(merge && strings.Contains(body, "!"+strconv.Itoa(n))) {
			t.Errorf("%q, %q: %d", subject, body, n)
		}
	})
}
