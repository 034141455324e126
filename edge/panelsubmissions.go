package edge

import (
	"slices"

	"kindex/edge/submission"
	"kindex/site/pages"
)

const panelSubmissions = "/developer/submissions/"

// submissionsShown is how many submissions are on one page.
const submissionsShown = 30

func panelSubmission(s *submission.Submission) pages.PanelSubmission {
	return pages.PanelSubmission{ID: s.ID, Type: s.Type, Slug: s.Slug, Name: s.Name, URL: s.URL, Status: string(s.Status), Reason: s.Reason,
		PullRequest: s.PullRequest.URL, Number: s.PullRequest.Number, CreatedAt: second(s.CreatedAt), UpdatedAt: second(s.UpdatedAt)}
}

// submissions lists what the account has submitted.
func (v *visitor) submissions() (shown, error) {
	ctx, q := v.request.Context(), submission.Query{AccountID: v.account.ID}
	count, err := v.console.state.CountSubmissions(ctx, q)
	if err != nil {
		return shown{}, stateProblem(err)
	}
	// A place in the list is one of the account's own; of anything else, the page is
	// the first.
	if before := v.request.URL.Query().Get("before"); submission.ValidID(before) {
		if _, err := v.console.accounts.submissionOf(ctx, v.account.ID, before); err == nil {
			q.After = before
		}
	}
	q.Limit = submissionsShown + 1
	list, err := v.console.state.Submissions(ctx, q)
	if err != nil {
		return shown{}, stateProblem(err)
	}
	open, err := v.console.state.CountSubmissions(ctx, submission.Query{AccountID: v.account.ID, Statuses: submission.Open})
	if err != nil {
		return shown{}, stateProblem(err)
	}
	p := &pages.SubmissionsPage{Member: v.member, Count: count, Open: open, MaxOpen: submission.MaxOpen, Later: q.After != ""}
	if len(list) > submissionsShown {
		list = list[:submissionsShown]
		p.Older = panelSubmissions + "?before=" + list[submissionsShown-1].ID
	}
	for i := range list {
		p.Submissions = append(p.Submissions, panelSubmission(&list[i]))
	}
	return shown{page: p}, nil
}

// submissionBody shows one submission with its file.
func (v *visitor) submission() (shown, error) {
	id := v.param("submission")
	if !submission.ValidID(id) {
		return shown{}, newProblem("unknown-submission", "You have no such submission.")
	}
	found, err := v.console.accounts.submissionOf(v.request.Context(), v.account.ID, id)
	if err != nil {
		return shown{}, err
	}
	p := panelSubmission(&found)
	p.YAML, p.Withdrawable = found.YAML, slices.Contains(submission.Withdrawn.From(), found.Status)
	return shown{page: &pages.SubmissionPage{Member: v.member, Submission: p}}, nil
}

// withdrawSubmission withdraws a submission, and shows what is left of it.
func (v *visitor) withdrawSubmission() (shown, error) {
	id := v.param("submission")
	if err := v.console.accounts.withdraw(v.request.Context(), v.account.ID, id); err != nil {
		return shown{}, err
	}
	return shown{to: panelSubmissions + id + "/"}, nil
}
