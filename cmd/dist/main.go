// Command dist writes the files of a release: programs, archives, packages, a container image,
// bills of materials, an install script and their checksums. Two runs on the same commit with the
// same version of Go write the same bytes, wherever the repository is. It signs the checksums in a
// run of its own, so that nothing else runs while the key is in the environment.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/mod/semver"
)

// The exit codes.
const (
	exitOK      = 0
	exitProblem = 1 // the repository, the machine or a tool has a problem; the release is incomplete
	exitUsage   = 2 // invalid arguments
)

// platforms are the platforms of a release, as GOOS/GOARCH.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	r := &release{log: stdout}
	signs, err := r.parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, "dist:", err)
		return exitUsage
	case signs:
		err = signRelease(r.out, stdout)
	default:
		err = r.distribute(ctx, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "dist:", err)
		return exitProblem
	}
	return exitOK
}

// urls matches the addresses that the install script can contain: the shell gives no character of
// them a meaning between quotes.
var urls = regexp.MustCompile(`^(https://[A-Za-z0-9][-A-Za-z0-9._~:/@%+]*)?$`)

// parse reads the command line, and reports whether it asks for a signature.
func (r *release) parse(args []string, stderr io.Writer) (signs bool, err error) {
	f := flag.NewFlagSet("dist", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&r.version, "version", "", "the tag of the release, such as v1.2.3; SOURCE_DATE_EPOCH, in seconds since 1970, is the date of all files instead of the commit's")
	f.StringVar(&r.root, "root", ".", "the repository")
	f.StringVar(&r.out, "out", ".dist", "the folder to write; earlier contents are removed, but not with -sign")
	f.BoolVar(&signs, "sign", false, "sign the release that is in the folder with the key in KINDEX_RELEASE_KEY, or in the file that KINDEX_RELEASE_KEY_FILE names, as kindex sign init writes it")
	f.StringVar(&r.url, "url", "", "the https address of the folder that will contain the files, for the install script")
	only := f.String("platforms", strings.Join(platforms, ","), "the platforms, comma-separated")
	if err := f.Parse(args); err != nil {
		return false, err
	}
	for p := range strings.SplitSeq(*only, ",") {
		system, arch, _ := strings.Cut(p, "/")
		if r.targets = append(r.targets, target{system, arch}); !slices.Contains(platforms, p) {
			return false, fmt.Errorf("-platforms: %q is unknown (expected one or more of: %s)", p, strings.Join(platforms, ", "))
		}
	}
	switch {
	case f.NArg() > 0:
		return false, fmt.Errorf("unexpected argument %q; see -help", f.Arg(0))
	case signs && r.version+r.url != "":
		return false, errors.New("-sign signs the release in the folder as it is; -version and -url belong to the run that writes it")
	case !signs && (!semver.IsValid(r.version) || semver.Canonical(r.version) != r.version): // packages and tags compare build metadata differently
		return false, fmt.Errorf("-version %q must be a tag such as v1.2.3 or v1.2.3-rc.1; with make: make dist VERSION=v1.2.3", r.version)
	case !urls.MatchString(r.url):
		return false, fmt.Errorf("-url %q must be an https address made of letters, digits and - . _ ~ : / @ %% +", r.url)
	}
	root, err1 := filepath.Abs(r.root)
	out, err2 := filepath.Abs(r.out)
	r.root, r.out = root, out
	return signs, errors.Join(err1, err2)
}

// distribute writes the release into a temporary folder, and then replaces the earlier one.
func (r *release) distribute(ctx context.Context, stderr io.Writer) error {
	if err := r.findSource(ctx); err != nil {
		return err
	}
	entries, err := os.ReadDir(r.out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.out, sumsFile)); err != nil && len(entries) > 0 {
		return fmt.Errorf("%s has files but no %s, so it is not an earlier release; remove it or name another folder with -out", r.out, sumsFile)
	}
	if err := os.MkdirAll(filepath.Dir(r.out), 0o755); err != nil {
		return err
	}
	if r.stage, err = os.MkdirTemp(filepath.Dir(r.out), ".dist-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.stage)
	if err := r.write(ctx); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(r.out), os.Rename(r.asset(""), r.out)); err != nil {
		return err
	}
	fmt.Fprintf(r.log, "%s of commit %.12s is in %s\n", r.version, r.commit, r.out)
	fmt.Fprintln(stderr, "dist: NOT SIGNED: anyone who can replace these files can replace their checksums too; to sign them, run it with -sign")
	return nil
}

// findSource finds the commit of the working tree, which must be clean: a release that contains
// uncommitted changes could not be reproduced. If the tag exists, it must name that commit.
func (r *release) findSource(ctx context.Context) error {
	status, err := r.output(ctx, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" {
		first, _, _ := strings.Cut(status, "\n")
		return fmt.Errorf("%s has uncommitted changes, so nobody could reproduce the release; commit or remove them: %s", r.root, first)
	}
	shown, err := r.output(ctx, nil, "git", "show", "--no-patch", "--format=%H %ct", "HEAD")
	if err != nil {
		return err
	}
	commit, seconds, _ := strings.Cut(shown, " ")
	if tagged, err := r.output(ctx, nil, "git", "rev-parse", "--quiet", "--verify", "refs/tags/"+r.version+"^{commit}"); err == nil && tagged != commit {
		return fmt.Errorf("the tag %s points to commit %.12s, but %.12s is checked out", r.version, tagged, commit)
	}
	if text, ok := os.LookupEnv("SOURCE_DATE_EPOCH"); ok {
		seconds = text
	}
	epoch, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || epoch < 0 {
		return fmt.Errorf("SOURCE_DATE_EPOCH=%q must be a number of seconds since 1970", seconds)
	}
	r.commit, r.date = commit, time.Unix(epoch, 0).UTC()
	return nil
}

// output runs a program in the repository with additional environment variables and returns what it
// prints, without the final line feed. Errors contain what it printed on standard error.
func (r *release) output(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = r.root, append(os.Environ(), env...), &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), errors.Join(err, errors.New(strings.TrimSpace(stderr.String()))))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
