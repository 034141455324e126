package mcp

import (
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// searchFilters returns the arguments that narrow a search. They have the names of the API's
// parameters. Their descriptions are short, because they are part of every conversation.
func searchFilters(declared *kinds.Set, category argument) []argument {
	return []argument{
		typeArgument(declared), category,
		{name: "provider", typ: text, about: "Only entities of this provider.", examples: []any{"OpenAI"}},
		{name: "tag", typ: text, about: "Only entities with this tag; several, separated by commas, must all match.", examples: []any{"python", "python,gpu"}},
		{name: "capability", typ: text, about: "Only entities with this capability; several as for tag.", examples: []any{"tool-call"}},
		{name: "license", typ: text, about: "Only entities with this licence (SPDX identifier).", examples: []any{"Apache-2.0"}},
		{name: "pricingModel", typ: text, choices: declared.PricingModels, about: "Only entities with this pricing model."},
		{name: "status", typ: text, choices: record.Statuses, about: "Default: all but withdrawn."},
		{name: "maintenance", typ: text, choices: record.MaintenanceStates, about: "Only entities whose repository is in this state."},
		{name: "family", typ: text, about: "Only models of this family.", examples: []any{"gpt"}},
		{name: "modality", typ: text, about: "Only models that accept this as input: text, image, audio, video, pdf, embedding or score; several as for tag.", examples: []any{"text,image"}},
		{name: "outputModality", typ: text, about: "Only models that produce this as output; values as for modality."},
		{name: "openWeights", typ: yesNo, about: "Only models whose weights can (true) or cannot (false) be downloaded."},
		{name: "minContext", typ: whole, min: 1, max: 1<<31 - 1, about: "Minimum context window in tokens.", examples: []any{128000}},
		{name: "minParameters", typ: whole, min: 1, max: 1_000_000_000_000_000, about: "Minimum number of a model's parameters.", examples: []any{7_000_000_000}},
		{name: "maxParameters", typ: whole, min: 1, max: 1_000_000_000_000_000, about: "Maximum number of a model's parameters.", examples: []any{70_000_000_000}},
		{name: "maxPrice", typ: number, min: 0, max: 1_000_000, about: "Maximum blended price in US dollars per million tokens.", examples: []any{2.5}},
		{name: "minScore", typ: number, min: 0, max: 100, about: "Minimum composite score."},
		{name: "signal", typ: text, about: "Condition on a signal: its name, >= or <=, and a number or a day.", examples: []any{"stars>=1000", "lastCommit>=2026-01-01"}},
		{name: "retiresBefore", typ: text, about: "Only entities that retire, or have retired, before this day."},
		{name: "addedSince", typ: text, about: "Only entities added since this day, YYYY-MM-DD."},
		{name: "updatedSince", typ: text, about: "Only entities updated since this day."},
	}
}
