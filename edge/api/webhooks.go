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
		l.add(account.DescribeWebhook(w))
	}
	return l.reply(len(hooks), nil), nil
}

// OfWebhook returns a handler for the webhook with the ID in the path, if it belongs to the caller.
func (a *API) OfWebhook(answer func(*web.Call, webhook.Webhook) (*web.Reply, error)) web.Handler {
	return func(c *web.Call) (*web.Reply, error) {
		w, err := a.accounts.WebhookOf(c.Request.Context(), c.Principal.Account.ID, c.Param("id"))
		if err != nil {
			return nil, err
		}
		return answer(c, w)
	}
}

// Webhook handles GET /api/webhooks/:id.
func (a *API) Webhook(_ *web.Call, w webhook.Webhook) (*web.Reply, error) {
	return web.JSONReply(http.StatusOK, account.DescribeWebhook(w))
}

// DeleteWebhook handles DELETE /api/webhooks/:id.
func (a *API) DeleteWebhook(c *web.Call, w webhook.Webhook) (*web.Reply, error) {
	if err := a.accounts.DeleteWebhook(c.Request.Context(), w); err != nil {
		return nil, err
	}
	return web.JSONReply(http.StatusNoContent, nil)
}

// RotateWebhook handles POST /api/webhooks/:id/rotate.
func (a *API) RotateWebhook(c *web.Call, w webhook.Webhook) (*web.Reply, error) {
	if err := c.DecodeEmpty(); err != nil {
		return nil, err
	}
	return a.accounts.Write(c, a.accounts.RotateSecret(w))
}
