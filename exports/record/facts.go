package record

import (
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

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

// appendFacts appends the members of a record after its signals.
func (e *Entity) appendFacts(dst []byte) []byte {
	dst = appendIDs(jsonenc.AppendMember(dst, "ids"), e.IDs)
	dst = e.appendDeclared(dst)
	if !e.Declared().HasBlock(kinds.Lifecycle) {
		return dst
	}
	return e.Lifecycle.AppendJSON(jsonenc.AppendMember(dst, "lifecycle"))
}

func appendCount(dst []byte, n int64) []byte {
	if n == 0 {
		return append(dst, "null"...)
	}
	return jsonenc.AppendNumber(dst, float64(n))
}

// AppendJSON appends the lifecycle as one compact object, or null if l is nil.
func (l *Lifecycle) AppendJSON(dst []byte) []byte {
	if l == nil {
		return append(dst, "null"...)
	}
	dst = jsonenc.AppendTexts(append(dst, '{'), "deprecated", l.Deprecated, "retires", l.Retires, "replacedBy", l.ReplacedBy, "source", l.Source)
	return append(dst, '}')
}
