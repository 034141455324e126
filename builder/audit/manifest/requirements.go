package manifest

import (
	"regexp"
	"strings"
)

// requirement matches a dependency (PEP 508): its name, its extras, and the rest.
var requirement = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$`)

// parseRequirement parses a dependency (PEP 508). It returns false if the text is not one. A
// direct reference to a repository identifies the repository.
func parseRequirement(text string, line int) (Entry, bool) {
	text, _, _ = strings.Cut(text, ";") // environment markers
	m := requirement.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Entry{}, false
	}
	e := Entry{ID: "pypi:" + m[1], Name: m[1], Line: line}
	rest := strings.TrimSpace(m[2])
	if address, ok := strings.CutPrefix(rest, "@"); ok {
		return addressEntry(e, strings.TrimSpace(address)), true
	}
	if rest != "" && !strings.ContainsAny(rest[:1], "=<>!~(") {
		return Entry{}, false
	}
	e.Version = strings.Trim(rest, "()")
	if pinned, ok := strings.CutPrefix(e.Version, "=="); ok && !strings.ContainsAny(pinned, ",*") {
		e.Version = strings.TrimSpace(strings.TrimPrefix(pinned, "="))
	}
	return e, true
}

// addressEntry returns an entry for a package that is installed from an address. If the address
// is a git repository, it identifies the package; otherwise, the name does.
func addressEntry(e Entry, address string) Entry {
	address, _, _ = strings.Cut(address, "#")
	if !strings.HasPrefix(address, "git+") && !strings.HasPrefix(address, "git:") && !strings.HasSuffix(address, ".git") {
		return e
	}
	if at := strings.LastIndexByte(address, '@'); at > strings.LastIndexByte(address, '/') {
		address, e.Version = address[:at], address[at+1:]
	}
	e.ID = address
	return e
}

// parseRequirements reads a file of pip
// (https://pip.pypa.io/en/stable/reference/requirements-file-format/).
func parseRequirements(f *file) error {
	for n, text := range joinedLines(string(f.data)) {
		if i := strings.Index(" "+text, " #"); i >= 0 {
			text = text[:max(0, i-1)]
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if err := f.requirementLine(text, n); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) requirementLine(text string, line int) error {
	if text[0] == '-' {
		option, value := cutOption(text)
		switch option {
		case "-r", "--requirement", "-c", "--constraint":
			if strings.Contains(value, "://") || value == "" {
				return nil // nothing is fetched
			}
			return f.include(value, line)
		case "-e", "--editable":
			text = value
		default:
			return nil
		}
	}
	// Options of a requirement, such as hashes, follow it.
	if i := strings.Index(text, " --"); i >= 0 {
		text = text[:i]
	}
	if strings.Contains(text, "://") && !strings.Contains(text, "@ ") || strings.HasPrefix(text, "git+") {
		e := addressEntry(Entry{Line: line}, text)
		e.Name = text
		return f.add(e)
	}
	if e, ok := parseRequirement(text, line); ok {
		return f.add(e)
	}
	if strings.ContainsAny(text, `/\`) || strings.HasPrefix(text, ".") {
		return nil // a local folder or file
	}
	return f.wrong(line, "not a requirement; expected a name such as torch==2.3.1")
}

// cutOption splits an option from its value, which follows a space or an equals sign.
func cutOption(text string) (option, value string) {
	if !strings.HasPrefix(text, "--") && len(text) > 2 { // -rbase.txt
		return text[:2], strings.TrimSpace(text[2:])
	}
	if i := strings.IndexAny(text, " \t="); i >= 0 {
		return text[:i], strings.TrimSpace(text[i+1:])
	}
	return text, ""
}

// joinedLines calls yield with the number and text of each line, joined with the lines that
// continue it after a backslash.
func joinedLines(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		var joined strings.Builder
		first, n := 1, 0
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, "\r\n")
			if joined.Len() == 0 {
				first = n
			}
			if before, ok := strings.CutSuffix(line, `\`); ok {
				joined.WriteString(before + " ")
				continue
			}
			joined.WriteString(line)
			if !yield(first, joined.String()) {
				return
			}
			joined.Reset()
		}
		if joined.Len() > 0 {
			yield(first, joined.String())
		}
	}
}

// parseList reads a list of identifiers, one per line. Text after # is a comment.
func parseList(f *file) error {
	n := 0
	for line := range strings.Lines(string(f.data)) {
		n++
		if i := strings.Index(" "+line, " #"); i >= 0 {
			line = line[:max(0, i-1)]
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := f.add(Entry{ID: line, Line: n}); err != nil {
			return err
		}
	}
	return nil
}
