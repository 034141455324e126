package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
	"time"

	"kindex/builder"
	"kindex/cmd/bench/baseline"
	"kindex/edge"
	"kindex/edge/storage"
)

// children maps names to the subcommands that bench runs as separate processes: the
// bare handler, and kindex under a profiler, which the program itself does not include.
var children = map[string]func(ctx context.Context, args []string, stdout io.Writer) error{
	"serve-bare":    serveBare,
	"profile-serve": profileServe,
	"profile-build": profileBuild,
	"profile-watch": profileWatch,
	"profile-walk":  profileWalk,
	"walk":          walk,
	"decode":        decode,
}

// child prepares a command that runs one of the children.
func child(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, self, append([]string{name}, args...)...), nil
}

// serveBare serves the responses recorded in a file until ctx is done.
func serveBare(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("serve-bare FILE")
	}
	bare, err := baseline.LoadBare(args[0])
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := edge.HTTPServer(bare) // the same timeouts as kindex, because timeouts also cost processor time
	go func() {
		<-ctx.Done()
		_ = srv.Close() // no client is waiting for a response
	}()
	fmt.Fprintf(stdout, "serving http://%s\n", l.Addr())
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// profileServe serves a build like `kindex serve` until ctx is done, and writes the CPU
// profile.
func profileServe(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) != 3 {
		return errors.New("profile-serve DIR FILE LIMIT")
	}
	limit, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	s, end, err := openEdge(ctx, args[0], limit)
	if err != nil {
		return err
	}
	defer end()
	return profileTo(args[1], func() error {
		return s.Run(ctx, edge.Listeners{Addr: "127.0.0.1:0", Drain: time.Second,
			Ready: func(public, _ string) { fmt.Fprintf(stdout, "serving http://%s\n", public) }})
	})
}

// openEdge opens an edge that serves a build and applies one rate limit to all clients,
// or none if limit is 0. end closes the edge.
func openEdge(ctx context.Context, dir string, limit int64) (s *edge.Server, end func(), err error) {
	tmp, err := os.MkdirTemp("", "kindex-state-")
	if err != nil {
		return nil, nil, err
	}
	st, err := storage.Open(ctx, filepath.Join(tmp, "kindex.db"), storage.Options{Exclusive: true})
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(tmp))
	}
	away := func() { _ = errors.Join(st.Close(), os.RemoveAll(tmp)) } // errors do not matter for temporary files
	if s, err = edge.New(edge.Options{Dir: dir, State: st, LimitAnonymous: limit, LimitKey: limit}); err != nil {
		away()
		return nil, nil, err
	}
	return s, func() { s.Close(); away() }, nil
}

// profileBuild builds like `kindex build` and writes a CPU profile, a profile of all
// allocations, and one of the heap when it had the most live data.
func profileBuild(ctx context.Context, args []string, _ io.Writer) error {
	if len(args) != 3 {
		return errors.New("profile-build CONTENT OUT PATH")
	}
	at, err := time.Parse(time.DateOnly, asOf)
	if err != nil {
		return err
	}
	key, err := builder.LoadKey(os.Getenv("KINDEX_BUILDER_KEY"))
	if err != nil {
		return err
	}
	stop := watchHeap(args[2] + "-live.pprof")
	err = profileTo(args[2]+"-cpu.pprof", func() error {
		_, err := builder.Build(ctx, builder.Options{Content: args[0], Out: args[1], AsOf: at, Keep: 1, Key: key})
		return err
	})
	if err = errors.Join(err, stop()); err != nil {
		return err
	}
	f, err := os.Create(args[2] + "-alloc.pprof")
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}

// watchHeap looks at the heap twice a second until stop is called, which writes the profile
// of the moment with the most live data.
func watchHeap(path string) (stop func() error) {
	done, ended := make(chan struct{}), make(chan struct{})
	var profile bytes.Buffer
	go func() {
		defer close(ended)
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		most := uint64(0)
		for tick := time.NewTicker(time.Second / 2); ; {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if metrics.Read(live); live[0].Value.Uint64() > most+most/20 {
				most = live[0].Value.Uint64()
				profile.Reset()
				_ = pprof.Lookup("heap").WriteTo(&profile, 0) // a buffer accepts everything
			}
		}
	}()
	return func() error {
		close(done)
		<-ended
		return os.WriteFile(path, profile.Bytes(), 0o644)
	}
}

// asBuild sets what kindex build sets itself: the pace of garbage collection, but for its limit,
// which follows the live data, and the number of cores.
func asBuild(cmd *exec.Cmd) {
	cmd.Env = append(os.Environ(), "GOGC=100", fmt.Sprint("GOMAXPROCS=", min(buildCores, runtime.NumCPU())))
}

// buildProfile repeats the build, once for all parts, in a child that writes two
// profiles, and selects one of them.
func (b *bench) buildProfile(ctx context.Context, kind string) *profileRun {
	p := &profileRun{name: "build-" + kind}
	if kind == "alloc" {
		p.values = "alloc_space"
	}
	p.record = func(path string) error {
		if b.buildProfiled {
			return nil
		}
		out, err := os.MkdirTemp(b.tmp, "profiled-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(out)
		err = profileBuildTo(ctx, b.corpus, out, filepath.Join(filepath.Dir(path), "build"))
		b.buildProfiled = err == nil
		return err
	}
	return p
}

// profileBuildTo builds in a child that writes <path>-cpu.pprof and
// <path>-alloc.pprof.
func profileBuildTo(ctx context.Context, content, out, path string) error {
	cmd, err := child(ctx, "profile-build", content, out, path)
	if err != nil {
		return err
	}
	asBuild(cmd)
	if msg, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, tail(msg))
	}
	return nil
}
