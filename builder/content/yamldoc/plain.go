package yamldoc

import (
	"strings"
	"unicode/utf8"
)

// plainReader reads the form of YAML in which nearly all files are written: sets and lists in
// block style with the values on one line, or in brackets on one line, and text that needs no
// escapes. It is much faster than the parser because it keeps no tokens and no positions.
//
// It gives up on everything else, and on everything doubtful, so that the parser decides and
// reports: for all input that it accepts, the parser returns the same value and no problem.
type plainReader struct {
	rest   string // after the current line
	line   string // the current line without its indentation
	indent int    // of the current line; -1 after the last line
}

// plainDepth is how deeply the values may be nested. It must be less than MaxDepth.
const plainDepth = 12

// readPlain returns the value of a file. ok is false if it gave up.
func readPlain(text string) (value map[string]any, ok bool) {
	r := &plainReader{rest: text}
	if len(text) > maxTokens || strings.IndexByte(text, '\r') >= 0 || !r.next() || r.indent != 0 {
		return nil, false
	}
	value, ok = r.mapping(0, 1)
	return value, ok && r.indent < 0
}

// next moves to the next line with content. It returns false if that line ends in a space.
func (r *plainReader) next() bool {
	for r.rest != "" {
		line, rest, _ := strings.Cut(r.rest, "\n")
		r.rest = rest
		r.line = strings.TrimLeft(line, " ")
		r.indent = len(line) - len(r.line)
		if line != "" && line[0] != '#' {
			return r.line != "" && r.line[len(r.line)-1] != ' '
		}
	}
	r.indent, r.line = -1, ""
	return true
}

func (r *plainReader) mapping(indent, depth int) (map[string]any, bool) {
	m := map[string]any{}
	for r.indent == indent && depth <= plainDepth {
		name, rest, ok := plainKey(r.line)
		if _, twice := m[name]; !ok || twice {
			return nil, false
		}
		if depth == 1 && name == TextField && IsPlainNumber(rest) {
			m[name], ok = rest, r.next()
		} else {
			m[name], ok = r.value(rest, indent, depth)
		}
		if !ok {
			return nil, false
		}
	}
	return m, r.indent < indent
}

// value reads the value of a field or an entry that starts in a column. rest follows it on the same line.
func (r *plainReader) value(rest string, indent, depth int) (any, bool) {
	if rest != "" {
		v, after, ok := inline(rest, depth, false)
		return v, ok && after == "" && r.next()
	}
	if !r.next() || r.indent <= indent {
		return nil, false
	}
	if strings.HasPrefix(r.line, "- ") {
		return r.sequence(r.indent, depth+1)
	}
	return r.mapping(r.indent, depth+1)
}

func (r *plainReader) sequence(indent, depth int) (list []any, ok bool) {
	for r.indent == indent && strings.HasPrefix(r.line, "- ") && depth <= plainDepth {
		item := r.line[2:]
		var v any
		if _, _, isField := plainKey(item); isField {
			r.line, r.indent = item, indent+2
			v, ok = r.mapping(indent+2, depth+1)
		} else {
			v, ok = r.value(item, indent, depth)
		}
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, r.indent < indent
}

// inline reads a value on one line, in brackets up to a comma or a closing bracket, and returns what follows it.
func inline(text string, depth int, brackets bool) (v any, rest string, ok bool) {
	if text == "" {
		return nil, "", false
	}
	switch text[0] {
	case '[', '{':
		return flow(text, depth+1)
	case '"', '\'':
		v, rest, ok = quoted(text)
		return v, rest, ok
	}
	end := len(text)
	if brackets {
		if end = strings.IndexAny(text, ",[]{}"); end < 0 {
			return nil, "", false
		}
	}
	v, ok = scalar(text[:end])
	return v, text[end:], ok
}

// flow reads a list or fields in brackets, which are separated by ", ".
func flow(text string, depth int) (v any, rest string, ok bool) {
	list, m := []any{}, map[string]any{}
	isList := text[0] == '['
	text = text[1:]
	for first := true; text != "" && depth <= plainDepth; first = false {
		switch {
		case isList && text[0] == ']':
			return list, text[1:], true
		case !isList && text[0] == '}':
			return m, text[1:], true
		}
		if ok = first; !first {
			text, ok = strings.CutPrefix(text, ", ")
		}
		name := ""
		if ok && !isList {
			name, text, ok = plainKey(text)
		}
		if _, twice := m[name]; !ok || twice {
			break
		}
		if v, text, ok = inline(text, depth, true); !ok {
			break
		}
		if isList {
			list = append(list, v)
		} else {
			m[name] = v
		}
	}
	return nil, "", false
}

// plainKey splits a line into the name of a field and its value.
func plainKey(line string) (name, value string, ok bool) {
	if line != "" && line[0] == '"' {
		if name, value, ok = quoted(line); !ok || name == "" {
			return "", "", false
		}
	} else {
		at := 0
		for at < len(line) && (isLetter(line[at]) || at > 0 && (isDigit(line[at]) || line[at] == '-' || line[at] == '_' || line[at] == '.')) {
			at++
		}
		name, value = line[:at], line[at:]
		if name == "" || isWord(name) {
			return "", "", false
		}
	}
	if value == ":" {
		return name, "", true
	}
	value, ok = strings.CutPrefix(value, ": ")
	return name, value, ok && value != "" && value[0] != ' '
}

// quoted reads text in quotes that contains no escapes.
func quoted(text string) (value, rest string, ok bool) {
	end := strings.IndexByte(text[1:], text[0]) + 1
	if end == 0 {
		return "", "", false
	}
	value, rest = text[1:end], text[end+1:]
	escaped := text[0] == '"' && strings.IndexByte(value, '\\') >= 0 || text[0] == '\'' && strings.HasPrefix(rest, "'")
	return value, rest, !escaped
}

func scalar(text string) (any, bool) {
	switch {
	case text == "" || strings.TrimSpace(text) != text:
		return nil, false
	case IsPlainNumber(text), text == "true", text == "false":
		return (&Node{Raw: true, Text: text}).Value(), len(text) < 300 // longer numbers may be too large
	}
	starts := isLetter(text[0]) && !isWord(text) || isDigit(text[0]) && !maybeNumber(text) || text[0] >= utf8.RuneSelf
	if !starts || text[len(text)-1] == ':' || strings.Contains(text, ": ") || strings.Contains(text, " #") {
		return nil, false
	}
	return text, true
}

// maybeNumber reports whether YAML may read text that starts with a digit as no text. Dates and versions such as 1.0.1 are text.
func maybeNumber(text string) bool {
	switch rest := strings.TrimLeft(text, "0123456789"); {
	case len(text)-len(rest) == 4 && (len(rest) == 3 || len(rest) == 6 && rest[3] == '-') && rest[0] == '-':
		return strings.Trim(rest, "-0123456789") != ""
	case strings.Count(text, ".") > 1 && strings.Trim(text, "0123456789.") == "":
		return strings.Contains(text, "..")
	}
	return strings.Trim(text, "0123456789abcdefoxABCDEFOX_+-.:") == ""
}

// isWord reports whether text may be read as a word that is a value, such as null or true.
func isWord(text string) bool {
	switch strings.ToLower(text) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf":
		return true
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
