package cli

import (
	"testing"
)

func TestPacer(t *testing.T) {
	const mib = 1 << 20
	var warnings []int64
	p := pacer{most: 800, low: 900 * mib, high: 3000 * mib, warn: func(used int64) { warnings = append(warnings, used/mib) }}
	for _, step := range []struct {
		live, other int64
		percent     int
		limit       int64
	}{
		{10, 5, 800, 990}, {100, 0, 800, 990}, {425, 50, 100, 990}, {900, 50, 50, 1540}, {1700, 100, 50, 2915},
		{1900, 100, 50, 3000}, // near the limit, which still leaves more than a tenth
		{3000, 100, 50, 3400}, // above it
		{300, 50, 183, 990},
		{3000, 100, 50, 3400},
	} {
		percent, limit := p.pace(step.live*mib, step.other*mib)
		if limit /= mib; percent != step.percent || limit != step.limit {
			t.Errorf("with %d MiB of live data the heap may grow by %d%% up to %d MiB, not by %d%% up to %d MiB",
				step.live, percent, limit, step.percent, step.limit)
		}
		if limit < step.live+step.other+step.live/10 {
			t.Errorf("a limit of %d MiB leaves no room beyond %d MiB of live data", limit, step.live)
		}
	}
	if len(warnings) != 1 || warnings[0] != 3100 {
		t.Errorf("warned at %v MiB, not once at 3100", warnings)
	}
	if size, what := availableMemory(); size < 64*mib || what == "" {
		t.Errorf("%d bytes are available, %s", size, what)
	}
}
