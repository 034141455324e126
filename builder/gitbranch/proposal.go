// Package gitbranch writes an accepted submission to a content repository as a branch with one
// commit. It does not change the working tree, the index or the checked-out branch.
package gitbranch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"

	"kindex/builder/content"
	"kindex/builder/content/yamlfmt"
	"kindex/builder/git"
	"kindex/builder/gitlog"
	"kindex/exports/kinds"
	"kindex/exports/safetext"
)

// Proposal is a submission to write: a new file, or changes to an existing one.
type Proposal struct {
	ID         string // the submission's ID, which determines the branch name
	Type, Slug string
	YAML       []byte         // the new file
	Changes    map[string]any // if not nil, changes to the existing file, as in yamlfmt.Merge
	Account    string         // the name of the submitter's account
}

// Branch is the branch created for a proposal.
type Branch struct {
	Name   string
	Commit string
	Path   string // path of the file, relative to the root of the repository
}

// BranchName returns the name of a submission's branch.
func BranchName(id string) string { return "submission/" + id }

// Repository is the repository to which proposals are written.
type Repository struct{ *gitlog.Location }

// CheckFolder checks that a commit has the content folder, and that nothing else occupies the
// path of the proposal's file. Otherwise, a file in place of one of the folders in that path
// would be deleted.
func (r *Repository) CheckFolder(ctx context.Context, base string, p Proposal) error {
	folder := strings.TrimSuffix(r.Folder(), "/")
	for i, name := range []string{folder, path.Join(folder, p.Type)} {
		there := r.lookUp(ctx, base+":"+name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case there == "" && i == 0:
			return fmt.Errorf("the commit %.12s has no folder %s; use the name of the content folder in that commit", base, name)
		case there != "" && r.lookUp(ctx, there+"^{tree}") == "":
			return fmt.Errorf("%s is not a folder in the commit %.12s; use the name of the content folder in that commit", name, base)
		}
	}
	return nil
}

// Find returns the existing branch of a proposal, whichever commit the branch is based on. It
// is an error if a branch of that name does not contain the proposal's file.
func (r *Repository) Find(ctx context.Context, p Proposal) (Branch, bool, error) {
	return r.branchAt(ctx, r.lookUp(ctx, "refs/heads/"+BranchName(p.ID)+"^{commit}"), p,
		"the branch %s already exists and contains a different %s; if the branch is not needed, delete it: git branch -D %[1]s")
}

// FindAt is like Find, but for a branch fetched from another repository; commit is "" if that
// repository has no such branch.
func (r *Repository) FindAt(ctx context.Context, commit string, p Proposal) (Branch, bool, error) {
	return r.branchAt(ctx, commit, p, "the branch %s on the remote contains a different %s; if the branch is not needed, delete it there")
}

// branchAt returns the branch of a proposal, whose newest commit is given. different is the error if
// that does not contain the proposal's file.
func (r *Repository) branchAt(ctx context.Context, commit string, p Proposal, different string) (Branch, bool, error) {
	b := Branch{Name: BranchName(p.ID), Commit: commit, Path: r.Path(p.Type, p.Slug)}
	if commit == "" {
		return b, false, ctx.Err()
	}
	same, err := r.Holds(ctx, commit, p)
	if err == nil && !same {
		err = fmt.Errorf(different, b.Name, b.Path)
	}
	return b, true, err
}

// Prepare creates the commit for a proposal on top of another commit, but no branch, so that
// the commit can be checked before Write creates the branch.
func (r *Repository) Prepare(ctx context.Context, base string, p Proposal) (Branch, error) {
	b := Branch{Name: BranchName(p.ID), Path: r.Path(p.Type, p.Slug)}
	data := p.YAML
	switch there := r.lookUp(ctx, base+":"+b.Path) != ""; {
	case p.Changes == nil && there:
		return b, fmt.Errorf("%s is already in the content; reject the submission, or edit that file", b.Path)
	case p.Changes != nil && !there && ctx.Err() == nil:
		return b, fmt.Errorf("%s, which the submission corrects, is not in the commit %.12s; reject the submission", b.Path, base)
	case p.Changes != nil:
		var err error
		if _, data, err = r.corrected(ctx, base, p); err != nil {
			return b, err
		}
	}
	blob, err := r.line(ctx, git.Command{Args: []string{"hash-object", "-w", "--stdin"}, Input: data})
	if err == nil {
		b.Commit, err = r.commit(ctx, base, b.Path, blob, p)
	}
	return b, err
}

