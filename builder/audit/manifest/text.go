package manifest

import (
	"fmt"
	"iter"
	"strings"
)

// pinnedStart matches the start of a line that only a list of requirements has.
const pinnedStart = `[A-Za-z0-9][A-Za-z0-9._-]*\s*(?:\[[^\]]*\])?\s*(?:[=~!<>]=|[<>]|\(|@\s|;)|-[rce]\b|--[a-z]`

var (
	editable = lazily(`^(?:-e|--editable)[\s=]*`)
	// requirement matches a dependency (PEP 508): its name, its extras, and the rest.
	requirement = lazily(`^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*([@=<>!~(;].*)?$`)
	options     = lazily(`\s+--?[a-zA-Z].*$`)
	condaSpec   = lazily(`^[A-Za-z0-9_.-]+=[^=\s]+(?:=[^=\s]+)?$`)
	remark      = lazily(`(?:^|\s)#.*$`)
)

// requirement adds a dependency of Python (PEP 508), as a requirements file, a table or a command states it: a
// name with a version, an address, or a path.
func (f *file) requirement(s string, line int) {
	s = strings.TrimSpace(s)
	if option := editable().FindString(s); option != "" {
		s = strings.Trim(s[len(option):], " \t\"'")
	}
	spec, _, _ := strings.Cut(options().ReplaceAllString(s, ""), " ;") // without environment markers
	m := requirement().FindStringSubmatch(strings.TrimSpace(spec))
	switch {
	case m != nil && strings.HasPrefix(m[2], "@"):
		e, at := entry("pypi", m[1], "", line), strings.TrimSpace(m[2][1:])
		if at == "" || isAddress(at) {
			e = e.from(at)
		} else {
			e.Version = at // of Poetry
		}
		f.addRequirement(e)
	case strings.HasPrefix(s, "pkg:"):
		f.add(Entry{IDs: []string{s}, Line: line})
	case isAddress(spec):
		f.addRequirement(Entry{Line: line}.from(spec))
	case condaSpec().MatchString(s):
		f.condaSpec(s, line)
	case m != nil:
		version, _, _ := strings.Cut(m[2], ";")
		f.addRequirement(entry("pypi", m[1], pythonVersion(version), line))
	case variable().MatchString(s):
		f.add(Entry{Name: s, Line: line}.noted(setElsewhere, s))
	case strings.ContainsAny(s, `/\`) && !strings.Contains(s, " "):
		f.add(Entry{Name: s, Line: line}.noted(isLocal, s))
	default:
		f.unreadable(line, "not a requirement: "+s+"; expected a name such as torch==2.3.1")
	}
}

// addRequirement adds a package, unless a table of sources says that it comes from elsewhere.
func (f *file) addRequirement(e Entry) {
	at := f.sources[strings.ToLower(e.Name)]
	if at == nil || !e.is("pypi") {
		f.add(e)
		return
	}
	for _, n := range at.elements() {
		f.add(f.sourced(e, n))
	}
}

// pythonVersion returns a version as the file writes it, without the operator if it is pinned.
func pythonVersion(s string) string {
	s = strings.TrimSpace(strings.Trim(s, "()"))
	if exact, ok := strings.CutPrefix(s, "=="); ok && !strings.ContainsAny(exact, ",*") {
		return strings.TrimSpace(strings.TrimPrefix(exact, "="))
	}
	return strings.TrimPrefix(s, "*")
}

// continuation says which line a backslash joins with its own.
type continuation int

const (
	plain     continuation = iota // none
	continued                     // the next one; a remark does not continue
	withGaps                      // the next one that is neither empty nor a remark
)

// lines returns the number and text of each line without its remark.
func (f *file) lines(text string, c continuation) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		var joined strings.Builder
		first, n := 1, 0
		end := func(line string) bool {
			line = strings.TrimSpace(joined.String() + line)
			joined.Reset()
			if len(line) > maxLine {
				f.unreadable(first, fmt.Sprintf("a line longer than %d bytes", maxLine))
				return true
			}
			return line == "" || yield(first, line)
		}
		for line := range strings.Lines(text) {
			if n++; joined.Len() == 0 {
				first = n
			}
			bare := remark().ReplaceAllString(strings.TrimRight(line, "\n"), "")
			if c == withGaps && joined.Len() > 0 && strings.TrimSpace(bare) == "" {
				continue
			}
			if before, ok := strings.CutSuffix(bare, `\`); ok && c != plain {
				joined.WriteString(before + " ")
			} else if !end(bare) {
				return
			}
		}
		end("")
	}
}

// https://pip.pypa.io/en/stable/reference/requirements-file-format/
func parseRequirements(f *file) {
	for n, line := range f.lines(f.data, continued) {
		f.requirementLine(line, n)
	}
}

var included = lazily(`^(?:-[rc]|--requirement|--constraint)(?:[\s=]\s*|$)|^-[rc]`)

// requirementLine reads a line of a requirements file. Options that name no package are left out.
func (f *file) requirementLine(line string, n int) {
	switch option := included().FindString(line); {
	case option != "":
		f.include(line[len(option):], n)
	case line[0] != '-' || editable().MatchString(line):
		f.requirement(line, n)
	}
}

var (
	listName   = lazily(`(?i)req|constraint|depend|pip|package`)
	pinned     = lazily(`^(?:` + pinnedStart + `)`)
	pinnedList = lazily(`(?m)^\s*(?:` + pinnedStart + `)`)
	versioned  = lazily(`^[a-z0-9][a-z0-9._-]*=[0-9][A-Za-z0-9.*]*(?:=\S+)?$`) // a package of conda
	condaList  = lazily(`(?m)^(?:@EXPLICIT|[A-Za-z0-9_.-]+=[^=\s]+=[^=\s]+)\s*$`)
	// variables matches a text that consists of remarks and variables, and oneVariable the start of one of these.
	variables   = lazily(`\A(?:[ \t]*(?:#.*|(?:export\s+)?[A-Z_][A-Z0-9_]*=(?:[^=\n].*)?)?(?:\n|\z))*\z`)
	oneVariable = lazily(`(?m)^[ \t]*[A-Za-z_]`)
)

// parseText reads a list of requirements, of packages as conda exports them, of variables, or of identifiers.
func parseText(f *file) {
	if variables().MatchString(f.data) && oneVariable().MatchString(f.data) {
		if parseEnv(f); len(f.reader.Entries) == f.start {
			f.unreadable(0, "no variable names a model; expected one such as OPENAI_MODEL")
		}
		return
	}
	conda, mode := condaList().MatchString(f.data), plain
	if !conda && (listName().MatchString(lastPart(f.shown)) || pinnedList().MatchString(f.data)) {
		mode = continued // they are requirements
	}
	for n, line := range f.lines(f.data, mode) {
		switch {
		case line == "@EXPLICIT":
		case conda || versioned().MatchString(line):
			f.condaSpec(line, n)
		case mode == continued && (!strings.ContainsAny(line, "/:") || pinned().MatchString(line) || isAddress(line)):
			f.requirementLine(line, n)
		default:
			f.listed(line, n)
		}
	}
}

var (
	bullet = lazily(`^(?:[-*+•]|[0-9]+[.)])\s+`)
	// assigned matches a name and a colon or an equals sign before an identifier.
	assigned = lazily(`^(?:export\s+)?["']?([A-Za-z_][A-Za-z0-9_.-]*)["']?\s*(?:=|:\s)\s*`)
)

func (f *file) listed(line string, n int) {
	line = bullet().ReplaceAllString(line, "")
	if m := assigned().FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "pkg:") {
		if secretKey().MatchString(separated(m[1])) {
			f.add(Entry{Name: m[1], Note: "not looked up, because it can hold a credential", Line: n})
			return
		}
		line = line[len(m[0]):]
	}
	for part := range strings.SplitSeq(line, ",") {
		if part = strings.Trim(part, " \t\"'`[]"); strings.HasSuffix(part, "[1m") { // a variant of a model
			part += "]"
		}
		if vcs().MatchString(part) {
			f.add(Entry{Line: n}.from(part))
		} else if part != "" {
			f.add(Entry{IDs: []string{part}, Line: n})
		}
	}
}

// setupKey matches the start of a value in setup.cfg, which requirements never do.
var setupKey = lazily(`^([A-Za-z0-9_.-]+)\s*=([^=].*|)$`)

func parseSetupCfg(f *file) {
	section, wanted := "", false
	for n, line := range f.lines(f.data, plain) {
		key := setupKey().FindStringSubmatch(line)
		switch {
		case line[0] == '[':
			section, wanted = strings.Trim(line, "[]"), false
		case key != nil:
			wanted = section == "options" && strings.HasSuffix(key[1], "_requires") && key[1] != "python_requires" || section == "options.extras_require"
			for part := range strings.SplitSeq(key[2], ";") { // in one line, no marker can follow
				if part = strings.TrimSpace(part); wanted && part != "" {
					f.requirementLine(strings.Replace(part, "file:", "-r ", 1), n)
				}
			}
		case wanted:
			f.requirement(line, n)
		}
	}
}
