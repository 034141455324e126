package main

import (
	"runtime"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// hardware describes the machine on which the measurements ran.
type hardware struct {
	CPU      string    `json:"cpu"`
	Cores    int       `json:"cores"`
	Go       string    `json:"go"`
	Platform string    `json:"platform"`
	Build    string    `json:"build"`
	Entities int       `json:"entities"`
	Queries  int       `json:"queries"`
	Seed     uint64    `json:"seed"`
	Time     time.Time `json:"time"`
	// Others is the share of all cores' processor time that other programs used
	// during the run, or nil if the system does not report it. Times measured on a
	// busy machine are unreliable.
	Others *float64 `json:"others"`
}

func (b *bench) machine() hardware {
	m := hardware{Entities: b.paged, CPU: cpuModel(), Cores: runtime.NumCPU(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Queries: b.queries, Seed: b.seed, Time: time.Now().UTC().Truncate(time.Second), Others: b.started.others()}
	for _, w := range []*workCopy{b.plain, b.repository} {
		if w != nil {
			m.Entities = w.entities
		}
	}
	if b.build != nil {
		m.Build, m.Entities = b.build.Manifest.ID, b.build.Len()
	}
	return m
}

// cpuClock holds the processor time used so far, in seconds.
type cpuClock struct {
	at   time.Time
	busy float64 // by all programs, and by other guests on the same hardware
	own  float64 // by this program and its finished children
	ok   bool
}

func readClock() (c cpuClock) {
	c.at = time.Now()
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return c
	}
	stat, err := fs.Stat()
	if err != nil {
		return c
	}
	t := stat.CPUTotal
	c.busy = t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ + t.Steal
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) != nil {
			return c
		}
		c.own += time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	c.ok = true
	return c
}

// others returns the share of all processor time that other programs have used
// since c.
func (c cpuClock) others() *float64 {
	now := readClock()
	all := now.at.Sub(c.at).Seconds() * float64(runtime.NumCPU())
	if !c.ok || !now.ok || all <= 0 {
		return nil
	}
	share := min(1, max(0, (now.busy-c.busy-(now.own-c.own))/all))
	return &share
}
