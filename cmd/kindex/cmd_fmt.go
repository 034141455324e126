package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/fatih/color"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/cmd/kindex/cli"
	"kindex/exports/kinds"
	"kindex/exports/safetext"
)

type fmtOptions struct{ check, json bool }

func fmtCommand() *cobra.Command {
	var o fmtOptions
	c := &cobra.Command{
		Use: "fmt [PATH...]", Short: "Format content files",
		Long: `Fmt rewrites YAML files in the standard format: fields in the order of the reference, two
spaces of indentation, quotes only where YAML needs them. Data and comments are
preserved; otherwise the file is left unchanged, and the reason is printed. A PATH is a
file, a folder, or - to format standard input. Changed files are listed.`,
		Example: "  kindex fmt content\n  kindex fmt --check content\n  kindex fmt - < draft.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"content"}
			}
			for _, arg := range args {
				if arg == "-" && len(args) > 1 {
					return cli.Usage(errors.New("- means standard input and cannot be combined with files"))
				}
			}
			if args[0] == "-" && o.json && !o.check {
				return cli.Usage(errors.New("kindex fmt - prints the formatted file; for a report with --json, add --check"))
			}
			if args[0] == "-" {
				return fmtInput(cmd, o)
			}
			return fmtFiles(cmd, o, args)
		},
	}
	cli.JSONFlag(c.Flags(), &o.json)
	c.Flags().BoolVar(&o.check, "check", false, "change nothing; exit with 1 if a file is not formatted")
	return c
}

// formatted is the result for one file.
type formatted struct {
	path          string
	before, after []byte
	err           error
}

func (f formatted) changed() bool { return f.err == nil && !bytes.Equal(f.before, f.after) }

// fmtInput formats standard input.
func fmtInput(cmd *cobra.Command, o fmtOptions) error {
	f := formatted{path: "stdin"}
	if f.before, f.err = readContent(cmd.InOrStdin()); f.err == nil {
		f.after, f.err = yamlfmt.Format(kinds.Default(), f.path, f.before)
	}
	if f.err != nil || o.check {
		return reportFormatted(cmd, o, []formatted{f})
	}
	_, err := cmd.OutOrStdout().Write(f.after)
	return err
}

// fmtFiles formats files and folders. A problem with one path does not stop it from
// formatting the others.
func fmtFiles(cmd *cobra.Command, o fmtOptions, args []string) error {
	var list []formatted
	for _, arg := range args {
		list = append(list, filesToFormat(arg)...)
	}
	list = dedupe(list)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	var folders sync.Map
	for i := range list {
		group.Go(func() error {
			if list[i].err == nil {
				list[i].err = formatFile(cmd.Context(), o, &list[i], &folders)
			}
			return nil
		})
	}
	if err := errors.Join(group.Wait(), cmd.Context().Err()); err != nil {
		return err
	}
	return reportFormatted(cmd, o, list)
}

// filesToFormat lists the files that a path refers to. It skips hidden files, and links
// within a folder.
func filesToFormat(path string) (list []formatted) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []formatted{{path: path, err: fmt.Errorf("%s: no such file or folder", path)}}
	case err != nil:
		return []formatted{{path: path, err: err}}
	case !info.IsDir() && !info.Mode().IsRegular():
		return []formatted{{path: path, err: fmt.Errorf("%s: neither a file nor a folder", path)}}
	case !info.IsDir() && !content.IsYAML(path):
		return []formatted{{path: path, err: fmt.Errorf("%s: not a YAML file (.yaml)", path)}}
	case !info.IsDir():
		return []formatted{{path: path}}
	}
	root := path
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		root += string(filepath.Separator) // follow a link to a folder if the user named the link
	}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && name != root
		switch {
		case err != nil:
			list = append(list, formatted{path: name, err: err})
		case hidden && d.IsDir():
			return fs.SkipDir
		case !hidden && d.Type().IsRegular() && content.IsYAML(name):
			list = append(list, formatted{path: name})
		}
		return nil
	})
	if err != nil || len(list) == 0 {
		err = errors.Join(err, fmt.Errorf("%s: no YAML files found", path))
		list = append(list, formatted{path: path, err: err})
	}
	return list
}

