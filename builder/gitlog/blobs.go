package gitlog

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/git"
)

// enoughToRefuse is how much of a file is kept for the parser: more than it
// takes, so that it says itself that a file is too large.
const enoughToRefuse = 1 << 20

// ahead is how many files are asked for before the first of them is parsed. It
// bounds the memory; their usual size is a kilobyte.
const ahead = 512

// job is a file whose blob is to be read and parsed.
type job struct {
	commit *logged
	file   *file
	data   []byte
}

// finish counts a file of a commit as read.
func (c *logged) finish() {
	if c.unread.Add(-1) == 0 {
		close(c.ready)
	}
}

// request asks a running git cat-file for the blobs of jobs, and hands the jobs on
// in the order in which the answers will come.
func request(ctx context.Context, p *git.Process, jobs <-chan *job, asked chan<- *job) error {
	defer close(asked)
	defer p.In.Close()
	out := bufio.NewWriter(p.In)
	for {
		var j *job
		var more bool
		select {
		case j, more = <-jobs:
		default: // nothing to do: git should not wait either
			if err := out.Flush(); err != nil {
				return err
			}
			j, more = <-jobs
		}
		if !more {
			return out.Flush()
		}
		if _, err := out.WriteString(j.file.blob + "\n"); err != nil {
			return err
		}
		select {
		case asked <- j:
			continue
		default: // the reader waits for what may still lie here
		}
		if err := out.Flush(); err != nil {
			return err
		}
		if !send(ctx, asked, j) {
			return ctx.Err()
		}
	}
}

// answer reads what git cat-file answers.
func answer(ctx context.Context, p *git.Process, asked <-chan *job, parse chan<- *job) error {
	defer close(parse)
	in := bufio.NewReaderSize(p.Out, 64<<10)
	for j := range asked {
		err := j.read(in)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return cmp.Or(p.Wait(), err) // git says why it has ended
		}
		if err == nil && !send(ctx, parse, j) {
			err = ctx.Err()
		}
		if err != nil {
			p.Stop()
			return err
		}
	}
	return p.Wait()
}

// read reads one answer: "<name> blob <size>", a line end, the bytes, a line end.
func (j *job) read(in *bufio.Reader) error {
	line, err := in.ReadString('\n')
	if err != nil {
		return fmt.Errorf("git cat-file: ends before %s: %w", j.file.blob, err)
	}
	said, named := strings.CutPrefix(strings.TrimSuffix(line, "\n"), j.file.blob+" ")
	digits, isBlob := strings.CutPrefix(said, "blob ")
	size, err := strconv.ParseInt(digits, 10, 64)
	if !named || isBlob && (err != nil || size < 0) {
		return fmt.Errorf("git cat-file: unexpected answer %q", line)
	}
	if !isBlob {
		return fmt.Errorf("git cat-file: %s/%s.yaml at %.12s: object %s is %s; git fsck tells more", j.file.typ, j.file.slug, j.commit.Hash, j.file.blob, said)
	}
	j.data = make([]byte, min(size, enoughToRefuse))
	if _, err := io.ReadFull(in, j.data); err != nil {
		return fmt.Errorf("git cat-file: ends within %s: %w", j.file.blob, err)
	}
	if _, err := io.CopyN(io.Discard, in, size-int64(len(j.data))+1); err != nil {
		return fmt.Errorf("git cat-file: ends within %s: %w", j.file.blob, err)
	}
	return nil
}

// parse parses files.
func parse(jobs <-chan *job) {
	for j := range jobs {
		f := j.file
		e, problems := content.ParseEntity(f.typ+"/"+f.slug+".yaml", f.typ, f.slug, j.data)
		if f.entity = e; e == nil {
			f.problem = firstError(problems)
		}
		j.data = nil
		j.commit.finish()
	}
}

// firstError is the first problem that keeps a file from being used.
func firstError(problems yamldoc.Problems) string {
	for _, p := range problems {
		if p.Severity == yamldoc.Error {
			if p.Field != "" {
				return p.Field + ": " + p.Text()
			}
			return p.Text()
		}
	}
	return "cannot be read"
}
