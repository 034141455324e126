package manifest

import (
	"regexp"
	"strings"
)

var (
	modelKey = lazily(`(?i)(?:^|_)(?:model|models|llm|deployment)(?:_?(?:name|id))?(?:_[0-9]+)?$|^model`)
	noModel  = lazily(`(?i)path|dir|file|url|key|token|secret|cache|password|provider|temperature|max|type`)
	script   = lazily(`^(?:file|exec|python|package|https?|wss?|webhook|browser|echo):`) // for promptfoo
	variable = lazily(`^\$|^%|^os\.environ/|\$\{|\{\{|\*`)
)

// elsewhere returns the entry for what a program fills in later.
func (e Entry) elsewhere(name string) Entry {
	e.ID, e.Note = "", "is set elsewhere: "+name
	return e
}

// model adds the name of a model. A name that a program fills in later is not looked up.
func (f *file) model(name string, line int) {
	name = strings.TrimSpace(name)
	e := Entry{ID: name, Name: name, Line: line}
	switch {
	case name == "":
		return
	case variable().MatchString(name):
		e = e.elsewhere(name)
	case localPath().MatchString(name) || script().MatchString(name):
		e = e.local(name)
	}
	f.add(e)
}

// parseEnv reads the variables that name models. No other variable is read: they hold secrets.
func parseEnv(f *file) {
	for n, line := range f.lines(f.data, false) {
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if key = strings.TrimSpace(key); ok && modelKey().MatchString(key) && !noModel().MatchString(key) {
			for name := range strings.SplitSeq(strings.Trim(strings.TrimSpace(value), `"'`), ",") {
				f.model(name, n)
			}
		}
	}
}

// installs match commands that install packages or fetch models, and how their arguments are read.
var installs = []struct {
	pattern func() *regexp.Regexp
	read    func(f *file, arg string, line int)
}{
	{lazily(`\b(?:pip[0-9.]*|pipx|poetry|pdm|uv|uv pip|uv tool)\s+(?:install|add)\s+(.*)`), (*file).requirement},
	{lazily(`\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|global add)\s+(.*)`), func(f *file, arg string, line int) { f.add(npmAt(arg, line)) }},
	{lazily(`\b(?:conda|mamba|micromamba)\s+(?:install|create)\s+(.*)`), (*file).condaSpec},
	{lazily(`\bcargo\s+(?:install|add)\s+(.*)`), at("crates")},
	{lazily(`\bgo\s+(?:install|get)\s+(.*)`), at("go")},
	{lazily(`\bollama\s+(?:pull|run)\s+(\S+)`), (*file).model},
	{lazily(`\b(?:huggingface-cli|hf)\s+download\s+(\S+)`), at("huggingface")},
}

// at returns a reader of name@version in a namespace.
func at(namespace string) func(*file, string, int) {
	return func(f *file, arg string, line int) {
		name, version, _ := strings.Cut(arg, "@")
		f.add(Entry{ID: namespace + ":" + name, Name: name, Version: version, Line: line})
	}
}

var (
	commandEnd = lazily(`&&|\|\|?|;|\s#|\s>`)
	// valued are options whose value is the next argument.
	valued  = lazily(`^(?:-[ifntpd]|--(?:index-url|extra-index-url|find-links|target|prefix|root|name|platform|python-version|registry|group|features|path|git|branch|tag|rev|override-channels|trusted-host|progress-bar))$`)
	channel = lazily(`(?:-c|--channel)[ =](\S+)`)
)

