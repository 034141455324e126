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

// enoughToRefuse is the number of bytes of a file that are kept for the parser. It is more than
// the parser accepts, so that the parser reports larger files as too large.
const enoughToRefuse = 1 << 20

// ahead is the number of files that may be requested before the first one is parsed. It limits
// the use of memory; a file usually has about 1 KB.
const ahead = 512

// job is a file whose blob must be read and parsed.
type job struct {
	commit *logged
	file   *file
	data   []byte
}

// finish records that one more file of a commit has been read.
func (c *logged) finish() {
	if c.unread.Add(-1) == 0 {
		close(c.ready)
	}
}

// request requests the blobs for jobs from a running git cat-file, and forwards the jobs in the
// order in which the responses will arrive.
func request(ctx context.Context, p *git.Process, jobs <-chan *job, asked chan<- *job) error {
	defer close(asked)
	defer p.In.Close()
	out := bufio.NewWriter(p.In)
	for {
		var j *job
		var more bool
		select {
		case j, more = <-jobs:
		default: // there are no more jobs for now: do not keep git waiting
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
		default: // the reader is waiting for buffered requests
		}
		if err := out.Flush(); err != nil {
			return err
		}
		if !send(ctx, asked, j) {
			return ctx.Err()
		}
	}
}

// answer reads the responses of git cat-file.
func answer(ctx context.Context, p *git.Process, asked <-chan *job, parse chan<- *job) error {
	defer close(parse)
	in := bufio.NewReaderSize(p.Out, 64<<10)
	for j := range asked {
		err := j.read(in)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return cmp.Or(p.Wait(), err) // git's own error is more informative
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

// read reads one response: "<name> blob <size>", a line end, the bytes, a line end.
func (j *job) read(in *bufio.Reader) error {
	line, err := in.ReadString('\n')
	if err != nil {
		return fmt.Errorf("git cat-file: output ends before %s: %w", j.file.blob, err)
	}
	said, named := strings.CutPrefix(strings.TrimSuffix(line, "\n"), j.file.blob+" ")
	digits, isBlob := strings.CutPrefix(said, "blob ")
	size, err := strconv.ParseInt(digits, 10, 64)
	if !named || isBlob && (err != nil || size < 0) {
		return fmt.Errorf("git cat-file: unexpected response %q", line)
	}
	if !isBlob {
		return fmt.Errorf("git cat-file: %s/%s.yaml at %.12s: object %s is %s; run git fsck for details", j.file.typ, j.file.slug, j.commit.Hash, j.file.blob, said)
	}
	j.data = make([]byte, min(size, enoughToRefuse))
	if _, err := io.ReadFull(in, j.data); err != nil {
		return fmt.Errorf("git cat-file: output ends within %s: %w", j.file.blob, err)
	}
	if _, err := io.CopyN(io.Discard, in, size-int64(len(j.data))+1); err != nil {
		return fmt.Errorf("git cat-file: output ends within %s: %w", j.file.blob, err)
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

// firstError returns the first problem that is an error.
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
