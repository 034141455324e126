package gitlog

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"kindex/builder/git"
)

// enoughToRefuse is the number of bytes of a file that are kept for the parser. It is more than
// the parser accepts, so that the parser reports larger files as too large.
const enoughToRefuse = 1 << 20

// blob is a file of a commit.
type blob struct {
	name string // of the object
	file string // for errors
}

// readBlobs reads blobs, and calls each with every blob's index and bytes, or the first ones of a blob that
// is too large for the parser.
func readBlobs(ctx context.Context, r *git.Repository, blobs []blob, each func(i int, data []byte) error) error {
	if len(blobs) == 0 {
		return nil
	}
	var names strings.Builder
	for _, b := range blobs {
		names.WriteString(b.name + "\n")
	}
	return r.Stream(ctx, git.Command{Args: []string{"cat-file", "--batch"}, Input: []byte(names.String())}, func(in *bufio.Reader) error {
		for i, b := range blobs {
			data, err := b.read(in)
			if err == nil {
				err = each(i, data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// read reads one response of git cat-file --batch: "<name> blob <size>", a line end, the bytes, a line end.
func (b *blob) read(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: output ends before %s: %w", b.name, err)
	}
	said, named := strings.CutPrefix(strings.TrimSuffix(line, "\n"), b.name+" ")
	digits, isBlob := strings.CutPrefix(said, "blob ")
	size, err := strconv.ParseInt(digits, 10, 64)
	if !named || isBlob && (err != nil || size < 0) {
		return nil, fmt.Errorf("git cat-file: unexpected response %q", line)
	}
	if !isBlob {
		return nil, fmt.Errorf("git cat-file: %s: object %s is %s; run git fsck for details", b.file, b.name, said)
	}
	data := make([]byte, min(size, enoughToRefuse))
	if _, err = io.ReadFull(in, data); err == nil {
		_, err = io.CopyN(io.Discard, in, size-int64(len(data))+1)
	}
	if err != nil {
		return nil, fmt.Errorf("git cat-file: output ends within %s: %w", b.name, err)
	}
	return data, nil
}
