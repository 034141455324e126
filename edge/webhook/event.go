// Package webhook notifies other services of changes: when the edge switches to a build, it
// compares it with the one before, entity by entity, and delivers the differences to webhooks. It
// does not store anything itself.
package webhook

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"strings"
	"time"

	"kindex/exports/record"
)

// Event is the net change to one entity between two builds, or the notice that an entity is
// about to retire.
type Event struct {
	ID   string // derived from the entity and both builds, or from the notice, so that creating the event again results in the same ID
	Name string // one of record.WebhookEvents, such as entity.updated
	At   time.Time
	// Type, Slug and Entity (the name) are those in the newer build or, if the entity was deleted,
	// those in the older build.
	Type, Slug, Entity string
	// Changes is the net change: an updated field has a different value than before. A
	// created entity has no old values, and a deleted entity has no new values.
	Changes   []record.FieldChange
	ChangeIDs []string // the entries of the changelog that are combined in it, oldest first
	Payload   []byte   // the JSON body that is sent to receivers

	*retiring // nil unless the event is entity.retiring
}

// finalize sets the payload of an event and its ID, which is derived from the entity and the
// cause of the event.
func (e *Event) finalize(cause ...string) error {
	h := sha256.New()
	for _, part := range append([]string{e.Type, e.Slug}, cause...) {
		h.Write([]byte(part + "\x00"))
	}
	e.ID = "evt_" + strings.ToLower(base32.StdEncoding.EncodeToString(h.Sum(nil))[:20])
	type entity struct {
		Type string `json:"type"`
		Slug string `json:"slug"`
		Name string `json:"name"`
	}
	body := struct {
		ID        string          `json:"id"`
		Event     string          `json:"event"`
		Timestamp string          `json:"timestamp"`
		Entity    entity          `json:"entity"`
		Changes   json.RawMessage `json:"changes"`
		ChangeIDs []string        `json:"changeIds"`
		*retiring
	}{e.ID, e.Name, e.At.UTC().Format(time.RFC3339), entity{e.Type, e.Slug, e.Entity}, record.AppendFieldChanges(nil, e.Changes), e.ChangeIDs, e.retiring}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // as everywhere else in the API
	if err := enc.Encode(body); err != nil {
		return err
	}
	e.Payload = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return nil
}
