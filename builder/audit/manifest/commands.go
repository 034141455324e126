package manifest

import (
	"cmp"
	"encoding/json"
	"os"
	"path"
	"slices"
	"strings"
)

// installer is a command that installs packages or fetches models, and how its arguments are read.
type installer struct {
	programs, commands string // separated by spaces
	read               func(f *file, arg string, line int)
	one                bool // whether it takes a single argument
}

var installers = []installer{
	{"pip pipx poetry pdm uv", "install add", (*file).requirement, false},
	{"npm pnpm yarn bun", "install i add", func(f *file, arg string, line int) { f.add(npmAt(arg, line)) }, false},
	{"conda mamba micromamba", "install create update", (*file).condaSpec, false},
	{"cargo", "install add", at("crates"), false},
	{"go", "install get", at("go"), false},
	{"ollama", "pull run", (*file).model, true},
	{"huggingface-cli hf", "download", at("huggingface"), true},
	{"vllm sglang", "serve", (*file).model, true},
	{"git", "clone", func(f *file, arg string, line int) { f.add(Entry{Line: line}.from("git+" + arg)) }, true},
}

func at(namespace string) func(*file, string, int) {
	return func(f *file, arg string, line int) {
		name, version, _ := strings.Cut(arg, "@")
		e := entry(namespace, name, version, line)
		if localPath().MatchString(arg) {
			e = e.noted(isLocal, arg)
		}
		f.add(e)
	}
}

var (
	shellToken = lazily(`[;|&()]|#.*|(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s;|&()"'\\])+`) // also > and < in a word, which many forget to quote
	quoted     = lazily(`"(?:\\.|[^"\\])*"|'[^']*'|\\.`)
	escaped    = lazily(`\\(.)`)
)

// shellCommands splits a line into commands and their words, as a shell does.
func shellCommands(line string) (list [][]string) {
	var words []string
	for _, token := range append(shellToken().FindAllString(line, -1), ";") {
		switch {
		case token[0] == '#':
		case !strings.Contains(";|&()", token):
			words = append(words, quoted().ReplaceAllStringFunc(token, func(s string) string {
				if s[0] == '\'' {
					return s[1 : len(s)-1]
				}
				return escaped().ReplaceAllString(strings.Trim(s, `"`), "$1")
			}))
		case len(words) > 0:
			list = append(list, words)
			words = nil
		}
	}
	return list
}

var (
	redirection    = lazily(`^[0-9]*[<>]`)
	modelOption    = lazily(`^--(?:[a-z]+[-_])?model(?:[-_](?:id|name))?$`)
	programVersion = lazily(`^([a-z-]+?)[0-9.]*$`)
	// joinedOption matches an option with its value in the same word.
	joinedOption = lazily(`^(?:(-[rc])([^=].*)|([^=]*)=(.*))$`)
	// including matches options whose value is a file with packages; -c and -f can have another one.
	including = lazily(`^(?:-r|--requirement|--constraint|(?:-c|-f|--file) .*\.(?:txt|ya?ml)) ?`)
	// valued matches options with a value.
	valued = lazily(`^(?:-[rcifntpdbo]|--(?:requirement|constraint|channel|index-url|extra-index-url|default-index|index|find-links|target|prefix|root|name|platform|python|python-version|registry|group|` +
		`features|path|git|branch|tag|rev|version|trusted-host|progress-bar|cache-dir|proxy|timeout|retries|log|depth|file|local-dir|revision|repo-type|env-dir|source|extra|optional))$`)
	grouping = map[string]bool{"pip": true, "tool": true, "global": true, "env": true}
)

func (f *file) command(line string, n int) {
	for _, words := range shellCommands(line) {
		f.install(words, n)
	}
}

// install reads what a command installs. The command can follow others, such as python -m.
func (f *file) install(words []string, n int) {
	for i, word := range words {
		option, value, joined := strings.Cut(word, "=")
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		if modelOption().MatchString(option) {
			f.model(value, n)
		}
		m := programVersion().FindStringSubmatch(path.Base(word))
		if m == nil {
			continue
		}
		rest := words[i+1:]
		for len(rest) > 0 && (grouping[rest[0]] || strings.HasPrefix(rest[0], "-")) {
			rest = rest[1:]
		}
		for _, in := range installers {
			if len(rest) > 0 && slices.Contains(strings.Fields(in.programs), m[1]) && slices.Contains(strings.Fields(in.commands), rest[0]) {
				f.arguments(in, rest[1:], n)
				return
			}
		}
	}
}

