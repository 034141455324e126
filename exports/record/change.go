package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// The events.
const (
	Created = "entity.created"
	Updated = "entity.updated"
	Deleted = "entity.deleted"
)

// Events lists the possible events of a change.
var Events = []string{Created, Updated, Deleted}

// Retiring is the event of an entity that is about to retire. Webhooks receive it, but it is
// not a change.
const Retiring = "entity.retiring"

// WebhookEvents lists the events that webhooks can receive.
var WebhookEvents = append(slices.Clone(Events), Retiring)

// Change is the creation, update or deletion of one entity. Its JSON object is the
// same in the changelog, in feeds and in webhooks.
type Change struct {
	ID        string // 24 hexadecimal digits; unique, and stable across a rebase
	Event     string // one of Events
	Timestamp time.Time
	// Type, Slug and Name are the values after the change, or the last values of a
	// deleted entity.
	Type, Slug, Name string
	Fields           []FieldChange
	Commit           string // "" outside git
	Author           string // a name, "" outside git
	PullRequest      int    // 0 if there is none
}

// FieldChange is the value of one field before and after a change. Fields have the
// same order and names as in the record. The name of a nested field contains a dot.
type FieldChange struct {
	Field string          `json:"field"`
	Old   json.RawMessage `json:"old"` // null if the field was not, or is no longer, set
	New   json.RawMessage `json:"new"`
}

// Key returns the address of the entity within the index: type/slug.
func (c *Change) Key() string { return c.Type + "/" + c.Slug }

// Field returns the change of a field.
func (c *Change) Field(name string) (FieldChange, bool) {
	for _, f := range c.Fields {
		if f.Field == name {
			return f, true
		}
	}
	return FieldChange{}, false
}

// changeJSON is the form of a change in JSON.
type changeJSON struct {
	ID          string                 `json:"id"`
	Event       string                 `json:"event"`
	Timestamp   time.Time              `json:"timestamp"`
	Entity      entityName             `json:"entity"`
	Changes     []FieldChange          `json:"changes"`
	Commit      jsonenc.OptionalString `json:"commit"`
	Author      jsonenc.OptionalString `json:"author"`
	PullRequest *int                   `json:"pullRequest"`
}

type entityName struct {
	Type string `json:"type"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// AppendJSON appends the change as one compact object.
func (c *Change) AppendJSON(dst []byte) []byte {
	j := changeJSON{c.ID, c.Event, c.Timestamp.UTC().Truncate(time.Second), entityName{c.Type, c.Slug, c.Name}, append([]FieldChange{}, c.Fields...),
		jsonenc.OptionalString(c.Commit), jsonenc.OptionalString(c.Author), &c.PullRequest}
	if c.PullRequest == 0 {
		j.PullRequest = nil
	}
	return jsonenc.Append(dst, &j)
}

// AppendFieldChanges appends the changed fields as an array.
func AppendFieldChanges(dst []byte, fields []FieldChange) []byte {
	return jsonenc.Append(dst, append([]FieldChange{}, fields...))
}

// MarshalJSON implements json.Marshaler.
func (c *Change) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil), nil }

// UnmarshalJSON decodes what AppendJSON wrote.
func (c *Change) UnmarshalJSON(b []byte) error { return c.decode(b, jsonenc.Decode) }

// Borrow is like UnmarshalJSON, but texts of the change stay parts of b, for callers that copy only some.
func (c *Change) Borrow(b []byte) error { return c.decode(b, jsonenc.Borrow) }

func (c *Change) decode(b []byte, decode func(b []byte, to any) error) error {
	var r changeJSON
	if err := decode(b, &r); err != nil {
		return fmt.Errorf("change: %w", err)
	}
	*c = Change{ID: r.ID, Event: r.Event, Timestamp: r.Timestamp.UTC(), Type: r.Entity.Type, Slug: r.Entity.Slug,
		Name: r.Entity.Name, Fields: r.Changes, Commit: string(r.Commit), Author: string(r.Author)}
	if r.PullRequest != nil {
		c.PullRequest = *r.PullRequest
	}
	return nil
}

// ChangeFields lists the field names that a change may contain, and their groups.
func ChangeFields(declared *kinds.Set) []string {
	list := []string{"type", "slug", "name", "provider", "description", "category", "version", "pricingModel", "license", "url",
		"tags", "capabilities", "addedDate", "lastUpdated", "status", "links", "signals"}
	if declared.HasBlock(kinds.Results) {
		list = append(list, "signals.benchmarks")
	}
	list = append(list, "scores", "ids")
	for _, f := range declared.Fields {
		list = append(list, f.Path)
		for _, part := range f.Parts {
			list = append(list, part.Path)
		}
	}
	if declared.HasBlock(kinds.Lifecycle) {
		list = append(list, "lifecycle", "lifecycle.deprecated", "lifecycle.retires", "lifecycle.replacedBy")
	}
	if declared.HasBlock(kinds.Offers) {
		list = append(list, "offers")
	}
	for _, l := range declared.Links {
		list = append(list, "links."+l.Name)
	}
	for _, t := range declared.Signals {
		list = append(list, "signals."+t.Name)
	}
	for _, n := range ScoreNames {
		list = append(list, "scores."+n)
	}
	return list
}

// IsFigure reports whether a field is a figure: a signal, or a score, which follows from signals. That a
// repository was archived is more than a figure. The groups are figures, too.
func IsFigure(field string) bool {
	group, _, _ := strings.Cut(field, ".")
	return (group == "signals" || group == "scores") && field != "signals.archived"
}
