package manifest

import (
	"encoding/json"
	"strings"
)

var (
	modelKey = lazily(`(?i)(?:^|_)(?:models?(?:name|id)?|llms?)[0-9]*(?:_|$)|(?:^|_)deployment(?:_?(?:name|id))?(?:_[0-9]+)?$|(?:openai|azure|llm)_(?:.*_)?engine$`)
	// noModel matches keys of what a program does with a model, or with something else.
	noModel = lazily(`(?i)(?:^|_)(?:path|dir|file|ur[li]|host|port|endpoint|server|service|registry|store|repo|cache|provider|type|temperature|max|min|top|context|length|limit|size|timeout|` +
		`retries|concurrency|batch|workers|dtype|device|precision|quantization|seed|enabled?|count|info|alias|group)s?(?:_|$)`)
	secretKey = lazily(`(?i)keys?(?:_|$)|tokens?(?:_|$)|secret|passw|pwd|credential|auth(?:_|$)|bearer|private|cert|dsn`)
	camelCase = lazily(`([a-z0-9])([A-Z])`)
	noName    = lazily(`(?i)^(?:[0-9.]+|true|false|yes|no|on|off|null|none|auto|default)$`)
	script    = lazily(`^(?:file|exec|python|package|https?|wss?|webhook|browser|echo):`) // for promptfoo
	// provided matches the addresses at which the large providers serve models, which end in their names.
	provided   = lazily(`(?i)^https://[a-z0-9.-]+\.(?:googleapis\.com|amazonaws\.com|azure\.com|huggingface\.co)/(?:[^?#]*/)?(?:models?|deployments)/`)
	bracketed  = lazily(`^\[(.*)\]$`)
	jsonMember = lazily(`:\s*"([^"]*)"`)
	byDefault  = lazily(`\$\{[A-Za-z_][A-Za-z0-9_]*:?-([^{}$]+)\}`)
)

// namesModel reports whether the value of a variable or of a member is the name of a model.
func namesModel(key string) bool {
	key = separated(key)
	return modelKey().MatchString(key) && !noModel().MatchString(key) && !secretKey().MatchString(key)
}

func separated(key string) string {
	return camelCase().ReplaceAllString(strings.NewReplacer("-", "_", ".", "_").Replace(key), "${1}_$2")
}

// withDefaults replaces variables by their default values, which are used unless someone sets them.
func withDefaults(name string) string { return byDefault().ReplaceAllString(name, "$1") }

// model adds the name of a model. A name that a program fills in later is not looked up.
func (f *file) model(name string, line int) {
	name = withDefaults(strings.TrimSpace(name))
	e := Entry{IDs: []string{name}, Name: name, Line: line}
	switch {
	case name == "":
		return
	case variable().MatchString(name):
		e = e.noted(setElsewhere, name)
	case localPath().MatchString(name) || script().MatchString(name) && !provided().MatchString(scrub(name)):
		e = e.noted(isLocal, name)
	}
	f.add(e)
}

// parseEnv reads the variables that name models. No other variable is read: they hold secrets.
func parseEnv(f *file) {
	for n, line := range f.lines(f.data, plain) {
		name, value, _ := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		f.variable(name, value, n)
	}
}

// variable adds the models that a variable names: one, or a list or a table of them.
func (f *file) variable(key, value string, n int) {
	if key = strings.TrimSpace(key); !namesModel(key) {
		return
	}
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	names := strings.FieldsFunc(bracketed().ReplaceAllString(value, "$1"), func(r rune) bool { return strings.ContainsRune(", ;\t", r) })
	if strings.HasPrefix(value, "{") {
		names = nil
		for _, m := range jsonMember().FindAllStringSubmatch(value, -1) {
			names = append(names, m[1])
		}
		if !json.Valid([]byte(value)) {
			f.unreadable(n, key+": not a name of a model")
		}
	}
	for _, name := range names {
		if name = strings.Trim(name, `"'`); !noName().MatchString(name) {
			f.model(name, n)
		}
	}
}

const namesNothing = "names nothing that is recognized as a package or model" + seeHelp

// settings reads the models and images that a configuration names.
func (f *file) settings(root *node) {
	if root.get("prompts") != nil || root.get("tests") != nil || root.get("targets") != nil { // promptfoo
		for _, n := range root.at("providers targets defaultTest.options.provider defaultTest.assert.provider tests.options.provider tests.assert.provider") {
			f.provider(n)
		}
	}
	if root.deep(f.setting); len(f.reader.Entries) == f.start {
		f.unreadable(0, namesNothing)
	}
}

// setting reads a table of a configuration: members that name models or an image, and variables in the forms of
// Compose and Kubernetes.
func (f *file) setting(n *node) {
	if value := n.get("value"); value != nil && value.kind == text {
		f.variable(n.str("name"), value.text, value.line)
	}
	for _, m := range n.items {
		switch {
		case m.key == "image" && m.kind == text:
			f.image(m.text, m.line)
		case m.key == "image" && m.str("repository") != "": // of Helm
			name := strings.TrimPrefix(m.str("registry")+"/"+m.str("repository"), "/")
			f.image(strings.TrimSuffix(name+":"+m.str("tag"), ":"), m.get("repository").line)
		case m.key == "model_name" && n.get("litellm_params") != nil: // what clients of LiteLLM call it
		case namesModel(m.key):
			for _, v := range m.elements() {
				if v.kind == text && !strings.ContainsAny(v.text, " \n") {
					f.model(v.text, v.line)
				}
			}
		case m.key == "command" || m.key == "args" || m.key == "entrypoint":
			var words []string
			for _, v := range m.elements() {
				words = append(words, v.text)
			}
			f.command(strings.Join(words, " "), m.line)
		case m.kind == list:
			for _, v := range m.items {
				if name, value, ok := strings.Cut(v.text, "="); ok {
					f.variable(name, value, v.line)
				}
			}
		}
	}
}

// provider adds a provider of promptfoo: a name, a table with an id, or a table with a name as its key.
func (f *file) provider(n *node) {
	switch {
	case n.kind == text:
		f.model(n.text, n.line)
	case n.get("id") != nil:
		f.model(n.str("id"), n.get("id").line)
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