// command reads what a command line installs.
func (f *file) command(line string, n int) {
	for _, part := range commandEnd().Split(line, -1) {
		for _, install := range installs {
			m := install.pattern().FindStringSubmatch(part)
			if m == nil {
				continue
			}
			f.channels = nil
			for _, c := range channel().FindAllStringSubmatch(m[1], -1) {
				f.channels = append(f.channels, c[1])
			}
			args := strings.Fields(m[1])
			for i := 0; i < len(args); i++ {
				arg := strings.Trim(args[i], `"'`)
				next := ""
				if i+1 < len(args) {
					next = args[i+1]
				}
				switch {
				case arg == "-r" || arg == "--requirement" || arg == "-c" && strings.HasSuffix(next, ".txt"):
					f.include(next, n)
					i++
				case arg == "-c" || arg == "--channel" || valued().MatchString(arg):
					i++
				case strings.HasPrefix(arg, "-") || arg == "." || arg == `\`:
				case variable().MatchString(arg):
					f.add(Entry{Name: arg, Line: n}.elsewhere(arg))
				default:
					install.read(f, arg, n)
				}
			}
			break
		}
	}
}

var (
	from     = lazily(`(?i)^FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?`)
	copyFrom = lazily(`(?i)^COPY\s+.*--from=(\S+)`)
	setting  = lazily(`(?i)^(?:ENV|ARG)\s+([A-Za-z_][A-Za-z0-9_]*)[ =](.*)`)
)

// parseDockerfile reads the base images, and what the commands install.
func parseDockerfile(f *file) {
	stages := map[string]bool{"scratch": true}
	for n, line := range f.lines(f.data, true) {
		if m := from().FindStringSubmatch(line); m != nil {
			if !stages[m[1]] {
				f.image(m[1], n)
			}
			stages[m[2]] = true
		} else if m := copyFrom().FindStringSubmatch(line); m != nil && !stages[m[1]] && len(m[1]) > 2 {
			f.image(m[1], n)
		} else if m := setting().FindStringSubmatch(line); m != nil {
			if modelKey().MatchString(m[1]) && !noModel().MatchString(m[1]) {
				f.model(strings.Trim(m[2], `"'`), n)
			}
		} else {
			f.command(line, n)
		}
	}
}

// image adds a container image.
func (f *file) image(name string, line int) {
	e := Entry{Name: name, Line: line}
	if variable().MatchString(name) {
		f.add(e.elsewhere(name))
		return
	}
	name, digest, _ := strings.Cut(name, "@")
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, digest = name[:i], name[i+1:]
	}
	e.ID, e.Version = "pkg:docker/"+name, digest
	f.add(e)
}

var modelCode = lazily(`(?:\bmodel(?:_name|_id|_name_or_path)?\s*[=:]|["']model["']\s*:|from_pretrained\(|SentenceTransformer\(|init_chat_model\()\s*["']([^"'\s]+)["']`)

// notebook reads what the cells of a notebook install, and the models that they name.
func (f *file) notebook(root *node) {
	for _, path := range []string{"cells.source", "worksheets.cells.input"} {
		root.each(path, func(n *node) {
			for _, line := range f.lines(n.text, false) {
				if command := strings.TrimLeft(line, "!%"); command != line {
					f.command(command, n.line)
				}
				for _, m := range modelCode().FindAllStringSubmatch(line, -1) {
					f.model(m[1], n.line)
				}
			}
		})
	}
}

// settings reads the models and images that a configuration names.
func (f *file) settings(root *node) {
	before := len(f.reader.entries)
	if root.get("prompts") != nil || root.get("tests") != nil || root.get("targets") != nil { // promptfoo
		for _, path := range []string{"providers", "targets", "defaultTest.options.provider", "defaultTest.assert.provider", "tests.options.provider", "tests.assert.provider"} {
			root.each(path, f.provider)
		}
	}
	root.deep(func(n *node) {
		for _, m := range n.items {
			switch m.key {
			case "model", "base_model", "model_id", "modelId":
				for _, v := range elements(m) {
					f.model(v.text, v.line)
				}
			case "image":
				if m.kind == text {
					f.image(m.text, m.line)
				}
			}
		}
	})
	if len(f.reader.entries) == before && root != nil {
		f.unreadable(0, "names nothing that is recognized as a package or model"+seeHelp)
	}
}

// provider adds a provider of promptfoo: a name, a table with an id, or a table with a name as its key.
func (f *file) provider(n *node) {
	switch {
	case n.kind == text:
		f.model(n.text, n.line)
	case n.get("id") != nil:
		f.model(n.str("id"), n.get("id").line)
	case n.kind == list:
		for _, m := range n.items {
			f.provider(m)
		}
	default:
		for _, m := range n.items {
			switch m.key {
			case "text", "embedding", "classification", "moderation": // what it is for
				f.provider(m)
			default:
				f.model(m.key, m.line)
			}
		}
	}
}
