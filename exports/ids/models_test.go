package ids

import (
	"slices"
	"strings"
	"testing"
)

// TestForms takes names of models apart, as programs send them.
func TestForms(t *testing.T) {
	for text, want := range map[string]string{
		"rocket-1":                          "rocket1",
		"Rocket-1.5":                        "rocket1-5",
		"openai/rocket-1":                   "rocket1 [prefix: openai/]",
		"openai:chat:rocket-1":              "rocket1 [prefix: openai: prefix: chat:]",
		"acme/rocket-1":                     "rocket1 [prefix: acme/]",
		"stranger/rocket-1":                 "strangerrocket1",
		"rocket-1-20251101":                 "rocket1 [date: -20251101]",
		"rocket-1-2025-11-01":               "rocket1 [date: -2025-11-01]",
		"rocket-1@20251101":                 "rocket1 [date: @20251101]",
		"rocket-20259999":                   "rocket20259999",
		"rocket-1-latest":                   "rocket1 [alias: -latest]",
		"rocket-1:latest":                   "rocket1 [alias: :latest]",
		"gpt-4-0613":                        "gpt4 [date: -0613]",
		"rocket-0613":                       "rocket0613",
		"gemini-9-preview-06-05":            "gemini9 [date: -preview-06-05]",
		"rocket-9-preview":                  "rocket9preview",
		"us.acme.rocket-1-v1:0":             "rocket1 [version: :0 version: -v1 region: us. prefix: acme.]",
		"us-gov.acme.rocket-v1:0":           "rocket [version: :0 version: -v1 region: us-gov. prefix: acme.]",
		"acme.rocket-v2:1":                  "rocketv2-1 [prefix: acme.]",
		"bedrock/converse/eu.acme.rocket-1": "rocket1 [prefix: bedrock/ prefix: converse/ region: eu. prefix: acme.]",
		"bedrock/us-east-1/acme.rocket-1":   "rocket1 [prefix: bedrock/ region: us-east-1/ prefix: acme.]",
		"arn:aws:bedrock:us-east-1::foundation-model/acme.rocket-1":        "rocket1 [ARN: arn:aws:bedrock:us-east-1::foundation-model/ prefix: acme.]",
		"arn:aws:bedrock:us-east-1:123:inference-profile/us.acme.rocket-1": "rocket1 [ARN: arn:aws:bedrock:us-east-1:123:inference-profile/ region: us. prefix: acme.]",
		"projects/p/locations/l/publishers/acme/models/rocket-1":           "rocket1 [path: projects/p/locations/l/publishers/acme/models/]",
		"models/rocket-1":                       "rocket1 [path: models/]",
		"accounts/fireworks/models/rocket-v3p3": "rocketv3-3 [path: accounts/fireworks/models/]",
		"accounts/fireworks/models/llama-v3p3":  "llama3-3 [path: accounts/fireworks/models/]",
		"rocket-v2@20251101":                    "rocketv2 [date: @20251101]",
		"rocket-1:ft-org-2025-11-01":            "rocket1 [fine-tuning: :ft-org-2025-11-01]",
		"o3-mini-high":                          "o3mini [effort: -high]",
		"rocket-1@openai":                       "rocket1 [provider: @openai]",
		"rocket:8b-text":                        "rocket8btext",
		"rocket-1[1m]":                          "rocket1 [suffix: [1m]]",
		"azureml://registries/acme/models/rocket-1/versions/2":             "rocket1 [version: /versions/2 address: azureml://registries/acme/models/]",
		"https://eu.googleapis.com/v1/models/rocket-1:generateContent":     "rocket1 [address: :generatecontent address: https://eu.googleapis.com/v1/models/]",
		"bedrock/us-east-1/1-month-commitment/acme.rocket-1":               "rocket1 [prefix: bedrock/ region: us-east-1/ region: 1-month-commitment/ prefix: acme.]",
		"ft:rocket-1-2025-11-01:org::abc":                                  "rocket1 [fine-tuning: :org::abc date: -2025-11-01 fine-tuning: ft:]",
		"ft:rocket-1:org:name:abc:ckpt-step-90":                            "rocket1 [fine-tuning: :org:name:abc:ckpt-step-90 fine-tuning: ft:]",
		"acme.rocket-v2:1:200k":                                            "rocketv2-1 [version: :200k prefix: acme.]",
		"replicate/acme/rocket-1:" + strings.Repeat("0123456789abcdef", 4): "rocket1 [revision: :" + strings.Repeat("0123456789abcdef", 4) + " prefix: replicate/ prefix: acme/]",
		"rocket-1:free":                          "rocket1 [suffix: :free]",
		"openrouter/acme/rocket-1:online":        "rocket1 [suffix: :online prefix: openrouter/ prefix: acme/]",
		"hf.co/stranger/Rocket-1-GGUF:Q4_K_M":    "rocket1 [quantization: :q4_k_m quantization: -gguf address: hf.co/ prefix: stranger/]",
		"hf://openai/rocket-1@main/config.json":  "rocket1 [revision: @main/config.json address: hf:// prefix: openai/]",
		"rocket-1:acme":                          "rocket1 [provider: :acme]",
		"rocket:70b":                             "rocket [tag: :70b] 70b",
		"ollama_chat/rocket:8b-instruct-q4_0":    "rocket [quantization: -q4_0 tag: :8b-instruct prefix: ollama_chat/] 8b",
		"ollama run rocket":                      "rocket [command: ollama run ]",
		"@cf/acme/rocket-1-fp8-fast":             "rocket1 [quantization: -fp8-fast prefix: @cf/ prefix: acme/]",
		"together_ai/acme/Rocket-Instruct-Turbo": "rocketinstruct [suffix: -turbo prefix: together_ai/ prefix: acme/]",
		"gpt-4-turbo":                            "gpt4turbo",
		"rocket-mini":                            "rocketmini",
	} {
		forms := Forms(text, func(slug string) bool { return slug == "acme" })
		last := forms[len(forms)-1]
		got := last.Key()
		if len(last.Dropped) > 0 {
			got += " [" + strings.Join(last.Dropped, " ") + "]"
		}
		if got = strings.TrimSpace(got + " " + last.Size); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

// TestIndexForms checks that the owner of a name and what tells no versions apart do not matter.
func TestIndexForms(t *testing.T) {
	forms, bases := IndexForms("Stranger/Rocket-1-Instruct-2025-11-01:free")
	for _, want := range []string{"strangerrocket1instruct2025-11-01free", "rocket1instruct2025-11-01"} {
		if !slices.Contains(forms, want) {
			t.Errorf("%s is not in %v", want, forms)
		}
	}
	if want := []string{"rocket1instruct", "rocket1"}; !slices.Equal(bases, want) {
		t.Errorf("bases %v, want %v", bases, want)
	}
}

// FuzzForms checks that taking a name apart ends after a few steps, and leaves a part of it.
func FuzzForms(f *testing.F) {
	for _, s := range []string{"bedrock/us.anthropic.claude-opus-4-5-20251101-v1:0", "ft:gpt-4o:a::b", "hf.co/a/b-GGUF:Q4_K_M", "a:70b", "ſ.K/İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		forms := Forms(s, func(string) bool { return true })
		if len(forms) > (maxDropped+1)*(maxDropped+1) {
			t.Fatalf("%q has %d forms", s, len(forms))
		}
		for _, form := range forms {
			if form.Name == "" && s != "" || !strings.Contains(strings.ToLower(s), form.Name) {
				t.Errorf("%q becomes %q", s, form.Name)
			}
		}
		IndexForms(s)
	})
}
