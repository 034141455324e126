package mcp

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/where"
)

// The inputs of the tools. Members have the names of the API's parameters, which checks their values.
// Their descriptions are short, because they are part of every conversation.
type (
	paging struct {
		Limit  *int   `json:"limit,omitempty" jsonschema:"Maximum number of results."`
		Cursor string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous result, with the same other arguments."`
	}
	whole struct {
		Full bool `json:"full,omitempty" jsonschema:"Return complete records, in structuredContent only: many times longer."`
	}
	kind struct {
		Type     string `json:"type,omitempty" jsonschema:"Only entities of this kind."`
		Category string `json:"category,omitempty" jsonschema:"Only the category with this slug; kindex://categories describes all."`
	}
	moment struct {
		At string `json:"at,omitempty" jsonschema:"A day, YYYY-MM-DD: the data as of its end. Default: now."`
	}
	one struct {
		Entity string `json:"entity" jsonschema:"type/slug: the id of a result."`
	}
	// searchInput has the arguments of search that every index has; filterArguments adds the declared ones.
	searchInput struct {
		Query string `json:"query" jsonschema:"What to search for, in a few words."`
		kind
		Provider     string   `json:"provider,omitempty" jsonschema:"Only entities of this provider, such as OpenAI."`
		Tag          []string `json:"tag,omitempty" jsonschema:"Only entities with all these tags."`
		Capability   []string `json:"capability,omitempty" jsonschema:"Only entities with all these capabilities."`
		License      string   `json:"license,omitempty" jsonschema:"Only entities with this licence (SPDX identifier)."`
		PricingModel string   `json:"pricingModel,omitempty" jsonschema:"Only entities with this pricing model."`
		Status       string   `json:"status,omitempty" jsonschema:"Default: all but withdrawn."`
		MinScore     *float64 `json:"minScore,omitempty" jsonschema:"Minimum composite score."`
		AddedSince   string   `json:"addedSince,omitempty" jsonschema:"Only entities added since this day, YYYY-MM-DD."`
		UpdatedSince string   `json:"updatedSince,omitempty" jsonschema:"Only entities updated since this day."`
		paging
		whole
	}
	entityInput struct {
		one
		View string `json:"view,omitempty" jsonschema:"summary (default); full, which adds everything else, sources included, in structuredContent only; or score, which shows how the score is calculated."`
		moment
	}
	boardInput struct {
		Board string `json:"category,omitempty" jsonschema:"The slug of the category or board to rank, or all. An unknown slug returns the list; kindex://boards describes the boards."`
		Type  string `json:"type,omitempty" jsonschema:"Only entities of this kind."`
		By    string `json:"by,omitempty" jsonschema:"The score to rank by. Default: boardScore on a board, composite elsewhere. composite is the weighted mean of the others; the resource kindex://score of an entity says what each comes from."`
		paging
		moment
		whole
	}
	trendInput struct {
		Window string `json:"window,omitempty" jsonschema:"How far to look back. Default: 7d."`
		By     string `json:"by,omitempty" jsonschema:"What must have grown: the composite score (default) or a figure."`
		kind
		Limit *int `json:"limit,omitempty" jsonschema:"Maximum number of results."`
		whole
	}
	similarInput struct {
		one
		Kind  string `json:"kind,omitempty" jsonschema:"Only alternatives, or only related entities. Default: both."`
		Limit *int   `json:"limit,omitempty" jsonschema:"Maximum number of results, up to 20."`
		whole
	}
	compareInput struct {
		Entities []string `json:"entities" jsonschema:"Two to four ids, each in the form type/slug."`
	}
	changesInput struct {
		Since string `json:"since" jsonschema:"Start: a day (YYYY-MM-DD), an RFC 3339 time, or the id of a change to get those after it."`
		Until string `json:"until,omitempty" jsonschema:"End, inclusive: a day (YYYY-MM-DD), an RFC 3339 time, or the id of a change."`
		Event string `json:"event,omitempty" jsonschema:"Only changes of this kind."`
		kind
		paging
		Full bool `json:"full,omitempty" jsonschema:"Return complete values, and every field of new and deleted entities."`
	}
	pricesInput struct {
		Model      string   `json:"model,omitempty" jsonschema:"Only offers of this model: its id, its name, or an identifier that programs send."`
		Provider   string   `json:"provider,omitempty" jsonschema:"Only offers of the provider with this slug, such as openrouter."`
		Family     string   `json:"family,omitempty" jsonschema:"Only models of this family."`
		Modality   string   `json:"modality,omitempty" jsonschema:"Only models that accept this as input."`
		MaxInput   *float64 `json:"maxInput,omitempty" jsonschema:"Maximum price of input, in US dollars per million tokens."`
		MaxOutput  *float64 `json:"maxOutput,omitempty" jsonschema:"Maximum price of output."`
		MinContext *int64   `json:"minContext,omitempty" jsonschema:"Minimum context window in tokens."`
		Sort       string   `json:"sort,omitempty" jsonschema:"Cheapest first by this price. Default: blended, of three parts input and one part output."`
		paging
		moment
	}
	costInput struct {
		Model      string `json:"model" jsonschema:"The model: its id, its name, or an identifier that programs send."`
		Input      int64  `json:"input" jsonschema:"Tokens that one request sends, 0 if it sends none."`
		Output     *int64 `json:"output,omitempty" jsonschema:"Tokens that one request receives."`
		Cached     *int64 `json:"cached,omitempty" jsonschema:"Tokens of the input that are read from a cache."`
		CacheWrite *int64 `json:"cacheWrite,omitempty" jsonschema:"Tokens of the input that are written to a cache."`
		Images     *int64 `json:"images,omitempty" jsonschema:"Images that one request sends or receives, where they are priced apart."`
		Pages      *int64 `json:"pages,omitempty" jsonschema:"Pages of documents, where they are priced apart."`
		Seconds    *int64 `json:"seconds,omitempty" jsonschema:"Seconds of audio or video, where they are priced apart."`
		Characters *int64 `json:"characters,omitempty" jsonschema:"Characters of text, where they are priced apart."`
		Requests   *int64 `json:"requests,omitempty" jsonschema:"Number of such requests. Default: 1."`
		Mode       string `json:"mode,omitempty" jsonschema:"A price other than the standard one, such as batch."`
		Provider   string `json:"provider,omitempty" jsonschema:"Only offers of the provider with this slug."`
		moment
	}
)

