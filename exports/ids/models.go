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
	pattern func() *regexp.Regexp // its first group is left out, or all that it matches
	names   func() *regexp.Regexp // the names to which it applies, nil for all
	about   trait
}

// trait says what the part that a rule leaves out is about.
type trait int

const (
	spelling  trait = iota
	version         // it tells versions of the model apart
	size            // it does so by the number of parameters, in the second group
	ownership       // the second group is an owner
)

// lazily returns a function that compiles a regular expression at its first call, because most
// commands need none of those for the names of models.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

func leading(what, pattern string) rule {
	return rule{what, lazily(`^(?:` + pattern + `)`), nil, spelling}
}

func trailing(what, pattern string) rule {
	return rule{what, lazily(`(?:` + pattern + `)$`), nil, spelling}
}

// versioned returns a rule for what tells versions of models apart, in names that match.
func versioned(what, pattern, names string) rule {
	return rule{what, lazily(`(?:` + pattern + `)$`), lazily(names), version}
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
	{"prefix", lazily(`^(([a-z0-9][a-z0-9_.-]*)[/:]).`), nil, ownership}, // a provider, a gateway or a maker
	{"prefix", lazily(`^(([a-z][a-z0-9]*)\.)[a-z]`), nil, ownership},     // the maker in a name at Bedrock, such as anthropic.claude-v2
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
	versioned(fineTuning, `:[^:/]*:[^:/]*:[^:/]+(?::ckpt-step-[0-9]+)?`, `^ft:[^:]+:[^:]*:[^:]*:[^:]+(?::ckpt-step-[0-9]+)?$`),
	versioned(fineTuning, `:ft-[^/:]+`, ""),
	versioned("version", `:0(?::[0-9]+k)?|:[0-9]+k`, `-v[0-9]+:`),
	versioned("version", `-v1`, `[a-z]\.[a-z]|-20[0-9]{6}-v1$`),
	versioned("version", `-v[2-9]`, `-20[0-9]{6}-v[2-9]$`),
	versioned("version", `/versions/[^/]+`, ""),
	trailing("suffix", `-maas`),
	versioned("effort", `-(?:x?high|medium|low|minimal)`, `^(?:gpt-5|o[134])[a-z0-9.-]*-[a-z]+$`),
	versioned("alias", `[-:@]latest`, ""),
	versioned("date", `[-@:](?:20[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])|20[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))`, ""),
	trailing("revision", `@(?:main|master|default|[0-9a-f]{7,40})(?:/.*)?|:[0-9a-f]{64}`),
	versioned("date", `-(?:preview|exp)-(?:0[1-9]|1[0-2])-(?:[0-3][0-9]|20[0-9]{2})`, `^gemini-`),
	versioned("date", `-(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])`, `^(?:gpt-[34]|o[0-9]|grok-)`),
	versioned("date", `-2[0-9](?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])`, `^(?:doubao|seed|skylark)-`),
	versioned("version", `[-@]00[1-9]`, `^(?:gemini|imagen|veo|claude|text-embedding|textembedding)`),
	versioned("suffix", `-(?:turbo|lite)(?:-free)?`, `-instruct-`),
	versioned("suffix", `-(?:versatile|instant|specdec)`, `^llama`),
	{"tag", lazily(`(:(e?[0-9.x]+[bm])(?:-(?:instruct|chat|it|cloud))*)$`), nil, size}, // at Ollama
	{"provider", lazily(`([:@]([a-z][a-z0-9-]*))$`), nil, ownership},                   // that the router of Hugging Face is to choose
}

var (
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
	for _, f := range first.without(ends, size, isOwner) {
		// Anyone can offer a quantized copy under the name of the model.
		copied := slices.ContainsFunc(f.Dropped, func(s string) bool { return strings.HasPrefix(s, quantization) })
		list = append(list, f.without(routes, size, func(name string) bool { return copied || isOwner(name) })...)
	}
	return list
}

// IndexForms returns the keys under which a model is found by one of its names: those in ModelForm,
// and those in ModelBase, which versions of the model share.
func IndexForms(name string) (forms, bases []string) {
	first := Form{Name: strings.ToLower(name)}
	anyone := func(string) bool { return true }
	noone := func(string) bool { return false }
	for _, f := range first.without(ends, spelling, noone) {
		for _, f := range f.without(routes, spelling, anyone) {
			forms = append(forms, f.Key())
		}
	}
	all := first.without(ends, version, noone)
	all = all[len(all)-1].without(routes, version, anyone)
	base := all[len(all)-1].Name
	return forms, []string{fold(base), fold(instructed().ReplaceAllString(base, ""))}
}

// maxDropped is how many parts are left out at each end of a name.
const maxDropped = 6

// without returns a form and what remains of it after each part that rules leave out. most is the last of spelling,
// version and size that may be left out.
func (f Form) without(rules []rule, most trait, isOwner func(string) bool) []Form {
	list := []Form{f}
	for range maxDropped {
		r, at := f.part(rules, most, isOwner)
		if r == nil || at[1]-at[0] == len(f.Name) {
			break
		}
		dropped := append(slices.Clone(f.Dropped), r.what+": "+f.Name[at[0]:at[1]])
		parameters := ""
		if r.about == size {
			parameters = f.Name[at[2]:at[3]]
		}
		f = Form{f.Name[:at[0]] + f.Name[at[1]:], dropped, cmp.Or(f.Size, parameters), f.Exact && r.about != version && r.about != size}
		list = append(list, f)
	}
	return list
}

// part returns the first rule that leaves out a part of a name, and where that part and the second group start and end.
func (f Form) part(rules []rule, most trait, isOwner func(string) bool) (_ *rule, at []int) {
	last := f.Name[strings.LastIndexByte(f.Name, '/')+1:]
	for i := range rules {
		r := &rules[i]
		if r.about != ownership && r.about > most || r.names != nil && !r.names().MatchString(last) {
			continue
		}
		at := r.pattern().FindStringSubmatchIndex(f.Name)
		if len(at) > 2 {
			at = at[2:]
		}
		if at != nil && (r.about != ownership || isOwner(f.Name[at[2]:at[3]])) {
			return r, at
		}
	}
	return nil, nil
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
