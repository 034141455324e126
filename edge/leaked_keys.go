package edge

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
)

// maxReports is how many keys an address can report in an hour on this edge. Reports
// have an allowance of their own: whoever has a stolen key can use up the limit of its
// account, and that must not keep anybody from revoking it.
const maxReports = 60

// POST /api/developer/api-keys/revoke
//
// Whoever holds a leaked key can revoke it, as its owner would want. No other key is
// needed. The answer reveals no more about the key than using it would.
func (a *API) revokeLeakedKey(c *call) (*reply, error) {
	if err := a.countReport(c); err != nil {
		return nil, err
	}
	c.hurry()
	var body struct {
		Key string `json:"key"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	secret, err := apikey.Parse(body.Key) // the checksum rejects most that cannot be a key
	if err != nil {
		return nil, invalidBody([]FieldError{{"key", strings.TrimPrefix(err.Error(), "this ")}})
	}
	ctx := storage.WithActor(c.request.Context(), storage.Actor{Kind: storage.ByAnyone, Address: c.shared.addressOfClient(c.request)})
	err = a.state.Write(ctx, func(tx *storage.Tx) error {
		_, err := tx.RevokeReported(secret)
		return err
	})
	switch {
	case errors.Is(err, apikey.ErrUnknown):
		return nil, newProblem("unknown-key", "This service never issued this key.")
	case err != nil:
		return nil, stateProblem(err)
	}
	a.keys.Forget()
	return object(http.StatusNoContent, nil)
}

func (a *API) countReport(c *call) error {
	who := ratelimit.OfAddress(c.shared.proxies.Client(c.request), maxReports)
	who.Window = time.Hour
	st, err := a.reports.Take(c.request.Context(), who)
	switch {
	case err != nil:
		return err
	case st.Allowed:
		return nil
	}
	p := newProblem("rate-limited", fmt.Sprintf("An IP address can report %d keys an hour; try again at %s.", maxReports, st.Reset.UTC().Format(time.RFC3339))+
		c.shared.contact("", " For more, write to %s."))
	p.header = http.Header{"Retry-After": {strconv.FormatInt(st.Wait(c.shared.now()), 10)}}
	return p
}
