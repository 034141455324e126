package manifest

import (
	"fmt"
	"iter"
	"regexp"
	"strings"
)

// pinnedStart matches the start of a line that only a list of requirements has.
const pinnedStart = `[A-Za-z0-9][A-Za-z0-9._-]*\s*(?:\[[^\]]*\])?\s*(?:[=~!<>]=|[<>]|\(|@\s|;)|-[rce]\b|--[a-z]`

var (
	// requirement matches a dependency (PEP 508): its name, its extras, and the rest.
	requirement = lazily(`^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$`)
	pinned      = lazily(`^(?:` + pinnedStart + `)`)
	options     = lazily(`\s+--?[a-zA-Z].*$`)
	condaSpec   = lazily(`^[A-Za-z0-9_.-]+=[^=\s]+(?:=[^=\s]+)?$`)
	remark      = lazily(`(?:^|\s)#.*$`)
)

// requirement adds a dependency of Python (PEP 508), as a requirements file, a table or a command states it: a
// name with a version, an address, or a path.
func (f *file) requirement(s string, line int) {
	s = strings.TrimSpace(s)
	for _, option := range []string{"--editable", "-e"} {
		if rest, ok := strings.CutPrefix(s, option); ok {
			s = strings.Trim(rest, " \t=\"'")
		}
	}
	bare, _, _ := strings.Cut(options().ReplaceAllString(s, ""), ";") // without environment markers
	address, _, _ := strings.Cut(options().ReplaceAllString(s, ""), " ;")
	m := requirement().FindStringSubmatch(s)
	switch {
	case m != nil && strings.HasPrefix(m[2], "@"):
		e := Entry{ID: "pypi:" + m[1], Name: m[1], Line: line}
		if at, _, _ := strings.Cut(strings.TrimSpace(m[2][1:]), " ;"); at == "" || isAddress(at) {
			e = e.from(at)
		} else {
			e.Version = at // of Poetry
		}
		f.addRequirement(e)
		return
	case strings.HasPrefix(s, "pkg:"):
		f.add(Entry{ID: s, Line: line})
		return
	case isAddress(address):
		f.addRequirement(Entry{Line: line}.from(address))
		return
	case condaSpec().MatchString(s):
		f.condaSpec(s, line)
		return
	}
	m = requirement().FindStringSubmatch(strings.TrimSpace(bare))
	switch {
	case m != nil && (m[2] == "" || strings.ContainsAny(m[2][:1], "=<>!~(")):
		f.addRequirement(Entry{ID: "pypi:" + m[1], Name: m[1], Version: pythonVersion(m[2]), Line: line})
	case variable().MatchString(s):
		f.add(Entry{Name: s, Line: line}.elsewhere(s))
	case strings.ContainsAny(s, `/\`) && !strings.Contains(s, " "):
		f.add(Entry{Name: s, Line: line}.local(s))
	default:
		f.unreadable(line, "not a requirement: "+s+"; expected a name such as torch==2.3.1")
	}
}

// addRequirement adds a package of Python, whose table of sources may say that it comes from elsewhere.
func (f *file) addRequirement(e Entry) {
	if at := f.sources[strings.ToLower(e.Name)]; at != nil && strings.HasPrefix(e.ID, "pypi:") {
		for _, n := range elements(at) {
			f.add(f.sourced(e, n))
		}
		return
	}
	f.add(e)
}

// pythonVersion returns a version as the file writes it, without the operator if it is pinned.
func pythonVersion(s string) string {
	s = strings.TrimSpace(strings.Trim(s, "()"))
	if exact, ok := strings.CutPrefix(s, "=="); ok && !strings.ContainsAny(exact, ",*") {
		return strings.TrimSpace(strings.TrimPrefix(exact, "="))
	}
	return strings.TrimPrefix(s, "*")
}

// lines calls yield with the number and text of each line without its remark. If continued, a line is joined
// with the ones that continue it after a backslash; a remark does not continue.
func (f *file) lines(text string, continued bool) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		var joined strings.Builder
		first, n := 1, 0
		for line := range strings.Lines(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")) {
			n++
			if joined.Len() == 0 {
				first = n
			}
			line = strings.TrimRight(line, "\n")
			bare := remark().ReplaceAllString(line, "")
			if before, ok := strings.CutSuffix(bare, `\`); ok && continued {
				joined.WriteString(before + " ")
				continue
			}
			bare = strings.TrimSpace(joined.String() + bare)
			joined.Reset()
			if len(bare) > maxLine {
				f.unreadable(first, fmt.Sprintf("a line longer than %d bytes", maxLine))
			} else if bare != "" && !yield(first, bare) {
				return
			}
		}
		if bare := strings.TrimSpace(joined.String()); bare != "" && len(bare) <= maxLine {
			yield(first, bare)
		}
	}
}

// https://pip.pypa.io/en/stable/reference/requirements-file-format/
func parseRequirements(f *file) {
	for n, line := range f.lines(f.data, true) {
		f.requirementLine(line, n)
	}
}

// requirementLine reads a line of a requirements file. Options that name no package are left out.
func (f *file) requirementLine(line string, n int) {
	if line[0] != '-' || strings.HasPrefix(line, "-e") || strings.HasPrefix(line, "--editable") {
		f.requirement(line, n)
		return
	}
	option, value := line, ""
	if i := strings.IndexAny(line, " \t="); i >= 0 {
		option, value = line[:i], strings.TrimSpace(line[i+1:])
	} else if !strings.HasPrefix(line, "--") && len(line) > 2 { // -rbase.txt
		option, value = line[:2], line[2:]
	}
	switch option {
	case "-r", "--requirement", "-c", "--constraint":
		f.include(value, n)
	}
}

var (
	listName   = lazily(`(?i)req|constraint|depend|pip|package`)
	pinnedList = lazily(`(?m)^\s*(?:` + pinnedStart + `)`)
	versioned  = lazily(`^[a-z0-9][a-z0-9._-]*=[0-9][A-Za-z0-9.*]*(?:=\S+)?$`) // a package of conda
	condaList  = lazily(`(?m)^(?:@EXPLICIT|[A-Za-z0-9_.-]+=[^=\s]+=[^=\s]+)\s*$`)
)

// parseText reads a list of requirements, of packages as conda exports them, or of identifiers.
func parseText(f *file) {
	if isEnv(f.data) {
		before := len(f.reader.Entries)
		if parseEnv(f); len(f.reader.Entries) == before {
			f.unreadable(0, "no variable names a model; expected one such as OPENAI_MODEL")
		}
		return
	}
	conda := condaList().MatchString(f.data)
	required := !conda && (listName().MatchString(lastPart(f.shown)) || pinnedList().MatchString(f.data))
	for n, line := range f.lines(f.data, required) {
		switch {
		case conda && line != "@EXPLICIT":
			f.condaSpec(line, n)
		case required && (!strings.ContainsAny(line, "/:") || pinned().MatchString(line) || isAddress(line)):
			f.requirementLine(line, n)
		case versioned().MatchString(line):
			f.condaSpec(line, n)
		case !conda:
			f.listed(line, n)
		}
	}
}

var (
	bullet = lazily(`^(?:[-*+•]|[0-9]+[.)])\s+`)
	// assigned matches a name and a colon or an equals sign before an identifier.
	assigned = lazily(`^(?:export\s+)?["']?([A-Za-z_][A-Za-z0-9_.-]*)["']?\s*(?:=|:\s)\s*`)
	// envLine matches a line of a file with variables.
	envLine = lazily(`^(?:export\s+)?[A-Z_][A-Z0-9_]*=(?:[^=]|$)`)
)

func isEnv(text string) bool {
	some := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case !envLine().MatchString(line):
			return false
		default:
			some = true
		}
	}
	return some
}

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
			f.add(Entry{ID: part, Line: n})
		}
	}
}

