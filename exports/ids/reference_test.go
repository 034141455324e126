package ids

import (
	"strings"
	"testing"

	"kindex/builder/suite"
)

// indexed is an index with a declared namespace and a provider.
type indexed struct{}

func (indexed) IsIDNamespace(name string) bool { return name == "zoo" || name == "acme" }

func (indexed) IDOnPage(address string) (namespace, value string, ok bool) {
	value, ok = strings.CutPrefix(address, "zoo.example/m/")
	return "zoo", value, ok
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		// package URLs
		"pkg:pypi/Scikit_Learn@1.4.2":                     "pypi:scikit-learn @1.4.2",
		"pkg:npm/%40xenova/transformers@2.0.0?arch=x#lib": "npm:@xenova/transformers @2.0.0 ?arch=x",
		"pkg:cargo/candle_core":                           "crates:candle-core",
		"pkg:golang/github.com/ollama/ollama@v0.1.0#api":  "go:github.com/ollama/ollama/api @v0.1.0, github:ollama/ollama @v0.1.0, go:github.com/ollama/ollama @v0.1.0, github:ollama/ollama @v0.1.0",
		"pkg:maven/dev.langchain4j/langchain4j":           "maven:dev.langchain4j:langchain4j",
		"pkg:conda/pytorch@2.1?channel=pytorch":           "conda:pytorch/pytorch @2.1 ?channel=pytorch, conda:pytorch @2.1 ?channel=pytorch, conda:pytorch @2.1 ?channel=pytorch",
		"conda:acme/pytorch":                              "conda:acme/pytorch, model:conda:acme/pytorch",
		"conda:pytorch/Faiss":                             "conda:pytorch/faiss, conda:faiss, model:conda:pytorch/faiss",
		"pkg:pypi/torch[opt]@2":                           "pypi:torch @2",
		"pkg:docker/docker.io/a/b@1":                      "docker:a/b @1",
		"pkg:docker/b@1?repository_url=docker.io/a":       "docker:a/b @1 ?repository_url=docker.io%2Fa",
		"pkg:docker/ghcr.io/a/b":                          "",
		"pkg:oci/b@sha256:1?repository_url=docker.io/a/b": "docker:a/b @sha256:1 ?repository_url=docker.io%2Fa%2Fb",
		"pkg:oci/b?repository_url=ghcr.io/a/b":            "",
		"pkg:docker/library/python@3":                     "docker:python @3",
		"pkg:huggingface/Qwen/Qwen2-7B@abc":               "huggingface:qwen/qwen2-7b @abc",
		"PKG:github/PyTorch/PyTorch":                      "github:pytorch/pytorch",
		"pkg:zoo/lion":                                    "zoo:lion",
		"pkg:pypi":                                        "",
		"pkg:pypi/a/../b":                                 "",
		// addresses
		"https://github.com/PyTorch/pytorch.git":             "github:pytorch/pytorch, url:github.com/pytorch/pytorch",
		"git+https://github.com/a/b.git":                     "github:a/b, url:github.com/a/b",
		"git@github.com:a/b.git":                             "github:a/b, url:github.com/a/b",
		"http://www.github.com/a/b/tree/main/sub":            "github:a/b @main, url:github.com/a/b/tree/main/sub",
		"https://gitlab.com/g/sub/p/-/issues":                "gitlab:g/sub/p, url:gitlab.com/g/sub/p/-/issues",
		"https://pypi.org/project/torch/2.3.1/":              "pypi:torch @2.3.1, url:pypi.org/project/torch/2.3.1",
		"https://www.npmjs.com/package/@a/b/v/1.0.0":         "npm:@a/b @1.0.0, url:npmjs.com/package/@a/b/v/1.0.0",
		"https://crates.io/crates/burn":                      "crates:burn, url:crates.io/crates/burn",
		"https://pkg.go.dev/golang.org/x/mod@v0.1.0/modfile": "go:golang.org/x/mod @v0.1.0, url:pkg.go.dev/golang.org/x/mod@v0.1.0/modfile",
		"https://huggingface.co/meta-llama/Llama-3.1-8B":     "huggingface:meta-llama/llama-3.1-8b, url:huggingface.co/meta-llama/Llama-3.1-8B",
		"hf.co/gpt2": "huggingface:gpt2, url:huggingface.co/gpt2, model:hf.co/gpt2",
		"https://huggingface.co/papers/1706.03762":                           "arxiv:1706.03762, url:huggingface.co/papers/1706.03762",
		"https://arxiv.org/pdf/1706.03762v7.pdf":                             "arxiv:1706.03762 @7, url:arxiv.org/pdf/1706.03762v7.pdf",
		"https://arxiv.org/abs/hep-th/9901001":                               "arxiv:hep-th/9901001, url:arxiv.org/abs/hep-th/9901001",
		"https://doi.org/10.1000/ABC":                                        "doi:10.1000/abc, url:doi.org/10.1000/ABC",
		"https://mvnrepository.com/artifact/dev.langchain4j/langchain4j/1.0": "maven:dev.langchain4j:langchain4j @1.0, url:mvnrepository.com/artifact/dev.langchain4j/langchain4j/1.0",
		"https://huggingface.co/gpt2/tree/main/sub":                          "huggingface:gpt2/tree, huggingface:gpt2 @main, url:huggingface.co/gpt2/tree/main/sub",
		"https://github.com/a":                                               "url:github.com/a",
		"https://github.com/a//b":                                            "url:github.com/a//b",
		"https://hub.docker.com/r/vllm/vllm-openai":                          "docker:vllm/vllm-openai, url:hub.docker.com/r/vllm/vllm-openai",
		"https://zoo.example/m/lion":                                         "zoo:lion, url:zoo.example/m/lion",
		"https://codeberg.org/a/b":                                           "url:codeberg.org/a/b",
		"http://[::1":                                                        "",
		// papers
		"1706.03762":                "arxiv:1706.03762",
		"arXiv:1706.03762v2":        "arxiv:1706.03762 @2, model:arxiv:1706.03762v2",
		"10.48550/arXiv.1706.03762": "doi:10.48550/arxiv.1706.03762, arxiv:1706.03762",
		"doi:10.1000/182":           "doi:10.1000/182, model:doi:10.1000/182",
		// namespace:id, and names of models
		"pypi:Torch":           "pypi:torch, model:pypi:torch",
		"zoo:lion":             "zoo:lion, model:zoo:lion",
		"model:GPT-4o":         "model:gpt-4o, model:model:gpt-4o",
		"go:github.com/a/b/v2": "go:github.com/a/b/v2, go:github.com/a/b, github:a/b, model:go:github.com/a/b/v2",
		"gpt-4o":               "model:gpt-4o",
		"acme/rocket":          "model:acme/rocket, acme:rocket",
		"llama3:8b":            "model:llama3:8b",
		"anthropic.claude-3-5-sonnet-20240620-v1:0": "model:anthropic.claude-3-5-sonnet-20240620-v1:0",
		"github.com/a/b": "github:a/b, url:github.com/a/b, model:github.com/a/b",
		"":               "",
		"two words":      "",
	} {
		var got []string
		for _, r := range Parse(text, indexed{}) {
			s := r.String()
			if r.Version != "" {
				s += " @" + r.Version
			}
			if r.Qualifiers != "" {
				s += " ?" + r.Qualifiers
			}
			got = append(got, s)
		}
		suite.Equal(t, strings.Join(got, ", "), want, text)
	}
}

// FuzzParse checks that no text has a meaning whose value is not canonical, or costs more
// than a few lookups.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"pkg:golang/github.com/a/b@v1?x=y#c", "git@github.com:a/b.git", "https://huggingface.co/a/b/tree/main", "arXiv:1706.03762v2", "go:github.com/a/b/v2", "a/b:c@d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list := Parse(s, indexed{})
		if len(list) > 10 {
			t.Errorf("%q has %d meanings", s, len(list))
		}
		for _, r := range list {
			if r.Value == "" || r.Namespace == "" || Canonical(r.Namespace, r.Value) != r.Value {
				t.Errorf("%q means %q, which is not canonical", s, r)
			}
		}
	})
}
