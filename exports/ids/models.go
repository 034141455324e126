package ids

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Namespaces in which models are indexed under forms of their names; see [IndexForms].
const (
	ModelForm = "form"
	ModelBase = "base"
)

// Form is a model's name without some of what providers and programs add to it.
type Form struct {
	Name    string
	Dropped []string // what was left out, such as "region: us."
	Size    string   // the number of parameters in what was left out, such as 70b, or ""
	Exact   bool     // what was left out tells no versions of the model apart
}

// Key returns the key of the form in ModelForm and in ModelBase.
func (f Form) Key() string { return fold(f.Name) }

// NamesBase reports whether a text of which the form remains names the model from which the one in a repository at
// Hugging Face was trained: the repository of the same owner, or a quantized copy, whose name lacks
// only -Instruct or the like.
func (f Form) NamesBase(text, repository string) bool {
	owner, repo, _ := strings.Cut(strings.ToLower(repository), "/")
	repo = strings.TrimSuffix(repo, "-hf")
	base := instructed().ReplaceAllString(repo, "")
	name := f.Name[strings.LastIndexByte(f.Name, '/')+1:]
	maker, _, _ := strings.Cut(owner, "-") // in meta-llama/Meta-Llama-3-8B
	bare := func(s string) string { return fold(strings.TrimPrefix(s, maker+"-")) }
	if base == repo || strings.Contains(name, ":") || bare(name) != bare(base) {
		return false
	}
	return strings.Contains(strings.ToLower(text), owner+"/"+name) ||
		slices.ContainsFunc(f.Dropped, func(s string) bool { return strings.HasPrefix(s, quantization) })
}

// rule describes what can be left out at the start or at the end of a model's name.
type rule struct {
	what    string
	pattern func() *regexp.Regexp
	names   func() *regexp.Regexp // the names to which it applies, nil for all
	version bool                  // what is left out tells versions of the model apart
}

// lazily returns a function that compiles a regular expression at its first call, because most
// commands need none of those for the names of models.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

func leading(what, pattern string) rule {
	return rule{what: what, pattern: lazily(`^(?:` + pattern + `)`)}
}

func trailing(what, pattern string) rule {
	return rule{what: what, pattern: lazily(`(?:` + pattern + `)$`)}
}

// version returns a rule for what tells versions of models apart. Without names, it applies to
// all.
func version(what, pattern, names string) rule {
	r := trailing(what, pattern)
	r.version = true
	if names != "" {
		r.names = lazily(names)
	}
	return r
}

// routes precede a model's name: they say how it is reached.
var routes = []rule{
	leading(fineTuning, `ft:`),
	leading("command", `ollama (?:run|pull) +`),
	leading("address", `(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co|openrouter\.ai|ollama\.com/library)/|hf:(?://)?|~|`+
		`https?://[a-z0-9.-]+\.(?:googleapis\.com|amazonaws\.com|azure\.com|huggingface\.co)/(?:[^?#]*/)?(?:models?|deployments)/|azureml://(?:[^/]+/)*?models/`),
	leading("ARN", `arn:aws[a-z-]*:bedrock:[a-z0-9-]*:[0-9]*:[a-z-]+/`),
	leading("path", `(?:projects/[^/]+/)?(?:locations/[^/]+/)?publishers/[^/]+/models/|accounts/[^/]+/(?:models|deployments)/|models/`),
	leading("region", `(?:[a-z]{2}|apac|global|us-gov|us-isob?|eu-isoe)\.|(?:us|eu|global|global-standard|[a-z]{2}(?:-[a-z]+)+-[0-9]|[0-9]+-month-commitment)/|`+
		`(?:north|south|east|west|central|sweden|france|uk|japan|korea|canada|australia|switzerland|germany|norway|brazil|poland|spain|italy|uae)[a-z]*[0-9]?/`),
	leading("prefix", `@(?:cf|hf)/|workers-ai/|tee/|pro/|databricks-`),
	leading("prefix", `(?:chat|completions?|responses|messages|embeddings?|image|audio|realtime|assistant|converse(?:_like)?|invoke|route|text-generation|feature-extraction|sentence-similarity|text-classification)[/:]`),
}

