package record

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

// LastCommit returns the day of the latest commit, from which maintenance follows, or "" if it is unknown.
func (s *Signals) LastCommit() string {
	last, _ := s.Fact("lastCommit")
	return last.Day
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
	archived, known := s.Fact("archived")
	if !known || archived.Number != 1 {
		return commitMaintenance(s, day)
	}
	if m := (Maintenance{Archived, archived.Date}); !m.outdated(day) {
		return m
	}
	return Maintenance{}
}

func commitMaintenance(s *Signals, day int32) Maintenance {
	f, known := s.Fact("lastCommit")
	last, err := DayNumber(f.Day)
	read, wrong := DayNumber(f.Date)
	if !known || err != nil || wrong != nil || read == NoDate || last == NoDate {
		return Maintenance{}
	}
	m := Maintenance{Dormant, f.Date}
	switch age := read - last; {
	case age <= maxMaintainedDays:
		m.State = Maintained
	case age <= maxSlowDays:
		m.State = Slow
	}
	if m.outdated(day) {
		return Maintenance{}
	}
	return m
}

// outdated reports whether the reading is too old on a day. Without a known day it never is.
func (m *Maintenance) outdated(day int32) bool {
	read, err := DayNumber(m.AsOf)
	return err != nil || read == NoDate || day != NoDate && day-read > MaxMaintenanceDays
}
