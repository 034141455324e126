package api

import (
	"net/http"

	"kindex/edge/account"
	"kindex/edge/web"
	"kindex/edge/webhook"
)

// CreateWebhook handles POST /api/webhooks.
func (a *API) CreateWebhook(c *web.Call) (*web.Reply, error) {
	var body account.NewWebhook
	if err := c.Decode(&body); err != nil {
		return nil, err
	}
	write, refused, err := a.accounts.CreateWebhook(c.Request.Context(), c.Served.Build.Kinds(), c.Principal.Account.ID, body)
	if err == nil && !account.HasIdempotencyKey(c) {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return a.accounts.Write(c, write)
}

// ListWebhooks handles GET /api/webhooks.
func (a *API) ListWebhooks(c *web.Call) (*web.Reply, error) {
	hooks, err := a.state.Webhooks(c.Request.Context(), c.Principal.Account.ID)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	l := newList(c)
	l.private = true
	for _, w := range hooks {
		l.add(account.NewWebhookRecord(w))
	}
	return l.reply(len(hooks), nil), nil
}

// ownWebhook returns the webhook with the ID in the path, if it belongs to the caller.
func (a *API) ownWebhook(c *web.Call) (webhook.Webhook, error) {
	return a.accounts.WebhookOf(c.Request.Context(), c.Principal.Account.ID, c.Param("id"))
}

// Webhook handles GET /api/webhooks/:id.
func (a *API) Webhook(c *web.Call) (*web.Reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
	return web.JSONReply(http.StatusOK, account.NewWebhookRecord(w))
}

// DeleteWebhook handles DELETE /api/webhooks/:id.
func (a *API) DeleteWebhook(c *web.Call) (*web.Reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
	if err := a.accounts.DeleteWebhook(c.Request.Context(), w); err != nil {
		return nil, err
	}
	return web.JSONReply(http.StatusNoContent, nil)
}

// RotateWebhook handles POST /api/webhooks/:id/rotate.
func (a *API) RotateWebhook(c *web.Call) (*web.Reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
	if err := c.DecodeEmpty(); err != nil {
		return nil, err
	}
	return a.accounts.Write(c, a.accounts.RotateSecret(w))
}
