package badge

import (
	"testing"

	"kindex/exports/record"
)

func TestStatus(t *testing.T) {
	const today = "2026-11-24"
	for _, c := range []struct {
		status, maintenance    string
		deprecated, retires    string
		wantMessage, wantColor string
	}{
		{"active", "active", "", "", "active", Green},
		{"active", record.Dormant, "", "", record.Dormant, Amber},
		{record.Deprecated, record.Dormant, "", "", record.Deprecated, Amber},
		{"active", "", "2026-11-24", "", record.Deprecated, Amber},
		{"active", "", "2026-11-25", "", "active", Green}, // not yet
		{"active", "", "2026-01-01", "2026-12-31", "retires 2026-12-31", Amber},
		{"active", "", "2026-01-01", "2026-11-24", "retired", Red},
	} {
		e := &record.Entity{Status: c.status, Lifecycle: &record.Lifecycle{Deprecated: c.deprecated, Retires: c.retires}}
		e.Maintenance.State = c.maintenance
		if message, colour := status(e, today); message != c.wantMessage || colour != c.wantColor {
			t.Errorf("%+v: %q %s", c, message, colour)
		}
	}
}