// enums contains the values of members that have few.
var enums = map[string][]string{"status": record.Statuses, "maintenance": record.MaintenanceStates,
	"window": {"7d", "30d"}, "event": record.Events, "view": {"summary", "full", "score"}, "kind": {"alternatives", "related"}}

const maxLimit = 50

// addTools adds the tools to a server. The categories are examples and can be empty.
func (s *Server) addTools() {
	search := inputSchema[searchInput](s, nil)
	filterArguments(s.kinds, search)
	register(s, "search", "Search", "Find entities by keywords in names, topics and descriptions. Start here if you have a need or a name but no id. "+
		"Tolerates typos; \"words in quotes\" must match exactly. Results are short: pass an id to get_entity for details. Costs one request.", search, listSchema,
		func(ctx context.Context, in map[string]any) (*result, error) {
			q := params(in, "query")
			q.Set("q", fmt.Sprint(in["query"]))
			return s.list(ctx, "/api/search", q, in["full"] == true)
		})
	addTool(s, "get_entity", "One entity", "All information about one entity: description, scores, version, licence, URL, tags, capabilities, and the figures used for the scores. "+
		"The view score explains how the composite score is calculated. Costs one request.", objectSchema, nil, s.getEntity)
	addTool(s, "leaderboard", "Leaderboard", "Entities ranked by a score from 0 to 100: on a board (a ranking for one purpose), in a category, or of all categories. "+
		"For \"what is the best …\", use the board for that purpose: scores of different kinds do not compare. Use search for a need described in words. Costs one request.", listSchema, map[string][]string{"by": append(slices.Clone(record.ScoreNames), "boardScore")},
		func(ctx context.Context, in boardInput) (*result, error) {
			if in.Board == "" {
				in.Board = "all"
			}
			if !slugGrammar.MatchString(in.Board) {
				return nil, &callError{text: shown(in.Board) + " is not a slug: use lower-case letters, digits and hyphens; kindex://categories lists the slugs"}
			}
			return s.list(ctx, "/api/leaderboard/"+in.Board, params(in, "category"), in.Full)
		})
	addTool(s, "trending", "Trending", "Entities whose score rose recently because their figures changed or, with by, entities one of whose figures grew; largest gain first. Costs one request.", listSchema,
		map[string][]string{"by": append([]string{"score"}, s.kinds.Growing()...)},
		func(ctx context.Context, in trendInput) (*result, error) {
			return s.list(ctx, "/api/trending", params(in), in.Full)
		})
	addTool(s, "similar", "Similar entities", "Alternatives to an entity, which do the same job, and related entities, which are used together with it or are about the same subject, with reasons. Costs one request.", listSchema, nil,
		func(ctx context.Context, in similarInput) (*result, error) {
			id, err := key(in.Entity)
			if err != nil {
				return nil, err
			}
			return s.list(ctx, "/api/entity/"+id+"/similar", params(in, "entity"), in.Full)
		})
	addTool(s, "compare", "Compare", "Compare two to four entities side by side: scores and their figures, licence, version, capabilities. "+
		"Costs one request for each entity.", listSchema, nil, s.compare)
	if s.kinds.HasBlock(kinds.Offers) {
		addTool(s, "prices", "Prices", "Offers of models by providers, in US dollars per million tokens, cheapest first, each with the day on which it was read. Costs one request.", listSchema,
			map[string][]string{"sort": {"blended", "input", "output"}},
			func(ctx context.Context, in pricesInput) (*result, error) {
				return s.list(ctx, "/api/offers", params(in), false)
			})
		addTool(s, "cost", "Cost", "What requests to a model would cost with each of its offers, in US dollars, cheapest first. Costs one request.", listSchema, map[string][]string{"mode": record.OfferModes},
			func(ctx context.Context, in costInput) (*result, error) {
				return s.list(ctx, "/api/cost", params(in), false)
			})
	}
	addTool(s, "changes_since", "Changes", "What has changed in the index since a given time, newest first: new and deleted entities, and changed fields with old and new values. "+
		"Use it to update what you already know. Costs one request.", listSchema, nil,
		func(ctx context.Context, in changesInput) (*result, error) {
			return s.list(ctx, "/api/changelog", params(in), in.Full)
		})
}

