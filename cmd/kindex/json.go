package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/exports/didyoumean"
)

// jsonFlag adds --json. With this flag, a command prints one JSON value to standard output and
// nothing else; site/docs/cli.md describes the value. Commands without a report do not have it.
func jsonFlag(f *pflag.FlagSet, asJSON *bool) {
	f.BoolVar(asJSON, "json", false, "print the report as JSON")
}

// printIndentedJSON prints a value as one JSON document.
func printIndentedJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printJSONLines prints a JSON array with one entry per line.
func printJSONLines[T any](w io.Writer, entries iter.Seq2[T, error]) error {
	separator := "[\n"
	for entry, err := range entries {
		if err != nil {
			return err
		}
		var b bytes.Buffer
		b.WriteString(separator)
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(entry); err != nil {
			return err
		}
		if _, err := w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n"))); err != nil {
			return err
		}
		separator = ",\n"
	}
	end := "\n]\n"
	if separator == "[\n" {
		end = "[]\n"
	}
	_, err := io.WriteString(w, end)
	return err
}

// withoutErrors returns the elements of a list, each with a nil error.
func withoutErrors[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range list {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// formatOptions are the flags --format and --json, which is short for --format json.
type formatOptions struct {
	format string
	json   bool
}

func (o *formatOptions) flags(c *cobra.Command, formats []string, usage string) {
	c.Flags().StringVar(&o.format, "format", formats[0], usage)
	jsonFlag(c.Flags(), &o.json)
	// This fails only if the flag is unknown or already has a completion.
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// choose checks the flags and sets the format. If only one of the two flags is on the command
// line, it wins.
func (o *formatOptions) choose(f *pflag.FlagSet, formats []string) error {
	switch {
	case !slices.Contains(formats, o.format):
		return usageError{unknownName("format", o.format, formats, didyoumean.Name(o.format, formats))}
	case !o.json || o.format == "json":
	case onCommandLine(f, "json") && onCommandLine(f, "format"):
		return usageError{fmt.Errorf("--json and --format %s cannot be combined", o.format)}
	case onCommandLine(f, "format"):
		o.json = false
	}
	if o.json {
		o.format = "json"
	}
	return nil
}
