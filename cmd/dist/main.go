// Command dist writes the files of a release: programs, archives, packages, a container image,
// bills of materials, an install script and their checksums. Two runs on the same commit with the
// same version of Go write the same bytes, wherever the repository is. It signs the checksums in a
// run of its own, so that nothing else runs while the key is in the environment.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// The exit codes.
const (
	exitOK      = 0
	exitProblem = 1 // the repository, the machine or a tool has a problem; the release is incomplete
	exitUsage   = 2 // invalid arguments
)

// platforms are the platforms of a release, as GOOS/GOARCH.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

const about = `dist writes the files of a release into a folder. make dist runs it.

  go run ./cmd/dist -version v1.2.3
  go run ./cmd/dist -sign

SOURCE_DATE_EPOCH, in seconds since 1970, is the date of all files instead of the commit's.
With -sign, it signs the checksums of the release in the folder, and writes the public key into
the install script. The environment variable KINDEX_RELEASE_KEY contains the key, or
KINDEX_RELEASE_KEY_FILE names a file that contains it: a line PRIVATE+KEY+name+… in the format
of golang.org/x/mod/sumdb/note.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the command line options.
type options struct {
	version   string   // the tag, such as v1.2.3
	root      string   // the repository
	out       string   // the folder to write
	url       string   // the address of the folder that will have the files; may be empty
	platforms []string // a part of platforms
	sign      bool     // sign the release in out, and write nothing else
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, "dist:", err)
		return exitUsage
	}
	if o.sign {
		err = sign(o.out, stdout)
	} else {
		err = distribute(ctx, o, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "dist:", err)
		return exitProblem
	}
	return exitOK
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("dist", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprint(stderr, about)
		f.PrintDefaults()
	}
	f.StringVar(&o.version, "version", "", "the tag of the release, such as v1.2.3")
	f.StringVar(&o.root, "root", ".", "the repository")
	f.StringVar(&o.out, "out", ".dist", "the folder to write; earlier contents are removed, but not with -sign")
	f.BoolVar(&o.sign, "sign", false, "sign the release that is in the folder")
	f.StringVar(&o.url, "url", "", "the https address of the folder that will contain the files, for the install script")
	only := f.String("platforms", strings.Join(platforms, ","), "the platforms, comma-separated")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q; see -help", f.Arg(0))
	}
	if o.sign {
		if o.version != "" || o.url != "" {
			return nil, errors.New("-sign signs the release in the folder as it is; -version and -url belong to the run that writes it")
		}
	} else if err := checkVersion(o.version); err != nil {
		return nil, err
	}
	if o.url != "" && !installable(o.url) {
		return nil, fmt.Errorf("-url %q must be an https address made of letters, digits and %s", o.url, urlMarks)
	}
	o.platforms = strings.Split(*only, ",")
	for _, p := range o.platforms {
		if !slices.Contains(platforms, p) {
			return nil, fmt.Errorf("-platforms: %q is unknown (expected one or more of: %s)", p, strings.Join(platforms, ", "))
		}
	}
	var err error
	if o.root, err = filepath.Abs(o.root); err != nil {
		return nil, err
	}
	o.out, err = filepath.Abs(o.out)
	return o, err
}

// distribute writes the release into a temporary folder, and then replaces the earlier one.
func distribute(ctx context.Context, o *options, stdout, stderr io.Writer) error {
	src, err := findSource(ctx, o.root, o.version)
	if err != nil {
		return err
	}
	if err := checkFolder(o.out); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(o.out), ".dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &release{source: *src, options: *o, stage: filepath.Join(work, "stage"), assets: filepath.Join(work, "assets"), log: stdout}
	if err := r.write(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(o.out); err != nil {
		return err
	}
	if err := os.Rename(r.assets, o.out); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s of commit %.12s is in %s\n", o.version, src.commit, o.out)
	fmt.Fprintln(stderr, "dist: NOT SIGNED: anyone who can replace these files can replace their checksums too; to sign them, run it with -sign")
	return nil
}

// checkFolder refuses to replace a folder that does not have a release in it.
func checkFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, sumsFile)); err != nil {
		return fmt.Errorf("%s has files but no %s, so it is not an earlier release; remove it or name another folder with -out", dir, sumsFile)
	}
	return nil
}
