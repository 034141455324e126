package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/resolve"
)

// Limits for a batch of identifiers.
const (
	maxIDs        = 1000
	idsPerRequest = 100 // covered by one request of the quota
	// maxSuggestedFor is the number of identifiers without matches that get suggestions, which
	// cost far more than a lookup.
	maxSuggestedFor = 50
)

// Resolve handles GET /api/resolve.
func (a *API) Resolve(c *web.Call) (*web.Reply, error) {
	list := c.Query.Values("id")
	if len(list) == 0 {
		return nil, &query.Error{Param: "id", Message: "is required: set it to an identifier such as pypi:torch"}
	}
	for _, id := range list {
		if problem := idProblem(id); problem != "" {
			return nil, &query.Error{Param: "id", Message: problem}
		}
	}
	return resolved(c, list), nil
}

// ResolveBatch handles POST /api/resolve. It changes nothing, but a batch would not fit into
// an address.
func (a *API) ResolveBatch(c *web.Call) (*web.Reply, error) {
	list, err := readIDs(c)
	if err != nil {
		return nil, err
	}
	if err := c.Charge(int64((len(list) - 1) / idsPerRequest)); err != nil {
		return nil, err
	}
	r := resolved(c, list)
	r.Status = http.StatusOK
	return r, nil
}

// readIDs reads the identifiers in the body.
func readIDs(c *web.Call) ([]string, error) {
	c.SetDeadline()
	var body struct {
		IDs []json.RawMessage `json:"ids"`
	}
	if err := c.Decode(&body); err != nil {
		return nil, err
	}
	invalid := func(field, message string) ([]string, error) {
		return nil, web.InvalidBody([]web.FieldError{{Field: field, Message: message}})
	}
	switch n := len(body.IDs); {
	case n == 0:
		return invalid("ids", "is required: an array with at least one identifier")
	case n > maxIDs:
		return invalid("ids", fmt.Sprintf("has %d identifiers; at most %d are allowed", n, maxIDs))
	}
	list := make([]string, len(body.IDs))
	for i, raw := range body.IDs {
		problem := "must be a string"
		if raw[0] == '"' && json.Unmarshal(raw, &list[i]) == nil {
			problem = idProblem(list[i])
		}
		if problem != "" {
			return invalid(fmt.Sprintf("ids[%d]", i), problem)
		}
	}
	return list, nil
}

// idProblem says why a string cannot be an identifier, or returns "".
func idProblem(id string) string {
	switch {
	case strings.TrimSpace(id) == "":
		return "must not be empty"
	case len(id) > resolve.MaxLen:
		return fmt.Sprintf("has %d bytes; at most %d are allowed", len(id), resolve.MaxLen)
	case strings.ContainsRune(id, 0):
		return "contains a NUL character"
	}
	return ""
}

// resolved returns what identifiers refer to, in their order.
func resolved(c *web.Call, identifiers []string) *web.Reply {
	build := c.Served.Build
	l, unknown := newList(c), 0
	for _, id := range identifiers {
		r := resolve.Find(build, id)
		l.body = r.AppendJSON(l.next(), build, unknown < maxSuggestedFor)
		if len(r.Matches) == 0 {
			unknown++
		}
	}
	return l.reply(len(identifiers), nil)
}
