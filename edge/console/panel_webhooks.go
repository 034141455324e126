package console

import (
	"slices"
	"strings"
	"unicode"

	"kindex/edge/account"
	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/edge/web"
	"kindex/edge/webhook"
	"kindex/exports/record"
	"kindex/site/panel"
)

const PanelWebhooks = "/developer/webhooks/"

// DeliveriesPerPage is the number of delivery log entries per page.
const DeliveriesPerPage = 20

func (v *panelRequest) webhooks() (*panel.Page, error) {
	return v.webhooksPage(&panel.Webhooks{Chosen: record.WebhookEvents})
}

func (v *panelRequest) webhooksPage(p *panel.Webhooks) (*panel.Page, error) {
	list, err := v.console.State.Webhooks(v.Request.Context(), v.account.ID)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	p.Most, p.Once = webhook.MaxPerAccount, storage.NewID("")
	for _, w := range list {
		p.Webhooks = append(p.Webhooks, account.DescribeWebhook(w))
	}
	return v.page("webhooks", "Webhooks", p), nil
}

// createWebhook creates a webhook and shows its secret, which cannot be shown again.
func (v *panelRequest) createWebhook() (*panel.Page, error) {
	figures := v.field("figures") != "no"
	asked := account.NewWebhook{URL: v.field("url"), Events: v.Request.PostForm["events"], Figures: &figures,
		Fields: strings.FieldsFunc(v.field("fields"), func(r rune) bool { return r == ',' || unicode.IsSpace(r) })}
	do, refused, err := v.console.Accounts.CreateWebhook(v.Request.Context(), v.Served.Build.Kinds(), v.account.ID, asked)
	if err != nil {
		return nil, err
	}
	created, repeated, problem, err := create[account.CreatedWebhook](v, do)
	switch {
	case err != nil || repeated:
		return redirect(PanelWebhooks), err
	case problem != nil:
		return v.webhookFormError(asked, problem, refused != nil)
	}
	return v.secretPage("New webhook", &panel.NewSecret{Webhook: created.Registration, Secret: created.Secret}), nil
}

func (v *panelRequest) secretPage(title string, data *panel.NewSecret) *panel.Page {
	page := v.page("newwebhook", title, data)
	page.Script = true
	return page
}

func (v *panelRequest) webhookFormError(asked account.NewWebhook, problem *web.Problem, atFields bool) (*panel.Page, error) {
	p := &panel.Webhooks{URL: asked.URL, Chosen: asked.Events, Fields: strings.Join(asked.Fields, ", "), NoFigures: !*asked.Figures}
	if atFields {
		p.URLFault = fieldError(problem, "url", "the address")
		p.FieldFault = fieldError(problem, "fields", "the list")
		if p.EventFault = fieldError(problem, "events", "the choice"); len(asked.Events) == 0 {
			p.EventFault = "Choose at least one."
		}
	} else {
		p.Refused = problem.Detail
	}
	page, err := v.webhooksPage(p)
	if err == nil {
		page.Status = problem.Status
	}
	return page, err
}

// ofWebhook returns a handler for the account's webhook whose ID is in the path.
func ofWebhook(answer func(*panelRequest, webhook.Webhook) (*panel.Page, error)) func(*panelRequest) (*panel.Page, error) {
	return func(v *panelRequest) (*panel.Page, error) {
		w, err := v.console.Accounts.WebhookOf(v.Request.Context(), v.account.ID, v.Param("webhook"))
		if err != nil {
			return nil, err
		}
		return answer(v, w)
	}
}

func (v *panelRequest) webhook(w webhook.Webhook) (*panel.Page, error) {
	q := storage.DeliveryQuery{WebhookID: w.ID, Limit: DeliveriesPerPage + 1}
	if before := v.Request.URL.Query().Get("before"); account.ValidID("dlv_", before) {
		q.Before = before
	}
	list, count, err := v.console.State.Deliveries(v.Request.Context(), q)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	p := &panel.Deliveries{Webhook: account.DescribeWebhook(w), List: panel.List{Count: count, Later: q.Before != ""}}
	list, p.Older = pageOf(list, DeliveriesPerPage, p.Webhook.Path(), func(d webhook.Delivery) string { return d.ID })
	for _, d := range list {
		p.Deliveries = append(p.Deliveries, account.DescribeDelivery(d))
	}
	page := v.page("webhook", "Webhook", p)
	page.Script = true
	return page, nil
}

func (v *panelRequest) testWebhook(w webhook.Webhook) (*panel.Page, error) {
	return v.requestDelivery(w, account.RequestTest(w))
}

func (v *panelRequest) replay(w webhook.Webhook) (*panel.Page, error) {
	do, err := account.RequestReplay(w, v.field("delivery"))
	if err != nil {
		return nil, err
	}
	return v.requestDelivery(w, do)
}

// requestDelivery requests an extra delivery, wakes the dispatcher, and redirects to the
// page that shows it.
func (v *panelRequest) requestDelivery(w webhook.Webhook, do account.WriteFunc) (*panel.Page, error) {
	if _, _, err := v.console.Accounts.WriteOnce(v.Request.Context(), storage.IdempotencyKey{AccountID: v.account.ID}, do); err != nil {
		return nil, err
	}
	v.console.Accounts.Dispatch.Wake()
	return redirect(PanelWebhooks + w.ID + "/"), nil
}

func (v *panelRequest) confirmRotate(w webhook.Webhook) (*panel.Page, error) {
	return v.page("rotate", "Rotate a webhook secret", &panel.Rotation{Webhook: account.DescribeWebhook(w), Once: storage.NewID("")}), nil
}

// rotateWebhook replaces the secret and shows the new one, which cannot be shown again.
func (v *panelRequest) rotateWebhook(w webhook.Webhook) (*panel.Page, error) {
	rotated, repeated, refused, err := create[account.RotatedWebhook](v, v.console.Accounts.RotateSecret(w))
	switch {
	case refused != nil:
		return nil, refused
	case err != nil || repeated:
		return redirect(PanelWebhooks + w.ID + "/"), err
	}
	return v.secretPage("New secret", &panel.NewSecret{Webhook: account.DescribeWebhook(w).Registration, Secret: rotated.Secret, PreviousUntil: &rotated.PreviousSecretExpiresAt}), nil
}

func (v *panelRequest) confirmDelete(w webhook.Webhook) (*panel.Page, error) {
	return v.page("delete", "Delete a webhook", account.DescribeWebhook(w)), nil
}

func (v *panelRequest) deleteWebhook(w webhook.Webhook) (*panel.Page, error) {
	return redirect(PanelWebhooks), v.console.Accounts.DeleteWebhook(v.Request.Context(), w)
}

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
