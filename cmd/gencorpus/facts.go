package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"kindex/exports/record"
)

// modelShapes are what models read and produce, with repetition, so that common shapes are
// common.
var modelShapes = [][2][]string{
	{{"text"}, {"text"}}, {{"text"}, {"text"}}, {{"text"}, {"text"}}, {{"text"}, {"text"}},
	{{"text", "image"}, {"text"}}, {{"text", "image"}, {"text"}}, {{"text", "image", "pdf"}, {"text"}},
	{{"text", "image", "audio", "video"}, {"text", "audio"}},
	{{"text"}, {"image"}}, {{"audio"}, {"text"}}, {{"text"}, {"audio"}}, {{"text"}, {"embedding"}}, {{"text", "image"}, {"score"}},
}

// The shares of models that do not state a fact.
const (
	noModel     = 0.1 // states none of them
	noFamily    = 0.2
	noWeights   = 0.1
	noKnowledge = 0.4
)

// modelFacts returns facts for a model with the given slug and pricing model, or nil if it
// states none. Models whose names start with the same word are of the same family.
func modelFacts(rng *rand.Rand, slug, pricingModel string) *record.Model {
	if rng.Float64() < noModel {
		return nil
	}
	shape := pick(rng, modelShapes)
	m := &record.Model{Input: shape[0], Output: shape[1]}
	if rng.Float64() >= noFamily {
		m.Family, _, _ = strings.Cut(slug, "-")
	}
	if rng.Float64() >= noWeights {
		m.OpenWeights = record.AnswerOf(pricingModel == "open-weights" || pricingModel == "open-source")
	}
	if rng.Float64() >= noKnowledge {
		m.Knowledge = fmt.Sprintf("%d-%02d", 2021+rng.IntN(5), 1+rng.IntN(12))
	}
	return m
}

// appendModel writes the facts of a model.
func appendModel(b []byte, m *record.Model) []byte {
	if m == nil {
		return b
	}
	b = appendField(b, "family", scalar(m.Family))
	b = appendField(b, "openWeights", m.OpenWeights.String())
	b = append(b, "modalities:\n"...)
	b = appendField(b, "  input", list(m.Input))
	b = appendField(b, "  output", list(m.Output))
	return appendField(b, "knowledge", m.Knowledge)
}
