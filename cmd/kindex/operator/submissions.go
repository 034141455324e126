package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/cmd/kindex/cli"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/edge/submission/github"
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
	c := onState(&cobra.Command{
		Use: "list", Short: "List submissions, oldest first",
		Long: `List shows the submissions of all accounts, oldest first, with times in UTC. SAME is the
number of other open submissions for the same entity.`,
		Example: "  kindex submissions list --status pending\n  kindex submissions list --json",
	}, existing, func(ctx context.Context, s *session) error {
		if status != "" {
			q.Statuses = []submission.Status{submission.Status(status)}
		}
		list, err := s.Submissions(ctx, q)
		if err != nil {
			return err
		}
		siblings, err := s.CountSiblings(ctx)
		if err != nil {
			return err
		}
		var failed error
		err = printList(s, list, "submissions", []string{"ID", "STATUS", "ENTITY", "NAME", "ACCOUNT", "SUBMITTED", "SAME"}, func(one submission.Submission) (object, []string) {
			line, err := submissionObject(&one)
			failed = errors.Join(failed, err)
			return line, []string{one.ID, string(one.Status), one.Key(), safetext.Printable(one.Name), safetext.Printable(one.Account), cli.FormatTime(one.CreatedAt, ""), fmt.Sprint(siblings[one.ID])}
		})
		return errors.Join(err, failed)
	})
	var names []string
	for _, s := range submission.Statuses {
		names = append(names, string(s))
	}
	cli.ChoiceVar(c, &status, "status", "", "only submissions with this status: pending, in-review, accepted, published, rejected or withdrawn", names)
	return c
}

// submissionObject is a submission in JSON output. changes is what a correction changes; null for a new entity.
func submissionObject(s *submission.Submission) (object, error) {
	fields, err1 := s.Fields()
	changes, err2 := s.Corrections()
	return object{"id": s.ID, "status": s.Status, "account": s.Account, "type": s.Type, "slug": s.Slug, "name": s.Name, "reason": jsonenc.OptionalString(s.Reason),
		"branch": jsonenc.OptionalString(s.Branch), "commit": jsonenc.OptionalString(s.Commit), "pullRequest": jsonenc.OptionalString(s.PullRequest.URL),
		"createdAt": s.CreatedAt, "updatedAt": s.UpdatedAt, "fields": fields, "changes": changes}, errors.Join(err1, err2)
}

// statusObject is a submission whose status has changed, in JSON output.
func statusObject(s *submission.Submission, status submission.Status) object {
	return object{"id": s.ID, "type": s.Type, "slug": s.Slug, "status": status}
}

func submissionsShowCommand() *cobra.Command {
	return onState(&cobra.Command{
		Use: "show ID", Short: "Show a submission and the file it would become",
		Long: `Show prints a submission, the other open submissions for the same entity, and the file
that accepting it would write.`,
		Example: "  kindex submissions show sub_h3jd2mq7xkzc4v5wtbna",
	}, existing, func(ctx context.Context, s *session) error {
		one, err := findSubmission(ctx, s.State, s.args[0])
		if err != nil {
			return err
		}
		line, err := submissionObject(&one)
		if err != nil {
			return err
		}
		siblings, err := s.Siblings(ctx, one)
		if err != nil {
			return err
		}
		text, err := submission.Describe(line["changes"].(map[string]any))
		if err != nil {
			return err
		}
		return cli.Print(s.cmd, line, func(w io.Writer) { printSubmission(w, &one, text, siblings) })
	})
}

func findSubmission(ctx context.Context, s *storage.State, id string) (submission.Submission, error) {
	one, err := s.Submission(ctx, id)
	if errors.Is(err, submission.ErrUnknown) {
		return one, fmt.Errorf("unknown submission %q; to list them: kindex submissions list", id)
	}
	return one, err
}

// printSubmission prints a submission. changes says what a correction changes.
func printSubmission(w io.Writer, s *submission.Submission, changes string, siblings []submission.Submission) {
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
	// The kinds of the index are not known here. With them, the file was checked when it was submitted: it has
	// no errors.
	_, problems := content.ParseEntity(kinds.Default(), "", s.Type, s.Slug, []byte(s.YAML))
	for _, p := range problems {
		if p.Severity == yamldoc.Warning {
			fmt.Fprintf(w, "%s: %s: %s\n", p.Severity, safetext.Escape(p.Field), safetext.Escape(p.Text()))
		}
	}
	for line := range strings.Lines(changes + "\n" + s.YAML) {
		fmt.Fprintln(w, safetext.Escape(strings.TrimSuffix(line, "\n")))
	}
}

// maxReason is the maximum length of a reason in characters.
const maxReason = 1000

func submissionsRejectCommand() *cobra.Command {
	var reason, account string
	var options ForgeOptions
	c := onState(&cobra.Command{
		Use: "reject {ID... | --all-of ACCOUNT} --reason TEXT", Short: "Reject submissions, with a reason",
		Long: `Reject rejects submissions and shows the reason to their accounts. It closes open pull
requests, which requires the forge options, but keeps their branches. --all-of rejects
every submission that an account has pending or in review; an accepted submission can
only be rejected by its ID. If one submission cannot be rejected, the others still are.`,
		Example: `  kindex submissions reject sub_h3jd2mq7xkzc4v5wtbna --reason "This is not a tool."
  kindex submissions reject --all-of spammer --reason "Advertising."`,
	}, existing, func(ctx context.Context, s *session) error {
		forge, err := options.Open()
		ids := s.args
		if (len(ids) == 0) == (account == "") {
			err = cli.Usage(fmt.Errorf("specify submission IDs, or an account with --all-of; see %s --help", s.cmd.CommandPath()))
		}
		if err != nil {
			return err
		}
		if account != "" {
			if ids, err = reviewableOf(ctx, s.State, account); err != nil {
				return err
			}
			if len(ids) == 0 {
				s.say("no submissions")
			}
		}
		var failed []error
		rejected := []object{}
		show := func(one *submission.Submission) {
			rejected = append(rejected, statusObject(one, submission.Rejected))
			s.say("rejected %s (%s)", one.ID, one.Key())
		}
		for _, id := range ids {
			if err := rejectOne(ctx, show, s.State, forge, id, reason); err != nil {
				failed = append(failed, err)
			}
			if ctx.Err() != nil {
				break
			}
		}
		if cli.AsJSON(s.cmd) {
			failed = append(failed, s.print(rejected, ""))
		}
		return errors.Join(failed...)
	})
	f := c.Flags()
	cli.Var(f, &reason, "reason", "text", "", "the reason, shown to the submitter (required)", checkReason)
	f.StringVar(&account, "all-of", "", "reject the pending and in-review submissions of this account, instead of listing IDs")
	options.Flags(f)
	return c
}

// checkReason checks a reason, which the submitter will read.
func checkReason(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" || utf8.RuneCountInString(text) > maxReason || !utf8.ValidString(text) || safetext.Contains(text) {
		return "", fmt.Errorf("the reason must be one line of 1 to %d visible characters", maxReason)
	}
	return text, nil
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

func rejectOne(ctx context.Context, show func(*submission.Submission), s *storage.State, f *github.Forge, id, reason string) error {
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
	show(&one)
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
