package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kindex/builder/importer"
	"kindex/builder/plural"
	"kindex/cmd/kindex/cli"
	"kindex/exports/safetext"
)

func importCommand() *cobra.Command {
	var o importer.Options
	var guess bool
	var typ string
	c := &cobra.Command{
		Use: "import FILE [DIR]", Short: "Import a CSV or JSONL catalogue as entity files",
		Long: `Import reads a CSV file (.csv, .tsv) or one JSON object per line (.jsonl), optionally
compressed (.gz), and writes an entity file for each row. A mapping defines which column
becomes which field; --guess proposes one, and imports nothing. site/docs/importing.md
describes mappings, and kindex schema mapping prints their JSON Schema.

Each row is written, updated, unchanged, left alone because a file exists, skipped (by
where) or refused, if it fails the checks of kindex validate. The exit code is 1 if a row
was refused; the others are still written, unless --strict is given.`,
		Example: `  kindex import list.csv --guess --map list.yaml
  kindex import list.csv --map list.yaml --content content --dry-run
  kindex import list.jsonl.gz --map list.yaml --content content --rejects refused.jsonl --report report.json
  kindex import list.csv --map figures.yaml --content content --update --date 2026-11-01`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := cli.TakeContent(cmd, &o.Content, args, 1)
			if err != nil {
				return err
			}
			o.Input = args[0]
			o.Content = filepath.Clean(o.Content)
			switch {
			case guess && cli.AsJSON(cmd) && o.Mapping == "":
				return cli.Usage(errors.New("--guess --json requires --map: without it, the output is the mapping"))
			case guess:
				return guessMapping(cmd, o, typ)
			case o.Mapping == "":
				return cli.Usage(fmt.Errorf("import needs --map MAPPING.yaml; to get a proposal: kindex import %s --guess --map MAPPING.yaml", o.Input))
			}
			return runImport(cmd, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Mapping, "map", "", "the mapping (required, unless --guess prints it)")
	cli.JSONFlag(c)
	f.BoolVar(&guess, "guess", false, "propose a mapping: print it or, with --map, write it to a new file")
	f.StringVar(&typ, "type", "", "with --guess: the kind of the entities")
	cli.Needs(f, "guess", "type")
	f.StringVar(&o.Content, "content", "content", "the content folder; created if missing")
	f.StringVar(&o.Date, "date", "", "the day on which the figures were read, YYYY-MM-DD (default: the source's date in the mapping)")
	f.BoolVar(&o.Update, "update", false, "update existing files, only in the fields that the mapping defines")
	f.BoolVar(&o.DryRun, "dry-run", false, "report only; write nothing to the content folder")
	f.BoolVar(&o.Strict, "strict", false, "write nothing to the content folder if any row is refused")
	f.StringVar(&o.Report, "report", "", "write the outcome of every row to this file, .json or .jsonl")
	f.StringVar(&o.Rejects, "rejects", "", "write the refused rows to this file, in the format of the input, with the reason in the column import_reason")
	return c
}

func runImport(cmd *cobra.Command, o importer.Options) error {
	if err := o.Check(); err != nil {
		return cli.Usage(err)
	}
	bar := newProgress(cmd.ErrOrStderr())
	o.Progress = func(step string, done int) { bar.step(step, done, 0) }
	r, err := importer.Run(cmd.Context(), o)
	bar.finish()
	if r != nil {
		failed := cli.Print(cmd, r, func(w io.Writer) { _ = r.WriteText(w, cli.Painter(w)) }) // run reports write errors
		err = cmp.Or(err, failed)
	}
	if err == nil && r.Refused > 0 {
		return cli.ErrReported
	}
	return err
}

// guessMapping prints a proposed mapping, or writes it to a file that does not exist yet, and
// prints what is unsure about it.
func guessMapping(cmd *cobra.Command, o importer.Options, typ string) error {
	file := o.Mapping
	p, err := importer.Guess(o.Input, o.Content, typ)
	if err != nil {
		return err
	}
	if file == "" {
		if _, err := cmd.OutOrStdout().Write(p.Mapping); err != nil {
			return err
		}
	} else if err := writeNew(file, p.Mapping); err != nil {
		return err
	}
	if cli.AsJSON(cmd) {
		return cli.PrintIndentedJSON(cmd.OutOrStdout(), map[string]any{"mapping": file, "rows": p.Rows,
			"unsure": append([]string{}, p.Unsure...), "unused": append([]string{}, p.Unused...)})
	}
	notes := cmd.ErrOrStderr()
	fmt.Fprintf(notes, "guessed from %s\n", plural.Count(p.Rows, "row", "rows"))
	if len(p.Unsure) > 0 {
		fmt.Fprintln(notes, "unsure:")
	}
	for _, doubt := range p.Unsure {
		fmt.Fprintln(notes, "  "+safetext.Escape(doubt))
	}
	if len(p.Unused) > 0 {
		fmt.Fprintln(notes, "unused columns: "+safetext.Escape(strings.Join(p.Unused, ", ")))
	}
	if file != "" {
		fmt.Fprintf(notes, "wrote %s; check it, then run: kindex import %s --map %s --content %s --dry-run\n", file, o.Input, file, o.Content)
	}
	return nil
}

func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // as open as the umask allows
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists; --guess does not overwrite files", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
