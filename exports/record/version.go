package record

import (
	"bytes"

	"kindex/exports/jsonenc"
)

// Version is the authored content of an entity from a moment on, or that it was
// deleted. Versions are numbered in the order of time.
type Version struct {
	Type, Slug string // those that a deleted one had
	// Entity is the content as its author wrote it, nil where Record has it and
	// of a deleted one.
	Entity  *Entity
	Record  []byte // what AppendAuthored makes of the entity
	Deleted bool
	Time    int64 // Unix seconds, never below that of the version before it in the list
	Commit  int32 // place among the commits, -1 outside git
	// Previous is the version that this one follows: the one before it of the same
	// entity, under another slug maybe, or deleted. It is -1 for the first.
	Previous int32
	Change   int32 // place among the changes, -1 where nothing changed that counts
	// Added and Updated are the dates, as DayNumber has them, that the record
	// shows from this version on.
	Added, Updated int32
}

// ArchivedCommit is what a build keeps of a commit.
type ArchivedCommit struct {
	Hash, Author string
	PullRequest  int // 0 for none
}

// AppendAuthored appends the record as its author wrote it: without scores and
// without dates that were taken from the history, but with earlier slugs.
// Entity.UnmarshalJSON reads it.
func (e *Entity) AppendAuthored(dst []byte) []byte {
	added, updated := e.AddedDate, e.LastUpdated
	if e.AddedDerived {
		added = ""
	}
	if e.UpdatedDerived {
		updated = ""
	}
	dst = e.appendTail(appendDates(e.appendHead(dst), added, updated))
	if len(e.Formerly) == 0 {
		return dst
	}
	dst = jsonenc.AppendMember(dst[:len(dst)-1], "formerly")
	return append(jsonenc.AppendStrings(dst, e.Formerly), '}')
}

// Where an authored record is completed. A quote within a text is escaped, so
// the first occurrence is the member.
var datesBegin, datesEnd, formerlyBegin = []byte(`,"addedDate":`), []byte(`,"status":`), []byte(`,"formerly":`)

// CompleteAuthored makes the record that the API shows of an authored one.
func CompleteAuthored(authored []byte, s *Scores, added, updated int32) []byte {
	from, to := bytes.Index(authored, datesBegin), bytes.Index(authored, datesEnd)
	if from < 0 || to < from {
		return authored // nothing that AppendAuthored wrote
	}
	dst := make([]byte, 0, len(authored)+160)
	dst = append(dst, authored[:from]...)
	dst = s.AppendJSON(jsonenc.AppendMember(dst, "scores"))
	dst = appendDates(dst, FormatDay(added), FormatDay(updated))
	if end := bytes.LastIndex(authored, formerlyBegin); end > to {
		return append(append(dst, authored[to:end]...), '}') // no member of the record
	}
	return append(dst, authored[to:]...)
}
