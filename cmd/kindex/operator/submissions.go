package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"kindex/builder/content"
	"kindex/cmd/kindex/cli"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/edge/submission/github"
	"kindex/exports/didyoumean"
	"kindex/exports/jsonenc"
	"kindex/exports/safetext"
)

// SubmissionsCommand returns the command submissions.
func SubmissionsCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "submissions", Short: "Review submissions",
		Long: `Submissions arrive through POST /api/submit and are reviewed here. A submission
proposes a new entity or corrects an existing one. It has one of these statuses:

  pending    it is waiting for review
  in-review  its pull request is open
  accepted   it was committed to a branch, or its pull request was merged
  published  a build has the entity or the correction
  rejected   a reviewer rejected it with a reason, or its pull request was closed
  withdrawn  its account withdrew it

Several accounts may propose the same entity; list and show point that out. Accept
commits a submission to its own branch in a checkout of the content; with a forge it also
opens the pull request.`,
		Example: `  kindex submissions list --status pending
  kindex submissions show sub_h3jd2mq7xkzc4v5wtbna
  kindex submissions accept sub_h3jd2mq7xkzc4v5wtbna --content content
  kindex submissions reject sub_h3jd2mq7xkzc4v5wtbna --reason "This is not a tool."`,
		Args: cli.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(submissionsListCommand(), submissionsShowCommand(), submissionsAcceptCommand(), submissionsRejectCommand(), submissionsSyncCommand())
	return c
}

type submissionsListOptions struct {
	state, status string
	json          bool
}

