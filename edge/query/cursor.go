package query

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"

	"kindex/exports/view"
)

// Cursor identifies the record after which a page starts. It contains the record's sort value,
// type and slug, so it remains valid in later builds. Clients should treat it as opaque.
type Cursor struct {
	view.Position
	// Relevance is set in cursors for search hits. Hits are ordered by relevance; hits with the
	// same relevance are ordered by Position, which contains their composite score.
	Relevance *float64 `json:"r,omitempty"`
	// Provider and ID identify an offer of the model at Position. They are set in cursors for
	// offers.
	Provider string `json:"p,omitempty"`
	ID       string `json:"i,omitempty"`
}

// cursorJSON is the decoded form of a cursor.
type cursorJSON struct {
	Scope uint64 `json:"q"`
	Cursor
}

func scopeHash(scope string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(scope)) // never fails
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// String returns the encoded form for clients, which is valid only for the given scope.
func (c Cursor) String(scope string) string {
	b, err := json.Marshal(cursorJSON{scopeHash(scope), c})
	if err != nil {
		panic(err) // strings and finite numbers can always be encoded
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor parses a cursor that String has encoded for the same scope.
func ParseCursor(s, scope string) (*Cursor, error) {
	bad := &Error{Param: "cursor", Message: "is not a valid cursor; start again without a cursor"}
	if len(s) > 2048 {
		return nil, bad
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil {
		return nil, bad
	}
	var c cursorJSON
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil || dec.More() || c.Type == "" || c.Slug == "" {
		return nil, bad
	}
	if c.Scope != scopeHash(scope) {
		return nil, &Error{Param: "cursor", Message: "is from a different request; keep all other parameters the same from page to page"}
	}
	return &c.Cursor, nil
}
