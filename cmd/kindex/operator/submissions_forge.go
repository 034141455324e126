package operator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/builder/diff"
	"kindex/cmd/kindex/cli"
	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/edge/submission/github"
	"kindex/exports"
)

// ForgeToken is the environment variable that contains the forge's token. There is no flag
// for it because every user of the machine can read command lines.
const ForgeToken = "KINDEX_FORGE_TOKEN" //nolint:gosec // a name, not a secret

// ForgeOptions identify the forge on which submissions are reviewed.
type ForgeOptions struct{ github.Options }

// Flags adds --forge and --forge-repo.
func (o *ForgeOptions) Flags(f *pflag.FlagSet) {
	f.StringVar(&o.URL, "forge", "", "the API of the forge on which submissions are reviewed, such as https://api.github.com; the token is read from "+ForgeToken)
	f.StringVar(&o.Repository, "forge-repo", "", "the content's repository on the forge, as owner/name")
	cli.Needs(f, "forge", "forge-repo")
	cli.Needs(f, "forge-repo", "forge")
}

// Open returns the forge, or nil if none is configured.
func (o *ForgeOptions) Open() (*github.Forge, error) {
	if o.URL == "" && o.Repository == "" {
		return nil, nil
	}
	o.Token = os.Getenv(ForgeToken)
	f, err := github.New(o.Options)
	if err != nil {
		return nil, cli.Usage(err)
	}
	return f, nil
}

// PullRequestOf returns the pull request for a submission, which shows how it would change
// the index. Text from the submission appears only in code spans and code blocks, where a
// forge renders no markup, notifies nobody and closes no issues. The title contains no text
// from the submission.
func PullRequestOf(s *submission.Submission, d *diff.Report, base string) github.Request {
	what, title := "Submission %s for %s by %s.\n\n", "Add "
	if s.Amends() {
		what, title = "Submission %s corrects %s, by %s.\n\n", "Correct "
	}
	body := fmt.Sprintf(what, diff.CodeSpan(s.ID), diff.CodeSpan(s.Key()), diff.CodeSpan(s.Account)) + d.Markdown()
	return github.Request{Branch: s.Branch, Base: base, Title: title + s.Key(), Body: body}
}

func submissionsSyncCommand() *cobra.Command {
	var dir string
	var options ForgeOptions
	c := onState(&cobra.Command{
		Use: "sync", Short: "Update submission status from pull requests and builds",
		Long: `Sync updates the status of submissions: from their pull requests on the forge, and from
the build in --dir. An edge that runs with --forge does this every minute.`,
		Example: "  kindex submissions sync --forge https://api.github.com --forge-repo example/index",
	}, existing, func(ctx context.Context, s *session) error {
		forge, err := options.Open()
		if err != nil {
			return err
		}
		all := []object{}
		tell := func(moved []submission.Submission) {
			for _, one := range moved {
				all = append(all, statusObject(&one, one.Status))
				s.say("%s (%s) is %s", one.ID, one.Key(), one.Status)
			}
		}
		var failed error
		for follower := (&github.Follower{Forge: forge, Store: s.State, Log: slog.New(slog.DiscardHandler)}); forge != nil; {
			moved, err := follower.Round(ctx)
			tell(moved)
			if failed = errors.Join(failed, err); !follower.More() || ctx.Err() != nil {
				break
			}
		}
		published, err := publishFrom(ctx, s.State, dir)
		tell(published)
		if cli.AsJSON(s.cmd) {
			err = errors.Join(err, s.print(all, ""))
		}
		return errors.Join(failed, err)
	})
	c.Flags().StringVar(&dir, "dir", ".", "the folder that build --out wrote")
	options.Flags(c.Flags())
	return c
}

// publishFrom marks accepted submissions as published if the build in dir contains them. If
// there is no build, it does nothing.
func publishFrom(ctx context.Context, s *storage.State, dir string) (published []submission.Submission, err error) {
	if _, err := os.Stat(filepath.Join(dir, "exports", "current")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	err = cli.WithBuild(dir, func(b *exports.Build) (err error) {
		published, err = submission.Publish(ctx, s, b)
		return err
	})
	return published, err
}
