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
	"kindex/exports/kinds"
	"kindex/exports/safetext"
)

// SubmissionsCommand returns the command submissions.
func SubmissionsCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "submissions", Short: "Review submissions",
		Long: `Submissions arrive through POST /api/submit and propose a new entity or correct an
existing one. They are pending, in-review (a pull request is open), accepted, published
(a build has it), rejected or withdrawn; see site/docs/accounts.md.`,
		Example: `  kindex submissions list --status pending
  kindex submissions show sub_h3jd2mq7xkzc4v5wtbna
  kindex submissions accept sub_h3jd2mq7xkzc4v5wtbna --content content
  kindex submissions reject sub_h3jd2mq7xkzc4v5wtbna --reason "This is not a tool."`,
	}, submissionsListCommand(), submissionsShowCommand(), submissionsAcceptCommand(), submissionsRejectCommand(), submissionsSyncCommand())
}

func submissionsListCommand() *cobra.Command {
	var status string
	q := submission.Query{OldFirst: true}
	c, _ := onState(&cobra.Command{
		Use: "list", Short: "List submissions, oldest first",
		Long: `List shows the submissions of all accounts, oldest first, with times in UTC. SAME is the
number of other open submissions for the same entity.`,
		Example: "  kindex submissions list --status pending\n  kindex submissions list --json",
		PreRunE: func(*cobra.Command, []string) error {
			if status == "" {
				return nil
			}
			if !slices.Contains(statusNames(), status) {
				return cli.Usage(cli.UnknownName("status", status, statusNames(), didyoumean.Name(status, statusNames())))
			}
			q.Statuses = []submission.Status{submission.Status(status)}
			return nil
		},
	}, existing, func(ctx context.Context, s *session) error {
		list, err := s.Submissions(ctx, q)
		if err != nil {
			return err
		}
		if s.json {
			lines := make([]*submissionLine, len(list))
			for i := range list {
				if lines[i], err = newSubmissionLine(&list[i]); err != nil {
					return err
				}
			}
			return cli.PrintJSONLines(s.cmd.OutOrStdout(), lines)
		}
		siblings, err := s.CountSiblings(ctx)
		if err != nil {
			return err
		}
		return printList(s, list, func(submission.Submission) any { return nil }, "submissions", []string{"ID", "STATUS", "ENTITY", "NAME", "ACCOUNT", "SUBMITTED", "SAME"},
			func(one submission.Submission) []string {
				return []string{one.ID, string(one.Status), one.Key(), safetext.Printable(one.Name), safetext.Printable(one.Account), cli.FormatTime(one.CreatedAt, ""), fmt.Sprint(siblings[one.ID])}
			})
	})
	c.Flags().StringVar(&status, "status", "", "only submissions with this status: pending, in-review, accepted, published, rejected or withdrawn")
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

func submissionsShowCommand() *cobra.Command {
	c, _ := onState(&cobra.Command{
		Use: "show ID", Short: "Show a submission and the file it would become",
		Long: `Show prints a submission, the other open submissions for the same entity, and the file
that accepting it would write.`,
		Example: "  kindex submissions show sub_h3jd2mq7xkzc4v5wtbna",
	}, existing, func(ctx context.Context, s *session) error {
		one, err := findSubmission(ctx, s.State, s.args[0])
		if err != nil {
			return err
		}
		line, err := newSubmissionLine(&one)
		if err != nil {
			return err
		}
		if s.json {
			return s.print(line, "")
		}
		siblings, err := s.Siblings(ctx, one)
		if err != nil {
			return err
		}
		return printSubmission(s.cmd.OutOrStdout(), &one, line.Changes, siblings)
	})
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

func printSubmission(w io.Writer, s *submission.Submission, changes map[string]any, siblings []submission.Submission) error {
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
	_, problems := content.ParseEntity(kinds.Default(), "", s.Type, s.Slug, []byte(s.YAML))
	for _, p := range problems {
		fmt.Fprintf(w, "%s: %s: %s\n", p.Severity, safetext.Escape(p.Field), safetext.Escape(p.Text()))
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

// maxReason is the maximum length of a reason in characters.
const maxReason = 1000

func submissionsRejectCommand() *cobra.Command {
	var reason, account string
	var options ForgeOptions
	var forge *github.Forge
	c, _ := onState(&cobra.Command{
		Use: "reject {ID... | --all-of ACCOUNT} --reason TEXT", Short: "Reject submissions, with a reason",
		Long: `Reject rejects submissions and shows the reason to their accounts. It closes open pull
requests, which requires the forge options, but keeps their branches. --all-of rejects
every submission that an account has pending or in review; an accepted submission can
only be rejected by its ID. If one submission cannot be rejected, the others still are.`,
		Example: `  kindex submissions reject sub_h3jd2mq7xkzc4v5wtbna --reason "This is not a tool."
  kindex submissions reject --all-of spammer --reason "Advertising."`,
		PreRunE: func(cmd *cobra.Command, ids []string) (err error) {
			reason = strings.TrimSpace(reason)
			switch {
			case (len(ids) == 0) == (account == ""):
				return cli.Usage(fmt.Errorf("specify submission IDs, or an account with --all-of; see %s --help", cmd.CommandPath()))
			case reason == "":
				return cli.Usage(fmt.Errorf("--reason is required; see %s --help", cmd.CommandPath()))
			case utf8.RuneCountInString(reason) > maxReason || !utf8.ValidString(reason) || safetext.Contains(reason):
				return cli.Usage(fmt.Errorf("--reason must be one line of at most %d visible characters", maxReason))
			}
			forge, err = options.Open()
			return err
		},
	}, existing, func(ctx context.Context, s *session) (err error) {
		ids := s.args
		if account != "" {
			if ids, err = reviewableOf(ctx, s.State, account); err != nil {
				return err
			}
			if len(ids) == 0 && !s.json {
				fmt.Fprintln(s.cmd.OutOrStdout(), "no submissions")
				return nil
			}
		}
		var failed []error
		rejected := []submissionStatus{}
		show := func(one submissionStatus) {
			rejected = append(rejected, one)
			if !s.json {
				fmt.Fprintf(s.cmd.OutOrStdout(), "rejected %s (%s/%s)\n", one.ID, one.Type, one.Slug)
			}
		}
		for _, id := range ids {
			if err := rejectOne(ctx, show, s.State, forge, id, reason); err != nil {
				failed = append(failed, err)
			}
			if ctx.Err() != nil {
				break
			}
		}
		if s.json {
			failed = append(failed, s.print(rejected, ""))
		}
		return errors.Join(failed...)
	})
	f := c.Flags()
	f.StringVar(&reason, "reason", "", "the reason, shown to the submitter (required)")
	f.StringVar(&account, "all-of", "", "reject the pending and in-review submissions of this account, instead of listing IDs")
	options.Flags(f)
	return c
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
