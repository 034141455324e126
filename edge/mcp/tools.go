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

// argument is an argument of a tool. It has the name of the API's parameter, which checks its value.
// Descriptions are short, because they are part of every conversation.
type argument struct {
	name     string
	schema   *jsonschema.Schema
	required bool
}

// of returns an argument of a JSON type.
func of(typ, name, about string) argument {
	a := argument{name: name, schema: &jsonschema.Schema{Type: typ, Description: about}}
	if typ == "array" {
		a.schema.Items = &jsonschema.Schema{Type: "string"}
	}
	return a
}

// text returns an argument that is a string: one of the values, if there are any.
func text(name, about string, values ...string) argument {
	a := of("string", name, about)
	for _, v := range values {
		a.schema.Enum = append(a.schema.Enum, v)
	}
	return a
}

// must returns an argument that no call can leave out.
func must(a argument) argument {
	a.required = true
	return a
}

const maxLimit = 50

// limit returns the argument of lists for the number of results.
func limit(about string) argument {
	a := of("integer", "limit", about)
	a.schema.Minimum, a.schema.Maximum = jsonschema.Ptr(1.0), jsonschema.Ptr(float64(maxLimit))
	return a
}

type answer func(ctx context.Context, in map[string]any) (*result, error)

// listed returns the answer of a tool that has the arguments of a list of the API.
func (s *Server) listed(path string) answer {
	return func(ctx context.Context, in map[string]any) (*result, error) {
		return s.list(ctx, path, params(in), in["full"] == true)
	}
}

// addTools adds the tools to a server. The categories are examples and can be empty.
func (s *Server) addTools() {
	kindsText := "Only entities of this kind."
	for _, k := range s.kinds.Order {
		kindsText += " " + k.Name + ": " + strings.TrimSuffix(k.Description, ".") + "."
	}
	typ, category := text("type", kindsText, s.kinds.Names()...), text("category", "Only the category with this slug; kindex://categories describes all.")
	for _, c := range s.categories[:min(len(s.categories), 6)] {
		category.schema.Examples = append(category.schema.Examples, c)
	}
	board := text("category", "The slug of the category or board to rank, or all. An unknown slug returns the list; kindex://boards describes the boards.")
	board.schema.Examples = category.schema.Examples
	entity := must(text("entity", "type/slug: the id of a result."))
	at := text("at", "A day, YYYY-MM-DD: the data as of its end. Default: now.")
	most, cursor := limit("Maximum number of results."), text("cursor", "nextCursor of the previous result, with the same other arguments.")
	full := of("boolean", "full", "Return complete records, in structuredContent only: many times longer.")

	s.add("search", "Search", "Find entities by keywords in names, topics and descriptions. Start here if you have a need or a name but no id. "+
		"Tolerates typos; \"words in quotes\" must match exactly. Results are short: pass an id to get_entity for details. Costs one request.", listSchema,
		func(ctx context.Context, in map[string]any) (*result, error) {
			q := params(in, "query")
			q.Set("q", fmt.Sprint(in["query"]))
			return s.list(ctx, "/api/search", q, in["full"] == true)
		}, slices.Concat([]argument{must(text("query", "What to search for, in a few words.")), typ, category,
			text("provider", "Only entities of this provider, such as OpenAI."),
			of("array", "tag", "Only entities with all these tags."), of("array", "capability", "Only entities with all these capabilities."),
			text("license", "Only entities with this licence (SPDX identifier)."),
			text("pricingModel", "Only entities with this pricing model.", s.kinds.PricingModels...),
			text("status", "Default: all but withdrawn.", record.Statuses...), of("number", "minScore", "Minimum composite score."),
			text("addedSince", "Only entities added since this day, YYYY-MM-DD."), text("updatedSince", "Only entities updated since this day."),
			most, cursor, full}, declaredFilters(s.kinds))...)
	s.add("get_entity", "One entity", "All information about one entity: description, scores, version, licence, URL, tags, capabilities, and the figures used for the scores. "+
		"The view score explains how the composite score is calculated. Costs one request.", objectSchema, s.getEntity, entity,
		text("view", "summary (default); full, which adds everything else, sources included, in structuredContent only; or score, which shows how the score is calculated.", "summary", "full", "score"), at)
	s.add("leaderboard", "Leaderboard", "Entities ranked by a score from 0 to 100: on a board (a ranking for one purpose), in a category, or of all categories. "+
		"For \"what is the best …\", use the board for that purpose: scores of different kinds do not compare. Use search for a need described in words. Costs one request.", listSchema, s.leaderboard,
		board, typ, text("by", "The score to rank by. Default: boardScore on a board, composite elsewhere. composite is the weighted mean of the others; the view score of get_entity says what each comes from.",
			append(slices.Clone(record.ScoreNames), "boardScore")...), most, cursor, at, full)
	s.add("trending", "Trending", "Entities whose score rose recently because their figures changed or, with by, entities one of whose figures grew; largest gain first. Costs one request.", listSchema, s.listed("/api/trending"),
		text("window", "How far to look back. Default: 7d.", "7d", "30d"),
		text("by", "What must have grown: the composite score (default) or a figure.", append([]string{"score"}, s.kinds.Growing()...)...), typ, category, most, full)
	s.add("similar", "Similar entities", "Alternatives to an entity, which do the same job, and related entities, which are used together with it or are about the same subject, with reasons. Costs one request.", listSchema,
		func(ctx context.Context, in map[string]any) (*result, error) {
			id, err := key(in["entity"])
			if err != nil {
				return nil, err
			}
			return s.list(ctx, "/api/entity/"+id+"/similar", params(in, "entity"), in["full"] == true)
		}, entity, text("kind", "Only alternatives, or only related entities. Default: both.", "alternatives", "related"), limit("Maximum number of results, up to 20."), full)
	s.add("compare", "Compare", "Compare two to four entities side by side: scores and their figures, licence, version, capabilities. "+
		"Costs one request for each entity.", listSchema, s.compare, must(of("array", "entities", "Two to four ids, each in the form type/slug.")))
	if s.kinds.HasBlock(kinds.Offers) {
		s.addPrices(most, cursor, at)
	}
	s.add("changes_since", "Changes", "What has changed in the index since a given time, newest first: new and deleted entities, and changed fields with old and new values. "+
		"Use it to update what you already know. Costs one request.", listSchema, s.listed("/api/changelog"),
		must(text("since", "Start: a day (YYYY-MM-DD), an RFC 3339 time, or the id of a change to get those after it.")),
		text("until", "End, inclusive: a day (YYYY-MM-DD), an RFC 3339 time, or the id of a change."),
		text("event", "Only changes of this kind.", record.Events...), typ, category, most, cursor,
		of("boolean", "full", "Return complete values, and every field of new and deleted entities."))
}

