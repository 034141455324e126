package record

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unique"
)

var errRecord = errors.New("entity record: not in the form that builds store")

// ParseAuthored decodes a record that AppendJSON wrote, except the computed fields:
// scores, maintenance and price. It mirrors AppendJSON member by member and accepts
// only its output, so it takes only a fraction of the time that UnmarshalJSON takes.
// Unknown lists are nil.
func ParseAuthored(record []byte) (*Entity, error) {
	r := &recordReader{rest: string(record)}
	e := &Entity{}
	r.literal(`{"type":`)
	e.Type = r.word()
	e.Slug = r.member("slug").text()
	e.Name = r.member("name").text()
	e.Provider = r.member("provider").word()
	e.Description = r.member("description").text()
	e.Category = r.member("category").word()
	e.Version = r.member("version").word()
	e.PricingModel = r.member("pricingModel").word()
	e.License = r.member("license").word()
	e.URL = r.member("url").text()
	e.Tags = r.member("tags").words()
	e.Capabilities = r.member("capabilities").words()
	r.member("scores").skipPast('}')
	e.AddedDate = r.member("addedDate").word()
	e.LastUpdated = r.member("lastUpdated").word()
	e.Status = r.member("status").word()
	e.Links = r.member("links").links()
	e.Signals = r.member("signals").signals()
	r.facts(e)
	r.literal("}")
	if r.failed || r.rest != "" {
		return nil, errRecord
	}
	return e, nil
}

// recordReader parses a record from start to end. After a syntax error, the
// remaining input is empty, and so is everything that is read from it.
type recordReader struct {
	rest   string
	failed bool
}

func (r *recordReader) fail() { r.failed, r.rest = true, "" }

func (r *recordReader) literal(s string) {
	if rest, ok := strings.CutPrefix(r.rest, s); ok {
		r.rest = rest
	} else {
		r.fail()
	}
}

// member moves to the value of the member that must come next.
func (r *recordReader) member(name string) *recordReader {
	r.literal(`,"`)
	r.literal(name)
	r.literal(`":`)
	return r
}

func (r *recordReader) skipPast(c byte) {
	i := strings.IndexByte(r.rest, c)
	if i < 0 {
		r.fail()
		return
	}
	r.rest = r.rest[i+1:]
}

// take consumes and returns the next n bytes.
func (r *recordReader) take(n int) string {
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

// nextIs reports whether c comes next.
func (r *recordReader) nextIs(c byte) bool { return r.rest != "" && r.rest[0] == c }

// open enters a list or an object and reports whether it has elements.
func (r *recordReader) open(begin, end string) bool {
	r.literal(begin)
	if r.nextIs(end[0]) {
		r.literal(end)
		return false
	}
	return !r.failed
}

// next moves past an element of a list or an object and reports whether another
// one follows.
func (r *recordReader) next(end string) bool {
	if r.nextIs(',') {
		r.literal(",")
		return true
	}
	r.literal(end)
	return false
}

// text reads a string, or "" for null.
func (r *recordReader) text() string {
	if !r.nextIs('"') {
		r.literal("null")
		return ""
	}
	end := strings.IndexByte(r.rest[1:], '"')
	if end >= 0 && strings.IndexByte(r.rest[1:end+1], '\\') < 0 {
		return r.take(end + 2)[1 : end+1]
	}
	for end = 1; end < len(r.rest) && r.rest[end] != '"'; end++ {
		if r.rest[end] == '\\' {
			end++
		}
	}
	var s string
	// AppendString writes an escaped U+FFFD only for invalid UTF-8, so the original
	// text is lost.
	if end >= len(r.rest) || strings.Contains(r.rest[:end], `\ufffd`) || json.Unmarshal([]byte(r.rest[:end+1]), &s) != nil {
		r.fail()
		return ""
	}
	r.take(end + 1)
	return s
}

// word reads a string that occurs often in a catalogue. Equal strings share memory.
func (r *recordReader) word() string { return unique.Make(r.text()).Value() }

func (r *recordReader) texts() (list []string) {
	for more := r.open("[", "]"); more; more = r.next("]") {
		list = append(list, r.text())
	}
	return list
}

func (r *recordReader) words() (list []string) {
	for more := r.open("[", "]"); more; more = r.next("]") {
		list = append(list, r.word())
	}
	return list
}

func (r *recordReader) number() float64 {
	n := 0
	for n < len(r.rest) && strings.IndexByte("+-.0123456789e", r.rest[n]) >= 0 {
		n++
	}
	x, err := strconv.ParseFloat(r.take(n), 64)
	if err != nil {
		r.fail()
	}
	return x
}

func (r *recordReader) links() (list []Link) {
	for more := r.open("{", "}"); more; more = r.next("}") {
		name := r.word()
		r.literal(":")
		list = append(list, Link{Name: name, URL: r.text()})
	}
	return list
}

func (r *recordReader) signals() (s Signals) {
	var room [16]Fact
	facts := room[:0]
	for more := r.open("{", "}"); more; more = r.next("}") {
		f := Fact{Name: r.word()}
		r.literal(":")
		if f.Name == "benchmarks" {
			s.Benchmarks = r.benchmarks()
			continue
		}
		r.literal(`{"value":`)
		if r.nextIs('"') {
			f.Day = r.word()
		} else {
			f.Number = r.number()
		}
		f.Date, f.Source = r.origin()
		facts = append(facts, f)
	}
	if len(facts) > 0 {
		s.Facts = slices.Clone(facts)
	}
	return s
}

func (r *recordReader) benchmarks() (list []Benchmark) {
	for more := r.open("[", "]"); more; more = r.next("]") {
		b := Benchmark{}
		r.literal(`{"name":`)
		b.Name = r.word()
		b.Value = r.member("value").number()
		for _, d := range b.details() {
			*d.value = r.member(d.name).word()
		}
		b.Date, b.Source = r.origin()
		list = append(list, b)
	}
	return list
}

func (r *recordReader) origin() (date, source string) {
	date = r.member("date").word()
	source = r.member("source").text()
	r.literal("}")
	return date, source
}