const tomlHead = `\[\[?["A-Za-z0-9_. -]+\]\]?\s*(?:#.*)?$`

func parseAny(f *file) {
	for _, c := range []struct {
		start string // of a line
		parse func(*file)
	}{
		{`\A\s*\{`, parseJSON},
		{`\A\s*<`, parseXML},
		{`SPDXVersion:`, parseTagValue},
		{`module \S+\s*$(?s:.*^(?:go [0-9]|require ))`, parseGoMod},
		{`# yarn lockfile|__metadata:`, parseYarn},
		{`install_requires\s*=|\[options\]`, parseSetupCfg},
		{tomlHead, parseTOML},
		{`\A\s*\[`, parseJSON},
		{`(?i:FROM) \S+`, parseDockerfile},
		{`(?:dependencies|channels|model_list|providers|targets|prompts|package|packages|environments|services|catalogs?|overrides|lockfileVersion):`, parseYAML},
		{``, parseText},
	} {
		if regexp.MustCompile(`(?m)^(?:` + c.start + `)`).MatchString(f.data) {
			c.parse(f)
			return
		}
	}
}

// setupKey matches the start of a value in setup.cfg, which requirements never do.
var setupKey = lazily(`^([A-Za-z0-9_.-]+)\s*=([^=].*|)$`)

func parseSetupCfg(f *file) {
	section, wanted := "", false
	for n, line := range f.lines(f.data, false) {
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
