package record

import (
	"bytes"
	"strings"
)

// ParseFigures decodes from a record or an authored record only the signals and what its
// price depends on: provider, identifiers and offers. It takes a fraction of the time that
// UnmarshalJSON takes.
func ParseFigures(record []byte) (*Entity, error) {
	r, e := &recordReader{rest: string(record)}, &Entity{}
	e.Provider = r.seek("provider").word()
	e.Signals = r.seek("signals").signals()
	e.IDs = r.member("ids").ids()
	e.Offers = r.seek("offers").offers()
	if !r.failed {
		return e, nil
	}
	return e, e.UnmarshalJSON(record) // ParseAuthored does not read some texts either
}

// ParseTexts decodes from a record only the texts that searches look at: type, slug, names,
// description, category, licence, tags and capabilities. It takes a fraction of the time that
// UnmarshalJSON takes.
func ParseTexts(record []byte) (*Entity, error) {
	head, _, _ := bytes.Cut(record, scoresMember)
	r, e := &recordReader{rest: string(head)}, &Entity{}
	r.literal(`{"type":`)
	e.Type = r.text()
	e.Slug = r.member("slug").text()
	e.Name = r.member("name").text()
	e.Provider = r.member("provider").text()
	e.Description = r.member("description").text()
	e.Category = r.member("category").text()
	e.License = r.seek("license").word()
	e.Tags = r.seek("tags").texts()
	e.Capabilities = r.member("capabilities").texts()
	if !r.failed {
		return e, nil
	}
	return e, e.UnmarshalJSON(record) // ParseAuthored does not read some texts either
}

var scoresMember = []byte(`,"scores":`)

// seek moves to the value of the next member with a name, at any depth. Quotes in strings
// are escaped, so nothing else looks like it.
func (r *recordReader) seek(name string) *recordReader {
	_, rest, ok := strings.Cut(r.rest, `,"`+name+`":`)
	if r.rest = rest; !ok {
		r.fail()
	}
	return r
}

var blendedMember = []byte(`,"blended":`)

// ParseBlended decodes only the blended price of a record. It only scans the bytes before
// the offers, so that all records of a build can be searched.
func ParseBlended(record []byte) Price {
	_, rest, ok := bytes.Cut(record, blendedMember)
	if !ok {
		return Price{}
	}
	r := &recordReader{rest: string(rest[:min(len(rest), maxPriceLen)])}
	return r.price()
}

// maxPriceLen is longer than any price in a record.
const maxPriceLen = 24
