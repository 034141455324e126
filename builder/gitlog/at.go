package gitlog

import (
	"context"
	"path"
	"strings"

	"kindex/builder/git"
)

// HeadAt returns the head that ReadHead would return if a commit were checked out without
// changes. commit is the commit's object name.
func (p *Location) HeadAt(ctx context.Context, commit string) (Head, error) {
	return headAt(ctx, p.Repository, commit, p.prefix)
}

// headAt returns the head that a folder in the repository would have if a commit were checked
// out without changes.
func headAt(ctx context.Context, r *git.Repository, commit, prefix string) (Head, error) {
	seconds, err := r.Run(ctx, git.Command{Args: []string{"log", "-1", "--no-show-signature", "--format=%ct", commit, "--"}})
	if err != nil {
		return Head{}, err
	}
	return Head{Commit: commit, Time: commitTime(strings.TrimSpace(seconds)), Path: prefix}, nil
}

// File returns the content of a file of the content folder as of a commit, or nil if the commit
// has no such file. name is relative to the folder, and commit is the commit's object name. Of a
// file that is too large for the parser, File returns only enough for the parser to report that.
// ok is false if the repository lacks the commit or the content, as shallow and partial clones do.
func (p *Location) File(ctx context.Context, commit, name string) (text []byte, ok bool, err error) {
	object, err := p.Resolve(ctx, commit+":"+path.Join(p.prefix, name))
	if err != nil {
		return nil, false, err
	}
	if object == "" {
		known, err := p.Resolve(ctx, commit+"^{commit}")
		return nil, known != "", err
	}
	err = readBlobs(ctx, p.Repository, []blob{{object, name}}, func(_ int, data []byte) error { text = data; return nil })
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	return text, err == nil, nil
}
