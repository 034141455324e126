package yamldoc

import (
	"bytes"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// WarnOfCutText warns about values in the document's file that end where a comment starts, if the
// comment was probably meant to be part of the value: no space follows its number sign, as in "bug #12"
// or "docs #intro", or one space precedes it and a description ends before its sentence does, as in
// "for C # and F". The file must have been parsed without errors.
func (d *Document) WarnOfCutText(data []byte) {
	if d.Value == nil || !bytes.Contains(data, []byte(" #")) {
		return
	}
	d.Root()
	for i, t := range d.tokens {
		if i == 0 || t.Type != token.CommentType {
			continue
		}
		value := d.tokens[i-1]
		if value.Type != token.StringType || value.Position.Line != t.Position.Line {
			continue // nothing precedes it on its line, or the value is quoted or ends with a bracket
		}
		field := ""
		if i > 2 && d.tokens[i-2].Type == token.MappingValueType {
			field = d.tokens[i-3].Value
		}
		rest := strings.TrimLeft(t.Value, "#")
		before, _, _ := strings.Cut(d.line(t.Position.Line), " #")
		aligned := strings.HasSuffix(before, " ") // more than one space precedes it
		endsSentence := strings.TrimRight(value.Value, ".!?") != value.Value
		if rest != "" && (rest[0] != ' ' || field == "description" && !endsSentence && !aligned) {
			d.Add(t.Position.Line, t.Position.Column, Problem{Severity: Warning, Field: field,
				Message: "what follows \" #\" is a comment, not part of the value; if it belongs to the value, put the value in quotes, otherwise put the comment on a line of its own"})
		}
	}
}
