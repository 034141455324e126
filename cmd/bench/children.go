package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"time"

	"kindex/builder"
	"kindex/cmd/bench/yardstick"
	"kindex/edge"
)

// children are what bench starts as processes of their own: the bare handler,
// and kindex under a profile, which the program itself does not write.
var children = map[string]func(ctx context.Context, args []string, stdout io.Writer) error{
	"serve-bare":    serveBare,
	"profile-serve": profileServe,
	"profile-build": profileBuild,
}

// child prepares to run this program as one of the children.
func child(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, self, append([]string{name}, args...)...), nil
}

// serveBare answers with the responses recorded in a file until ctx ends.
func serveBare(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("serve-bare FILE")
	}
	bare, err := yardstick.LoadBare(args[0])
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := edge.HTTPServer(bare) // the same limits: they cost processor time, too
	go func() {
		<-ctx.Done()
		_ = srv.Close() // nobody is waiting for an answer
	}()
	fmt.Fprintf(stdout, "serving http://%s\n", l.Addr())
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// profileServe serves a build as `kindex serve` does until ctx ends, and writes
// the processor profile.
func profileServe(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) != 2 {
		return errors.New("profile-serve DIR FILE")
	}
	s, err := edge.New(edge.Options{Dir: args[0]})
	if err != nil {
		return err
	}
	defer s.Close()
	return profileTo(args[1], func() error {
		return s.Run(ctx, edge.Listeners{Addr: "127.0.0.1:0", Drain: time.Second,
			Ready: func(public, _ string) { fmt.Fprintf(stdout, "serving http://%s\n", public) }})
	})
}

// profileBuild makes a build as `kindex build` does, and writes the profiles of
// the processor and of what was allocated.
func profileBuild(ctx context.Context, args []string, _ io.Writer) error {
	if len(args) != 3 {
		return errors.New("profile-build CONTENT OUT DIR")
	}
	at, err := time.Parse(time.DateOnly, asOf)
	if err != nil {
		return err
	}
	err = profileTo(filepath.Join(args[2], "build-cpu.pprof"), func() error {
		_, err := builder.Build(ctx, builder.Options{Content: args[0], Out: args[1], AsOf: at, Keep: 1})
		return err
	})
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(args[2], "build-alloc.pprof"))
	if err != nil {
		return err
	}
	defer f.Close()
	return pprof.Lookup("allocs").WriteTo(f, 0)
}

// buildProfile makes the build again as a child that writes its profiles, and
// takes one of them.
func (b *bench) buildProfile(ctx context.Context, kind string) *profiled {
	p := &profiled{name: "build-" + kind}
	if kind == "alloc" {
		p.values = "alloc_space"
	}
	p.record = func(path string) error {
		out, err := os.MkdirTemp(b.tmp, "profiled-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(out)
		cmd, err := child(ctx, "profile-build", b.corpus, out, filepath.Dir(path))
		if err != nil {
			return err
		}
		// As kindex build collects garbage.
		cmd.Env = append(os.Environ(), "GOGC=800", "GOMEMLIMIT=900MiB", fmt.Sprint("GOMAXPROCS=", buildCores))
		if msg, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, tail(msg))
		}
		return nil
	}
	return p
}
