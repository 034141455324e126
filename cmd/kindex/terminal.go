package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"
)

// checkedWriter remembers that something could not be written, so that a full
// disk behind a pipe does not look like success.
type checkedWriter struct {
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (c *checkedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// isTerminal tells whether somebody watches what is written to w.
func isTerminal(w io.Writer) bool {
	if c, ok := w.(*checkedWriter); ok {
		w = c.w
	}
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// paint colours a text where it is seen, and NO_COLOR (https://no-color.org)
// does not forbid it.
func paint(w io.Writer, attribute color.Attribute, text string) string {
	c := color.New(attribute)
	if _, never := os.LookupEnv("NO_COLOR"); isTerminal(w) && !never {
		c.EnableColor()
	} else {
		c.DisableColor()
	}
	return c.Sprint(text)
}

// damaged turns a panic while reading a build that was not verified into an
// error that says what to do. It is deferred by commands that must start in
// milliseconds and therefore do not read every byte first.
func damaged(dir string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the build in %s cannot be read (%v); find out what is damaged with: kindex verify %s", dir, r, dir)
	}
}

// visible is a text without what would steer a terminal, or show it in another order
// than it is written in.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s)
}
