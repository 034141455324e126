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
		e := Entry{ID: namespace + ":" + name, Name: name, Version: version, Line: line}
		if localPath().MatchString(arg) {
			e = e.local(arg)
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
	// valued are options whose value is the next argument.
	valued = lazily(`^(?:-[ifntpdbo]|--(?:index-url|extra-index-url|default-index|index|find-links|target|prefix|root|name|platform|python|python-version|registry|group|features|path|git|branch|tag|rev|` +
		`version|trusted-host|progress-bar|cache-dir|proxy|timeout|retries|log|depth|file|local-dir|revision|repo-type|env-dir|source|extra|constraint|optional))$`)
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
		if option, value, joined := strings.Cut(word, "="); modelOption().MatchString(option) && (joined || i+1 < len(words)) {
			if !joined {
				value = words[i+1]
			}
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
	for i := 0; i < len(args); i++ {
		option, value, joined := strings.Cut(args[i], "=")
		if arg := args[i]; len(arg) > 2 && (strings.HasPrefix(arg, "-r") || strings.HasPrefix(arg, "-c")) { // -rrequirements.txt
			option, value, joined = arg[:2], arg[2:], true
		}
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		listed := strings.HasSuffix(value, ".txt") || strings.HasSuffix(value, ".yml") || strings.HasSuffix(value, ".yaml")
		switch arg := args[i]; {
		case option == "-r" || option == "--requirement" || option == "-c" && listed || option == "--constraint" || (option == "-f" || option == "--file") && listed:
			f.include(f.copied(value), n)
		case option == "-c" || option == "--channel":
			f.channels = append(f.channels, value)
		case redirection().MatchString(arg):
			return
		case valued().MatchString(option):
		case strings.HasPrefix(arg, "-") || arg == "." || arg == "":
			continue
		case arg[0] == '$' || arg[0] == '%' || arg[0] == '{':
			f.add(Entry{Name: arg, Line: n}.elsewhere(arg))
			continue
		default:
			if in.read(f, arg, n); in.one {
				return
			}
			continue
		}
		if !joined {
			i++
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
	from     = lazily(`(?i)^FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?`)
	copyFrom = lazily(`(?i)^COPY\s+.*--from=(\S+)`)
	setting  = lazily(`(?i)^(?:ENV|ARG)\s+(.*)`)
	execForm = lazily(`(?i)^(?:ONBUILD\s+)?(?:RUN|CMD|ENTRYPOINT)\s+(\[.*\])$`)
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
	for n, line := range f.lines(withoutGaps(f.data), true) {
		if m := from().FindStringSubmatch(line); m != nil {
			if image := expand(m[1]); !stages[strings.ToLower(image)] {
				f.image(image, n)
			}
			stages[strings.ToLower(m[2])] = true
		} else if m := copyFrom().FindStringSubmatch(line); m != nil && !stages[strings.ToLower(m[1])] && len(m[1]) > 2 {
			f.image(expand(m[1]), n)
		} else if m := setting().FindStringSubmatch(line); m != nil {
			for _, v := range assignments(m[1]) {
				if !secretKey().MatchString(v[0]) {
					values[v[0]] = expand(v[1])
				}
				f.variable(v[0]+"="+expand(v[1]), n)
			}
		} else if m := execForm().FindStringSubmatch(line); m != nil {
			var words []string
			if json.Unmarshal([]byte(m[1]), &words) == nil && len(words) > 0 {
				f.install(words, n)
				f.command(words[len(words)-1], n) // of a shell
			}
		} else {
			f.command(expand(line), n)
		}
	}
}

// withoutGaps lets instructions of a Dockerfile continue after remarks and empty lines.
func withoutGaps(text string) string {
	var b strings.Builder
	continued := false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		if continued && (bare == "" || bare[0] == '#') {
			b.WriteString("\\\n")
			continue
		}
		continued = strings.HasSuffix(bare, `\`)
		b.WriteString(line)
	}
	return b.String()
}

// assignments returns the names and values of ENV and ARG, which has another form for a single one.
func assignments(s string) (list [][2]string) {
	if name, value, ok := strings.Cut(s, " "); ok && !strings.Contains(name, "=") {
		return [][2]string{{name, strings.TrimSpace(value)}}
	}
	for _, words := range shellCommands(s) {
		for _, word := range words {
			name, value, _ := strings.Cut(word, "=")
			list = append(list, [2]string{name, value})
		}
	}
	return list
}

func (f *file) image(name string, line int) {
	name = scrub(withDefaults(name)) // before it is divided
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

var (
	modelCode = lazily(`(?i)(?:\b(?:model(?:_name|_id|_name_or_path)?|engine|deployment(?:_name)?)\s*[=:]|["']model["']\s*:|from_pretrained\(|SentenceTransformer\(|init_chat_model\()\s*["']([^"'\s]+)["']`)
	shellCell = lazily(`^%%(?:bash|sh|shell|script\s+(?:bash|sh))\b`)
)

func (f *file) notebook(root *node) {
	for _, cell := range root.all("cells") {
		if kind := cell.str("cell_type"); kind == "markdown" || kind == "raw" {
			continue
		}
		shell, start := false, ""
		for _, part := range elements(cell.get("source")) {
			for _, line := range f.lines(part.text, false) {
				line = start + line
				start = ""
				if before, ok := strings.CutSuffix(line, `\`); ok {
					start = before // of a line that continues
					continue
				}
				shell = shell || shellCell().MatchString(line)
				if command := strings.TrimLeft(line, "!%"); command != line || shell {
					f.command(command, part.line)
				}
				for _, m := range modelCode().FindAllStringSubmatch(line, -1) {
					f.model(m[1], part.line)
				}
			}
		}
	}
}