// filterArguments adds the filters of the declared fields and blocks to the schema of search.
func filterArguments(declared *kinds.Set, search *jsonschema.Schema) {
	add := func(name string, p *jsonschema.Schema, choices []string) {
		for _, v := range choices {
			p.Enum = append(p.Enum, v)
		}
		search.Properties[name] = p
		search.PropertyOrder = append(search.PropertyOrder, name)
	}
	for _, f := range declared.Leaves() {
		lowest, highest := f.Limits()
		switch {
		case lowest+highest != "":
			typ := map[bool]string{true: "string", false: "number"}[f.IsDay()]
			if lowest != "" {
				add(lowest, &jsonschema.Schema{Type: typ, Description: "The lowest value. " + f.Description}, nil)
			}
			if highest != "" {
				add(highest, &jsonschema.Schema{Type: typ, Description: "The highest value. " + f.Description}, nil)
			}
		case !f.Filter:
		case f.Type == kinds.Boolean:
			add(f.Query, &jsonschema.Schema{Type: "boolean", Description: f.Description}, nil)
		case f.Splits():
			about := strings.Join(append([]string{"Only entities with all of these. " + f.Description}, f.Choices()...), " ")
			add(f.Query, &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: about}, nil)
		default:
			add(f.Query, &jsonschema.Schema{Type: "string", Description: f.Description}, f.Choices())
		}
	}
	for _, name := range where.Filters(declared) {
		if p, ok := blockArguments[name]; ok {
			add(name, p.CloneSchemas(), enums[name])
		}
	}
}

// blockArguments are the arguments of search for filters that only some indexes have.
var blockArguments = map[string]*jsonschema.Schema{
	"maintenance":   {Type: "string", Description: "Only entities whose repository is in this state."},
	"minContext":    {Type: "integer", Description: "Minimum context window in tokens."},
	"maxPrice":      {Type: "number", Description: "Maximum blended price in US dollars per million tokens."},
	"retiresBefore": {Type: "string", Description: "Only entities that retire, or have retired, before this day."},
	"signal":        {Type: "string", Description: "Condition on a signal: its name, >= or <=, and a number or day."},
}

// addTool adds a typed tool. The schema of its input is that of In, with the allowed values.
func addTool[In any](s *Server, name, title, about string, out *jsonschema.Schema, allowed map[string][]string, answer func(context.Context, In) (*result, error)) {
	register(s, name, title, about, inputSchema[In](s, allowed), out, answer)
}

