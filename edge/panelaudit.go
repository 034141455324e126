package edge

import (
	"strconv"

	"kindex/edge/state"
	"kindex/site/pages"
)

const panelLog = "/developer/log/"

// entriesShown is how many entries of the audit log are on one page.
const entriesShown = 30

var actionTexts = map[state.Action]string{
	state.AccountCreated: "Account created", state.AccountSignedIn: "Signed in", state.AccountSuspended: "Account suspended",
	state.AccountReinstated: "Account reinstated", state.AccountLimitChanged: "Limit changed",
	state.KeyCreated: "Key created", state.KeyRevoked: "Key revoked", state.KeyReported: "Key reported as leaked, and revoked",
	state.WebhookCreated: "Webhook created", state.WebhookDeleted: "Webhook deleted", state.WebhookRotated: "New secret for a webhook",
	state.WebhookDisabled:   "Webhook switched off",
	state.SubmissionCreated: "Submission sent", state.SubmissionWithdrawn: "Submission withdrawn", state.SubmissionInReview: "Submission in review",
	state.SubmissionAccepted: "Submission accepted", state.SubmissionPublished: "Submission published", state.SubmissionRejected: "Submission rejected",
}

// actorText returns who made a change, in words.
func actorText(a state.Actor) string {
	switch a.Kind {
	case state.ByKey:
		return "with the key " + strconv.Quote(a.Name)
	case state.BySession:
		return "on this website"
	case state.ByOperator:
		return "by the operator"
	case state.ByAnyone:
		return "by someone who had the key"
	}
	return "by the service"
}

// log lists what was done with the account.
func (v *visitor) log() (shown, error) {
	// An invalid position means the newest entries.
	before, err := strconv.ParseInt(v.request.URL.Query().Get("before"), 10, 64)
	if err != nil || before < 1 {
		before = 0
	}
	list, count, more, err := v.server.auditPage(v.request.Context(), v.account.ID, before, entriesShown)
	if err != nil {
		return shown{}, err
	}
	p := &pages.AuditPage{Member: v.member, Count: count, Later: before > 0, Days: int(state.AuditFor.Hours() / 24), PerAction: state.AuditPerAction}
	for _, e := range list {
		p.Entries = append(p.Entries, pages.PanelEntry{At: second(e.At), Action: actionTexts[e.Action], Actor: actorText(e.Actor),
			Address: e.Actor.Address, Target: e.Target, Detail: e.Detail})
	}
	if more {
		p.Older = panelLog + "?before=" + strconv.FormatInt(list[len(list)-1].Seq, 10)
	}
	return shown{page: p}, nil
}
