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

// Follower follows what becomes of the pull requests of submissions. It must not
// be used by two goroutines at once; several edges may follow the same ones, and
// each step is taken once.
type Follower struct {
	Forge *Forge
	Store submission.Store
	Log   *slog.Logger // nil for none

	tags map[string]string // by submission: the entity tag of what was last seen
	next string            // the submission behind which the next round begins
	left string            // why pull requests could not be closed last time, "" if they could
}

// Every is how often a follower asks; longest, how seldom at most, after errors.
const (
	PollInterval = time.Minute
	maxBackoff   = time.Hour
)

// maxPullRequests is how many pull requests one round asks for.
const maxPullRequests = 100

// maxTags is how many entity tags are held, so that those of submissions which
// others have closed do not add up; maxTag, how many bytes one has at most.
const (
	maxTags = 10_000
	maxTag  = 200
)

// Follow asks at once and then every so often, until ctx ends. After an error it waits twice as
// long each time, or as long as the forge says. moved is called after each round
// that may have moved a submission.
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

// retryAfter is how long the forge wants to be left alone; 0 where it does not
// say.
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

// More tells that the last round has not come to the end of the submissions.
func (f *Follower) More() bool { return f.next != "" }

// Round asks what has become of the pull requests of submissions in review, a
// bounded number of them, the next round of those behind them, and returns the
// submissions that it has moved. One that cannot be read does not keep it from the
// others. It also closes the pull requests of submissions that were withdrawn.
func (f *Follower) Round(ctx context.Context) (moved []submission.Submission, err error) {
	moved, err = f.followReviews(ctx)
	if ctx.Err() != nil || retryAfter(err) > 0 {
		return moved, err
	}
	return moved, errors.Join(err, f.closeWithdrawn(ctx))
}

// tryClose is closeWithdrawn for a follower whose token may not be allowed to: it
// goes on following, and logs the failure once.
func (f *Follower) tryClose(ctx context.Context) {
	reason := ""
	if err := f.closeWithdrawn(ctx); err != nil {
		reason = err.Error()
	}
	if reason != "" && reason != f.left && ctx.Err() == nil {
		f.log().Warn("closing pull requests of withdrawn submissions failed; kindex submissions sync closes them, given a token with the required permission", "error", reason)
	}
	f.left = reason
}

// closeWithdrawn closes pull requests of withdrawn submissions that are open. What
// was merged before anybody could close it stays in the index; the log says so.
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

// closeOne closes the pull request of a withdrawn submission. There is nothing to
// close where the forge has none of its branch under that number.
func (f *Follower) closeOne(ctx context.Context, s submission.Submission) error {
	delete(f.tags, s.ID)
	p, _, err := f.Forge.fate(ctx, s, "")
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

// ask looks at one pull request, and takes its submission on if there is a step.
// It returns the submission where it was moved.
func (f *Follower) ask(ctx context.Context, s submission.Submission) (*submission.Submission, error) {
	p, tag, err := f.Forge.fate(ctx, s, f.tags[s.ID])
	if err != nil || p == nil {
		return nil, err
	}
	to, change := submission.InReview, submission.Change{}
	switch {
	case merged(p):
		to = submission.Accepted
	case p.GetState() == "closed":
		to, change.Reason = submission.Rejected, "The pull request was closed without being merged."
		if s.PullRequest.URL != "" {
			change.Reason = "The pull request was closed without being merged: " + s.PullRequest.URL
		}
	}
	if to == submission.InReview {
		if f.tags == nil || len(f.tags) >= maxTags {
			f.tags = map[string]string{}
		}
		if len(tag) <= maxTag {
			f.tags[s.ID] = tag
		}
		return nil, nil
	}
	delete(f.tags, s.ID)
	ok, err := f.Store.MoveSubmission(ctx, s.ID, to, change)
	if err != nil || !ok { // another edge was quicker
		return nil, err
	}
	s.Status, s.Reason = to, change.Reason
	return &s, nil
}

// Merged reports whether the pull request of a submission was merged.
func (f *Forge) Merged(ctx context.Context, s submission.Submission) (bool, error) {
	p, _, err := f.fate(ctx, s, "")
	return err == nil && merged(p), err
}

func merged(p *github.PullRequest) bool { return p.GetMerged() || p.MergedAt != nil }

// errOtherBranch tells that a pull request has nothing to do with a submission.
var errOtherBranch = errors.New("is not from the branch")

// fate reads the pull request of a submission; nil where it is as it was when the
// tag was given.
func (f *Forge) fate(ctx context.Context, s submission.Submission, tag string) (*github.PullRequest, string, error) {
	req, err := f.client.NewRequest(ctx, http.MethodGet, fmt.Sprintf("repos/%s/%s/pulls/%d", f.owner, f.name, s.PullRequest.Number), nil)
	if err != nil {
		return nil, "", err
	}
	if tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	p := new(github.PullRequest)
	res, err := f.client.Do(req, p)
	if res != nil && res.StatusCode == http.StatusNotModified {
		return nil, tag, nil
	}
	if err != nil {
		return nil, "", f.explain(err)
	}
	if !f.of(p, s.Branch) {
		return nil, "", fmt.Errorf("pull request %d of %s/%s %w %s", s.PullRequest.Number, f.owner, f.name, errOtherBranch, s.Branch)
	}
	return p, res.Header.Get("ETag"), nil
}
