package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder/content/yamldoc"
	"kindex/builder/diff"
	"kindex/builder/diff/gitdiff"
	"kindex/builder/gitbranch"
	"kindex/builder/gitlog"
	"kindex/cmd/kindex/cli"
	"kindex/edge/submission"
	"kindex/edge/submission/github"
	"kindex/exports/jsonenc"
	"kindex/exports/safetext"
)

func submissionsAcceptCommand() *cobra.Command {
	var a acceptance
	c := onState(&cobra.Command{
		Use: "accept ID [DIR]", Short: "Commit a submission to its own branch of the content repository",
		Long: `Accept commits a submission's file on top of the checked-out commit, checks the content
as validate does, and creates the branch submission/ID. The working tree and the
checked-out branch do not change. Running it again produces the same branch.

With --forge it starts from the newest commit of the remote, pushes the branch and opens
a pull request. The token is read only from ` + ForgeToken + `; a remote over https must
be on the forge's own host. Of the repository's configuration, only the address of the
remote, user.name and user.email are used. See site/docs/accounts.md.`,
		Example: `  kindex submissions accept sub_h3jd2mq7xkzc4v5wtbna --content content
  kindex submissions accept sub_h3jd2mq7xkzc4v5wtbna --forge https://api.github.com --forge-repo example/index`,
	}, existing, func(ctx context.Context, s *session) (err error) {
		if _, err := cli.TakeContent(s.cmd, &a.content, s.args, 1); err != nil {
			return err
		}
		if a.forge, err = a.options.Open(); err != nil {
			return err
		}
		a.session = s
		return a.run(ctx)
	})
	f := c.Flags()
	f.StringVar(&a.content, "content", "content", "the content folder, in a git repository")
	f.StringVar(&a.baseName, "base", "", "the commit to start from (default HEAD; with a forge, its default branch)")
	f.StringVar(&a.remoteName, "remote", "origin", "with a forge, the remote to push to")
	cli.AsOfFlag(f, &a.asOf, "")
	a.options.Flags(f)
	return c
}

// acceptance is a submission being accepted.
type acceptance struct {
	*session
	content, baseName, remoteName string
	asOf                          cli.AsOf
	options                       ForgeOptions

	forge      *github.Forge // or nil if none is given
	submission submission.Submission
	proposal   gitbranch.Proposal
	repository *gitbranch.Repository
	remote     *gitbranch.Remote // with a forge
	base       diff.Ref
	branch     gitbranch.Branch // its name is empty if the content already has the file
	diff       *diff.Report
	request    submission.PullRequest
}

// run accepts the submission. It is idempotent: anything that an earlier call created is kept.
func (a *acceptance) run(ctx context.Context) (err error) {
	if a.submission, err = findSubmission(ctx, a.State, a.args[0]); err != nil {
		return err
	}
	one := &a.submission
	switch {
	case one.Status == submission.Rejected, one.Status == submission.Withdrawn:
		return settledAlready(ctx, a.State, one.ID)
	case one.Status == submission.Published, one.Status == submission.InReview && one.PullRequest.Number > 0:
		return printAccepted(a.session, one, nil)
	case one.Status == submission.Accepted:
		a.forge = nil // already reviewed
	}
	siblings, err := a.Siblings(ctx, *one)
	if err != nil {
		return err
	}
	changes, err := one.Corrections()
	if err != nil {
		return err
	}
	a.proposal = gitbranch.Proposal{ID: one.ID, Type: one.Type, Slug: one.Slug, YAML: []byte(one.YAML), Changes: changes, Account: one.Account}
	location, err := gitlog.FindLocation(ctx, a.content)
	if err != nil {
		return err
	}
	defer location.Close() // the system removes leftover temporary files
	a.repository = &gitbranch.Repository{Location: location}
	stderr := a.cmd.ErrOrStderr()
	var problems yamldoc.Problems
	if err := a.prepare(ctx, location); errors.As(err, &problems) {
		cli.PrintProblems(stderr, problems)
		fmt.Fprintf(stderr, "%s does not fit the content at %s; nothing was written\n", one.ID, a.base)
		return cli.ErrReported
	} else if err != nil {
		return err
	}
	now, err := a.accept(ctx)
	if err != nil {
		return err
	}
	if a.diff != nil {
		for _, line := range a.diff.DuplicateLines(safetext.Printable, safetext.Printable) {
			fmt.Fprintln(stderr, "warning:", safetext.Escape(line))
		}
	}
	return printAccepted(a.session, &now, siblings)
}

