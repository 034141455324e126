package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"kindex/edge/apikey"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/web"
)

// RevokeLeakedKey handles POST /api/developer/api-keys/revoke.
//
// Anyone who has a leaked key can revoke it, as its owner would want. No other key is
// needed. The response reveals no more about the key than using it would.
func (a *API) RevokeLeakedKey(c *web.Call) (*web.Reply, error) {
	if wait, ok := c.Shared.Limits.Allow(ratelimit.ReportKey, c.Shared.Proxies.Client(c.Request), 1); !ok {
		return nil, web.NewProblem("rate-limited", fmt.Sprintf("An IP address can report at most %d keys per hour.", ratelimit.ReportKey.Address)+
			c.Shared.ContactSentence("", " To report more, write to %s.")).RetryAfter(wait)
	}
	c.SetDeadline()
	var body struct {
		Key string `json:"key"`
	}
	if err := c.Decode(&body); err != nil {
		return nil, err
	}
	secret, err := apikey.Parse(body.Key) // the checksum rejects most strings that cannot be keys
	if err != nil {
		return nil, web.InvalidBody([]web.FieldError{{Field: "key", Message: strings.TrimPrefix(err.Error(), "this ")}})
	}
	ctx := storage.WithActor(c.Request.Context(), storage.Actor{Kind: storage.ByAnyone, Address: c.Shared.ClientAddress(c.Request)})
	err = a.state.Write(ctx, func(tx *storage.Tx) error {
		_, err := tx.RevokeReported(secret)
		return err
	})
	switch {
	case errors.Is(err, apikey.ErrUnknown):
		return nil, web.NewProblem("unknown-key", "This service never issued this key.")
	case err != nil:
		return nil, web.StateProblem(err)
	}
	return web.JSONReply(http.StatusNoContent, nil)
}