// addPrices adds the tools of an index with offers.
func (s *Server) addPrices(most, cursor, at argument) {
	provider := text("provider", "Only offers of the provider with this slug, such as openrouter.")
	s.add("prices", "Prices", "Offers of models by providers, in US dollars per million tokens, cheapest first, each with the day on which it was read. Costs one request.", listSchema, s.listed("/api/offers"),
		text("model", "Only offers of this model: its id, its name, or an identifier that programs send."), provider,
		text("family", "Only models of this family."), text("modality", "Only models that accept this as input."),
		of("number", "maxInput", "Maximum price of input, in US dollars per million tokens."), of("number", "maxOutput", "Maximum price of output."),
		of("integer", "minContext", "Minimum context window in tokens."),
		text("sort", "Cheapest first by this price. Default: blended, of three parts input and one part output.", "blended", "input", "output"), most, cursor, at)
	s.add("cost", "Cost", "What requests to a model would cost with each of its offers, in US dollars, cheapest first. Costs one request.", listSchema, s.listed("/api/cost"),
		must(text("model", "The model: its id, its name, or an identifier that programs send.")),
		must(of("integer", "input", "Tokens that one request sends, 0 if it sends none.")), of("integer", "output", "Tokens that one request receives."),
		of("integer", "cached", "Tokens of the input that are read from a cache."), of("integer", "cacheWrite", "Tokens of the input that are written to a cache."),
		of("integer", "images", "Images that one request sends or receives, where they are priced apart."),
		of("integer", "pages", "Pages of documents, where they are priced apart."), of("integer", "seconds", "Seconds of audio or video, where they are priced apart."),
		of("integer", "characters", "Characters of text, where they are priced apart."), of("integer", "requests", "Number of such requests. Default: 1."),
		text("mode", "A price other than the standard one, such as batch.", record.OfferModes...), provider, at)
}

