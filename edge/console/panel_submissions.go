package console

import (
	"slices"

	"kindex/edge/submission"
	"kindex/edge/web"
	"kindex/site/panel"
)

const PanelSubmissions = "/developer/submissions/"

// SubmissionsPerPage is the number of submissions per page.
const SubmissionsPerPage = 30

func panelSubmission(s submission.Submission) panel.Submission {
	return panel.Submission{ID: s.ID, Type: s.Type, Slug: s.Slug, Name: s.Name, URL: s.URL, Status: string(s.Status), Reason: s.Reason,
		Amends: s.Amends(), PullRequest: s.PullRequest.URL, Number: s.PullRequest.Number, CreatedAt: web.TruncateToSecond(s.CreatedAt), UpdatedAt: web.TruncateToSecond(s.UpdatedAt)}
}

func (v *panelRequest) submissions() (*panel.Page, error) {
	ctx, q := v.Request.Context(), submission.Query{AccountID: v.account.ID}
	p := &panel.Submissions{MaxOpen: submission.MaxOpen}
	var err error
	if p.Count, err = v.console.State.CountSubmissions(ctx, q); err != nil {
		return nil, web.StateProblem(err)
	}
	if p.Open, err = v.console.State.CountSubmissions(ctx, submission.Query{AccountID: v.account.ID, Statuses: submission.Open}); err != nil {
		return nil, web.StateProblem(err)
	}
	// The position in the list must be one of the account's submissions; otherwise, the
	// first page is shown.
	before := v.Request.URL.Query().Get("before")
	if _, err := v.console.Accounts.SubmissionOf(ctx, v.account.ID, before); err == nil {
		q.After, p.Later = before, true
	}
	q.Limit = SubmissionsPerPage + 1
	list, err := v.console.State.Submissions(ctx, q)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	list, p.Older = pageOf(list, SubmissionsPerPage, PanelSubmissions, func(s submission.Submission) string { return s.ID })
	for _, s := range list {
		p.Submissions = append(p.Submissions, panelSubmission(s))
	}
	return v.page("submissions", "Submissions", p), nil
}

func (v *panelRequest) submission() (*panel.Page, error) {
	found, err := v.console.Accounts.SubmissionOf(v.Request.Context(), v.account.ID, v.Param("submission"))
	if err != nil {
		return nil, err
	}
	changes, err := found.Corrections()
	if err != nil {
		return nil, err
	}
	p := panelSubmission(found)
	p.YAML, p.Withdrawable = found.YAML, slices.Contains(submission.Withdrawn.From(), found.Status)
	p.Changes, err = submission.Describe(changes)
	return v.page("submission", p.Name, p), err
}

func (v *panelRequest) withdrawSubmission() (*panel.Page, error) {
	id := v.Param("submission")
	return redirect(PanelSubmissions + id + "/"), v.console.Accounts.Withdraw(v.Request.Context(), v.account.ID, id)
}
