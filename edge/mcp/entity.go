package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
)

// The views of get_entity.
const (
	summaryView = "summary"
	fullView    = "full"
	scoreView   = "score"
)

// oneEntity is the result of the tool get_entity: the entity or the explanation of its score.
type oneEntity struct {
	Entity facts  `json:"entity,omitempty"`
	Score  facts  `json:"score,omitempty"`
	Note   string `json:"note,omitempty"`
	record facts  // members of Entity in the view "full"
}

// complete implements partial.
func (o *oneEntity) complete() { maps.Copy(o.Entity, o.record) }

func (t *tools) getEntity(ctx context.Context, v values) (any, error) {
	id, view := v.text("entity"), v.text("view")
	if view == scoreView {
		if v.text("at") != "" {
			return nil, wrongArguments("at: the view score is available only for the present; omit at, or use the view summary")
		}
		return t.explainScore(ctx, id)
	}
	e, a, note, err := t.fetch(ctx, id, "", params(v, "at"))
	if err != nil {
		return nil, err
	}
	one := &oneEntity{Entity: e.details(), Note: note}
	if view == fullView {
		one.record = facts{"record": json.RawMessage(a.body)}
		if links := get[map[string]string](e, "links"); len(links) > 0 {
			one.record["links"] = links
		}
	}
	return one, nil
}

// fetch reads one entity, or what the API has under it. If its slug has changed, the note says so.
func (t *tools) fetch(ctx context.Context, id, under string, q url.Values) (e entity, a *answer, note string, err error) {
	if a, err = askFor(ctx, t.api, "/api/entity/"+id+under, q, &e); err == nil && a.from != "" && e.key() != id {
		note = fmt.Sprintf("%s is now called %s.", id, e.key())
	}
	return e, a, note, err
}

// explainScore returns how a composite score is calculated, as the API explains it.
func (t *tools) explainScore(ctx context.Context, id string) (any, error) {
	e, _, note, err := t.fetch(ctx, id, "/score", nil)
	if err != nil {
		return nil, err
	}
	score := facts{"id": e.key()}
	for name, v := range e {
		if name != "type" && name != "slug" && (name == "composite" || string(v) != "null") {
			score[name] = v
		}
	}
	return &oneEntity{Score: score, Note: note}, nil
}

// comparison is the result of the tool compare.
type comparison struct {
	Entities []facts `json:"entities"`
	Note     string  `json:"note,omitempty"`
}

// compare requests the entities one after the other, because the API cannot return several
// entities by name in one request.
func (t *tools) compare(ctx context.Context, v values) (any, error) {
	var c comparison
	for _, id := range v.list("entities") {
		e, _, note, err := t.fetch(ctx, id, "", nil)
		if err != nil {
			return nil, err
		}
		c.Entities = append(c.Entities, e.details())
		c.Note = strings.TrimSpace(c.Note + " " + note)
	}
	return c, nil
}
