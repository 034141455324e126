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
	Log   *slog.Logger

	next        string // the id of the submission after which the next round starts
	cannotClose bool   // pull requests could not be closed in the last round
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
			f.Log.Info("submission", "submission", s.ID, "entity", s.Key(), "status", s.Status, "pullRequest", s.PullRequest.Number)
		}
		if moved(ctx); err == nil {
			wait = every
			continue
		}
		wait = max(min(max(2*wait, every), maxBackoff), retryAfter(err))
		f.Log.Error("following pull requests failed", "error", err, "again", wait)
	}
}

// tryClose calls closeWithdrawn. It logs a persistent failure, such as a token without the
// required permission, only once.
func (f *Follower) tryClose(ctx context.Context) {
	err := f.closeWithdrawn(ctx)
	if err != nil && !f.cannotClose && ctx.Err() == nil {
		f.Log.Warn("closing pull requests of withdrawn submissions failed; to close them, run kindex submissions sync with a token that has the required permission", "error", err)
	}
	f.cannotClose = err != nil
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

// Round checks the pull requests of submissions in review, a bounded number per round, continuing
// where the last one stopped, and returns the submissions whose status changed. The failure of
// one does not affect others. It also closes the pull requests of withdrawn submissions.
func (f *Follower) Round(ctx context.Context) (moved []submission.Submission, err error) {
	moved, err = f.followReviews(ctx)
	if ctx.Err() != nil || retryAfter(err) > 0 {
		return moved, err
	}
	return moved, errors.Join(err, f.closeWithdrawn(ctx))
}

func (f *Follower) followReviews(ctx context.Context) (moved []submission.Submission, err error) {
	list, err := f.each(ctx, submission.Query{Statuses: []submission.Status{submission.InReview}, After: f.next}, func(s submission.Submission) error {
		changed, err := f.ask(ctx, &s)
		if changed {
			moved = append(moved, s)
		}
		return err
	})
	switch {
	case list == nil: // the store failed
	case len(list) == maxPullRequests:
		f.next = list[len(list)-1].ID
	default:
		f.next = ""
	}
	return moved, err
}

func (f *Follower) closeWithdrawn(ctx context.Context) error {
	_, err := f.each(ctx, submission.Query{ToClose: true}, func(s submission.Submission) error { return f.closeOne(ctx, s) })
	return err
}

// each calls do for the submissions that match a query, oldest first, up to maxPullRequests. The
// failure of one does not affect the others, unless the forge wants clients to wait. It returns the
// submissions that it has found.
func (f *Follower) each(ctx context.Context, q submission.Query, do func(submission.Submission) error) ([]submission.Submission, error) {
	q.Limit, q.OldFirst = maxPullRequests, true
	list, err := f.Store.Submissions(ctx, q)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, s := range list {
		if err := do(s); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.ID, err))
			if ctx.Err() != nil || retryAfter(err) > 0 {
				break
			}
		}
	}
	return list, errors.Join(failed...)
}

// closeOne closes the pull request of a withdrawn submission. It does nothing if the forge has no
// pull request with that number for its branch, or it was merged before: then the entity stays.
func (f *Follower) closeOne(ctx context.Context, s submission.Submission) error {
	p, err := f.Forge.fate(ctx, s)
	var refused *github.ErrorResponse
	switch {
	case errors.Is(err, errOtherBranch) || errors.As(err, &refused) && (refused.Response.StatusCode == http.StatusNotFound || refused.Response.StatusCode == http.StatusGone):
		f.Log.Warn("the pull request of a withdrawn submission does not exist", "submission", s.ID, "pullRequest", s.PullRequest.Number)
	case err != nil:
		return err
	case merged(p):
		f.Log.Warn("a withdrawn submission was merged", "submission", s.ID, "entity", s.Key(), "pullRequest", s.PullRequest.Number)
	case p.GetState() != "closed":
		if err := f.Forge.Close(ctx, s.PullRequest.Number); err != nil {
			return err
		}
		f.Log.Info("closed the pull request of a withdrawn submission", "submission", s.ID, "pullRequest", s.PullRequest.Number)
	}
	return f.Store.PullRequestClosed(ctx, s.ID)
}

func (f *Follower) ask(ctx context.Context, s *submission.Submission) (changed bool, err error) {
	if s.PullRequest.Number == 0 { // it is being accepted right now, or that was interrupted
		return false, nil
	}
	p, err := f.Forge.fate(ctx, *s)
	if err != nil || !merged(p) && p.GetState() != "closed" {
		return false, err
	}
	to, reason := submission.Accepted, ""
	if !merged(p) {
		to, reason = submission.Rejected, "The pull request was closed without being merged."
		if s.PullRequest.URL != "" {
			reason = "The pull request was closed without being merged: " + s.PullRequest.URL
		}
	}
	if changed, err = f.Store.MoveSubmission(ctx, s.ID, to, submission.Change{Reason: reason}); changed { // otherwise another edge was faster
		s.Status, s.Reason = to, reason
	}
	return changed, err
}

// Merged reports whether the pull request of a submission was merged.
func (f *Forge) Merged(ctx context.Context, s submission.Submission) (bool, error) {
	p, err := f.fate(ctx, s)
	return err == nil && merged(p), err
}

func merged(p *github.PullRequest) bool { return p.GetMerged() || p.MergedAt != nil }

// errOtherBranch means that a pull request is not from the branch of its submission.
var errOtherBranch = errors.New("is not from the branch")

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
