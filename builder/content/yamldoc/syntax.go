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

// checkReadable reports whether it is safe to pass a file to the parser.
func (d *Document) checkReadable(data []byte) bool {
	if len(data) > MaxFileSize {
		d.Add(1, 1, Problem{Message: fmt.Sprintf("is larger than %d bytes, the maximum for a file", MaxFileSize)})
		return false
	}
	if !d.checkCharacters(string(data)) || !d.checkGit(data) {
		return false
	}
	if bytes.Count(data, []byte("\n"))+bytes.Count(data, []byte("\r")) > maxLines {
		d.Add(1, 1, Problem{Message: fmt.Sprintf("has more than %d lines, the maximum for a file", maxLines)})
		return false
	}
	if line := findBlankLines(data); line > 0 {
		d.Add(line, 1, Problem{Message: fmt.Sprintf("more than %d consecutive blank lines; remove them", maxBlank)})
		return false
	}
	return true
}

// checkCharacters adds a problem for each hidden character, up to MaxProblems, and reports whether there is none.
func (d *Document) checkCharacters(text string) bool {
	line, start := 1, 0 // number and offset of the current line
	for at, r := range safetext.Hidden(text) {
		var message string
		switch r {
		case '\n':
			line, start = line+1, at+1
			continue
		case '\r':
			continue
		case '\t': // the parser silently drops some tabs
			message = "contains a tab here; use spaces"
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

// checkGit adds a problem for what git leaves in files for people to resolve, and reports whether there is none.
func (d *Document) checkGit(data []byte) bool {
	if bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/")) {
		d.Add(1, 1, Problem{Message: "is a Git LFS pointer, not the file itself; fetch the file: git lfs pull"})
		return false
	}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		for _, marker := range []string{"<<<<<<< ", "||||||| ", ">>>>>>> "} {
			if bytes.HasPrefix(line, []byte(marker)) || string(line) == "=======" {
				d.Add(number, 1, Problem{Message: "has an unresolved merge conflict here; keep what is right, and remove the lines that start with <<<<<<<, ======= and >>>>>>>"})
				return false
			}
		}
	}
	return true
}

// findBlankLines returns the number of the first line after maxBlank blank ones, or 0. Like the parser, it treats a
// carriage return alone as a line break, although no editor does.
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
		if blank > maxBlank+1 { // the first line break ends a non-blank line
			return line - 1
		}
	}
	return 0
}

// syntaxMessages maps the parser's messages to ones that explain the error to authors.
var syntaxMessages = map[string]string{
	misplacedColon:                         `unexpected ": "; put text that contains ": " in quotes, and start all fields of a set in the same column`,
	"value is not allowed in this context": "unexpected value; start it in the same column as the lines it belongs to, or put the whole text in quotes",
	"value is not allowed in this context. map key-value is pre-defined":        "unexpected text after a complete value; put the whole text in one pair of quotes",
	"non-map value is specified":                                                `expected "name: value", with a space after the colon`,
	"unexpected key name":                                                       `expected "name: value" on one line, with a space after the colon`,
	"could not find end character of double-quoted text":                        "the quotes opened here are never closed",
	"could not find end character of single-quoted text":                        "the quotes opened here are never closed",
	"',' or ']' must be specified":                                              "a list in [ ] is not closed before this, or a comma is missing",
	"',' or '}' must be specified":                                              "a set of fields in { } is not closed before this, or a comma is missing",
	"sequence end token ']' not found":                                          "the [ opened here is never closed",
	"could not find flow mapping end token '}'":                                 "the { opened here is never closed",
	"could not find flow map content":                                           "a set of fields cannot be a name; put text that starts with { in quotes",
	"unexpected scalar value type":                                              "unexpected value; there may be an extra comma",
	"not enough length for escaped UTF-16 surrogate pair":                       "half of a surrogate pair; write the character itself",
	"could not find '[' character corresponding to ']'":                         "a ] without a [; put text that starts with it in quotes",
	"could not find '{' character corresponding to '}'":                         "a } without a {; put text that starts with it in quotes",
	"expected sequence element, but found ','":                                  "two commas in a row, or a comma before the first entry",
	"block sequence entries are not allowed in this context":                    `a "- entry" must start on a new line; put text that starts with - in quotes`,
	"unexpected directive value. document not started":                          "put text that starts with % in quotes",
	"undefined anchor value":                                                    "an anchor (&name) without a value; put text that starts with & in quotes",
	"undefined anchor name":                                                     "put text that starts with & in quotes",
	"undefined alias name":                                                      "put text that starts with * in quotes",
	"unexpected end content":                                                    "nothing may follow a line that contains only ...",
	"value cannot be placed after document separator":                           "nothing may follow --- on the same line",
	"found an invalid key for this map":                                         `a list or set in brackets cannot be a field name; put text that starts with [ or { in quotes`,
	"invalid number of indent is specified in the multi-line header":            "the number after | or > does not match the indentation below it; remove the number",
	"map key definition includes an implicit line break":                        "a field name and its colon must be on one line",
	"found unexpected character after high surrogate for UTF-16 surrogate pair": "half of a surrogate pair; write the character itself",
}

const misplacedColon = "mapping value is not allowed in this context"

func (d *Document) addSyntaxError(err error) {
	line, col := 1, 1
	var message string
	var ye yaml.Error
	if errors.As(err, &ye) { // its Error method would print the whole file
		message = ye.GetMessage()
		if t := ye.GetToken(); t != nil {
			line, col = t.Position.Line, t.Position.Column
			// If a string spans several lines, its last line is the problem: that line looks
			// like a field but was read as part of the string.
			if text := strings.TrimSpace(t.Origin); message == misplacedColon && strings.Contains(text, "\n") {
				last := text[strings.LastIndex(text, "\n")+1:]
				line += strings.Count(text, "\n")
				col = len(last) - len(strings.TrimLeft(last, " ")) + 1
				message = "this line is indented too much; start all fields of a set in the same column"
			}
		}
	} else {
		message = err.Error()
	}
	switch words, known := syntaxMessages[message]; {
	case known:
		message = words
	case strings.HasPrefix(message, "invalid header option"):
		message = "the text of a block (| or >) must start on the next line; put text that starts with | or > in quotes"
	case strings.HasSuffix(message, "is a reserved character"):
		message += "; put text that starts with it in quotes"
	case strings.HasPrefix(message, "found unknown escape character"):
		message += `; write \\ for a backslash`
	}
	d.Add(line, col, Problem{Message: "is not valid YAML: " + safetext.Escape(message)})
}
