package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kindex/exports/record"
)

// tool is one tool: its description for models, and a function that handles a call. The function
// returns a value that matches the schema out, and the same information in words.
type tool struct {
	name, title, about string
	args               []argument
	out                json.RawMessage
	answer             func(context.Context, values) (any, string, error)
}

// tools holds the tools that use an API.
type tools struct {
	api        API
	list       []tool
	categories []string // categories of the index; empty if unknown
}

func (t *tools) args(name string) []argument {
	for i := range t.list {
		if t.list[i].name == name {
			return t.list[i].args
		}
	}
	panic("mcp: unknown tool " + name)
}

// Arguments that several tools have in common.
func typeArgument() argument {
	return argument{name: "type", typ: text, choices: record.Types, about: "Only models (trained weights and hosted models) or only tools (libraries and programs). Default: both."}
}

func limitArgument(defaultLimit, max int) argument {
	return argument{name: "limit", typ: whole, min: 1, max: float64(max), standard: defaultLimit, about: "Maximum number of results."}
}

func offsetArgument() argument {
	return argument{name: "offset", typ: whole, min: 0, max: 100_000, standard: 0, about: "Number of results to skip: use nextOffset from the previous result."}
}

func fullArgument(what string) argument {
	return argument{name: "full", typ: yesNo, standard: false, about: "Return " + what + ". The result is many times longer."}
}

func atArgument() argument {
	return argument{name: "at", typ: text, about: "A day, YYYY-MM-DD: return the data as of the end of that day. Default: now.", examples: []any{"2026-11-01"}}
}

func entityArgument(about string) argument {
	return argument{name: "entity", typ: reference, required: true, about: about, examples: []any{"tool/pytorch", "model/llama-3-1-8b"}}
}

const sinceForms = "a day (YYYY-MM-DD), an RFC 3339 time, or the id of a change to get those after it"

// newTools returns the tools. The categories are used as examples and can be empty.
func newTools(api API, categories []string) *tools {
	t := &tools{api: api, categories: categories}
	category := argument{name: "category", typ: slug, about: "Only the category with this slug. The resource kindex://categories describes all categories; leaderboard lists them if it is called with an unknown category."}
	for _, c := range categories[:min(len(categories), 6)] {
		category.examples = append(category.examples, c)
	}
	board := category
	board.standard, board.about = "all", "The slug of the category or board to rank, or all. An unknown slug returns the list; the resource kindex://boards describes the boards."
	window := argument{name: "window", typ: text, choices: []string{"7d", "30d"}, standard: "7d", about: "How far to look back."}
	event := argument{name: "event", typ: text, choices: []string{"entity.created", "entity.updated", "entity.deleted"}, about: "Only changes of this kind."}
	t.list = []tool{
		{"search", "Search", "Find AI tools and models by keywords in names, topics and descriptions. Start here if you have a need or a name but no id. " +
			"Tolerates typos; \"words in quotes\" must match exactly. Results are short: pass an id to get_entity for details. Costs one request.",
			slices.Concat([]argument{
				{name: "query", typ: text, required: true, param: "q", about: "What to search for, in a few words.", examples: []any{"gradient boosting", "speech recognition"}},
			}, searchFilters(category), []argument{limitArgument(10, 50), offsetArgument(), fullArgument("complete records")}), listSchema, t.search},
		{"get_entity", "One entity", "All information about one tool or model: description, scores, version, licence, URL, tags, capabilities, and the figures used for the scores. " +
			"The view score explains how the composite score is calculated. Costs one request.",
			[]argument{
				entityArgument("type/slug: the id from a result."),
				{name: "view", typ: text, choices: []string{summaryView, fullView, scoreView}, standard: summaryView,
					about: "summary; full, which adds links and the dates and sources of figures; or score, which shows how the score is calculated."},
				atArgument(),
			}, entitySchema, t.getEntity},
		{"leaderboard", "Leaderboard", "Tools or models ranked by a score from 0 to 100: on a board (a ranking for one purpose, such as models for coding), in a category, or of all categories. " +
			"For \"what is the best …\", use the board for that purpose: scores of different kinds do not compare. Use search for a need described in words. Costs one request.",
			[]argument{board, typeArgument(),
				{name: "by", typ: text, choices: append(slices.Clone(record.ScoreNames), boardScore),
					about: "The score to rank by. Default: boardScore on a board, composite elsewhere. composite is the weighted mean, quality comes from benchmarks, adoption from usage, freshness from the latest commits and release, citations from dependents and papers, engagement from contributors and forks."},
				limitArgument(10, 50), offsetArgument(), atArgument(), fullArgument("complete records"),
			}, listSchema, t.leaderboard},
		{"trending", "Trending", "Entities whose score rose recently because their figures changed or, with by, entities one of whose figures grew, such as stars; largest gain first. Costs one request.",
			[]argument{window,
				{name: "by", typ: text, choices: append([]string{byScore}, record.GrowingSignals()...), about: "What must have grown: the composite score, or a figure. Default: score."},
				typeArgument(), category, limitArgument(10, 50), fullArgument("complete records")}, listSchema, t.trending},
		{"similar", "Similar entities", "Alternatives to a tool or model, which do the same job, and related entities, which are used together with it or are about the same subject, with reasons. Costs one request.",
			[]argument{entityArgument("type/slug of the entity to find similar entities for: the id from a result."),
				{name: "kind", typ: text, choices: []string{"alternatives", "related"}, about: "Only alternatives, or only related entities. Default: both."},
				limitArgument(5, 20), fullArgument("complete records")}, listSchema, t.similar},
		{"compare", "Compare", "Compare two to four tools or models side by side: scores and their figures, licence, version, capabilities. " +
			"Costs one request for each entity.",
			[]argument{{name: "entities", typ: references, required: true, about: "Two to four ids, each in the form type/slug.",
				examples: []any{[]string{"tool/pytorch", "tool/jax"}}}}, compareSchema, t.compare},
		{"changes_since", "Changes", "What has changed in the index since a given time, newest first: new and deleted entities, and changed fields with old and new values. " +
			"Use it to update what you already know. Costs one request.",
			[]argument{
				{name: "since", typ: text, required: true, about: "Start: " + sinceForms + ".", examples: []any{"2026-11-01"}},
				{name: "until", typ: text, about: "End, inclusive: a day (YYYY-MM-DD), an RFC 3339 time, or the id of a change."},
				event, typeArgument(), category, limitArgument(20, 100), offsetArgument(), fullArgument("complete values, and every field of new and deleted entities"),
			}, changesSchema, t.changesSince},
	}
	return t
}

