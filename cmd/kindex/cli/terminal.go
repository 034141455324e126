package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"

	"kindex/builder/content/yamldoc"
	"kindex/builder/diff"
	"kindex/builder/plural"
	"kindex/exports/safetext"
)

// Output is the writer of all commands. It escapes characters that a terminal interprets or
// hides, and remembers the first write error, so that a full disk does not look like
// success.
type Output struct {
	w     io.Writer
	plain atomic.Bool // never colored

	mu   sync.Mutex
	part []byte // the first bytes of a character whose remaining bytes are expected in the next Write
	err  error
}

// NewOutput returns an Output that writes to w.
func NewOutput(w io.Writer) *Output { return &Output{w: w} }

// Err returns the first write error.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// Write implements io.Writer.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := append(o.part, b...)
	o.part = nil
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				o.part, text = bytes.Clone(last), text[:len(text)-n]
			}
			break
		}
	}
	if _, err := io.WriteString(o.w, o.safe(string(text))); err != nil {
		if o.err == nil {
			o.err = err
		}
		return 0, err
	}
	return len(b), nil
}

// styled matches the styles that Paint applies.
var styled = regexp.MustCompile("\x1b\\[[0-9;]*m")

// safe escapes a string, but keeps the styles in it if colors are enabled.
func (o *Output) safe(text string) string {
	if !o.colored() {
		return safetext.EscapeJSON(text)
	}
	var b strings.Builder
	for done := 0; ; {
		at := styled.FindStringIndex(text[done:])
		if at == nil {
			b.WriteString(safetext.EscapeJSON(text[done:]))
			return b.String()
		}
		b.WriteString(safetext.EscapeJSON(text[done : done+at[0]]))
		b.WriteString(text[done+at[0] : done+at[1]])
		done += at[1]
	}
}

// colored reports whether a person watches the output, and NO_COLOR (https://no-color.org) is empty.
func (o *Output) colored() bool { return IsWatched(o) && os.Getenv("NO_COLOR") == "" }

// IsWatched reports whether w is a terminal that can show colors and progress. With --json, which
// is for programs, and in continuous integration, nobody watches.
func IsWatched(w io.Writer) bool {
	if o, ok := w.(*Output); ok && o.plain.Load() {
		return false
	}
	f, ok := Raw(w).(*os.File)
	return ok && isatty.IsTerminal(f.Fd()) && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
}

func setPlain(w io.Writer) {
	if o, ok := w.(*Output); ok {
		o.plain.Store(true)
	}
}

// Raw returns the writer that an output wraps, for programs that draw on a terminal.
func Raw(w io.Writer) io.Writer {
	if o, ok := w.(*Output); ok {
		return o.w
	}
	return w
}

// Paint escapes a string and colors it if colors are enabled.
func Paint(w io.Writer, attribute color.Attribute, text string) string {
	c := color.New(attribute)
	if o, ok := w.(*Output); ok && o.colored() {
		c.EnableColor()
	} else {
		c.DisableColor()
	}
	return c.Sprint(safetext.Escape(text))
}

// Painter returns Paint for w.
func Painter(w io.Writer) diff.Painter {
	return func(attribute color.Attribute, text string) string { return Paint(w, attribute, text) }
}

// PrintProblems prints problems, one per line, and their number.
func PrintProblems(w io.Writer, problems yamldoc.Problems) {
	for _, p := range problems {
		attribute := color.FgRed
		if p.Severity == yamldoc.Warning {
			attribute = color.FgYellow
		}
		fmt.Fprintln(w, Paint(w, attribute, p.String()))
	}
	errs, warnings := problems.Count()
	fmt.Fprintf(w, "%s, %s\n", plural.Count(errs, "error", "errors"), plural.Count(warnings, "warning", "warnings"))
}
