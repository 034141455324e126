package operator

import (
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
	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/edge/submission/github"
	"kindex/exports/jsonenc"
	"kindex/exports/safetext"
)

type acceptOptions struct {
	content, base, remote string
	asOf                  cli.AsOf
	forge                 ForgeOptions
}

func submissionsAcceptCommand() *cobra.Command {
	var o acceptOptions
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
	}, existing, func(ctx context.Context, s *session) error {
		if _, err := cli.TakeContent(s.cmd, &o.content, s.args, 1); err != nil {
			return err
		}
		forge, err := o.forge.Open()
		if err != nil {
			return err
		}
		return acceptOne(ctx, s, acceptance{options: o, forge: forge})
	})
	f := c.Flags()
	f.StringVar(&o.content, "content", "content", "the content folder, in a git repository")
	f.StringVar(&o.base, "base", "", "the commit to start from (default HEAD; with a forge, its default branch)")
	f.StringVar(&o.remote, "remote", "origin", "with a forge, the remote to push to")
	cli.AsOfFlag(f, &o.asOf, "")
	o.forge.Flags(f)
	return c
}

func acceptOne(ctx context.Context, s *session, a acceptance) error {
	one, err := findSubmission(ctx, s.State, s.args[0])
	if err != nil {
		return err
	}
	switch {
	case one.Status == submission.Rejected, one.Status == submission.Withdrawn:
		return settledAlready(ctx, s.State, one.ID)
	case one.Status == submission.Published, one.Status == submission.InReview && one.PullRequest.Number > 0:
		return printAccepted(s, &one, nil)
	case one.Status == submission.Accepted:
		a.forge = nil // already reviewed
	}
	siblings, err := s.Siblings(ctx, one)
	if err != nil {
		return err
	}
	changes, err := one.Corrections()
	if err != nil {
		return err
	}
	a.submission = &one
	a.proposal = gitbranch.Proposal{ID: one.ID, Type: one.Type, Slug: one.Slug, YAML: []byte(one.YAML), Changes: changes, Account: one.Account}
	var problems yamldoc.Problems
	stderr := s.cmd.ErrOrStderr()
	now, err := a.run(ctx, s.State)
	if errors.As(err, &problems) {
		cli.PrintProblems(stderr, problems)
		fmt.Fprintf(stderr, "%s does not fit the content at %s; nothing was written\n", one.ID, a.base)
		return cli.Quiet(cli.ExitProblem)
	} else if err != nil {
		return err
	}
	for _, line := range a.warnings {
		fmt.Fprintln(stderr, "warning:", safetext.Escape(line))
	}
	return printAccepted(s, &now, siblings)
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

// acceptance is a submission being accepted.
type acceptance struct {
	options    acceptOptions
	forge      *github.Forge // or nil if none is given
	submission *submission.Submission
	proposal   gitbranch.Proposal

	repository *gitbranch.Repository
	remote     *gitbranch.Remote // with a forge
	base       diff.Ref
	branch     gitbranch.Branch // its name is empty if the content already has the file
	diff       *diff.Report
	after      diff.Revision
	request    submission.PullRequest
	warnings   []string
}

// run accepts the submission and returns it as it then is. It is idempotent: anything that an earlier
// call created is kept.
func (a *acceptance) run(ctx context.Context, s *storage.State) (submission.Submission, error) {
	location, err := gitlog.FindLocation(ctx, a.options.content)
	if err != nil {
		return submission.Submission{}, err
	}
	defer location.Close() // the system removes leftover temporary files
	a.repository = &gitbranch.Repository{Location: location}
	err = a.prepare(ctx, location)
	if err == nil && a.branch.Name == "" && !a.submission.Amends() {
		err = a.refuseCopy(ctx, s)
	}
	if err != nil {
		return submission.Submission{}, err
	}
	return a.accept(ctx, s)
}

// prepare checks the submission and makes the commit. Until there is a branch, nothing refers to
// the commit.
func (a *acceptance) prepare(ctx context.Context, location *gitlog.Location) error {
	if err := a.findBase(ctx); err != nil {
		return err
	}
	if err := a.repository.CheckFolder(ctx, string(a.base.Commit), a.proposal); err != nil {
		return err
	}
	branch, there, err := a.find(ctx)
	if err != nil {
		return err
	}
	if !there {
		if merged, err := a.repository.Holds(ctx, string(a.base.Commit), a.proposal); err != nil || merged {
			return err
		}
		if branch, err = a.repository.Prepare(ctx, string(a.base.Commit), a.proposal); err != nil {
			return err
		}
	} else if hash, err := location.MergeBase(ctx, string(a.base.Commit), branch.Commit); err != nil {
		return err
	} else {
		a.base.Commit = jsonenc.OptionalString(hash)
	}
	a.branch = branch
	a.diff, a.after, err = a.effect(ctx, location, branch)
	return err
}

// refuseCopy returns an error if the content already contains exactly the submission's file
// because another submission with it was published.
func (a *acceptance) refuseCopy(ctx context.Context, s *storage.State) error {
	list, err := s.Submissions(ctx, submission.Query{Statuses: []submission.Status{submission.Published}, Slug: a.submission.Slug})
	if err != nil {
		return err
	}
	for _, o := range list {
		if o.Key() == a.submission.Key() && o.ID != a.submission.ID {
			return fmt.Errorf("%s is already in the content, from %s by %s; reject this submission", o.Key(), o.ID, safetext.Printable(o.Account))
		}
	}
	return nil
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

// findBase finds the commit to start from.
func (a *acceptance) findBase(ctx context.Context) error {
	a.base.Name = jsonenc.OptionalString(a.options.base)
	if a.forge == nil {
		if a.base.Name == "" {
			a.base.Name = "HEAD"
		}
		hash, err := a.repository.Location.Commit(ctx, string(a.base.Name))
		a.base.Commit = jsonenc.OptionalString(hash)
		return err
	}
	if a.base.Name == "" {
		name, err := a.forge.DefaultBranch(ctx)
		if err != nil {
			return err
		}
		a.base.Name = jsonenc.OptionalString(name)
	}
	var err error
	if a.remote, err = a.repository.Remote(ctx, a.options.remote,
		gitbranch.Forge{Host: a.forge.GitHost(), Repository: a.options.forge.Repository, Token: os.Getenv(ForgeToken)}); err != nil {
		return err
	}
	hash, err := a.remote.Fetch(ctx, string(a.base.Name))
	a.base.Commit = jsonenc.OptionalString(hash)
	return err
}

// effect checks the content including the submission, in the same way as a build, and
// returns how the submission would change the index.
func (a *acceptance) effect(ctx context.Context, location *gitlog.Location, b gitbranch.Branch) (*diff.Report, diff.Revision, error) {
	d, after, err := gitdiff.CompareRefs(ctx, location, a.options.content, a.base, diff.Ref{Name: jsonenc.OptionalString(b.Name), Commit: jsonenc.OptionalString(b.Commit)}, a.options.asOf.Time())
	if err != nil {
		return nil, after, err
	}
	s := a.submission
	identity := submission.Identity(s.Name, s.URL)
	for _, e := range after.Content.Entities {
		if e.Key() != s.Key() && submission.Identity(e.Name, e.URL) == identity {
			return nil, after, fmt.Errorf("%s: %w; nothing was written", s.ID, &submission.TakenError{Type: e.Type, Slug: e.Slug, SamePage: true})
		}
	}
	a.warnings = d.DuplicateLines(safetext.Printable, safetext.Printable)
	return d, after, nil
}

// accept changes the status, creates the branch and, with a forge, the pull request, and returns the
// updated submission. The status is first: whoever changes it decides between two submissions of the
// same entity, and between accepting and withdrawing one, so that no branch is left of the other. If
// the program is killed in between, the next call continues.
func (a *acceptance) accept(ctx context.Context, s *storage.State) (submission.Submission, error) {
	id, from, to := a.submission.ID, a.submission.Status, submission.Accepted
	if a.forge != nil && a.branch.Name != "" {
		to = submission.InReview
	}
	if from == submission.Pending || from == submission.InReview && to == submission.Accepted {
		moved, err := s.MoveSubmission(ctx, id, to, submission.Change{})
		var other *submission.ChosenError
		if errors.As(err, &other) {
			return submission.Submission{}, fmt.Errorf("%w; reject one of the two submissions: kindex submissions reject ID --reason TEXT", other)
		}
		if err != nil {
			return submission.Submission{}, err
		}
		if now, err := findSubmission(ctx, s, id); err != nil || !moved && now.Status != to {
			return submission.Submission{}, errors.Join(settledAlready(ctx, s, id), err)
		}
	}
	if err := a.write(ctx); err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
		defer cancel()
		return submission.Submission{}, errors.Join(err, s.Unchoose(undo, id))
	}
	return a.record(ctx, s)
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
			found, err = a.forge.Open(ctx, PullRequestOf(a.submission, a.diff, a.after, string(a.base.Name)))
		}
	}
	a.request = found
	return err
}

// record stores the branch and the pull request, and returns the updated submission. It closes the
// pull request if the submission was withdrawn or rejected in the meantime.
func (a *acceptance) record(ctx context.Context, s *storage.State) (submission.Submission, error) {
	id := a.submission.ID
	if a.branch.Name == "" || a.submission.Status == submission.Accepted && a.submission.Branch != "" {
		return findSubmission(ctx, s, id)
	}
	stored, err := s.RecordBranch(ctx, id, submission.Change{Branch: a.branch.Name, Commit: a.branch.Commit, PullRequest: a.request})
	if err != nil || stored {
		now, findErr := findSubmission(ctx, s, id)
		return now, errors.Join(err, findErr)
	}
	left := fmt.Errorf("the branch %s was created nevertheless", a.branch.Name)
	if a.request.Number > 0 {
		left = fmt.Errorf("its pull request %d was opened in the meantime and has been closed again", a.request.Number)
		if err := a.forge.Close(ctx, a.request.Number); err != nil {
			left = fmt.Errorf("its pull request %d was opened in the meantime; close it at %s (%w)", a.request.Number, safetext.Printable(a.request.URL), err)
		}
	}
	return submission.Submission{}, errors.Join(settledAlready(ctx, s, id), left)
}
