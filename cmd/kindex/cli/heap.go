package cli

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/pflag"
)

// BatchGCPercent is the GC percentage for short-lived commands while their heap is small.
const BatchGCPercent = 800

// ServeGCPercent is the GC percentage of an edge while its heap is small. It is higher than Go's default,
// because the files that an edge serves are memory-mapped.
const ServeGCPercent = 400

// leastGCPercent is the GC percentage for a large heap. When the heap could grow by only a third,
// a quarter of the CPU time of 100,000 entities with 400,000 offers went to garbage collection.
const leastGCPercent = 50

// MinMemoryMiB is the size up to which the heap of a command may grow, however little of it is
// live. It keeps a build of 100,000 entities below 1 GiB.
const MinMemoryMiB = 800

// maxMemoryShare is the share of the machine's memory that a command uses before it warns,
// in percent. The rest is for the memory-mapped files and for other programs.
const maxMemoryShare = 75

// MemoryFlag adds --memory; condition precedes its description.
func MemoryFlag(f *pflag.FlagSet, mib *int64, condition string) {
	f.Int64Var(mib, "memory", 0, condition+fmt.Sprintf(
		"soft memory limit in MiB; near it, garbage is collected more often (default: as needed, up to %d%% of the memory)", maxMemoryShare))
}

// CheckMemory rejects a --memory that is not a number of MiB; 0 means that it was not given.
func CheckMemory(f *pflag.FlagSet, mib int64) error {
	if given := f.Changed("memory"); given && mib < 1 || mib < 0 || mib > math.MaxInt64>>20 {
		return Usage(fmt.Errorf("--memory %d: use a number of MiB such as %d", mib, MinMemoryMiB))
	}
	return nil
}

// SetGC lets the heap grow to several times the live data, as long as it is small. A build
// allocates much, keeps little and ends soon; this saves a third of its CPU time. A larger heap
// grows by leastGCPercent of the live data. If that exceeds maxMiB, or without one a share of the
// machine's memory, SetGC warns once.
func SetGC(percent int, minMiB, maxMiB int64, stderr io.Writer) {
	p := &pacer{most: percent, low: minMiB << 20, high: maxMiB << 20}
	origin := "--memory"
	if maxMiB == 0 {
		p.high, origin = availableMemory()
	}
	p.low = min(p.low, p.high)
	p.warn = func(used int64) {
		fmt.Fprintf(stderr, "kindex: %d MiB of memory are in use, and the soft limit is %d MiB (%s); this will take longer. Raise --memory, or use a machine with more memory.\n",
			used>>20, p.high>>20, origin)
	}
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(p.low)
	p.watch()
}

// availableMemory returns maxMemoryShare of the memory that this process may use, and where
// the limit comes from. If the memory is unknown, there is no limit.
func availableMemory() (size int64, origin string) {
	total, owner := uint64(math.MaxInt64), "the address space"
	if system, err := memlimit.FromSystem(); err == nil {
		total, owner = system, "this machine's memory"
	}
	if group, err := memlimit.FromCgroup(); err == nil && group > 0 && group < total {
		total, owner = group, "the memory that its control group allows"
	}
	size = int64(min(total, math.MaxInt64) / 100 * maxMemoryShare)
	return size, fmt.Sprintf("%d %% of %s", maxMemoryShare, owner)
}

// pacer sets the pace of garbage collection from the live data. A fixed limit below the live
// data would make the garbage collector run without end, and a limit just above it makes the
// runtime return memory to the system that it needs again at once.
type pacer struct {
	most      int              // the GC percentage while the heap is small
	low, high int64            // bytes
	warn      func(used int64) // called once, when the heap first exceeds high
	warned    bool
}

// pace returns the GC percentage and the soft limit for a heap with live bytes of data, and
// other memory of the runtime. The limit is a tenth above the heap to which the percentage leads,
// for fragmentation. It leaves at least a tenth more than the data, even if that exceeds high: a
// command that uses more memory than it should is better than one that never ends.
func (p *pacer) pace(live, other int64) (percent int, limit int64) {
	growth := max(p.low-live-other, live*leastGCPercent/100)
	limit = live + other + growth
	if limit > p.high && !p.warned {
		p.warned = true
		p.warn(live + other)
	}
	limit = max(min(limit+limit/10, p.high), live+live/10+other)
	return int(min(growth*100/max(live, 1), int64(p.most))), limit
}

// watch adjusts the pace after every garbage collection.
func (p *pacer) watch() {
	runtime.AddCleanup(new(*pacer), func(*pacer) {
		percent, limit := p.pace(liveMemory())
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
		p.watch()
	}, p)
}

// liveMemory returns the size of the data that the last garbage collection found live, and
// of the runtime's memory outside the heap, in bytes.
func liveMemory() (live, other int64) {
	s := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(s)
	size := func(i int) int64 { return int64(min(s[i].Value.Uint64(), math.MaxInt64)) }
	other = size(1)
	for i := 2; i < len(s); i++ {
		other -= size(i)
	}
	return size(0), max(other, 0)
}