// add adds the tools to a server.
func (t *tools) add(s *sdk.Server) {
	no := false
	for i := range t.list {
		one := &t.list[i]
		s.AddTool(&sdk.Tool{Name: one.name, Title: one.title, Description: one.about, InputSchema: schema(one.args), OutputSchema: one.out,
			Annotations: &sdk.ToolAnnotations{Title: one.title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
		}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return t.call(ctx, one, req)
		})
	}
}

// call handles one call. An error in a call is also returned as a result, so that a model can
// learn from it; only internal errors are protocol errors.
func (t *tools) call(ctx context.Context, one *tool, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	v, err := check(req.Params.Arguments, one.args)
	var out any
	var words string
	if err == nil {
		out, words, err = one.answer(ctx, v)
	}
	var wrong *argumentError
	var refused *apiError
	switch {
	case err == nil:
		structured, err := json.Marshal(out)
		if err != nil {
			return nil, fmt.Errorf("encoding the result of %s: %w", one.name, err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: thirdParty + "\n" + strings.TrimSuffix(words, "\n")}}, StructuredContent: json.RawMessage(structured)}, nil
	case errors.As(err, &wrong), errors.As(err, &refused):
		text := err.Error()
		if refused != nil && refused.field == "category" {
			text += t.knownCategories()
		}
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	}
	return nil, err
}

// maxCategories is the maximum number of categories in a message.
const maxCategories = 60

// knownCategories lists the categories, for the error about an unknown category.
func (t *tools) knownCategories() string {
	if len(t.categories) == 0 {
		return " To list them, call leaderboard with an unknown category."
	}
	return " Expected one of: " + strings.Join(t.categories[:min(len(t.categories), maxCategories)], ", ") + "."
}

// names returns the names of the tools.
func (t *tools) names() []string {
	var names []string
	for i := range t.list {
		names = append(names, t.list[i].name)
	}
	return names
}
