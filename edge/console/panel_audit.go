package console

import (
	"strconv"

	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/site/panel"
)

const PanelLog = "/developer/log/"

// EntriesPerPage is the number of audit log entries per page.
const EntriesPerPage = 30

var actionTexts = map[storage.Action]string{
	storage.AccountCreated: "Account created", storage.AccountSignedIn: "Signed in", storage.AccountSuspended: "Account suspended",
	storage.AccountReinstated: "Account reinstated", storage.AccountLimitChanged: "Limit changed",
	storage.KeyCreated: "Key created", storage.KeyRevoked: "Key revoked", storage.KeyReported: "Key reported as leaked and revoked",
	storage.WebhookCreated: "Webhook created", storage.WebhookDeleted: "Webhook deleted", storage.WebhookRotated: "Webhook secret replaced",
	storage.WebhookDisabled:   "Webhook switched off",
	storage.SubmissionCreated: "Submission sent", storage.SubmissionWithdrawn: "Submission withdrawn", storage.SubmissionInReview: "Submission in review",
	storage.SubmissionAccepted: "Submission accepted", storage.SubmissionPublished: "Submission published", storage.SubmissionRejected: "Submission rejected",
}

func actorText(a storage.Actor) string {
	switch a.Kind {
	case storage.ByKey:
		return "with the key " + strconv.Quote(a.Name)
	case storage.BySession:
		return "on this website"
	case storage.ByOperator:
		return "by the operator"
	case storage.ByAnyone:
		return "by someone who had the key"
	}
	return "by the service"
}

func (v *panelRequest) log() (*panel.Page, error) {
	// If the position is invalid, show the newest entries.
	before, err := strconv.ParseInt(v.Request.URL.Query().Get("before"), 10, 64)
	if err != nil || before < 1 {
		before = 0
	}
	list, count, err := v.console.State.AuditLog(v.Request.Context(), v.account.ID, before, EntriesPerPage+1)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	p := &panel.Audit{List: panel.List{Count: count, Later: before > 0}, Days: int(storage.AuditRetention.Hours() / 24), PerAction: storage.AuditPerAction}
	list, p.Older = pageOf(list, EntriesPerPage, PanelLog, func(e storage.AuditEntry) string { return strconv.FormatInt(e.Seq, 10) })
	for _, e := range list {
		p.Entries = append(p.Entries, panel.AuditEntry{At: web.TruncateToSecond(e.At), Action: actionTexts[e.Action], Actor: actorText(e.Actor),
			Address: e.Actor.Address, Target: e.Target, Detail: e.Detail})
	}
	return v.page("audit", "Audit log", p), nil
}