func printAccepted(s *session, one *submission.Submission, siblings []submission.Submission) error {
	line, err := submissionObject(one)
	if err != nil {
		return err
	}
	ids := []string{}
	for i := range siblings {
		ids = append(ids, siblings[i].ID)
	}
	line["siblings"] = ids
	return cli.Print(s.cmd, line, func(w io.Writer) {
		fmt.Fprintf(w, "%s (%s) is %s", one.ID, one.Key(), one.Status)
		switch {
		case one.PullRequest.Number > 0:
			fmt.Fprintf(w, ": pull request %d %s", one.PullRequest.Number, safetext.Printable(one.PullRequest.URL))
		case one.Branch != "" && one.Status == submission.Accepted:
			fmt.Fprintf(w, ": branch %s, commit %.12s", one.Branch, one.Commit)
		}
		fmt.Fprintln(w)
		for _, o := range siblings {
			fmt.Fprintf(w, "%s by %s also proposes this entity, as %s, and is still %s\n", o.ID, safetext.Printable(o.Account), o.Key(), o.Status)
		}
	})
}

// prepare checks the submission and makes the commit. Until there is a branch, nothing refers to
// the commit.
func (a *acceptance) prepare(ctx context.Context, location *gitlog.Location) error {
	if err := a.findBase(ctx); err != nil {
		return err
	}
	base := string(a.base.Commit)
	if err := a.repository.CheckFolder(ctx, base, a.proposal); err != nil {
		return err
	}
	branch, there, err := a.find(ctx)
	if err != nil {
		return err
	}
	if !there {
		if merged, err := a.repository.Holds(ctx, base, a.proposal); err != nil || merged {
			return errors.Join(err, a.refuseCopy(ctx))
		}
		if branch, err = a.repository.Prepare(ctx, base, a.proposal); err != nil {
			return err
		}
	} else if base, err = location.MergeBase(ctx, base, branch.Commit); err != nil {
		return err
	}
	a.branch, a.base.Commit = branch, jsonenc.OptionalString(base)
	// The content including the submission is checked in the same way as a build does.
	to := diff.Ref{Name: jsonenc.OptionalString(branch.Name), Commit: jsonenc.OptionalString(branch.Commit)}
	var after diff.Revision
	if a.diff, after, err = gitdiff.CompareRefs(ctx, location, a.content, a.base, to, a.asOf.Time()); err != nil {
		return err
	}
	one := &a.submission
	identity := submission.Identity(one.Name, one.URL)
	for _, e := range after.Content.Entities {
		if e.Key() != one.Key() && submission.Identity(e.Name, e.URL) == identity {
			return fmt.Errorf("%s: %w; nothing was written", one.ID, &submission.TakenError{Type: e.Type, Slug: e.Slug, SamePage: true})
		}
	}
	return nil
}

// refuseCopy returns an error if the content already contains exactly the submission's file
// because another submission with it was published.
func (a *acceptance) refuseCopy(ctx context.Context) error {
	if a.submission.Amends() {
		return nil
	}
	list, err := a.Submissions(ctx, submission.Query{Statuses: []submission.Status{submission.Published}, Slug: a.submission.Slug})
	for _, o := range list {
		if o.Key() == a.submission.Key() && o.ID != a.submission.ID {
			return fmt.Errorf("%s is already in the content, from %s by %s; reject this submission", o.Key(), o.ID, safetext.Printable(o.Account))
		}
	}
	return err
}

// find finds the branch that an earlier call created. The branch may be in this repository
// or, if it was pushed from another checkout, on the remote.
func (a *acceptance) find(ctx context.Context) (gitbranch.Branch, bool, error) {
	branch, there, err := a.repository.Find(ctx, a.proposal)
	if there || err != nil || a.remote == nil {
		return branch, there, err
	}
	commit, err := a.remote.Find(ctx, gitbranch.BranchName(a.proposal.ID))
	if err != nil {
		return branch, false, err
	}
	return a.repository.FindAt(ctx, commit, a.proposal)
}

