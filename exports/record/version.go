package record

import (
	"bytes"

	"kindex/exports/jsonenc"
)

// Version is the authored content of an entity from a point in time on, or its
// deletion. Versions are numbered in chronological order.
type Version struct {
	Type, Slug string // for a deletion, the last ones before it
	// Entity is the content as its author wrote it. It is nil if the version is a deletion, or if an
	// earlier build contains it.
	Entity  *Entity
	Deleted bool
	Time    int64 // Unix seconds, never less than in the preceding version of the list
	Commit  int32 // index of the commit, -1 outside git
	// Previous is the previous version of the same entity, which may have a
	// different slug or be a deletion. It is -1 for the first version.
	Previous int32
	Change   int32 // index of the change, -1 if nothing relevant changed
	// Added and Updated are the dates that the record shows from this version on,
	// as DayNumbers.
	Added, Updated int32
}

// ArchivedCommit holds the information that a build stores about a commit.
type ArchivedCommit struct {
	Hash, Author string
	PullRequest  int // 0 if there is none
}

// AppendAuthored appends the record as its author wrote it: with earlier slugs, but
// without scores or dates derived from the history. Entity.UnmarshalJSON decodes
// it.
func (e *Entity) AppendAuthored(dst []byte) []byte {
	added, updated := e.AddedDate, e.LastUpdated
	if e.AddedDerived {
		added = ""
	}
	if e.UpdatedDerived {
		updated = ""
	}
	dst = e.appendOffers(e.appendTail(appendDates(e.appendHead(dst), added, updated)))
	if len(e.Formerly) == 0 {
		return dst
	}
	dst = jsonenc.AppendMember(dst[:len(dst)-1], "formerly")
	return append(jsonenc.AppendStrings(dst, e.Formerly), '}')
}

// AppendAuthoredFrom appends what AppendAuthored writes for an entity with the given record. addedDerived
// and updatedDerived state which of its dates are derived from the history, and formerly lists its
// earlier slugs.
func AppendAuthoredFrom(dst, record []byte, addedDerived, updatedDerived bool, formerly []string) []byte {
	begin := len(dst)
	dst = append(dst, '{')
	for name, value := range jsonenc.Members(record) {
		switch string(name) {
		case "scores", "maintenance", "maintenanceAsOf", "price", "offerCount":
			continue // computed
		case "addedDate":
			if addedDerived {
				value = []byte("null")
			}
		case "lastUpdated":
			if updatedDerived {
				value = []byte("null")
			}
		}
		dst = jsonenc.AppendComma(dst, len(dst)-begin-1)
		dst = append(append(append(dst, '"'), name...), '"', ':')
		dst = append(dst, value...)
	}
	if len(formerly) > 0 {
		dst = jsonenc.AppendStrings(jsonenc.AppendMember(dst, "formerly"), formerly)
	}
	return append(dst, '}')
}

// Where CompleteAuthored edits a record. Quotes within texts are escaped, so the first
// occurrence is the member.
var datesBegin, datesEnd, offersBegin, formerlyBegin = []byte(`,"addedDate":`), []byte(`,"status":`), []byte(`,"offers":[`), []byte(`,"formerly":`)

// HasComputed reports whether an authored record may state what a Computed depends on.
func HasComputed(authored []byte) bool {
	i := bytes.Index(authored, offersBegin)
	return i < 0 || bytes.HasPrefix(authored[i+len(offersBegin):], []byte("{")) ||
		bytes.Contains(authored[:i], []byte(`"lastCommit":{`)) || bytes.Contains(authored[:i], []byte(`"archived":{`))
}

// CompleteAuthored turns an authored record into the record that the API shows. offers is
// the number of its offers.
func CompleteAuthored(authored []byte, s *Scores, c *Computed, offers int, added, updated int32) []byte {
	from, to, end := bytes.Index(authored, datesBegin), bytes.Index(authored, datesEnd), bytes.Index(authored, offersBegin)
	if from < 0 || to < from || end < to {
		return authored // AppendAuthored did not write this
	}
	dst := make([]byte, 0, len(authored)+320)
	dst = append(dst, authored[:from]...)
	dst = s.AppendJSON(jsonenc.AppendMember(dst, "scores"))
	dst = appendDates(dst, FormatDay(added), FormatDay(updated))
	dst = c.append(append(dst, authored[to:end]...), offers)
	if i := bytes.LastIndex(authored, formerlyBegin); i > end {
		return append(append(dst, authored[end:i]...), '}') // formerly is not a member of the record
	}
	return append(dst, authored[end:]...)
}