func (f *file) arguments(in installer, args []string, n int) {
	f.channels = nil
	for len(args) > 0 {
		arg, option, value := args[0], args[0], ""
		args = args[1:]
		if m := joinedOption().FindStringSubmatch(arg); m != nil {
			option, value = m[1]+m[3], m[2]+m[4]
		} else if valued().MatchString(option) && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		switch {
		case including().MatchString(option + " " + value):
			f.include(f.copied(value), n)
		case option == "-c" || option == "--channel":
			f.channels = append(f.channels, value)
		case redirection().MatchString(arg):
			return
		case strings.HasPrefix(arg, "-") || arg == "." || arg == "":
		case strings.ContainsAny(arg[:1], "$%{"):
			f.add(Entry{Name: arg, Line: n}.noted(setElsewhere, arg))
		default:
			if in.read(f, arg, n); in.one {
				return
			}
		}
	}
}

// copied returns where a file of an image comes from: the same folder, unless it is where the command says.
func (f *file) copied(name string) string {
	if f.root != nil {
		for _, name := range []string{name, path.Base(name)} {
			if _, err := f.root.Stat(path.Join(path.Dir(f.name), name)); err == nil {
				return name
			}
		}
	}
	return name
}

var (
	instruction = lazily(`(?i)^(?:ONBUILD\s+)?(FROM|COPY|ENV|ARG|RUN|CMD|ENTRYPOINT)\s+((?:--\S+\s+)*)(.*)$`)
	copyFrom    = lazily(`--from=(\S+)`)
)

func parseDockerfile(f *file) {
	stages := map[string]bool{"scratch": true}
	values := map[string]string{}
	expand := func(s string) string {
		return os.Expand(s, func(name string) string {
			bare, otherwise, _ := strings.Cut(name, ":-")
			return cmp.Or(values[bare], otherwise, "${"+name+"}")
		})
	}
	image := func(name string, n int) {
		if name = expand(name); !stages[strings.ToLower(name)] {
			f.image(name, n)
		}
	}
	for n, line := range f.lines(f.data, withGaps) {
		m := append(instruction().FindStringSubmatch(line), "", "", "", "")
		words := append(strings.Fields(m[3]), "", "", "")
		switch strings.ToUpper(m[1]) {
		case "FROM":
			image(words[0], n)
			stages[strings.ToLower(words[2])] = true
		case "COPY":
			if from := copyFrom().FindStringSubmatch(m[2]); from != nil && len(from[1]) > 2 { // no number of a stage
				image(from[1], n)
			}
		case "ENV", "ARG":
			variables := slices.Concat(shellCommands(m[3])...)
			if name, value, ok := strings.Cut(m[3], " "); ok && !strings.Contains(name, "=") { // the form for a single one
				variables = []string{name + "=" + strings.TrimSpace(value)}
			}
			for _, v := range variables {
				name, value, _ := strings.Cut(expand(v), "=")
				if !secretKey().MatchString(name) {
					values[name] = value
				}
				f.variable(name, value, n)
			}
		default:
			var words []string
			if json.Unmarshal([]byte(m[3]), &words) == nil && len(words) > 0 {
				f.install(words, n)
				line = words[len(words)-1] // of a shell
			}
			f.command(expand(line), n)
		}
	}
}

func (f *file) image(name string, line int) {
	name = scrub(withDefaults(name)) // before it is divided
	e := Entry{Name: name, Line: line}
	if variable().MatchString(name) {
		f.add(e.noted(setElsewhere, name))
		return
	}
	name, version, _ := strings.Cut(name, "@")
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, version = name[:i], name[i+1:]
	}
	f.add(e.as("pkg:docker/"+name, version))
}

var (
	modelCode = lazily(`(?i)(?:\b(?:model(?:_name|_id|_name_or_path)?|engine|deployment(?:_name)?)\s*[=:]|["']model["']\s*:|from_pretrained\(|SentenceTransformer\(|init_chat_model\()\s*["']([^"'\s]+)["']`)
	shellCell = lazily(`^%%(?:bash|sh|shell|script\s+(?:bash|sh))\b`)
)

// cell reads a cell of a notebook: what its commands install, and the models that its code names.
func (f *file) cell(n *node) {
	if kind := n.str("cell_type"); kind == "markdown" || kind == "raw" {
		return
	}
	var source strings.Builder
	parts, shell := n.get("source").elements(), false
	for _, part := range parts {
		source.WriteString(strings.TrimSuffix(part.text, "\n") + "\n")
	}
	for n, line := range f.lines(source.String(), continued) {
		at := parts[min(n, len(parts))-1].line
		shell = shell || shellCell().MatchString(line)
		if command := strings.TrimLeft(line, "!%"); command != line || shell {
			f.command(command, at)
		}
		for _, m := range modelCode().FindAllStringSubmatch(line, -1) {
			f.model(m[1], at)
		}
	}
}
