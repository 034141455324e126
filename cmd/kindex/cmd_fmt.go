package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/cmd/kindex/cli"
	"kindex/exports/kinds"
	"kindex/exports/safetext"
)

func fmtCommand() *cobra.Command {
	var check bool
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
			switch input := slices.Contains(args, "-"); {
			case input && len(args) > 1:
				return cli.Usage(errors.New("- means standard input and cannot be combined with files"))
			case input && cli.AsJSON(cmd) && !check:
				return cli.Usage(errors.New("kindex fmt - prints the formatted file; for a report with --json, add --check"))
			case input:
				return fmtInput(cmd, check)
			}
			return fmtFiles(cmd, check, args)
		},
	}
	cli.JSONFlag(c)
	c.Flags().BoolVar(&check, "check", false, "change nothing; exit with 1 if a file is not formatted")
	return c
}

// formatted is the result for one file.
type formatted struct {
	path          string
	before, after []byte
	err           error
}

func (f *formatted) changed() bool { return f.err == nil && !bytes.Equal(f.before, f.after) }

// format reads a file and formats it. A file that is so large that the formatter will reject it anyway is read only
// in part.
func (f *formatted) format(r io.Reader, declared *kinds.Set) (err error) {
	if f.before, err = io.ReadAll(io.LimitReader(r, 1<<20)); err == nil {
		f.after, err = yamlfmt.Format(declared, filepath.ToSlash(f.path), f.before)
	}
	return err
}

func fmtInput(cmd *cobra.Command, check bool) error {
	f := &formatted{path: "stdin"}
	if f.err = f.format(cmd.InOrStdin(), kinds.Default()); f.err != nil || check {
		return reportFormatted(cmd, check, []*formatted{f})
	}
	_, err := cmd.OutOrStdout().Write(f.after)
	return err
}

// fmtFiles formats files and folders. A problem with one path does not stop it from
// formatting the others.
func fmtFiles(cmd *cobra.Command, check bool, args []string) error {
	var list []*formatted
	seen, folders := map[string]bool{}, map[string]*kinds.Set{}
	for _, arg := range args {
		files, err := filesToFormat(arg)
		if err != nil {
			list = append(list, &formatted{path: arg, err: err})
		}
		for _, path := range files {
			f := &formatted{path: path}
			real, err := filepath.EvalSymlinks(path)
			if err == nil {
				real, err = filepath.Abs(real)
			}
			if seen[real] && err == nil {
				continue
			}
			seen[real] = true
			dir := filepath.Dir(path)
			if err == nil && folders[dir] == nil {
				folders[dir], err = kindsOf(dir)
			}
			if f.err = err; err == nil && cmd.Context().Err() == nil {
				f.err = f.rewrite(real, folders[dir], check)
			}
			list = append(list, f)
		}
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	return reportFormatted(cmd, check, list)
}

// filesToFormat lists the files that a path refers to. It skips hidden files, and links
// within a folder.
func filesToFormat(path string) (list []string, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file or folder", path)
	case err != nil:
		return nil, err
	case info.Mode().IsRegular() && content.IsYAML(path):
		return []string{path}, nil
	case info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a YAML file (.yaml)", path)
	case !info.IsDir():
		return nil, fmt.Errorf("%s: neither a file nor a folder", path)
	}
	root := path
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		root += string(filepath.Separator) // follow a link to a folder if the user named the link
	}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && name != root
		switch {
		case err != nil:
			return err
		case hidden && d.IsDir():
			return fs.SkipDir
		case !hidden && d.Type().IsRegular() && content.IsYAML(name):
			list = append(list, name)
		}
		return nil
	})
	if err == nil && list == nil {
		err = fmt.Errorf("%s: no YAML files found", path)
	}
	return list, err
}

// kindsOf returns the kinds of the content folder that is, or contains, a folder.
func kindsOf(dir string) (*kinds.Set, error) {
	for _, dir := range []string{dir, filepath.Join(dir, "..")} {
		if _, err := os.Stat(filepath.Join(dir, content.KindsFile)); err == nil {
			return content.ReadKinds(dir)
		}
	}
	return kinds.Default(), nil
}

// rewrite formats a file, and replaces it atomically, at its path without links. Its permissions are preserved.
func (f *formatted) rewrite(path string, declared *kinds.Set, check bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := f.format(file, declared); err != nil || check || !f.changed() {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s: file is read-only", f.path)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".kindex-fmt-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(f.after)
	if err = errors.Join(err, tmp.Chmod(info.Mode().Perm()), tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // the first error counts
	}
	return err
}

// reportFormatted prints the files that changed, or would change, and the problems found in
// other files.
func reportFormatted(cmd *cobra.Command, check bool, list []*formatted) error {
	type change struct {
		File string `json:"file"`
	}
	report := struct {
		Files   int      `json:"files"`
		Changed []change `json:"changed"` // with --check, the files that would change
	}{len(list), []change{}}
	stderr := cmd.ErrOrStderr()
	var problems yamldoc.Problems
	failed := false
	for _, f := range list {
		var found yamldoc.Problems
		switch {
		case errors.As(f.err, &found):
			problems = append(problems, found...)
		case f.err != nil:
			failed = true
			fmt.Fprintln(stderr, cli.Paint(stderr, color.FgRed, "kindex:"), f.err)
		case f.changed():
			report.Changed = append(report.Changed, change{filepath.ToSlash(f.path)})
		}
	}
	err := cli.Print(cmd, report, func(w io.Writer) {
		for _, c := range report.Changed {
			fmt.Fprintln(w, safetext.Escape(filepath.FromSlash(c.File)))
		}
	})
	if len(problems) > 0 {
		problems.Sort()
		cli.PrintProblems(stderr, slices.Compact(problems)) // every file of a folder has those of kinds.yaml
	}
	if err == nil && (len(problems) > 0 || failed || check && len(report.Changed) > 0) {
		err = cli.ErrReported
	}
	return err
}
