package edge

import (
	"net/http"

	"kindex/edge/webhook"
)

// POST /api/webhooks
func (a *API) createWebhook(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	var body struct {
		URL    string   `json:"url"`
		Events []string `json:"events"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	do, refused, err := a.accounts.makeWebhook(c.request.Context(), account.ID, body.URL, body.Events)
	if err == nil && !repeatable(c) {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return a.accounts.writeOnce(c, do)
}

// GET /api/webhooks
func (a *API) listWebhooks(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	list, err := a.state.Webhooks(c.request.Context(), account.ID)
	if err != nil {
		return nil, stateProblem(err)
	}
	data := make([]shownWebhook, len(list))
	for i, w := range list {
		data[i] = showWebhook(w)
	}
	return object(http.StatusOK, struct {
		Data  []shownWebhook `json:"data"`
		Count int            `json:"count"`
	}{data, len(data)})
}

// ownWebhook is the webhook that the address names, if it is the caller's.
func (a *API) ownWebhook(c *call) (w webhook.Webhook, err error) {
	account, err := c.account()
	if err != nil {
		return w, err
	}
	return a.accounts.webhookOf(c.request.Context(), account.ID, c.param("id"))
}

// GET /api/webhooks/:id
func (a *API) webhook(c *call) (*reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
	return object(http.StatusOK, showWebhook(w))
}

// DELETE /api/webhooks/:id
func (a *API) deleteWebhook(c *call) (*reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
	if err := a.accounts.endWebhook(c.request.Context(), w); err != nil {
		return nil, err
	}
	return object(http.StatusNoContent, nil)
}

// POST /api/webhooks/:id/rotate
func (a *API) rotateWebhook(c *call) (*reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
	if err := c.decodeNothing(); err != nil {
		return nil, err
	}
	return a.accounts.writeOnce(c, a.accounts.rotation(w))
}
