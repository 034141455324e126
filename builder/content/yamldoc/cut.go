package yamldoc

import (
	"bytes"
	"strings"

	"github.com/goccy/go-yaml/lexer"
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
	defer d.recovered()
	tokens := lexer.Tokenize(string(data))
	for i, t := range tokens {
		if i == 0 || t.Type != token.CommentType {
			continue
		}
		value := tokens[i-1]
		if value.Type != token.StringType || value.Position.Line != t.Position.Line {
			continue // nothing precedes it on its line, or the value is quoted or ends with a bracket
		}
		field := ""
		if i > 2 && tokens[i-2].Type == token.MappingValueType {
			field = tokens[i-3].Value
		}
		rest := strings.TrimLeft(t.Value, "#")
		if rest != "" && (rest[0] != ' ' || field == "description" && !endsSentence(value.Value) && !apart(data, t)) {
			d.Add(t.Position.Line, t.Position.Column, Problem{Severity: Warning, Field: field,
				Message: "what follows \" #\" is a comment, not part of the value; if it belongs to the value, put the value in quotes, otherwise put the comment on a line of its own"})
		}
	}
}

func endsSentence(text string) bool { return strings.TrimRight(text, ".!?") != text }

// apart reports whether more than one space precedes a comment, as in comments that are aligned.
func apart(data []byte, comment *token.Token) bool {
	for range comment.Position.Line - 1 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	before, _, _ := bytes.Cut(line, []byte(" #"))
	return bytes.HasSuffix(before, []byte(" "))
}
