package github

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/go-github/v88/github"

	"kindex/edge/submission"
)

// Follower follows the pull requests of submissions. It is not safe for concurrent use.
// Several edges can follow the same pull requests; each change of status is still made only
// once.
type Follower struct {
	Forge *Forge
	Store submission.Store
	Log   *slog.Logger // nil to log nothing

	next string // the id of the submission after which the next round starts
	left string // why pull requests could not be closed in the last round, or "" if there was no error
}

// PollInterval is the usual polling interval, and maxBackoff is the maximum interval after
// errors.
const (
	PollInterval = time.Minute
	maxBackoff   = time.Hour
)

// maxPullRequests is the maximum number of pull requests per round. GitHub allows 5,000 requests an
// hour.
const maxPullRequests = 50

// Follow polls immediately and then at intervals, until ctx ends. After an error it doubles
// the interval, or waits as long as the forge requests. moved is called after each round
// that may have changed the status of a submission.
func (f *Follower) Follow(ctx context.Context, every time.Duration, moved func(context.Context)) {
	wait := time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		done, err := f.followReviews(ctx)
		if err == nil {
			f.tryClose(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		for _, s := range done {
			f.log().Info("submission", "submission", s.ID, "entity", s.Key(), "status", s.Status, "pullRequest", s.PullRequest.Number)
		}
		if moved(ctx); err == nil {
			wait = every
			continue
		}
		wait = max(min(max(2*wait, every), maxBackoff), retryAfter(err))
		f.log().Error("following pull requests failed", "error", err, "again", wait)
	}
}

func (f *Follower) log() *slog.Logger {
	if f.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return f.Log
}

// retryAfter returns how long the forge wants clients to wait, or 0 if it does not specify
// that.
func retryAfter(err error) time.Duration {
	var limited *github.RateLimitError
	var abused *github.AbuseRateLimitError
	switch {
	case errors.As(err, &limited):
		return min(time.Until(limited.Rate.Reset.Time)+time.Second, maxBackoff)
	case errors.As(err, &abused) && abused.RetryAfter != nil:
		return min(*abused.RetryAfter, maxBackoff)
	}
	return 0
}

// More reports whether the last round stopped before it had checked all submissions.
func (f *Follower) More() bool { return f.next != "" }

// Round checks the pull requests of submissions in review, a bounded number per round, and
// returns the submissions whose status changed. The next round continues where it stopped. A
// pull request that cannot be read does not affect other pull requests. It also closes the
// pull requests of withdrawn submissions.
func (f *Follower) Round(ctx context.Context) (moved []submission.Submission, err error) {
	moved, err = f.followReviews(ctx)
	if ctx.Err() != nil || retryAfter(err) > 0 {
		return moved, err
	}
	return moved, errors.Join(err, f.closeWithdrawn(ctx))
}

// tryClose calls closeWithdrawn. It logs a persistent failure, such as a token without the
// required permission, only once.
func (f *Follower) tryClose(ctx context.Context) {
	reason := ""
	if err := f.closeWithdrawn(ctx); err != nil {
		reason = err.Error()
	}
	if reason != "" && reason != f.left && ctx.Err() == nil {
		f.log().Warn("closing pull requests of withdrawn submissions failed; to close them, run kindex submissions sync with a token that has the required permission", "error", reason)
	}
	f.left = reason
}

// closeWithdrawn closes open pull requests of withdrawn submissions. If a pull request was
// merged before it could be closed, its entity stays in the index, and this is logged.
func (f *Follower) closeWithdrawn(ctx context.Context) error {
	list, err := f.Store.Submissions(ctx, submission.Query{ToClose: true, Limit: maxPullRequests, OldFirst: true})
	if err != nil {
		return err
	}
	var failed []error
	for _, s := range list {
		if err := f.closeOne(ctx, s); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.ID, err))
			if ctx.Err() != nil || retryAfter(err) > 0 {
				break
			}
		}
	}
	return errors.Join(failed...)
}

