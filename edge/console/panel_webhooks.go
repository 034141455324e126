package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kindex/edge/account"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
	"kindex/exports/record"
	"kindex/site/panel"
)

const PanelHooks = "/developer/webhooks/"

// DeliveriesShown is how many entries of a log are on one page.
const DeliveriesShown = 20

func panelWebhook(w webhook.Webhook) panel.Webhook {
	s := account.NewWebhookRecord(w)
	p := panel.Webhook{ID: s.ID, URL: s.URL, Events: s.Events, Active: s.Active, CreatedAt: s.CreatedAt, DisabledAt: s.DisabledAt,
		FailingSince: s.FailingSince, LastAttemptAt: s.LastAttemptAt, LastSuccessAt: s.LastSuccessAt, NextAttemptAt: s.NextAttemptAt}
	if s.DisabledReason != nil {
		p.DisabledReason = *s.DisabledReason
	}
	return p
}

// webhooks lists the webhooks of the account.
func (v *visitor) webhooks() (shown, error) {
	p, err := v.webhooksPage()
	if err != nil {
		return shown{}, err
	}
	p.Chosen = record.Events
	return shown{page: p}, nil
}

func (v *visitor) webhooksPage() (*panel.WebhooksPage, error) {
	list, err := v.console.state.Webhooks(v.Request.Context(), v.account.ID)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	p := &panel.WebhooksPage{Member: v.member, Most: webhook.MaxPerAccount, Once: newFormID()}
	for _, w := range list {
		p.Webhooks = append(p.Webhooks, panelWebhook(w))
	}
	return p, nil
}

// makeWebhook makes a webhook and shows its secret, this once.
func (v *visitor) makeWebhook() (shown, error) {
	address, events := v.field("url"), v.Request.PostForm["events"]
	ctx := v.Request.Context()
	do, refused, err := v.console.accounts.MakeWebhook(ctx, v.account.ID, address, events)
	if err != nil {
		return shown{}, err
	}
	done, repeated, err := v.console.accounts.Idempotent(ctx, v.attempt(), do)
	var problem *web.Problem
	switch {
	case err == nil && repeated:
		return shown{to: PanelHooks}, nil
	case err != nil && (!errors.As(err, &problem) || problem.Status >= 500):
		return shown{}, err
	case err != nil:
		return v.noWebhook(address, events, problem, refused != nil)
	}
	var made account.CreatedWebhook
	if err := json.Unmarshal([]byte(done.Answer), &made); err != nil {
		return shown{}, err
	}
	return shown{page: &panel.NewWebhookPage{Member: v.member, Webhook: panel.Webhook{ID: made.ID, URL: made.URL}, Secret: made.Secret}}, nil
}

// noWebhook gives the form back with what is wrong with it.
func (v *visitor) noWebhook(address string, events []string, problem *web.Problem, atFields bool) (shown, error) {
	p, err := v.webhooksPage()
	if err != nil {
		return shown{}, err
	}
	p.Status, p.URL, p.Chosen = problem.Status, address, events
	if !atFields {
		p.Refused = problem.Detail
		return shown{page: p}, nil
	}
	p.URLFault = faultOf(problem, "url", "the address")
	if p.EventFault = faultOf(problem, "events", "the choice"); len(events) == 0 {
		p.EventFault = "Choose at least one."
	}
	return shown{page: p}, nil
}

// ownWebhook is the webhook that the address names.
func (v *visitor) ownWebhook() (webhook.Webhook, error) {
	return v.console.accounts.WebhookOf(v.Request.Context(), v.account.ID, v.Param("webhook"))
}

