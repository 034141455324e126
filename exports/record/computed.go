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

// The values of Maintenance.State.
const (
	Maintained = "active"
	Slow       = "slow"
	Dormant    = "dormant"
	Archived   = "archived"
)

// MaintenanceStates lists the values of Maintenance.State, best first.
var MaintenanceStates = []string{Maintained, Slow, Dormant, Archived}

// Maintenance is how recently the repository of an entity changed.
type Maintenance struct {
	State string // one of MaintenanceStates, "" if unknown
	AsOf  string // the day when that was read, "" if unknown
}

// Bounds of maintenance, in days, between the latest commit and the day when it was read.
const (
	maxMaintainedDays = 180
	maxSlowDays       = 365
)

// MaxMaintenanceDays is the number of days after which a reading of maintenance no longer counts.
const MaxMaintenanceDays = 400

// MaintenanceOf returns the maintenance of an entity with these signals on a day. It
// depends on the day only because an old reading no longer counts.
func MaintenanceOf(s *Signals, day int32) Maintenance {
	archived, _ := s.Fact("archived")
	last, _ := s.Fact("lastCommit")
	m := Maintenance{Dormant, last.Date}
	if archived.Number == 1 {
		m = Maintenance{Archived, archived.Date}
	} else if age, ok := DaysApart(last.Day, last.Date); !ok {
		return Maintenance{}
	} else if age <= maxMaintainedDays {
		m.State = Maintained
	} else if age <= maxSlowDays {
		m.State = Slow
	}
	// Without a known day, a reading is never too old.
	if read, err := DayNumber(m.AsOf); err != nil || read == NoDate || day != NoDate && day-read > MaxMaintenanceDays {
		return Maintenance{}
	}
	return m
}
