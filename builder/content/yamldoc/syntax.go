package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"kindex/exports/safetext"
)

// checkReadable tells whether the parser may have the file at all.
func (d *Document) checkReadable(data []byte) bool {
	if len(data) > MaxFileSize {
		d.Add(1, 1, Problem{Message: fmt.Sprintf("is larger than %d bytes, the most that a file may have", MaxFileSize)})
		return false
	}
	if !d.checkCharacters(string(data)) {
		return false
	}
	if bytes.Count(data, []byte("\n"))+bytes.Count(data, []byte("\r")) > maxLines {
		d.Add(1, 1, Problem{Message: fmt.Sprintf("has more than %d lines, the most that a file may have", maxLines)})
		return false
	}
	if line := findBlankLines(data); line > 0 {
		d.Add(line, 1, Problem{Message: fmt.Sprintf("more than %d blank lines follow each other; remove them", maxBlank)})
		return false
	}
	if line, col, ok := findDeepNesting(data); ok {
		d.Add(line, col, Problem{Message: fmt.Sprintf("is nested more than %d levels deep", MaxDepth)})
		return false
	}
	return true
}

// checkCharacters reports whether a file consists of characters that people can
// see, and adds each one that they cannot, up to MaxProblems.
func (d *Document) checkCharacters(text string) bool {
	line, start := 1, 0 // of the line that the character is on
	for at, r := range safetext.Hidden(text) {
		var message string
		switch r {
		case '\n':
			line, start = line+1, at+1
			continue
		case '\r':
			continue
		case '\t': // the parser drops some tabs without a word
			message = "holds a tab here; use spaces"
		case utf8.RuneError:
			d.Add(line, utf8.RuneCountInString(text[start:at])+1, Problem{Message: "is not UTF-8 text from here on; save the file as UTF-8"})
			return false
		default:
			message = "contains the hidden character " + safetext.Describe(r) + " here; remove it"
		}
		d.Add(line, utf8.RuneCountInString(text[start:at])+1, Problem{Message: message})
		if r == '\t' || len(d.Problems) > MaxProblems {
			return false
		}
	}
	return len(d.Problems) == 0
}

// findBlankLines returns the number of the line with which more than maxBlank lines
// in a row are blank, 0 if there is none. A carriage return alone breaks a line
// for the parser too, though no editor counts it.
func findBlankLines(data []byte) int {
	line, blank := 1, 0
	for i, c := range data {
		switch c {
		case ' ':
			continue
		case '\n':
			line++
			if i == 0 || data[i-1] != '\r' {
				blank++
			}
		case '\r':
			blank++
		default:
			blank = 0
		}
		if blank > maxBlank+1 { // the first break ends a line that is not blank
			return line - 1
		}
	}
	return 0
}

// findDeepNesting finds nesting that the parser would follow by recursion: open
// brackets, and dashes in a row. Brackets within texts count too; nobody
// leaves 32 of them open.
func findDeepNesting(data []byte) (line, col int, ok bool) {
	depth := 0
	for number, text := range bytes.Split(data, []byte("\n")) {
		dashes := 0
		start := true
		for i, c := range text {
			switch c {
			case '[', '{':
				depth++
				start = false
			case ']', '}':
				depth = max(0, depth-1)
				start = false
			case '-', '?':
				if start && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t') {
					dashes++
				}
			case ' ', '\t':
			default:
				start = false
			}
			if depth > MaxDepth || dashes > MaxDepth {
				return number + 1, utf8.RuneCount(text[:i]) + 1, true
			}
		}
	}
	return 0, 0, false
}

