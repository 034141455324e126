package record

import "kindex/exports/jsonenc"

// PriceSummary is what a model costs per million tokens: at its maker, or the median of
// all offers.
type PriceSummary struct {
	Input, Output Price
	Blended       Price  // (3·input + output)/4
	Provider      string // slug of the maker, "" for a median
	Date          string // the earliest day on which one of its offers was read, "" if unknown
}

// AppendJSON appends the summary as one compact object, or null if no price is known.
func (p *PriceSummary) AppendJSON(dst []byte) []byte {
	if !p.Input.Known() && !p.Output.Known() {
		return append(dst, "null"...)
	}
	return appendObject(dst, []member{{"input", &p.Input}, {"output", &p.Output}, {"blended", &p.Blended}, {"provider", &p.Provider}, {"date", &p.Date}})
}

// Lifecycle is the announced end of an entity.
type Lifecycle struct {
	Deprecated, Retires string // days
	ReplacedBy          string // type/slug of its successor
	Source              string // URL of the announcement
}

// AppendJSON appends the lifecycle as one compact object, or null if l is nil.
func (l *Lifecycle) AppendJSON(dst []byte) []byte {
	if l == nil {
		return append(dst, "null"...)
	}
	return append(jsonenc.AppendTexts(append(dst, '{'), "deprecated", l.Deprecated, "retires", l.Retires, "replacedBy", l.ReplacedBy, "source", l.Source), '}')
}
