package record

import (
	"kindex/exports/jsonenc"
)

// Answer is yes, no or unknown. The zero value is unknown.
type Answer uint8

// The values of an Answer.
const (
	Unknown Answer = iota
	No
	Yes
)

// AnswerOf returns Yes or No.
func AnswerOf(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

// String returns "true", "false", or "" if the answer is unknown.
func (a Answer) String() string { return [...]string{"", "false", "true"}[a] }

func (a Answer) append(dst []byte) []byte {
	return append(dst, [...]string{"null", "false", "true"}[a]...)
}

// Modalities are the valid kinds of a model's input and output.
var Modalities = []string{"text", "image", "audio", "video", "pdf", "embedding", "score"}

// ReasoningEfforts are the valid reasoning efforts of a model, lowest first.
var ReasoningEfforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// Model holds the facts of a model that are neither scores nor signals.
type Model struct {
	Family           string // a slug
	OpenWeights      Answer
	Input, Output    []string // Modalities, in the order of the file
	Knowledge        string   // the end of its training data: YYYY, YYYY-MM or YYYY-MM-DD
	Parameters       int64    // 0 if unknown
	ActiveParameters int64    // of a mixture of experts; 0 if unknown
	Reasoning        Answer
	ReasoningEfforts []string
}

// Lifecycle is the announced end of an entity.
type Lifecycle struct {
	Deprecated, Retires string // days
	ReplacedBy          string // type/slug of its successor
	Source              string // URL of the announcement
}

// PriceSummary is what a model costs per million tokens: at its maker, or the median of
// all offers.
type PriceSummary struct {
	Input, Output Price
	Blended       Price  // (3·input + output)/4
	Provider      string // slug of the maker, "" for a median
	Date          string // the earliest day on which one of its offers was read, "" if unknown
}

// model returns the facts of a model, all unknown if there are none.
func (e *Entity) model() Model {
	if e.Model == nil {
		return Model{}
	}
	return *e.Model
}

// appendFacts appends the members of a record after its signals.
func (e *Entity) appendFacts(dst []byte) []byte {
	dst = jsonenc.AppendMember(dst, "ids")
	dst = appendIDs(dst, e.IDs)
	m := e.model()
	dst = jsonenc.AppendMember(dst, "family")
	dst = jsonenc.AppendNullable(dst, m.Family)
	dst = jsonenc.AppendMember(dst, "openWeights")
	dst = m.OpenWeights.append(dst)
	dst = append(dst, `,"modalities":{"input":`...)
	dst = jsonenc.AppendStrings(dst, m.Input)
	dst = jsonenc.AppendMember(dst, "output")
	dst = append(jsonenc.AppendStrings(dst, m.Output), '}')
	dst = jsonenc.AppendMember(dst, "knowledge")
	dst = jsonenc.AppendNullable(dst, m.Knowledge)
	dst = append(dst, `,"parameters":{"total":`...)
	dst = appendCount(dst, m.Parameters)
	dst = jsonenc.AppendMember(dst, "active")
	dst = append(appendCount(dst, m.ActiveParameters), '}')
	dst = jsonenc.AppendMember(dst, "reasoning")
	dst = m.Reasoning.append(dst)
	dst = jsonenc.AppendMember(dst, "reasoningEfforts")
	dst = jsonenc.AppendStrings(dst, m.ReasoningEfforts)
	return e.appendLifecycle(dst)
}

func appendCount(dst []byte, n int64) []byte {
	if n == 0 {
		return append(dst, "null"...)
	}
	return jsonenc.AppendNumber(dst, float64(n))
}

func (e *Entity) appendLifecycle(dst []byte) []byte {
	return e.Lifecycle.AppendJSON(jsonenc.AppendMember(dst, "lifecycle"))
}

// AppendJSON appends the lifecycle as one compact object, or null if l is nil.
func (l *Lifecycle) AppendJSON(dst []byte) []byte {
	if l == nil {
		return append(dst, "null"...)
	}
	for i, f := range [...]struct{ name, value string }{
		{"deprecated", l.Deprecated}, {"retires", l.Retires},
		{"replacedBy", l.ReplacedBy}, {"source", l.Source},
	} {
		dst = append(dst, "{,"[min(i, 1)], '"')
		dst = append(append(append(dst, f.name...), '"'), ':')
		dst = jsonenc.AppendNullable(dst, f.value)
	}
	return append(dst, '}')
}
