package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"time"
)

// profileTime is how long a measurement is repeated for its profile.
var profileTime = 3 * time.Second

// profileRun describes how to profile a measurement that missed its target.
type profileRun struct {
	name string
	// run is called repeatedly while the processor is profiled.
	run func() error
	// record, if not nil, writes the profile instead of run. It is used to profile
	// another process.
	record func(path string) error
	// values selects one of the profile's value types; "" means processor time.
	values string

	path string
	top  []string
}

// take returns the profile's file and its top functions. The first call writes the
// profile to a folder.
func (p *profileRun) take(dir string) (path string, top []string, err error) {
	if p.path != "" {
		return p.path, p.top, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, p.name+".pprof")
	record := p.record
	if record == nil {
		record = p.again
	}
	if err := record(path); err != nil {
		return "", nil, err
	}
	if p.top, err = topOf(path, p.values); err != nil {
		return "", nil, err
	}
	p.path = path
	return path, p.top, nil
}

// again repeats the measurement under the CPU profiler.
func (p *profileRun) again(path string) error {
	return profileTo(path, func() error {
		for end := time.Now().Add(profileTime); time.Now().Before(end); {
			if err := p.run(); err != nil {
				return err
			}
		}
		return nil
	})
}

// profileTo writes the CPU profile of f.
func profileTo(path string, f func() error) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		return errors.Join(err, out.Close())
	}
	err = f()
	pprof.StopCPUProfile()
	return errors.Join(err, out.Close())
}

// frames matches functions that do not help explain where the time is spent: those
// in this command, and those between a request and its handler.
const frames = `^main\.|^runtime\.main$|^sync\.\(\*WaitGroup\)|httprouter\.|^net/http\.(HandlerFunc|serverHandler)\.|^kindex/edge\.\(\*Server\)\.(ServeHTTP|handle)|^kindex/edge\.New\.`

// topOf lists the functions with the largest cumulative values in a profile.
func topOf(path, values string) ([]string, error) {
	args := []string{"tool", "pprof", "-top", "-cum", "-nodecount=15", "-hide=" + frames}
	if values != "" {
		args = append(args, "-sample_index="+values)
	}
	var problems bytes.Buffer
	cmd := exec.CommandContext(context.Background(), "go", append(args, path)...)
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go tool pprof: %w: %s", err, tail(problems.Bytes()))
	}
	_, table, ok := strings.Cut(string(out), "flat%")
	if !ok {
		return nil, fmt.Errorf("go tool pprof: no table in %q", tail(out))
	}
	lines := strings.Split(strings.TrimRight(table, "\n"), "\n")
	lines[0] = "      flat  flat%   sum%        cum   cum%"
	return lines, nil
}