// inputSchema returns the schema of a tool's input, with the allowed values.
func inputSchema[In any](s *Server, allowed map[string][]string) *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // the types are constant
	}
	for name, p := range schema.Properties {
		values := enums[name]
		switch {
		case allowed[name] != nil:
			values = allowed[name]
		case name == "pricingModel":
			values = s.kinds.PricingModels
		case name == "type":
			values = s.kinds.Names()
			for _, k := range s.kinds.Order {
				p.Description += " " + k.Name + ": " + strings.TrimSuffix(k.Description, ".") + "."
			}
		}
		for _, v := range values {
			p.Enum = append(p.Enum, v)
		}
		if name == "limit" {
			p.Minimum, p.Maximum = jsonschema.Ptr(1.0), jsonschema.Ptr(float64(maxLimit))
		}
		if name == "category" {
			for _, c := range s.categories[:min(len(s.categories), 6)] {
				p.Examples = append(p.Examples, c)
			}
		}
	}
	return schema
}

// register adds a tool whose arguments have been checked against the schema before In is decoded.
func register[In any](s *Server, name, title, about string, schema, out *jsonschema.Schema, answer func(context.Context, In) (*result, error)) {
	s.schemas[name] = schema
	no := false
	sdk.AddTool(s.sdk, &sdk.Tool{Name: name, Title: title, Description: about, InputSchema: schema, OutputSchema: out,
		Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
	}, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		r, err := answer(ctx, in)
		if err != nil {
			return nil, nil, s.withCategories(err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: encode(r.text)}, &sdk.TextContent{Text: notice}}}, r.structured, nil
	})
}

// getEntity handles calls of get_entity.
func (s *Server) getEntity(ctx context.Context, in entityInput) (*result, error) {
	id, err := key(in.Entity)
	if err != nil {
		return nil, err
	}
	if in.View == "score" {
		if in.At != "" {
			return nil, &callError{text: "at: the view score is available only for the present; omit at, or use the view summary."}
		}
		return s.entity(ctx, id, "/score", nil, true)
	}
	return s.entity(ctx, id, "", params(in, "entity", "view"), in.View == "full")
}

// entity reads one entity, or what the API has under it. If full is not set, the result leaves out what
// summary does.
func (s *Server) entity(ctx context.Context, id, under string, q url.Values, full bool) (*result, error) {
	e := object{}
	a, err := askFor(ctx, s.api, "/api/entity/"+id+under, q, &e)
	if err != nil {
		return nil, err
	}
	e["id"] = keyOf(e)
	if a.from != "" && e["id"] != id {
		e["note"] = fmt.Sprintf("%s is now called %s.", id, e["id"])
	}
	r := &result{structured: e, text: e}
	if under == "" {
		r.text = summary(e)
	}
	if !full {
		r.structured = r.text
	}
	return r, nil
}

// The minimum and the maximum number of entities to compare.
const minCompare, maxCompare = 2, 4

// compare requests the entities one after the other, because the API cannot return several
// entities by name in one request.
func (s *Server) compare(ctx context.Context, in compareInput) (*result, error) {
	if n := len(in.Entities); n < minCompare || n > maxCompare {
		return nil, &callError{text: fmt.Sprintf(`entities: use a list of %d to %d ids in the form type/slug, not %d`, minCompare, maxCompare, n)}
	}
	ids, data := []string{}, []any{}
	for _, given := range in.Entities {
		id, err := key(given)
		if err == nil && slices.Contains(ids, id) {
			err = &callError{text: id + " is given twice"}
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		r, err := s.entity(ctx, id, "", nil, false)
		if err != nil {
			return nil, err
		}
		data = append(data, r.text)
	}
	out := object{"data": data, "count": len(data)}
	return &result{structured: out, text: out}, nil
}

// maxCategories is the maximum number of categories in a message.
const maxCategories = 60

// withCategories adds the categories to an error about an unknown category.
func (s *Server) withCategories(err error) error {
	told, ok := err.(*callError) //nolint:errorlint // set only by this package
	if !ok || told.field != "category" {
		return err
	}
	if len(s.categories) == 0 {
		return &callError{text: told.text + " To list them, call leaderboard with an unknown category."}
	}
	return &callError{text: told.text + " Expected one of: " + strings.Join(s.categories[:min(len(s.categories), maxCategories)], ", ") + "."}
}
