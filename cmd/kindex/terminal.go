package main

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

	"kindex/builder/diff"
	"kindex/exports/safetext"
)

// output is the writer of all commands. It escapes characters that a terminal interprets or
// hides, and remembers the first write error, so that a full disk does not look like
// success.
type output struct {
	w     io.Writer
	plain atomic.Bool // never colored

	mu   sync.Mutex
	part []byte // the first bytes of a character whose remaining bytes are expected in the next Write
	err  error
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
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

// styled matches the styles that paint applies.
var styled = regexp.MustCompile("\x1b\\[[0-9;]*m")

// safe escapes a string, but keeps the styles in it if colors are enabled.
func (o *output) safe(text string) string {
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
func (o *output) colored() bool { return isWatched(o) && os.Getenv("NO_COLOR") == "" }

// isWatched reports whether w is a terminal that can show colors and progress. With --json, which
// is for programs, and in continuous integration, nobody watches.
func isWatched(w io.Writer) bool {
	if o, ok := w.(*output); ok && o.plain.Load() {
		return false
	}
	return isTerminal(w) && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
}

// setPlain turns colors and progress off.
func setPlain(w io.Writer) {
	if o, ok := w.(*output); ok {
		o.plain.Store(true)
	}
}

// raw returns the writer that an output wraps, for programs that draw on a terminal.
func raw(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.w
	}
	return w
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := raw(w).(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// paint escapes a string and colors it if colors are enabled.
func paint(w io.Writer, attribute color.Attribute, text string) string {
	c := color.New(attribute)
	if o, ok := w.(*output); ok && o.colored() {
		c.EnableColor()
	} else {
		c.DisableColor()
	}
	return c.Sprint(safetext.Escape(text))
}

// painter returns paint for w.
func painter(w io.Writer) diff.Painter {
	return func(attribute color.Attribute, text string) string { return paint(w, attribute, text) }
}

// recoverDamaged turns a panic while reading a build that was not verified into an error
// that says what to do. Commands that must start within milliseconds defer it, because they
// do not verify every byte of the build first.
func recoverDamaged(dir string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the build in %s cannot be read (%v); to find the damage: kindex verify %s", dir, r, dir)
	}
}
