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

func panelSubmission(s *submission.Submission) panel.Submission {
	return panel.Submission{ID: s.ID, Type: s.Type, Slug: s.Slug, Name: s.Name, URL: s.URL, Status: string(s.Status), Reason: s.Reason,
		Amends: s.Amends(), PullRequest: s.PullRequest.URL, Number: s.PullRequest.Number, CreatedAt: web.TruncateToSecond(s.CreatedAt), UpdatedAt: web.TruncateToSecond(s.UpdatedAt)}
}

// submissions lists the account's submissions.
func (v *panelRequest) submissions() (panel.Page, error) {
	ctx, q := v.Request.Context(), submission.Query{AccountID: v.account.ID}
	count, err := v.console.State.CountSubmissions(ctx, q)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	// The position in the list must be one of the account's submissions; otherwise, the
	// first page is shown.
	before := v.Request.URL.Query().Get("before")
	if _, err := v.console.Accounts.SubmissionOf(ctx, v.account.ID, before); err == nil {
		q.After = before
	}
	q.Limit = SubmissionsPerPage + 1
	list, err := v.console.State.Submissions(ctx, q)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	open, err := v.console.State.CountSubmissions(ctx, submission.Query{AccountID: v.account.ID, Statuses: submission.Open})
	if err != nil {
		return nil, web.StateProblem(err)
	}
	p := &panel.SubmissionsPage{Member: v.member, Count: count, Open: open, MaxOpen: submission.MaxOpen, Later: q.After != ""}
	if len(list) > SubmissionsPerPage {
		list = list[:SubmissionsPerPage]
		p.Older = PanelSubmissions + "?before=" + list[SubmissionsPerPage-1].ID
	}
	for i := range list {
		p.Submissions = append(p.Submissions, panelSubmission(&list[i]))
	}
	return p, nil
}

// submission shows one submission with its file.
func (v *panelRequest) submission() (panel.Page, error) {
	found, err := v.console.Accounts.SubmissionOf(v.Request.Context(), v.account.ID, v.Param("submission"))
	if err != nil {
		return nil, err
	}
	changes, err := found.Corrections()
	if err != nil {
		return nil, err
	}
	p := panelSubmission(&found)
	if p.Changes, err = submission.Describe(changes); err != nil {
		return nil, err
	}
	p.YAML, p.Withdrawable = found.YAML, slices.Contains(submission.Withdrawn.From(), found.Status)
	return &panel.SubmissionPage{Member: v.member, Submission: p}, nil
}

// withdrawSubmission withdraws a submission and redirects to its page.
func (v *panelRequest) withdrawSubmission() (panel.Page, error) {
	id := v.Param("submission")
	if err := v.console.Accounts.Withdraw(v.Request.Context(), v.account.ID, id); err != nil {
		return nil, err
	}
	return redirect(PanelSubmissions + id + "/"), nil
}
