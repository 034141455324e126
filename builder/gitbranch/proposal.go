// Package gitbranch writes an accepted submission into a content repository, as a
// branch with one commit. The working tree, the index and the branch that are
// checked out stay as they are.
package gitbranch

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"kindex/builder/git"
	"kindex/builder/gitlog"
)

// Proposal is what is to be written.
type Proposal struct {
	ID         string // of the submission; it names the branch
	Type, Slug string
	YAML       []byte
	Account    string // who has submitted it
	// Author is the e-mail address that makes the account the author of the
	// commit, in which {account} stands for it; where it is "", the author is who
	// commits, and a trailer names the account.
	Author string
}

// Branch is where a proposal lies.
type Branch struct {
	Name   string
	Commit string
	Path   string // of the file, from the root of the repository
}

// BranchName is the branch of a submission.
func BranchName(id string) string { return "submission/" + id }

// Repository is where proposals are written.
type Repository struct{ *gitlog.Location }

// CheckFolder makes sure that a commit has the content folder, and that nothing
// else lies where the file of a proposal belongs: a file that is there instead of
// a folder would be gone.
func (r *Repository) CheckFolder(ctx context.Context, base string, p Proposal) error {
	folder := strings.TrimSuffix(r.Folder(), "/")
	for i, name := range []string{folder, path.Join(folder, p.Type)} {
		there := r.lookUp(ctx, base+":"+name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case there == "" && i == 0:
			return fmt.Errorf("the commit %.12s has no folder %s; name the content folder as it is there", base, name)
		case there != "" && r.lookUp(ctx, there+"^{tree}") == "":
			return fmt.Errorf("%s is no folder at the commit %.12s; name the content folder as it is there", name, base)
		}
	}
	return nil
}

// Find returns the branch of a proposal, if it is there and has the file: as it is,
// whatever it stands on. A branch of this name with another file is an error.
func (r *Repository) Find(ctx context.Context, p Proposal) (Branch, bool, error) {
	b := Branch{Name: BranchName(p.ID), Path: r.Path(p.Type, p.Slug)}
	if b.Commit = r.lookUp(ctx, "refs/heads/"+b.Name+"^{commit}"); b.Commit == "" {
		return b, false, ctx.Err()
	}
	same, err := r.Holds(ctx, b.Commit, p)
	if err == nil && !same {
		err = fmt.Errorf("the branch %s is there and has another %s than the submission; if nobody needs it, remove it: git branch -D %[1]s", b.Name, b.Path)
	}
	return b, true, err
}

// FindAt is Find for a branch that lies in another repository, which has been
// fetched from there; commit is "" where that has none.
func (r *Repository) FindAt(ctx context.Context, commit string, p Proposal) (Branch, bool, error) {
	b := Branch{Name: BranchName(p.ID), Commit: commit, Path: r.Path(p.Type, p.Slug)}
	if commit == "" {
		return b, false, nil
	}
	same, err := r.Holds(ctx, commit, p)
	if err == nil && !same {
		err = fmt.Errorf("the remote has a branch %s with another %s than the submission; if nobody needs it, remove it there", b.Name, b.Path)
	}
	return b, true, err
}

// Prepare makes the commit of a proposal on top of another one. There is no branch
// to it until Write is called, so that it can be looked at before.
func (r *Repository) Prepare(ctx context.Context, base string, p Proposal) (Branch, error) {
	b := Branch{Name: BranchName(p.ID), Path: r.Path(p.Type, p.Slug)}
	if r.lookUp(ctx, base+":"+b.Path) != "" {
		return b, fmt.Errorf("%s is in the content already; reject the submission, or add to that file what is new", b.Path)
	}
	blob, err := r.line(ctx, git.Command{Args: []string{"hash-object", "-w", "--stdin"}, Input: p.YAML})
	if err == nil {
		b.Commit, err = r.commit(ctx, base, b.Path, blob, p)
	}
	return b, err
}

// Write makes the branch of a prepared proposal. Where somebody else has made it
// meanwhile, with the same file, theirs is returned.
func (r *Repository) Write(ctx context.Context, b Branch, p Proposal) (Branch, error) {
	err := r.CreateBranch(ctx, b.Name, b.Commit)
	if err == nil {
		return b, nil
	}
	if theirs, there, failed := r.Find(ctx, p); there || failed != nil {
		return theirs, failed
	}
	return b, fmt.Errorf("the branch %s cannot be made; a branch called %q would be in its way: %w", b.Name, "submission", err)
}

// Holds tells whether a commit has the file of a proposal, byte for byte.
func (r *Repository) Holds(ctx context.Context, commit string, p Proposal) (bool, error) {
	return r.lookUp(ctx, commit+":"+r.Path(p.Type, p.Slug)) == git.BlobName(p.YAML, r.Format), ctx.Err()
}

// lookUp returns the object that a name stands for, "" for none.
func (r *Repository) lookUp(ctx context.Context, name string) string {
	hash, err := r.Resolve(ctx, name)
	if err != nil {
		return ""
	}
	return hash
}

// commit makes the commit, in an index that is not that of the repository.
func (r *Repository) commit(ctx context.Context, base, file, blob string, p Proposal) (string, error) {
	var tree string
	var err error
	for _, c := range []git.Command{
		{Args: []string{"read-tree", base}},
		{Args: []string{"update-index", "-z", "--index-info"}, Input: []byte("100644 " + blob + "\t" + file + "\x00")},
		{Args: []string{"write-tree", "--missing-ok"}}, // a partial clone need not have the files of others
	} {
		if tree, err = r.line(ctx, c); err != nil {
			return "", err
		}
	}
	who, err := r.Identity(ctx)
	if err != nil {
		return "", err
	}
	hash, err := r.line(ctx, git.Command{
		Args: []string{"commit-tree", tree, "-p", base, "-F", "-"}, Config: []string{"user.useConfigOnly=true", "i18n.commitEncoding=UTF-8"},
		Input: []byte(message(p)), Env: append(who, author(p)...)})
	if err != nil && ctx.Err() == nil && (strings.Contains(err.Error(), "user.email") || strings.Contains(err.Error(), "ident")) {
		return "", fmt.Errorf("git does not know who commits; tell it with git config user.name and user.email (%w)", err)
	}
	return hash, err
}

// line runs git and returns the one line that it prints.
func (r *Repository) line(ctx context.Context, c git.Command) (string, error) {
	out, err := r.Run(ctx, c)
	if errors.Is(err, context.Canceled) {
		return "", err
	}
	return strings.TrimSuffix(out, "\n"), err
}
