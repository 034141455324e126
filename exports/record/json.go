package record

import (
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// RecordFields lists the members of a record's JSON object in order. All records of an index have the same:
// the fields of all its kinds, and the members of the blocks that at least one kind has.
func RecordFields(declared *kinds.Set) []string {
	var list []string
	for _, t := range new(Entity).texts() {
		list = append(list, t.name)
	}
	list = append(list, "tags", "capabilities", "scores", "addedDate", "lastUpdated", "status", "links", "signals", "ids")
	for _, f := range declared.Fields {
		list = append(list, f.Name)
	}
	for _, block := range []struct {
		name    string
		members []string
	}{{kinds.Lifecycle, []string{"lifecycle"}}, {kinds.Maintenance, []string{"maintenance", "maintenanceAsOf"}},
		{kinds.Offers, []string{"price", "offerCount", "offers"}}} {
		if declared.HasBlock(block.name) {
			list = append(list, block.members...)
		}
	}
	return list
}

// AppendJSON appends the record as one compact object with the RecordFields in
// order. Unknown values are null, [] or {}, never missing or "".
func (e *Entity) AppendJSON(dst []byte) []byte {
	dst = e.appendHead(dst)
	dst = jsonenc.AppendMember(dst, "scores")
	dst = e.Scores.AppendJSON(dst)
	dst = jsonenc.AppendTexts(dst, "addedDate", e.AddedDate, "lastUpdated", e.LastUpdated)
	dst = e.appendTail(dst)
	return e.appendOffers(e.appendComputed(dst))
}

// appendHead appends the members that precede the scores.
func (e *Entity) appendHead(dst []byte) []byte {
	dst = jsonenc.AppendString(append(dst, `{"type":`...), e.Type)
	core := e.texts()
	for _, t := range core[1:] {
		dst = jsonenc.AppendNullable(jsonenc.AppendMember(dst, t.name), *t.value)
	}
	dst = jsonenc.AppendMember(dst, "tags")
	dst = jsonenc.AppendStrings(dst, e.Tags)
	dst = jsonenc.AppendMember(dst, "capabilities")
	return jsonenc.AppendStrings(dst, e.Capabilities)
}

// appendTail appends the members between the dates and the computed ones.
func (e *Entity) appendTail(dst []byte) []byte {
	dst = jsonenc.AppendMember(dst, "status")
	dst = jsonenc.AppendString(dst, e.Status)
	dst = jsonenc.AppendMember(dst, "links")
	dst = append(dst, '{')
	for _, l := range e.Links {
		dst = jsonenc.AppendString(jsonenc.AppendMember(dst, l.Name), l.URL)
	}
	dst = append(dst, '}')
	dst = jsonenc.AppendMember(dst, "signals")
	dst = e.Signals.appendJSON(dst)
	return e.appendFacts(dst)
}

// AppendJSON appends an object with all ScoreNames.
func (s *Scores) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for _, name := range ScoreNames {
		dst = s.Get(name).AppendJSON(jsonenc.AppendMember(dst, name))
	}
	return append(dst, '}')
}

func (s *Signals) appendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for f := range s.members {
		if f == nil {
			dst = s.appendBenchmarks(jsonenc.AppendMember(dst, "benchmarks"))
			continue
		}
		dst = f.appendValue(append(jsonenc.AppendMember(dst, f.Name), `{"value":`...))
		dst = append(jsonenc.AppendTexts(dst, "date", f.Date, "source", f.Source), '}')
	}
	return append(dst, '}')
}

// members yields the facts in the order of the record, and nil in the place of the benchmarks, if there are any.
func (s *Signals) members(yield func(*Fact) bool) {
	pending := len(s.Benchmarks) > 0
	for i := range s.Facts {
		if pending && s.Facts[i].Name > "benchmarks" {
			if pending = false; !yield(nil) {
				return
			}
		}
		if !yield(&s.Facts[i]) {
			return
		}
	}
	if pending {
		yield(nil)
	}
}

// appendValue appends the value of a fact: a day or a number.
func (f *Fact) appendValue(dst []byte) []byte {
	if f.Day != "" {
		return jsonenc.AppendString(dst, f.Day)
	}
	return jsonenc.AppendNumber(dst, f.Number)
}

func (s *Signals) appendBenchmarks(dst []byte) []byte {
	dst = append(dst, '[')
	for i, b := range s.Benchmarks {
		dst = jsonenc.AppendComma(dst, i)
		dst = jsonenc.AppendString(append(dst, `{"name":`...), b.Name)
		dst = jsonenc.AppendNumber(append(dst, `,"value":`...), b.Value)
		for _, d := range b.details() {
			dst = jsonenc.AppendTexts(dst, d.name, *d.value)
		}
		dst = append(jsonenc.AppendTexts(dst, "date", b.Date, "source", b.Source), '}')
	}
	return append(dst, ']')
}

// texts returns the first members of a record, all of which are texts.
func (e *Entity) texts() [10]detail {
	return [...]detail{{"type", &e.Type}, {"slug", &e.Slug}, {"name", &e.Name}, {"provider", &e.Provider}, {"description", &e.Description},
		{"category", &e.Category}, {"version", &e.Version}, {"pricingModel", &e.PricingModel}, {"license", &e.License}, {"url", &e.URL}}
}

// detail is a member that is a text and may be unknown.
type detail struct {
	name  string
	value *string
}

// details returns the members between a result's value and its date.
func (b *Benchmark) details() [7]detail {
	return [...]detail{
		{"metric", &b.Metric}, {"harness", &b.Harness}, {"variant", &b.Variant}, {"dataset", &b.Dataset},
		{"version", &b.Version}, {"by", &b.By}, {"publisher", &b.Publisher},
	}
}
