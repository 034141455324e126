package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/cmd/kindex/cli"
	"kindex/exports/didyoumean"
	"kindex/exports/safetext"
)

// completeFields asks for missing fields in a terminal. Without a terminal, it returns an
// error that lists the flags for these fields.
func completeFields(cmd *cobra.Command, workspace *content.Workspace, fields map[string]any) error {
	var missing []string
	for _, name := range requiredFields {
		if fields[name] == nil {
			missing = append(missing, "--"+name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if in, ok := cmd.InOrStdin().(*os.File); ok && isatty.IsTerminal(in.Fd()) {
		a := &prompter{in: bufio.NewReader(in), out: cmd.ErrOrStderr(), workspace: workspace}
		return a.complete(cmd.Context(), fields)
	}
	return cli.Usage(fmt.Errorf("missing flags: %s (without a terminal, kindex cannot ask for them); see %s --help",
		strings.Join(missing, ", "), cmd.CommandPath()))
}

// prompter asks for fields, one after the other.
type prompter struct {
	in        *bufio.Reader
	out       io.Writer
	workspace *content.Workspace
}

// questions are the fields to ask for, in order.
var questions = []struct{ field, text string }{
	{"name", "Name, spelled as its makers do"},
	{"category", "Category"},
	{"description", "Description, one or two sentences: what it is for, what sets it apart"},
	{"url", "Address that people should visit (optional)"},
}

// complete asks for each missing field until the answer is valid. If the input ends in
// the middle of a line, it ignores that line.
func (a *prompter) complete(ctx context.Context, fields map[string]any) error {
	for _, q := range questions {
		if fields[q.field] != nil {
			continue
		}
		if q.field == "category" {
			a.listCategories()
		}
		for {
			fmt.Fprintf(a.out, "%s: ", q.text)
			answer, err := a.line(ctx)
			if err != nil {
				return err
			}
			if answer == "" && !slices.Contains(requiredFields, q.field) {
				break
			}
			if wrong := a.judge(q.field, answer); wrong != "" {
				fmt.Fprintf(a.out, "  %s\n", wrong)
				continue
			}
			fields[q.field] = answer
			break
		}
	}
	return nil
}

// line reads one answer. It returns an error if the program is interrupted.
func (a *prompter) line(ctx context.Context) (string, error) {
	type read struct {
		text string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := a.in.ReadString('\n')
		done <- read{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(a.out)
		return "", errors.New("interrupted; nothing was written")
	case r := <-done:
		if errors.Is(r.err, io.EOF) {
			fmt.Fprintln(a.out)
			return "", errors.New("the input ended too early; nothing was written")
		}
		return strings.TrimSpace(r.text), r.err
	}
}

func (a *prompter) listCategories() {
	width := 0
	for _, c := range a.workspace.Categories() {
		width = max(width, len(c.Slug))
	}
	if width > 0 {
		fmt.Fprintln(a.out, "Categories:")
	}
	for _, c := range a.workspace.Categories() {
		fmt.Fprintf(a.out, "  %-*s  %s\n", width, c.Slug, safetext.Escape(c.Title))
	}
}

// judge returns the problem with an answer, or "" if it is valid. It inserts the answer
// into an otherwise valid file and runs the validator on that file.
func (a *prompter) judge(field, answer string) string {
	if answer == "" {
		return "is required"
	}
	var known []string
	for _, c := range a.workspace.Categories() {
		known = append(known, c.Slug)
	}
	fields := map[string]any{"name": "x", "category": "x", "description": "x"}
	if len(known) > 0 {
		fields["category"] = known[0]
	}
	fields[field] = answer
	data, err := yamlfmt.Compose(fields)
	if err != nil {
		return err.Error()
	}
	for _, p := range a.workspace.CheckFile("tool", "x", data) {
		if p.Field == field && p.Severity == yamldoc.Error {
			text := p.Message
			if near := didyoumean.Name(answer, known); field == "category" && near != "" {
				text += fmt.Sprintf(" (did you mean %q?)", near)
			} else if p.Suggestion != "" {
				text += fmt.Sprintf(" (did you mean %q?)", p.Suggestion)
			}
			return text
		}
	}
	return ""
}