// The parts that have rules of their own.
const (
	quantization = "quantization"
	fineTuning   = "fine-tuning"
)

// ends follow a model's name.
var ends = []rule{
	trailing("address", `(?::(?:stream)?generatecontent|:(?:raw|streamraw)?predict|/invoke(?:-with-response-stream)?|/converse(?:-stream)?|/chat/completions|/completions|/embeddings|/responses)(?:\?.*)?`),
	trailing("suffix", `:(?:free|online|nitro|floor|beta|extended|exacto|thinking|default|cloud|fastest|cheapest|preferred)|@preset/[^/]+|\[[0-9]+[mk]\]`),
	trailing("file", `/[^/]+\.gguf`),
	trailing(quantization, `:(?:i?q[0-9][a-z0-9_]*|fp?16|bf16|fp8|ud-[a-z0-9_]+|mxfp4)`),
	trailing(quantization, `[-._](?:i?q[0-9]+(?:_[a-z0-9]+)*|gguf|ggml|i1|onnx|openvino|hqq|aqlm|marlin|awq|gptq(?:-int[48])?|exl[23]|mlx|fp8(?:-dynamic|-fast|-tput|-kv)?|[2-8](?:\.[0-9]+)?-?bits?|(?:bnb-)?int[48]|(?:unsloth-)?bnb-4bit|nf4|nvfp4|mxfp4|bf16|fp16|w[48]a(?:8|16)|quantized|qat)`),
	version(fineTuning, `:[^:/]*:[^:/]*:[^:/]+(?::ckpt-step-[0-9]+)?`, `^ft:[^:]+:[^:]*:[^:]*:[^:]+(?::ckpt-step-[0-9]+)?$`),
	version(fineTuning, `:ft-[^/:]+`, ""),
	version("version", `:0(?::[0-9]+k)?|:[0-9]+k`, `-v[0-9]+:`),
	version("version", `-v1`, `[a-z]\.[a-z]|-20[0-9]{6}-v1$`),
	version("version", `-v[2-9]`, `-20[0-9]{6}-v[2-9]$`),
	version("version", `/versions/[^/]+`, ""),
	trailing("suffix", `-maas`),
	version("effort", `-(?:x?high|medium|low|minimal)`, `^(?:gpt-5|o[134])[a-z0-9.-]*-[a-z]+$`),
	version("alias", `[-:@]latest`, ""),
	version("date", `[-@:](?:20[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])|20[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))`, ""),
	trailing("revision", `@(?:main|master|default|[0-9a-f]{7,40})(?:/.*)?|:[0-9a-f]{64}`),
	version("date", `-(?:preview|exp)-(?:0[1-9]|1[0-2])-(?:[0-3][0-9]|20[0-9]{2})`, `^gemini-`),
	version("date", `-(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])`, `^(?:gpt-[34]|o[0-9]|grok-)`),
	version("date", `-2[0-9](?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])`, `^(?:doubao|seed|skylark)-`),
	version("version", `[-@]00[1-9]`, `^(?:gemini|imagen|veo|claude|text-embedding|textembedding)`),
	version("suffix", `-(?:turbo|lite)(?:-free)?`, `-instruct-`),
	version("suffix", `-(?:versatile|instant|specdec)`, `^llama`),
}

var (
	owner  = lazily(`^([a-z0-9][a-z0-9_.-]*)[/:].`)                       // a provider, a gateway or a maker
	vendor = lazily(`^([a-z][a-z0-9]*)\.[a-z]`)                           // the maker in a name at Bedrock, such as anthropic.claude-v2
	host   = lazily(`[:@]([a-z][a-z0-9-]*)$`)                             // the provider that the router of Hugging Face is to choose
	tag    = lazily(`:(e?[0-9.x]+[bm])(?:-(?:instruct|chat|it|cloud))*$`) // the number of parameters at Ollama
	// instructed matches what many leave out, though it can tell models apart.
	instructed = lazily(`-(?:instruct|chat|it)$`)
	fraction   = lazily(`([0-9])p([0-9])`) // v3p3 is 3.3 at Fireworks
	llama      = lazily(`llama-v([0-9])`)  // llama-v3 is Llama 3 there
	vertex     = lazily(`-v[0-9]+@(20[0-9]{6})$`)
	separators = lazily(`[-._ :/@]+`)
)

