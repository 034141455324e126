package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
)

// The tests have thousands of command lines, most of which take less time than the program needs to
// start. So worker processes execute one command line after another, each in its folder and
// environment. In scripts, "kindex ..." and "exits CODE kindex ..." run in a worker, and "exec
// kindex ..." starts the program, as in the background or through a shell.

// workerProgram is the name under which the test binary is a worker.
const workerProgram = "kindex-worker"

// commandLine is a request to a worker.
type commandLine struct {
	Dir       string
	Env, Args []string
}

// outcome is a worker's answer.
type outcome struct {
	Code           int
	Stdout, Stderr string
}

// work executes the command lines that arrive on the standard input until it ends.
func work() {
	requests, answers := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	// No command line may read the next one, or write between the answers.
	null, err := os.Open(os.DevNull)
	if err != nil {
		fatal(err)
	}
	os.Stdin, os.Stdout = null, os.Stderr
	os.Args[0] = "kindex"
	for {
		var line commandLine
		if err := requests.Decode(&line); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			fatal(err)
		}
		if err := answers.Encode(execute(line)); err != nil {
			fatal(err)
		}
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, workerProgram+":", err)
	os.Exit(1)
}

func execute(line commandLine) outcome {
	os.Clearenv()
	for _, variable := range line.Env {
		name, value, _ := strings.Cut(variable, "=")
		if err := os.Setenv(name, value); err != nil {
			fatal(err)
		}
	}
	if err := os.Chdir(line.Dir); err != nil {
		fatal(err)
	}
	defer func() { _ = os.Chdir(os.TempDir()) }() // the folder may be on a disk that is about to be unmounted
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stdout, stderr strings.Builder
	code := run(ctx, line.Args, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// worker is a running worker process.
type worker struct {
	process  *exec.Cmd
	stdin    io.Closer
	requests *gob.Encoder
	answers  *gob.Decoder
}

// workers contains the workers that have nothing to do.
var workers struct {
	sync.Mutex
	idle []*worker
}

// inWorker executes a command line in a worker.
func inWorker(line commandLine) (outcome, error) {
	w, err := takeWorker()
	if err != nil {
		return outcome{}, err
	}
	var o outcome
	err = w.requests.Encode(line)
	if err == nil {
		err = w.answers.Decode(&o)
	}
	if err != nil {
		return outcome{}, fmt.Errorf("%s: %w", workerProgram, errors.Join(err, w.stop()))
	}
	workers.Lock()
	defer workers.Unlock()
	workers.idle = append(workers.idle, w)
	return o, nil
}

// workIn executes a command line in a folder. It adds variables to the environment of this process.
func workIn(t *testing.T, dir string, variables []string, args ...string) outcome {
	t.Helper()
	dir = suite.Must(filepath.Abs(dir))(t)
	return suite.Must(inWorker(commandLine{Dir: dir, Env: slices.Concat(os.Environ(), programEnvironment, variables, []string{"PWD=" + dir}), Args: args}))(t)
}

func takeWorker() (*worker, error) {
	workers.Lock()
	defer workers.Unlock()
	if last := len(workers.idle) - 1; last >= 0 {
		w := workers.idle[last]
		workers.idle = workers.idle[:last]
		return w, nil
	}
	w := &worker{process: exec.Command(workerProgram)}
	w.process.Stderr = os.Stderr
	stdin, err1 := w.process.StdinPipe()
	stdout, err2 := w.process.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	w.stdin, w.requests, w.answers = stdin, gob.NewEncoder(stdin), gob.NewDecoder(stdout)
	return w, w.process.Start()
}

func (w *worker) stop() error {
	return errors.Join(w.stdin.Close(), w.process.Wait())
}

// stopWorkers ends all workers.
func stopWorkers() {
	workers.Lock()
	defer workers.Unlock()
	for _, w := range workers.idle {
		if err := w.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping a worker:", err)
		}
	}
}

// runProgram runs a program with a script's folder, environment and input, and returns its exit code.
func runProgram(ts *testscript.TestScript, name string, args []string) int {
	script := reflect.ValueOf(ts).Elem() // testscript has no methods for its environment and input
	input := script.FieldByName("stdin").String() + script.FieldByName("ttyin").String()
	readAtStart := ts.Getenv("TZ") + ts.Getenv("GOMAXPROCS")
	if name != "kindex" || input+readAtStart != "" || os.Getenv(testedProgram) != "" {
		err := ts.Exec(name, args...)
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exit.ExitCode()
		}
		ts.Check(err)
		return cli.ExitOK
	}
	line := commandLine{Dir: filepath.Clean(ts.MkAbs(".")), Args: args}
	for _, variable := range script.FieldByName("env").Seq2() {
		line.Env = append(line.Env, variable.String())
	}
	line.Env = append(line.Env, "PWD="+line.Dir)
	o, err := inWorker(line)
	ts.Check(err)
	_, err1 := io.WriteString(ts.Stdout(), o.Stdout)
	_, err2 := io.WriteString(ts.Stderr(), o.Stderr)
	ts.Check(errors.Join(err1, err2))
	return o.Code
}

// [!] kindex ARG... checks that the program succeeds or, with !, that it fails.
func cmdKindex(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 0 || !strings.HasSuffix(args[len(args)-1], "&"), "exec kindex ARG... &")
	if code := runProgram(ts, "kindex", args); (code != cli.ExitOK) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

// installProgram puts the test binary into the PATH, under the program's name. Main would do that,
// too, but then a script could not run "kindex" in a worker.
func installProgram() (remove func(), err error) {
	dir, err := os.MkdirTemp("", "kindex-program-")
	if err != nil {
		return nil, err
	}
	binary, err := os.Executable()
	if err == nil {
		err = os.Symlink(binary, filepath.Join(dir, "kindex"))
	}
	if err == nil {
		err = os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	return func() { _ = os.RemoveAll(dir) }, err
}