// corrected returns the file that a proposal changes, before and after the change.
func (r *Repository) corrected(ctx context.Context, commit string, p Proposal) (before, after []byte, err error) {
	file := r.Path(p.Type, p.Slug)
	text, err := r.Run(ctx, git.Command{Args: []string{"cat-file", "blob", commit + ":" + file}})
	if err != nil {
		return nil, nil, err
	}
	before = []byte(text)
	declared, err := r.kinds(ctx, commit)
	if err != nil {
		return nil, nil, err
	}
	after, err = yamlfmt.Merge(declared, file, before, p.Changes)
	return before, after, err
}

func (r *Repository) kinds(ctx context.Context, commit string) (*kinds.Set, error) {
	text, _, err := r.File(ctx, commit, content.KindsFile)
	if err != nil || text == nil {
		return kinds.Default(), err
	}
	set, problems := content.ParseKinds(content.KindsFile, text)
	if set == nil {
		return nil, problems
	}
	return set, nil
}

// Write creates the branch of a prepared proposal. If the branch has been created in the
// meantime with the same file, Write returns the existing branch.
func (r *Repository) Write(ctx context.Context, b Branch, p Proposal) (Branch, error) {
	err := r.CreateBranch(ctx, b.Name, b.Commit)
	if err == nil {
		return b, nil
	}
	if theirs, there, failed := r.Find(ctx, p); there || failed != nil {
		return theirs, failed
	}
	return b, fmt.Errorf("the branch %s cannot be created (does a branch named %q exist?): %w", b.Name, "submission", err)
}

// Holds reports whether a commit contains the file of a proposal, byte for byte, or makes its
// changes unnecessary because the file already has those values.
func (r *Repository) Holds(ctx context.Context, commit string, p Proposal) (bool, error) {
	if p.Changes != nil {
		if r.lookUp(ctx, commit+":"+r.Path(p.Type, p.Slug)) == "" {
			return false, ctx.Err()
		}
		before, after, err := r.corrected(ctx, commit, p)
		return err == nil && bytes.Equal(before, after), err
	}
	return r.lookUp(ctx, commit+":"+r.Path(p.Type, p.Slug)) == git.BlobName(p.YAML, r.Format), ctx.Err()
}

// lookUp returns the hash of the object with a given name, or "" if there is no such object or
// on any error.
func (r *Repository) lookUp(ctx context.Context, name string) string {
	hash, err := r.Resolve(ctx, name)
	if err != nil {
		return ""
	}
	return hash
}

func (r *Repository) commit(ctx context.Context, base, file, blob string, p Proposal) (string, error) {
	var tree string
	var err error
	for _, c := range []git.Command{
		{Args: []string{"read-tree", base}},
		{Args: []string{"update-index", "-z", "--index-info"}, Input: []byte("100644 " + blob + "\t" + file + "\x00")},
		{Args: []string{"write-tree", "--missing-ok"}}, // a partial clone may lack the contents of other files
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
		Input: []byte(message(p)), Env: who})
	if err != nil && ctx.Err() == nil && (strings.Contains(err.Error(), "user.email") || strings.Contains(err.Error(), "ident")) {
		return "", fmt.Errorf("git needs the name and email address of a committer; set them with git config user.name and user.email (%w)", err)
	}
	return hash, err
}

func (r *Repository) line(ctx context.Context, c git.Command) (string, error) {
	out, err := r.Run(ctx, c)
	if errors.Is(err, context.Canceled) {
		return "", err
	}
	return strings.TrimSuffix(out, "\n"), err
}

// message returns the commit message. Forges scan commit messages for people to notify and
// issues to close, so the message contains only one part of the submission: its key, whose
// syntax is harmless.
func message(p Proposal) string {
	verb := "Add"
	if p.Changes != nil {
		verb = "Correct"
	}
	return fmt.Sprintf("%s %s/%s\n\nSubmission: %s\nSubmitted-by: %s\n", verb, p.Type, p.Slug, p.ID, Credit(p.Account))
}

// reference matches issue references without a #, such as GH-1.
var reference = regexp.MustCompile(`(?i)\b(gh)-(\d)`)

// Credit returns the name of an account for use in commits and pull requests: on one line,
// and without mentions (@name) and issue references (#1, GH-1, addresses).
func Credit(name string) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), strings.ContainsRune(" -_.,'()", r):
			return r
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return '_'
	}, name)
	s = reference.ReplaceAllString(safetext.Strip(s), "${1}_$2")
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		s = string(r[:100])
	}
	if strings.Trim(s, " -_.,'()") == "" {
		return "unnamed"
	}
	return s
}