func (a *acceptance) findBase(ctx context.Context) error {
	name := a.baseName
	var commit string
	var err error
	if a.forge == nil {
		name = cmp.Or(name, "HEAD")
		commit, err = a.repository.Location.Commit(ctx, name)
	} else {
		if name == "" {
			if name, err = a.forge.DefaultBranch(ctx); err != nil {
				return err
			}
		}
		of := gitbranch.Forge{Host: a.forge.GitHost(), Repository: a.options.Repository, Token: os.Getenv(ForgeToken)}
		if a.remote, err = a.repository.Remote(ctx, a.remoteName, of); err != nil {
			return err
		}
		commit, err = a.remote.Fetch(ctx, name)
	}
	a.base.Name, a.base.Commit = jsonenc.OptionalString(name), jsonenc.OptionalString(commit)
	return err
}

// accept changes the status, creates the branch and, with a forge, the pull request, and returns the
// updated submission. The status is first: whoever changes it decides between two submissions of the
// same entity, and between accepting and withdrawing one, so that no branch is left of the other. If
// the program is killed in between, the next call continues.
func (a *acceptance) accept(ctx context.Context) (submission.Submission, error) {
	id, from, to := a.submission.ID, a.submission.Status, submission.Accepted
	if a.forge != nil && a.branch.Name != "" {
		to = submission.InReview
	}
	if from == submission.Pending || from == submission.InReview && to == submission.Accepted {
		moved, err := a.MoveSubmission(ctx, id, to, submission.Change{})
		var other *submission.ChosenError
		if errors.As(err, &other) {
			return submission.Submission{}, fmt.Errorf("%w; reject one of the two submissions: kindex submissions reject ID --reason TEXT", other)
		}
		if err != nil {
			return submission.Submission{}, err
		}
		if now, err := findSubmission(ctx, a.State, id); err != nil || !moved && now.Status != to {
			return submission.Submission{}, errors.Join(settledAlready(ctx, a.State, id), err)
		}
	}
	if err := a.write(ctx); err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
		defer cancel()
		return submission.Submission{}, errors.Join(err, a.Unchoose(undo, id))
	}
	return a.record(ctx)
}

// undoTimeout limits how long an interrupted command takes to make its submission pending again.
const undoTimeout = 5 * time.Second

// write creates the branch and, with a forge, the pull request, unless they exist.
func (a *acceptance) write(ctx context.Context) (err error) {
	if a.branch.Name == "" {
		return nil
	}
	if a.branch, err = a.repository.Write(ctx, a.branch, a.proposal); err != nil || a.forge == nil {
		return err
	}
	found, err := a.forge.Find(ctx, a.branch.Name)
	if err == nil && found.Number == 0 {
		if err = a.remote.Push(ctx, a.branch); err == nil {
			a.submission.Branch = a.branch.Name
			found, err = a.forge.Open(ctx, PullRequestOf(&a.submission, a.diff, string(a.base.Name)))
		}
	}
	a.request = found
	return err
}

// record stores the branch and the pull request, and returns the updated submission. It closes the
// pull request if the submission was withdrawn or rejected in the meantime.
func (a *acceptance) record(ctx context.Context) (submission.Submission, error) {
	id := a.submission.ID
	if a.branch.Name == "" || a.submission.Status == submission.Accepted && a.submission.Branch != "" {
		return findSubmission(ctx, a.State, id)
	}
	stored, err := a.RecordBranch(ctx, id, submission.Change{Branch: a.branch.Name, Commit: a.branch.Commit, PullRequest: a.request})
	if err != nil || stored {
		now, findErr := findSubmission(ctx, a.State, id)
		return now, errors.Join(err, findErr)
	}
	left := fmt.Errorf("the branch %s was created nevertheless", a.branch.Name)
	if a.request.Number > 0 {
		left = fmt.Errorf("its pull request %d was opened in the meantime and has been closed again", a.request.Number)
		if err := a.forge.Close(ctx, a.request.Number); err != nil {
			left = fmt.Errorf("its pull request %d was opened in the meantime; close it at %s (%w)", a.request.Number, safetext.Printable(a.request.URL), err)
		}
	}
	return submission.Submission{}, errors.Join(settledAlready(ctx, a.State, id), left)
}
