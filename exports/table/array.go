package table

import (
	"bytes"
	"io"
)

// ArrayWriter converts the JSONL form of a table to its JSON form: it writes the lines that are
// written to it as the elements of an array, one on each line. Lines may be written in parts.
type ArrayWriter struct {
	w       io.Writer
	started bool // the array has an element
	inLine  bool // the last line is incomplete
}

// NewArrayWriter returns a writer of an array to w.
func NewArrayWriter(w io.Writer) *ArrayWriter { return &ArrayWriter{w: w} }

// Write implements io.Writer.
func (a *ArrayWriter) Write(lines []byte) (int, error) {
	for rest := lines; len(rest) > 0; {
		if !a.inLine {
			separator := "[\n"
			if a.started {
				separator = ",\n"
			}
			if _, err := io.WriteString(a.w, separator); err != nil {
				return 0, err
			}
			a.started = true
		}
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if _, err := a.w.Write(line); err != nil {
			return 0, err
		}
		rest, a.inLine = after, !ended
	}
	return len(lines), nil
}

// Close writes the end of the array. It does not close the underlying writer.
func (a *ArrayWriter) Close() error {
	end := "\n]\n"
	if !a.started {
		end = "[]\n"
	}
	_, err := io.WriteString(a.w, end)
	return err
}