// syntaxMessages says what the parser's messages mean for the writer of the file.
var syntaxMessages = map[string]string{
	misplacedColon:                         `a ": " where no field can be; put a text that holds ": " in quotes, and let all fields of a set begin in the same column`,
	"value is not allowed in this context": "this stands where no value can; let it begin in the same column as the lines it belongs with, or put the whole text in quotes",
	"value is not allowed in this context. map key-value is pre-defined":        "more text follows a value that was complete; put the whole text in one pair of quotes",
	"non-map value is specified":                                                `expected "name: value", with a space after the colon`,
	"unexpected key name":                                                       `expected "name: value" on one line, with a space after the colon`,
	"could not find end character of double-quoted text":                        "the quotes that open here are never closed",
	"could not find end character of single-quoted text":                        "the quotes that open here are never closed",
	"',' or ']' must be specified":                                              "a list in [ ] is not closed before this, or a comma is missing",
	"',' or '}' must be specified":                                              "a set of fields in { } is not closed before this, or a comma is missing",
	"sequence end token ']' not found":                                          "the [ that opens here is never closed",
	"could not find flow mapping end token '}'":                                 "the { that opens here is never closed",
	"could not find flow map content":                                           "no set of fields can be a name; put a text that begins with { in quotes",
	"unexpected scalar value type":                                              "no value can stand here; there may be a comma too many",
	"not enough length for escaped UTF-16 surrogate pair":                       "half of a surrogate pair; write the character itself",
	"could not find '[' character corresponding to ']'":                         "a ] without a [; put a text that begins with it in quotes",
	"could not find '{' character corresponding to '}'":                         "a } without a {; put a text that begins with it in quotes",
	"expected sequence element, but found ','":                                  "two commas in a row, or a comma before the first entry",
	"block sequence entries are not allowed in this context":                    `a "- entry" begins on a line of its own; put a text that begins with - in quotes`,
	"unexpected directive value. document not started":                          "put a text that begins with % in quotes",
	"undefined anchor value":                                                    "an anchor (&name) without a value; put a text that begins with & in quotes",
	"undefined anchor name":                                                     "put a text that begins with & in quotes",
	"undefined alias name":                                                      "put a text that begins with * in quotes",
	"unexpected end content":                                                    "nothing may follow the line ...",
	"value cannot be placed after document separator":                           "nothing may follow --- on its line",
	"found an invalid key for this map":                                         `a list or a set in brackets cannot be the name of a field; put a text that begins with [ or { in quotes`,
	"invalid number of indent is specified in the multi-line header":            "the number after | or > does not fit the indentation below it; leave it out",
	"map key definition includes an implicit line break":                        "the name of a field and its colon stand on one line",
	"found unexpected character after high surrogate for UTF-16 surrogate pair": "half of a surrogate pair; write the character itself",
}

const misplacedColon = "mapping value is not allowed in this context"

// addSyntaxError adds why the parser gave up.
func (d *Document) addSyntaxError(err error) {
	line, col := 1, 1
	var message string
	var ye yaml.Error
	if errors.As(err, &ye) { // its Error would print the whole file
		message = ye.GetMessage()
		if t := ye.GetToken(); t != nil {
			line, col = t.Position.Line, t.Position.Column
			// Where a text goes on over lines, the last one is to blame: it
			// looks like a field and is taken for more text.
			if text := strings.TrimSpace(t.Origin); message == misplacedColon && strings.Contains(text, "\n") {
				last := text[strings.LastIndex(text, "\n")+1:]
				line += strings.Count(text, "\n")
				col = len(last) - len(strings.TrimLeft(last, " ")) + 1
				message = "this line is indented too far; let all fields of a set begin in the same column"
			}
		}
	} else {
		message = err.Error()
	}
	switch words, known := syntaxMessages[message]; {
	case known:
		message = words
	case strings.HasPrefix(message, "invalid header option"):
		message = "the text of a block (| or >) begins on the next line; put a text that begins with | or > in quotes"
	case strings.HasSuffix(message, "is a reserved character"):
		message += "; put a text that begins with it in quotes"
	case strings.HasPrefix(message, "found unknown escape character"):
		message += `; write \\ for a backslash`
	}
	d.Add(line, col, Problem{Message: "is not valid YAML: " + safetext.Escape(message)})
}