// webhook shows one webhook with a part of its log.
func (v *visitor) webhook() (shown, error) {
	w, err := v.ownWebhook()
	if err != nil {
		return shown{}, err
	}
	q := storage.DeliveryQuery{WebhookID: w.ID, Limit: DeliveriesShown + 1, Before: parsePosition(v.Request.URL.Query().Get("before"))}
	list, count, err := v.console.state.Deliveries(v.Request.Context(), q)
	if err != nil {
		return shown{}, web.StateProblem(err)
	}
	p := &panel.WebhookPage{Member: v.member, Webhook: panelWebhook(w), Count: count, Later: q.Before != nil}
	if len(list) > DeliveriesShown {
		list = list[:DeliveriesShown]
		p.Older = p.Webhook.Path() + "?before=" + formatPosition(list[DeliveriesShown-1])
	}
	for _, d := range list {
		s := account.NewDeliveryRecord(d)
		p.Deliveries = append(p.Deliveries, panel.Delivery{ID: s.ID, Kind: s.Kind, Event: s.Event, EventID: s.EventID, Status: s.Status, Attempts: s.Attempts,
			CreatedAt: s.CreatedAt, LastAttemptAt: s.LastAttemptAt, NextAttemptAt: s.NextAttemptAt, ResponseStatus: d.ResponseStatus,
			Milliseconds: d.Took.Milliseconds(), Error: d.Error})
	}
	return shown{page: p}, nil
}

// formatPosition names a place in a log of deliveries.
func formatPosition(d webhook.Delivery) string {
	return fmt.Sprintf("%d-%d-%s", d.CreatedAt.UnixMilli(), d.Seq, d.ID)
}

// parsePosition reads what formatPosition wrote; of anything else, nil is the beginning.
func parsePosition(text string) *storage.DeliveryPlace {
	parts := strings.SplitN(text, "-", 3)
	if len(parts) < 3 || !account.PlausibleID("dlv_", parts[2]) {
		return nil
	}
	created, err := strconv.ParseInt(parts[0], 10, 64)
	seq, err2 := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || err2 != nil {
		return nil
	}
	return &storage.DeliveryPlace{CreatedMs: created, Seq: seq, ID: parts[2]}
}

// testWebhook has a test sent.
func (v *visitor) testWebhook() (shown, error) {
	w, err := v.ownWebhook()
	if err != nil {
		return shown{}, err
	}
	return v.ask(w, account.AskTest(w))
}

// replay has the event of a delivery sent once more.
func (v *visitor) replay() (shown, error) {
	w, err := v.ownWebhook()
	if err != nil {
		return shown{}, err
	}
	do, err := account.AskReplay(w, v.field("delivery"))
	if err != nil {
		return shown{}, err
	}
	return v.ask(w, do)
}

// ask has something sent outside its turn, wakes who sends it, and goes to where it
// can be watched.
func (v *visitor) ask(w webhook.Webhook, do account.WriteFunc) (shown, error) {
	if _, _, err := v.console.accounts.Idempotent(v.Request.Context(), storage.Attempt{AccountID: v.account.ID}, do); err != nil {
		return shown{}, err
	}
	v.console.accounts.Dispatch.Wake()
	return shown{to: PanelHooks + w.ID + "/"}, nil
}

// askToRotate asks back.
func (v *visitor) askToRotate() (shown, error) {
	w, err := v.ownWebhook()
	return shown{page: &panel.RotateWebhookPage{Member: v.member, Webhook: panelWebhook(w), Once: newFormID()}}, err
}

// rotateWebhook shows the new secret, this once.
func (v *visitor) rotateWebhook() (shown, error) {
	w, err := v.ownWebhook()
	if err != nil {
		return shown{}, err
	}
	done, repeated, err := v.console.accounts.Idempotent(v.Request.Context(), v.attempt(), v.console.accounts.Rotation(w))
	if err != nil {
		return shown{}, err
	}
	if repeated {
		return shown{to: PanelHooks + w.ID + "/"}, nil
	}
	var made account.RotatedWebhook
	if err := json.Unmarshal([]byte(done.Answer), &made); err != nil {
		return shown{}, err
	}
	return shown{page: &panel.NewWebhookPage{Member: v.member, Webhook: panelWebhook(w), Secret: made.Secret, PreviousUntil: &made.PreviousSecretExpiresAt}}, nil
}

// askToDelete asks back.
func (v *visitor) askToDelete() (shown, error) {
	w, err := v.ownWebhook()
	return shown{page: &panel.DeleteWebhookPage{Member: v.member, Webhook: panelWebhook(w)}}, err
}

func (v *visitor) deleteWebhook() (shown, error) {
	w, err := v.ownWebhook()
	if err == nil {
		err = v.console.accounts.EndWebhook(v.Request.Context(), w)
	}
	return shown{to: PanelHooks}, err
}