// declaredFilters returns the filters of the declared fields and blocks as arguments of search.
func declaredFilters(declared *kinds.Set) (list []argument) {
	for _, f := range declared.Leaves() {
		lowest, highest := f.Limits()
		switch {
		case lowest+highest != "":
			typ := map[bool]string{true: "string", false: "number"}[f.IsDay()]
			if lowest != "" {
				list = append(list, of(typ, lowest, "The lowest value. "+f.Description))
			}
			if highest != "" {
				list = append(list, of(typ, highest, "The highest value. "+f.Description))
			}
		case !f.Filter:
		case f.Type == kinds.Boolean:
			list = append(list, of("boolean", f.Query, f.Description))
		case f.Splits():
			list = append(list, of("array", f.Query, strings.Join(append([]string{"Only entities with all of these. " + f.Description}, f.Choices()...), " ")))
		default:
			list = append(list, text(f.Query, f.Description, f.Choices()...))
		}
	}
	for _, a := range []argument{ // of blocks, which only some indexes have
		text("maintenance", "Only entities whose repository is in this state.", record.MaintenanceStates...),
		of("integer", "minContext", "Minimum context window in tokens."),
		of("number", "maxPrice", "Maximum blended price in US dollars per million tokens."),
		text("retiresBefore", "Only entities that retire, or have retired, before this day."),
		text("signal", "Condition on a signal: its name, >= or <=, and a number or day."),
	} {
		if slices.Contains(where.Filters(declared), a.name) {
			list = append(list, a)
		}
	}
	return list
}

func (s *Server) add(name, title, about string, out *jsonschema.Schema, do answer, arguments ...argument) {
	in := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, a := range arguments {
		in.Properties[a.name], in.PropertyOrder = a.schema, append(in.PropertyOrder, a.name)
		if a.required {
			in.Required = append(in.Required, a.name)
		}
	}
	s.schemas[name] = in
	no := false
	sdk.AddTool(s.sdk, &sdk.Tool{Name: name, Title: title, Description: about, InputSchema: in, OutputSchema: out,
		Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
	}, func(ctx context.Context, _ *sdk.CallToolRequest, in map[string]any) (*sdk.CallToolResult, any, error) {
		r, err := do(ctx, in)
		if err != nil {
			return nil, nil, s.withCategories(err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: encode(r.text)}, &sdk.TextContent{Text: notice}}}, r.structured, nil
	})
}

func (s *Server) leaderboard(ctx context.Context, in map[string]any) (*result, error) {
	board, given := in["category"].(string)
	if !given {
		board = "all"
	}
	if !slugGrammar.MatchString(board) {
		return nil, &callError{text: shown(board) + " is not a slug: use lower-case letters, digits and hyphens; kindex://categories lists the slugs"}
	}
	return s.list(ctx, "/api/leaderboard/"+board, params(in, "category"), in["full"] == true)
}

func (s *Server) getEntity(ctx context.Context, in map[string]any) (*result, error) {
	id, err := key(in["entity"])
	if err != nil {
		return nil, err
	}
	if in["view"] == "score" {
		if in["at"] != nil {
			return nil, &callError{text: "at: the view score is available only for the present; omit at, or use the view summary."}
		}
		return s.entity(ctx, id, "/score", nil, true)
	}
	return s.entity(ctx, id, "", params(in, "entity", "view"), in["view"] == "full")
}

// entity reads one entity, or what the API has under it. If full is not set, the result leaves out what
// summary does.
func (s *Server) entity(ctx context.Context, id, under string, q url.Values, full bool) (*result, error) {
	e := object{}
	if err := s.api.read(ctx, "/api/entity/"+id+under, q, &e); err != nil {
		return nil, err
	}
	if e["id"] = keyOf(e); e["id"] != id {
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
func (s *Server) compare(ctx context.Context, in map[string]any) (*result, error) {
	entities, _ := in["entities"].([]any)
	if n := len(entities); n < minCompare || n > maxCompare {
		return nil, &callError{text: fmt.Sprintf(`entities: use a list of %d to %d ids in the form type/slug, not %d`, minCompare, maxCompare, n)}
	}
	ids, data := []string{}, []any{}
	for _, given := range entities {
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
