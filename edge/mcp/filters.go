package mcp

import "kindex/exports/record"

// searchFilters returns the arguments that narrow a search. They have the names of the API's
// parameters.
func searchFilters(category argument) []argument {
	modality := argument{name: "modality", typ: text, about: "Only models that read this kind of data; with several, separated by commas, all of them. One of: text, image, audio, video, pdf, embedding, score.", examples: []any{"image", "text,image"}}
	output := modality
	output.name, output.about = "outputModality", "Only models that produce this kind of data; values as for modality."
	return []argument{
		typeArgument(), category,
		{name: "provider", typ: text, about: "Only entities of this provider.", examples: []any{"OpenAI"}},
		{name: "tag", typ: text, about: "Only entities with this tag. If you pass several tags, separated by commas, only entities that have all of them.", examples: []any{"python", "python,gpu"}},
		{name: "capability", typ: text, about: "Only entities with this capability; with several, separated by commas, all of them.", examples: []any{"tool-call"}},
		{name: "license", typ: text, about: "Only entities with this licence (SPDX identifier).", examples: []any{"Apache-2.0", "MIT"}},
		{name: "pricingModel", typ: text, choices: record.PricingModels, about: "Only entities with this pricing model."},
		{name: "status", typ: text, choices: record.Statuses, about: "Only entities with this status. Default: all but withdrawn ones."},
		{name: "maintenance", typ: text, choices: record.MaintenanceStates, about: "Only entities whose repository is in this state."},
		{name: "family", typ: text, about: "Only models of this family.", examples: []any{"gpt", "claude"}},
		modality, output,
		{name: "openWeights", typ: yesNo, about: "Only models whose weights can be downloaded (true) or cannot (false)."},
		{name: "minContext", typ: whole, min: 1, max: 1<<31 - 1, about: "Only models whose context window has at least this many tokens.", examples: []any{128000}},
		{name: "maxPrice", typ: number, min: 0, max: 1_000_000, about: "Only models whose blended price is at most this many US dollars for a million tokens.", examples: []any{2.5}},
		{name: "minScore", typ: number, min: 0, max: 100, about: "Only entities with at least this composite score."},
		{name: "signal", typ: text, about: "Only entities whose signal meets this condition: a name, >= or <=, and a number or a day.", examples: []any{"stars>=1000", "lastCommit>=2026-01-01"}},
		{name: "retiresBefore", typ: text, about: "Only entities that retire, or have retired, before this day, YYYY-MM-DD."},
		{name: "addedSince", typ: text, about: "Only entities added since this day, YYYY-MM-DD."},
		{name: "updatedSince", typ: text, about: "Only entities whose entry has changed since this day, YYYY-MM-DD."},
	}
}
