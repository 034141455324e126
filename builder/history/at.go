package history

import (
	"context"
	"fmt"
	"time"
)

// HeadAt is what ReadHead would return if the commit were checked out, without
// changes. commit is the hash of one.
func (p *Place) HeadAt(ctx context.Context, commit string) (Head, error) {
	h := Head{Path: p.prefix}
	line, err := git(ctx, p.dir, "log", "-1", "--no-show-signature", "--format=%H %ct", commit, "--")
	if err != nil {
		return Head{}, err
	}
	var seconds int64
	if _, err := fmt.Sscan(line, &h.Commit, &seconds); err != nil {
		return Head{}, fmt.Errorf("git log: unexpected answer %q", line)
	}
	h.Time = time.Unix(seconds, 0).UTC()
	return h, nil
}