// closeOne closes the pull request of a withdrawn submission. It does nothing if the
// forge has no pull request with that number for its branch.
func (f *Follower) closeOne(ctx context.Context, s submission.Submission) error {
	p, err := f.Forge.fate(ctx, s)
	switch {
	case errors.Is(err, errOtherBranch) || isNotFound(err):
		f.log().Warn("the pull request of a withdrawn submission does not exist", "submission", s.ID, "pullRequest", s.PullRequest.Number)
	case err != nil:
		return err
	case merged(p):
		f.log().Warn("a withdrawn submission was merged", "submission", s.ID, "entity", s.Key(), "pullRequest", s.PullRequest.Number)
	case p.GetState() != "closed":
		if err := f.Forge.Close(ctx, s.PullRequest.Number); err != nil {
			return err
		}
		f.log().Info("closed the pull request of a withdrawn submission", "submission", s.ID, "pullRequest", s.PullRequest.Number)
	}
	return f.Store.PullRequestClosed(ctx, s.ID)
}

func isNotFound(err error) bool {
	var refused *github.ErrorResponse
	return errors.As(err, &refused) && (refused.Response.StatusCode == http.StatusNotFound || refused.Response.StatusCode == http.StatusGone)
}

func (f *Follower) followReviews(ctx context.Context) (moved []submission.Submission, err error) {
	list, err := f.Store.Submissions(ctx, submission.Query{Statuses: []submission.Status{submission.InReview}, After: f.next, Limit: maxPullRequests, OldFirst: true})
	if err != nil {
		return nil, err
	}
	f.next = ""
	if len(list) == maxPullRequests {
		f.next = list[len(list)-1].ID
	}
	var failed []error
	for _, s := range list {
		now, err := f.ask(ctx, s)
		if now != nil {
			moved = append(moved, *now)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.ID, err))
			if ctx.Err() != nil || retryAfter(err) > 0 {
				break
			}
		}
	}
	return moved, errors.Join(failed...)
}

// ask checks one pull request. If it changes the status of the submission, it returns the
// submission.
func (f *Follower) ask(ctx context.Context, s submission.Submission) (*submission.Submission, error) {
	if s.PullRequest.Number == 0 { // it is being accepted right now, or that was interrupted
		return nil, nil
	}
	p, err := f.Forge.fate(ctx, s)
	if err != nil {
		return nil, err
	}
	to, change := submission.Accepted, submission.Change{}
	switch {
	case merged(p):
	case p.GetState() != "closed":
		return nil, nil
	default:
		to, change.Reason = submission.Rejected, "The pull request was closed without being merged."
		if s.PullRequest.URL != "" {
			change.Reason = "The pull request was closed without being merged: " + s.PullRequest.URL
		}
	}
	ok, err := f.Store.MoveSubmission(ctx, s.ID, to, change)
	if err != nil || !ok { // !ok: another edge was faster
		return nil, err
	}
	s.Status, s.Reason = to, change.Reason
	return &s, nil
}

// Merged reports whether the pull request of a submission was merged.
func (f *Forge) Merged(ctx context.Context, s submission.Submission) (bool, error) {
	p, err := f.fate(ctx, s)
	return err == nil && merged(p), err
}

func merged(p *github.PullRequest) bool { return p.GetMerged() || p.MergedAt != nil }

// errOtherBranch means that a pull request is not from the branch of its submission.
var errOtherBranch = errors.New("is not from the branch")

// fate returns the pull request of a submission.
func (f *Forge) fate(ctx context.Context, s submission.Submission) (*github.PullRequest, error) {
	p, _, err := f.client.PullRequests.Get(ctx, f.owner, f.name, int(s.PullRequest.Number))
	if err != nil {
		return nil, f.explain(err)
	}
	if !f.of(p, s.Branch) {
		return nil, fmt.Errorf("pull request %d of %s/%s %w %s", s.PullRequest.Number, f.owner, f.name, errOtherBranch, s.Branch)
	}
	return p, nil
}
