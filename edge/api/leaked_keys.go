package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/web"
)

// MaxReports is the maximum number of keys that an IP address can report per hour on this edge.
// Reports have a limit of their own: a thief can use up the limit of a stolen key's account,
// which must not prevent the key from being revoked.
const MaxReports = 60

// RevokeLeakedKey handles POST /api/developer/api-keys/revoke.
//
// Anyone who has a leaked key can revoke it, as its owner would want. No other key is
// needed. The response reveals no more about the key than using it would.
func (a *API) RevokeLeakedKey(c *web.Call) (*web.Reply, error) {
	if err := a.countReport(c); err != nil {
		return nil, err
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
	a.keys.Forget()
	return web.JSONReply(http.StatusNoContent, nil)
}

func (a *API) countReport(c *web.Call) error {
	who := ratelimit.AddressSubject(c.Shared.Proxies.Client(c.Request), MaxReports)
	who.Window = time.Hour
	st, err := a.leakReports.Take(c.Request.Context(), who)
	switch {
	case err != nil:
		return err
	case st.Allowed:
		return nil
	}
	p := web.NewProblem("rate-limited", fmt.Sprintf("An IP address can report at most %d keys per hour; try again at %s.", MaxReports, st.Reset.UTC().Format(time.RFC3339))+
		c.Shared.ContactSentence("", " To report more, write to %s."))
	p.Header = http.Header{"Retry-After": {strconv.FormatInt(st.Wait(c.Shared.Now()), 10)}}
	return p
}
