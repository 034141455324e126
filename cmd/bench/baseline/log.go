package baseline

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// ReadRevisions reads every version of every file in a repository with plain git: git log
// lists the versions, git cat-file prints them, and the output is discarded. It returns the
// number of versions, not counting deletions. It passes no path to git log, because that
// would slow it down.
//
//	git log --first-parent --reverse --raw … | (object names) | git cat-file --batch > /dev/null
func ReadRevisions(ctx context.Context, repo string) (n int, err error) {
	list := gitCommand(ctx, repo, "log", "--first-parent", "--reverse", "--root", "--raw", "--no-abbrev", "--no-renames", "--format=", "HEAD")
	read := gitCommand(ctx, repo, "cat-file", "--batch", "--buffer")
	listed, err := list.StdoutPipe()
	if err != nil {
		return n, err
	}
	names, err := read.StdinPipe()
	if err != nil {
		return n, err
	}
	if err := list.Start(); err != nil {
		return n, err
	}
	if err := read.Start(); err != nil {
		_ = list.Process.Kill()
		return n, errors.Join(err, list.Wait())
	}
	out := bufio.NewWriterSize(names, 64<<10)
	n, err = objectNames(listed, out)
	return n, errors.Join(err, out.Flush(), names.Close(), finish(list), finish(read))
}

// objectNames extracts the names of the new objects from the output of git log
// --raw.
func objectNames(log io.Reader, names *bufio.Writer) (n int, err error) {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		// :100644 100644 <old object> <new object> M<tab>path
		fields := bytes.SplitN(lines.Bytes(), []byte(" "), 5)
		if len(fields) < 5 || fields[4][0] == 'D' {
			continue
		}
		n++
		_, _ = names.Write(fields[3])
		_ = names.WriteByte('\n') // Flush returns the error
	}
	return n, lines.Err()
}

func gitCommand(ctx context.Context, repo string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", repo}, args...)...)
	cmd.Stderr = new(bytes.Buffer)
	return cmd
}

// finish waits for a command to exit. If the command failed, the returned error includes
// its error output.
func finish(cmd *exec.Cmd) error {
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, cmd.Stderr)
	}
	return nil
}