// dedupe drops repeated files.
func dedupe(list []formatted) []formatted {
	seen := map[string]bool{}
	var once []formatted
	for _, f := range list {
		key := f.path
		if real, err := filepath.EvalSymlinks(f.path); err == nil {
			key = real
		}
		if abs, err := filepath.Abs(key); err == nil {
			key = abs
		}
		if !seen[key] {
			once = append(once, f)
		}
		seen[key] = true
	}
	return once
}

// readContent reads a content file. If the file is so large that the formatter will reject
// it anyway, readContent returns only its start.
func readContent(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, 1<<20)) }

// formatFile reads and formats one file, and writes the result unless o requests only a check. folders
// caches the kinds that the files of a folder share.
func formatFile(ctx context.Context, o fmtOptions, f *formatted, folders *sync.Map) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	f.before, err = readContent(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	read, _ := folders.LoadOrStore(filepath.Dir(f.path), sync.OnceValues(func() (*kinds.Set, error) { return kindsOf(f.path) }))
	declared, err := read.(func() (*kinds.Set, error))()
	if err != nil {
		return err
	}
	if f.after, err = yamlfmt.Format(declared, filepath.ToSlash(f.path), f.before); err != nil {
		return err
	}
	if o.check || !f.changed() {
		return nil
	}
	return replaceFile(f.path, f.after)
}

// kindsOf returns the kinds of the content folder that a file is in.
func kindsOf(path string) (*kinds.Set, error) {
	for _, dir := range []string{filepath.Dir(path), filepath.Join(filepath.Dir(path), "..")} {
		if _, err := os.Stat(filepath.Join(dir, content.KindsFile)); err == nil {
			return content.ReadKinds(dir)
		}
	}
	return kinds.Default(), nil
}

// replaceFile replaces the contents of a file atomically: it writes a temporary file in the
// same folder and renames that file into place. The original permissions, and links to the
// file, are preserved.
func replaceFile(path string, data []byte) (err error) {
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s: file is read-only", path)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".kindex-fmt-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(info.Mode().Perm()), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// reportFormatted prints the files that changed, or would change, and the problems found in
// other files.
func reportFormatted(cmd *cobra.Command, o fmtOptions, list []formatted) error {
	stderr := cmd.ErrOrStderr()
	var problems yamldoc.Problems
	report := fmtReport{Files: len(list), Changed: []fmtChange{}}
	failed := 0
	for _, f := range list {
		var found yamldoc.Problems
		switch {
		case errors.As(f.err, &found):
			problems = append(problems, found...)
		case f.err != nil:
			failed++
			fmt.Fprintln(stderr, cli.Paint(stderr, color.FgRed, "kindex:"), f.err)
		case f.changed():
			report.Changed = append(report.Changed, fmtChange{filepath.ToSlash(f.path)})
		}
	}
	if err := cli.Print(cmd.OutOrStdout(), o.json, report, func(w io.Writer) {
		for _, c := range report.Changed {
			fmt.Fprintln(w, safetext.Escape(filepath.FromSlash(c.File)))
		}
	}); err != nil {
		return err
	}
	if len(problems) > 0 {
		problems.Sort()
		cli.PrintProblems(stderr, slices.Compact(problems)) // every file of a folder has those of kinds.yaml
	}
	if len(problems) > 0 || failed > 0 || o.check && len(report.Changed) > 0 {
		return cli.Quiet(cli.ExitProblem)
	}
	return nil
}

// fmtReport is the report of fmt. --json prints it.
type fmtReport struct {
	Files   int         `json:"files"`
	Changed []fmtChange `json:"changed"` // with --check, the files that would change
}

// fmtChange is a file that is not formatted.
type fmtChange struct {
	File string `json:"file"`
}
