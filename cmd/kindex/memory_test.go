package main

import (
	"testing"
)

func TestPacer(t *testing.T) {
	const mib = 1 << 20
	var warnings []int64
	p := pacer{low: 900 * mib, high: 3000 * mib, warn: func(used int64) { warnings = append(warnings, used/mib) }}
	for _, step := range []struct{ live, other, want int64 }{
		{10, 5, 900}, {560, 50, 900}, {900, 50, 1400}, {1900, 100, 2950},
		{2190, 100, 3000}, // near the limit, which still leaves more than a tenth
		{3000, 100, 3400}, // above it
		{300, 50, 900},
		{3000, 100, 3400},
	} {
		got := p.limit(step.live*mib, step.other*mib) / mib
		if got != step.want {
			t.Errorf("with %d MiB of live data the limit is %d MiB, not %d", step.live, got, step.want)
		}
		if got < step.live+step.other+step.live/10 {
			t.Errorf("a limit of %d MiB leaves no room beyond %d MiB of live data", got, step.live)
		}
	}
	if len(warnings) != 1 || warnings[0] != 2290 {
		t.Errorf("warned at %v MiB, not once at 2290", warnings)
	}
	if size, what := availableMemory(); size < 64*mib || what == "" {
		t.Errorf("%d bytes are available, %s", size, what)
	}
}