func submissionsListCommand() *cobra.Command {
	var o submissionsListOptions
	c := &cobra.Command{
		Use: "list", Short: "List submissions, oldest first",
		Long: `List shows the submissions of all accounts, oldest first. Times are UTC. SAME is the
number of other open submissions for the same entity, identified by type and slug or by
name and URL. --json prints a list of submissions, in the format of show --json.`,
		Example: "  kindex submissions list --status pending\n  kindex submissions list --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runSubmissionsList(cmd, o) },
	}
	f := c.Flags()
	stateFlag(f, &o.state)
	f.StringVar(&o.status, "status", "", "only submissions with this status: pending, in-review, accepted, published, rejected or withdrawn")
	cli.JSONFlag(f, &o.json)
	// This fails only if the flag is unknown or already has a completion.
	_ = c.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(statusNames(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func statusNames() (names []string) {
	for _, s := range submission.Statuses {
		names = append(names, string(s))
	}
	return names
}

func runSubmissionsList(cmd *cobra.Command, o submissionsListOptions) error {
	q := submission.Query{OldFirst: true}
	if o.status != "" {
		if !slices.Contains(statusNames(), o.status) {
			return cli.Usage(cli.UnknownName("status", o.status, statusNames(), didyoumean.Name(o.status, statusNames())))
		}
		q.Statuses = []submission.Status{submission.Status(o.status)}
	}
	return withState(cmd, o.state, false, func(ctx context.Context, s *storage.State) error {
		list, err := s.Submissions(ctx, q)
		if err != nil {
			return err
		}
		if o.json {
			return cli.PrintJSONLines(cmd.OutOrStdout(), func(yield func(*submissionLine, error) bool) {
				for i := range list {
					if !yield(newSubmissionLine(&list[i])) {
						return
					}
				}
			})
		}
		if len(list) == 0 {
			fmt.Fprintln(cmd.OutOrStdout(), "no submissions")
			return nil
		}
		siblings, err := s.CountSiblings(ctx)
		if err != nil {
			return err
		}
		rows := [][]string{{"ID", "STATUS", "ENTITY", "NAME", "ACCOUNT", "SUBMITTED", "SAME"}}
		for i := range list {
			one := &list[i]
			rows = append(rows, []string{one.ID, string(one.Status), one.Key(), safetext.Printable(one.Name), safetext.Printable(one.Account), cli.FormatTime(one.CreatedAt, ""), fmt.Sprint(siblings[one.ID])})
		}
		cli.PrintTable(cmd, rows)
		return nil
	})
}

// submissionLine is a submission in JSON output.
type submissionLine struct {
	ID          string                 `json:"id"`
	Status      submission.Status      `json:"status"`
	Account     string                 `json:"account"`
	Type        string                 `json:"type"`
	Slug        string                 `json:"slug"`
	Name        string                 `json:"name"`
	Reason      jsonenc.OptionalString `json:"reason"`
	Branch      jsonenc.OptionalString `json:"branch"`
	Commit      jsonenc.OptionalString `json:"commit"`
	PullRequest jsonenc.OptionalString `json:"pullRequest"` // its address
	CreatedAt   time.Time              `json:"createdAt"`
	UpdatedAt   time.Time              `json:"updatedAt"`
	Fields      map[string]any         `json:"fields"`
	Changes     map[string]any         `json:"changes"` // what a correction changes; null for a new entity
}

func newSubmissionLine(s *submission.Submission) (*submissionLine, error) {
	fields, err := s.Fields()
	if err != nil {
		return nil, err
	}
	changes, err := s.Corrections()
	if err != nil {
		return nil, err
	}
	return &submissionLine{s.ID, s.Status, s.Account, s.Type, s.Slug, s.Name, jsonenc.OptionalString(s.Reason),
		jsonenc.OptionalString(s.Branch), jsonenc.OptionalString(s.Commit), jsonenc.OptionalString(s.PullRequest.URL), s.CreatedAt, s.UpdatedAt, fields, changes}, nil
}

// submissionStatus is a submission whose status has changed, in JSON output.
type submissionStatus struct {
	ID     string            `json:"id"`
	Type   string            `json:"type"`
	Slug   string            `json:"slug"`
	Status submission.Status `json:"status"`
}

type submissionsShowOptions struct {
	state string
	json  bool
}

func submissionsShowCommand() *cobra.Command {
	var o submissionsShowOptions
	c := &cobra.Command{
		Use: "show ID", Short: "Show a submission and the file it would become",
		Long: `Show prints the details of a submission, the other open submissions for the same
entity, and the file that accepting it would write. For a correction, that is the file
as of the build to which it was submitted; what changes is listed before it.`,
		Example: "  kindex submissions show sub_h3jd2mq7xkzc4v5wtbna",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withState(cmd, o.state, false, func(ctx context.Context, s *storage.State) error {
				one, err := findSubmission(ctx, s, args[0])
				if err != nil {
					return err
				}
				if o.json {
					line, err := newSubmissionLine(&one)
					if err != nil {
						return err
					}
					return cli.PrintIndentedJSON(cmd.OutOrStdout(), line)
				}
				siblings, err := s.Siblings(ctx, one)
				if err != nil {
					return err
				}
				return printSubmission(cmd.OutOrStdout(), &one, siblings)
			})
		},
	}
	stateFlag(c.Flags(), &o.state)
	cli.JSONFlag(c.Flags(), &o.json)
	return c
}

// findSubmission returns a submission, or an error that explains how to list submissions.
func findSubmission(ctx context.Context, s *storage.State, id string) (submission.Submission, error) {
	one, err := s.Submission(ctx, id)
	if errors.Is(err, submission.ErrUnknown) {
		return one, fmt.Errorf("unknown submission %q; to list them: kindex submissions list", id)
	}
	return one, err
}

func printSubmission(w io.Writer, s *submission.Submission, siblings []submission.Submission) error {
	what := s.Key()
	if s.Amends() {
		what = "correction of " + what
	}
	fmt.Fprintf(w, "%s  %s\n%s by %s, submitted %s\n", s.ID, s.Status, what, safetext.Printable(s.Account), cli.FormatTime(s.CreatedAt, ""))
	for _, line := range [][2]string{{"reason", s.Reason}, {"branch", s.Branch}, {"commit", s.Commit}, {"pull request", s.PullRequest.URL}} {
		if line[1] != "" {
			fmt.Fprintf(w, "%s: %s\n", line[0], safetext.Printable(line[1]))
		}
	}
	for _, o := range siblings {
		fmt.Fprintf(w, "also proposed: %s (%s) as %s by %s\n", o.ID, o.Status, o.Key(), safetext.Printable(o.Account))
	}
	_, problems := content.ParseEntity("", s.Type, s.Slug, []byte(s.YAML))
	for _, p := range problems {
		fmt.Fprintf(w, "%s: %s: %s\n", p.Severity, safetext.Escape(p.Field), safetext.Escape(p.Text()))
	}
	changes, err := s.Corrections()
	if err != nil {
		return err
	}
	text, err := submission.Describe(changes)
	if err != nil {
		return err
	}
	for line := range strings.Lines(text + "\n" + s.YAML) {
		fmt.Fprintln(w, safetext.Escape(strings.TrimSuffix(line, "\n")))
	}
	return nil
}

type submissionsRejectOptions struct {
	state, reason, account string
	json                   bool
	ForgeOptions
}

// maxReason is the maximum length of a reason in characters.
const maxReason = 1000

func submissionsRejectCommand() *cobra.Command {
	var o submissionsRejectOptions
	c := &cobra.Command{
		Use: "reject {ID... | --all-of ACCOUNT} --reason TEXT", Short: "Reject submissions, with a reason",
		Long: `Reject rejects submissions and shows the reason to their accounts. It closes open pull
requests, which requires the forge options, but keeps their branches. --all-of rejects
every submission that an account has pending or in review; an accepted submission can
only be rejected by its ID. If one submission cannot be rejected, the others still are.`,
		Example: `  kindex submissions reject sub_h3jd2mq7xkzc4v5wtbna --reason "This is not a tool."
  kindex submissions reject --all-of spammer --reason "Advertising."`,
		RunE: func(cmd *cobra.Command, args []string) error { return runSubmissionsReject(cmd, o, args) },
	}
	f := c.Flags()
	stateFlag(f, &o.state)
	cli.JSONFlag(f, &o.json)
	f.StringVar(&o.reason, "reason", "", "the reason, shown to the submitter (required)")
	f.StringVar(&o.account, "all-of", "", "reject the pending and in-review submissions of this account, instead of listing IDs")
	o.ForgeOptions.Flags(f)
	return c
}

func runSubmissionsReject(cmd *cobra.Command, o submissionsRejectOptions, ids []string) error {
	reason := strings.TrimSpace(o.reason)
	switch {
	case (len(ids) == 0) == (o.account == ""):
		return cli.Usage(fmt.Errorf("specify submission IDs, or an account with --all-of; see %s --help", cmd.CommandPath()))
	case reason == "":
		return cli.Usage(fmt.Errorf("--reason is required; see %s --help", cmd.CommandPath()))
	case utf8.RuneCountInString(reason) > maxReason || !utf8.ValidString(reason) || safetext.Contains(reason):
		return cli.Usage(fmt.Errorf("--reason must be one line of at most %d visible characters", maxReason))
	}
	f, err := o.ForgeOptions.Open()
	if err != nil {
		return err
	}
	return withState(cmd, o.state, false, func(ctx context.Context, s *storage.State) error {
		if o.account != "" {
			if ids, err = reviewableOf(ctx, s, o.account); err != nil {
				return err
			}
			if len(ids) == 0 && !o.json {
				fmt.Fprintln(cmd.OutOrStdout(), "no submissions")
				return nil
			}
		}
		var failed []error
		rejected := []submissionStatus{}
		show := func(one submissionStatus) {
			rejected = append(rejected, one)
			if !o.json {
				fmt.Fprintf(cmd.OutOrStdout(), "rejected %s (%s/%s)\n", one.ID, one.Type, one.Slug)
			}
		}
		for _, id := range ids {
			if err := rejectOne(ctx, show, s, f, id, reason); err != nil {
				failed = append(failed, err)
			}
			if ctx.Err() != nil {
				break
			}
		}
		if o.json {
			failed = append(failed, cli.PrintIndentedJSON(cmd.OutOrStdout(), rejected))
		}
		return errors.Join(failed...)
	})
}

// reviewableOf returns the IDs of an account's submissions that are pending or
// in review, oldest first.
func reviewableOf(ctx context.Context, s *storage.State, name string) (ids []string, err error) {
	account, err := s.AccountNamed(ctx, name)
	if errors.Is(err, apikey.ErrNoAccount) {
		return nil, fmt.Errorf("unknown account %q; to list them: kindex accounts list", name)
	}
	if err != nil {
		return nil, err
	}
	list, err := s.Submissions(ctx, submission.Query{AccountID: account.ID, Statuses: []submission.Status{submission.Pending, submission.InReview}, OldFirst: true})
	for _, one := range list {
		ids = append(ids, one.ID)
	}
	return ids, err
}

// rejectOne rejects one submission and closes its pull request.
func rejectOne(ctx context.Context, show func(submissionStatus), s *storage.State, f *github.Forge, id, reason string) error {
	one, err := findSubmission(ctx, s, id)
	if err != nil {
		return err
	}
	inReview := one.Status == submission.InReview && one.PullRequest.Number > 0
	if inReview {
		if err := rejectable(ctx, f, one); err != nil {
			return err
		}
	}
	moved, err := s.MoveSubmission(ctx, id, submission.Rejected, submission.Change{Reason: reason})
	if err != nil {
		return err
	}
	if !moved {
		return settledAlready(ctx, s, id)
	}
	show(submissionStatus{one.ID, one.Type, one.Slug, submission.Rejected})
	if !inReview {
		return nil
	}
	if err := f.Close(ctx, one.PullRequest.Number); err != nil {
		return fmt.Errorf("its pull request %d is still open; close it at %s (%w)", one.PullRequest.Number, safetext.Printable(one.PullRequest.URL), err)
	}
	return nil
}

// rejectable returns an error if a submission in review cannot be rejected, because its
// pull request could not be closed or has been merged in the meantime.
func rejectable(ctx context.Context, f *github.Forge, one submission.Submission) error {
	if f == nil {
		return fmt.Errorf("%s is in review at %s; to close its pull request, use --forge and --forge-repo", one.ID, one.PullRequest.URL)
	}
	merged, err := f.Merged(ctx, one)
	if err == nil && merged {
		err = fmt.Errorf("%s cannot be rejected: its pull request %d was merged; to update its status: kindex submissions sync", one.ID, one.PullRequest.Number)
	}
	return err
}

// settledAlready returns the error for a submission that is no longer open. The error
// states the current status.
func settledAlready(ctx context.Context, s *storage.State, id string) error {
	now, err := findSubmission(ctx, s, id)
	if err != nil {
		return err
	}
	if now.Reason != "" {
		return fmt.Errorf("%s is already %s: %s", id, now.Status, now.Reason)
	}
	return fmt.Errorf("%s is already %s", id, now.Status)
}