// owners are gateways, programs and makers whose names precede those of models. The providers of
// an index are others.
var owners = squashed(`openai azure azure_ai azure_openai azureml anthropic anthropic_text google gemini google-ai-studio
	vertex vertex_ai vertex_ai_beta palm bedrock amazon-bedrock aws-bedrock bedrock_converse sagemaker sagemaker_chat amazon
	meta meta-llama facebook mistral mistralai codestral text-completion-codestral text-completion-openai
	cohere cohere_chat coherelabs cohereforai deepseek deepseek-ai xai groq together together_ai togethercomputer
	fireworks fireworks_ai openrouter litellm litellm_proxy ollama ollama_chat hosted_vllm vllm lm_studio llamafile llamacpp
	github github_copilot githubcopilot github-models huggingface replicate perplexity databricks watsonx watsonx_text
	nvidia nvidia_nim cerebras sambanova deepinfra novita novita-ai voyage voyageai jina jina_ai custom_openai openai_like
	dashscope qwen alibaba moonshot moonshotai volcengine oci snowflake triton predibase baseten featherless_ai friendliai
	nebius hyperbolic lambda lambda_ai gradient_ai vercel vercel_ai_gateway cloudflare ai21 ai21_chat minimax minimaxai
	zai zai-org zhipuai thudm baai microsoft ibm ibm-granite stabilityai elevenlabs deepgram assemblyai infinity xinference
	clarifai wandb writer nousresearch tencent xiaomi xiaomimimo stepfun stepfun-ai baidu sentence-transformers google-bert
	openai-community nomic-ai mixedbread-ai unsloth black-forest-labs inception allenai tiiuae upstage
	stability luma twelvelabs
	googleai google_genai google_vertexai google-gla google-vertex openai-chat openai-responses azure_text gateway copilot_chat opencode
	nim ai docker modelscope localai togetherai anyscale octoai lepton nscale nlp_cloud maritalk aiml aimlapi cometapi requesty helicone
	portkey glama poe heroku ovhcloud datarobot gigachat chutes targon crusoe parasail phala venice aws gcp siliconflow siliconcloud ppio
	groqcloud hf-inference tei oobabooga petals bytez`)

// squash returns the name of a provider without what its spellings differ in.
func squash(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' {
			return -1
		}
		return r
	}, name)
}

func squashed(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[squash(name)] = true
	}
	return set
}

// maxName is the length in bytes of the longest name of a model that is taken apart.
const maxName = 200

// MayNameModel reports whether a text with the given meanings can be the name of a model: whether
// it is not an identifier in a registry of something else.
func MayNameModel(text string, meanings []Reference) bool {
	return len(text) <= maxName && !strings.HasPrefix(strings.ToLower(text), "pkg:") &&
		(len(meanings) == 0 || meanings[0].Namespace == URL || NamesModels(meanings[0].Namespace))
}

// Forms returns what the text of a program can mean as the name of a model: the name as it is
// written, and what remains step by step as parts are left out, the least reduced first.
func Forms(text string, isProvider func(slug string) bool) (list []Form) {
	first := Form{Name: strings.ToLower(text), Exact: true}
	isOwner := func(name string) bool {
		return owners[squash(name)] || isProvider(name) || isProvider(strings.ReplaceAll(name, "_", "-"))
	}
	for _, f := range withoutEnds(first, true, true, isOwner) {
		// Anyone can offer a quantized copy under the name of the model.
		copied := slices.ContainsFunc(f.Dropped, func(s string) bool { return strings.HasPrefix(s, quantization) })
		list = append(list, withoutRoutes(f, func(name string) bool { return copied || isOwner(name) })...)
	}
	return list
}

