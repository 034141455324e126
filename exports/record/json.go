package record

import (
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// RecordFields lists the members of a record's JSON object in order. All records of an index have the same:
// the fields of all its kinds, and the members of the blocks that at least one kind has.
func RecordFields(declared *kinds.Set) []string {
	list := []string{"type", "slug", "name", "provider", "description", "category", "version", "pricingModel",
		"license", "url", "tags", "capabilities", "scores", "addedDate", "lastUpdated", "status", "links", "signals", "ids"}
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
	dst = appendDates(dst, e.AddedDate, e.LastUpdated)
	dst = e.appendTail(dst)
	return e.appendOffers(e.appendComputed(dst))
}

// appendHead appends the members that precede the scores.
func (e *Entity) appendHead(dst []byte) []byte {
	dst = append(dst, `{"type":`...)
	dst = jsonenc.AppendString(dst, e.Type)
	for _, f := range [...]struct{ name, value string }{
		{"slug", e.Slug}, {"name", e.Name}, {"provider", e.Provider}, {"description", e.Description},
		{"category", e.Category}, {"version", e.Version}, {"pricingModel", e.PricingModel},
		{"license", e.License}, {"url", e.URL},
	} {
		dst = jsonenc.AppendMember(dst, f.name)
		dst = jsonenc.AppendNullable(dst, f.value)
	}
	dst = jsonenc.AppendMember(dst, "tags")
	dst = jsonenc.AppendStrings(dst, e.Tags)
	dst = jsonenc.AppendMember(dst, "capabilities")
	return jsonenc.AppendStrings(dst, e.Capabilities)
}

func appendDates(dst []byte, added, updated string) []byte {
	dst = jsonenc.AppendMember(dst, "addedDate")
	dst = jsonenc.AppendNullable(dst, added)
	dst = jsonenc.AppendMember(dst, "lastUpdated")
	return jsonenc.AppendNullable(dst, updated)
}

// appendTail appends the members between the dates and the computed ones.
func (e *Entity) appendTail(dst []byte) []byte {
	dst = jsonenc.AppendMember(dst, "status")
	dst = jsonenc.AppendString(dst, e.Status)
	dst = jsonenc.AppendMember(dst, "links")
	dst = append(dst, '{')
	for i, l := range e.Links {
		dst = jsonenc.AppendComma(dst, i)
		dst = jsonenc.AppendString(dst, l.Name)
		dst = append(dst, ':')
		dst = jsonenc.AppendString(dst, l.URL)
	}
	dst = append(dst, '}')
	dst = jsonenc.AppendMember(dst, "signals")
	dst = e.Signals.appendJSON(dst)
	return e.appendFacts(dst)
}

// AppendJSON appends an object with all ScoreNames.
func (s *Scores) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i, name := range ScoreNames {
		dst = jsonenc.AppendComma(dst, i)
		dst = jsonenc.AppendString(dst, name)
		dst = append(dst, ':')
		dst = s.Get(name).AppendJSON(dst)
	}
	return append(dst, '}')
}

func (s *Signals) appendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	n := 0
	benchmarks := func() {
		dst = jsonenc.AppendComma(dst, n)
		dst = s.appendBenchmarks(append(dst, `"benchmarks":`...))
		n++
	}
	pending := len(s.Benchmarks) > 0
	for _, f := range s.Facts {
		if pending && f.Name > "benchmarks" {
			benchmarks()
			pending = false
		}
		dst = jsonenc.AppendComma(dst, n)
		dst = jsonenc.AppendString(dst, f.Name)
		dst = append(dst, `:{"value":`...)
		if f.Day != "" {
			dst = jsonenc.AppendString(dst, f.Day)
		} else {
			dst = jsonenc.AppendNumber(dst, f.Number)
		}
		dst = appendOrigin(dst, f.Date, f.Source)
		n++
	}
	if pending {
		benchmarks()
	}
	return append(dst, '}')
}

func (s *Signals) appendBenchmarks(dst []byte) []byte {
	dst = append(dst, '[')
	for i, b := range s.Benchmarks {
		dst = jsonenc.AppendComma(dst, i)
		dst = append(dst, `{"name":`...)
		dst = jsonenc.AppendString(dst, b.Name)
		dst = append(dst, `,"value":`...)
		dst = jsonenc.AppendNumber(dst, b.Value)
		for _, d := range b.details() {
			dst = jsonenc.AppendMember(dst, d.name)
			dst = jsonenc.AppendNullable(dst, *d.value)
		}
		dst = appendOrigin(dst, b.Date, b.Source)
	}
	return append(dst, ']')
}

// detail is a member of a benchmark result that may be unknown.
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

func appendOrigin(dst []byte, date, source string) []byte {
	dst = append(dst, `,"date":`...)
	dst = jsonenc.AppendNullable(dst, date)
	dst = append(dst, `,"source":`...)
	dst = jsonenc.AppendNullable(dst, source)
	return append(dst, '}')
}