// IndexForms returns the keys under which a model is found by one of its names: those in ModelForm,
// and those in ModelBase, which versions of the model share.
func IndexForms(name string) (forms, bases []string) {
	first := Form{Name: strings.ToLower(name)}
	anyone := func(string) bool { return true }
	noone := func(string) bool { return false }
	for _, f := range withoutEnds(first, false, false, noone) {
		for _, f := range withoutRoutes(f, anyone) {
			forms = append(forms, f.Key())
		}
	}
	all := withoutEnds(first, true, false, noone)
	all = withoutRoutes(all[len(all)-1], anyone)
	base := all[len(all)-1].Name
	return forms, []string{fold(base), fold(instructed().ReplaceAllString(base, ""))}
}

// maxDropped is how many parts are left out at each end of a name.
const maxDropped = 6

// withoutEnds returns a form and what remains of it after each end. versions is whether to leave
// out what tells versions apart, and tags what tells sizes apart.
func withoutEnds(f Form, versions, tags bool, isOwner func(string) bool) []Form {
	list := []Form{f}
	for range maxDropped {
		what, end, size, isVersion := f.end(versions, tags, isOwner)
		if end == "" || end == f.Name {
			break
		}
		f = Form{f.Name[:len(f.Name)-len(end)], append(slices.Clone(f.Dropped), what+": "+end), cmp.Or(f.Size, size), f.Exact && !isVersion}
		list = append(list, f)
	}
	return list
}

// end returns what can be left out at the end of a name, or "".
func (f Form) end(versions, tags bool, isOwner func(string) bool) (what, end, size string, isVersion bool) {
	last := f.Name[strings.LastIndexByte(f.Name, '/')+1:]
	for _, r := range ends {
		if (versions || !r.version) && (r.names == nil || r.names().MatchString(last)) {
			if end = r.pattern().FindString(f.Name); end != "" {
				return r.what, end, "", r.version
			}
		}
	}
	if m := tag().FindStringSubmatch(f.Name); m != nil && tags {
		return "tag", m[0], m[1], true
	}
	if m := host().FindStringSubmatch(f.Name); m != nil && isOwner(m[1]) {
		return "provider", m[0], "", false
	}
	return "", "", "", false
}

// withoutRoutes returns a form and what remains of it after each route.
func withoutRoutes(f Form, isOwner func(string) bool) []Form {
	list := []Form{f}
	for range maxDropped {
		what, start := f.route(isOwner)
		if start == "" || start == f.Name {
			break
		}
		f = Form{f.Name[len(start):], append(slices.Clone(f.Dropped), what+": "+start), f.Size, f.Exact}
		list = append(list, f)
	}
	return list
}

// route returns what can be left out at the start of a name, or "".
func (f Form) route(isOwner func(string) bool) (what, start string) {
	for _, r := range routes {
		if start = r.pattern().FindString(f.Name); start != "" {
			return r.what, start
		}
	}
	if m := owner().FindStringSubmatch(f.Name); m != nil && isOwner(m[1]) {
		return "prefix", f.Name[:len(m[1])+1]
	}
	if m := vendor().FindStringSubmatch(f.Name); m != nil && isOwner(m[1]) {
		return "prefix", m[1] + "."
	}
	return "", ""
}

// fold returns the form of a name in which spellings are equal: without separators, but for those
// between digits.
func fold(name string) string {
	name = llama().ReplaceAllString(fraction().ReplaceAllString(name, "$1.$2"), "llama-$1")
	name = vertex().ReplaceAllString(name, "-$1")
	var b strings.Builder
	end := 0
	for _, m := range separators().FindAllStringIndex(name, -1) {
		b.WriteString(name[end:m[0]])
		if digitAt(name, m[0]-1) && digitAt(name, m[1]) {
			b.WriteByte('-')
		}
		end = m[1]
	}
	return b.String() + name[end:]
}

func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
