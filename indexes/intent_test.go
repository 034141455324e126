package indexes_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// peopleContent is a catalogue for queries as people type them.
func peopleContent(t testing.TB) string {
	dir := t.TempDir()
	files := map[string]string{
		"index":             "title: Test\n",
		"kinds":             "ids:\n  - {name: module, title: Python module}\n",
		"categories":        "categories:\n  - {slug: data, title: Data}\n  - {slug: vector-databases, title: Vector databases}\n  - {slug: language, title: Language models}\n  - {slug: voice-agents, title: Voice agents}\n",
		"tool/pandas":       "name: pandas\ncategory: data\ndescription: Labeled tables in memory.\n",
		"tool/dasky":        "name: Dasky\ncategory: data\ndescription: Splits pandas work over machines.\ntags: [pandas]\n",
		"tool/wordcloud":    "name: WordCloud\ncategory: data\ndescription: Draws words in sizes.\nformerly: [word-cloud]\n",
		"tool/claude-desk":  "name: Claude Desk\ncategory: data\nprovider: Anthropic\ndescription: Talks on the desktop.\n",
		"tool/pytorch":      "name: PyTorch\ncategory: data\ndescription: Tensors and gradients.\nlinks: {package: \"https://pypi.org/project/torch\", repository: \"https://github.com/pytorch/pytorch\"}\n",
		"tool/torchvision":  "name: torchvision\nprovider: PyTorch\ncategory: data\ndescription: Pictures for networks.\n",
		"tool/opencv":       "name: OpenCV\ncategory: data\ndescription: Computer vision.\nids: {module: cv2, pypi: opencv-python}\n",
		"tool/transformers": "name: Transformers\nprovider: Hugging Face\ncategory: data\ndescription: Pretrained networks for text.\n",
		"tool/hub":          "name: huggingface_hub\nprovider: Hugging Face\ncategory: data\ndescription: Downloads files.\n",
		"tool/coeur":        "name: Cœur\ncategory: data\ndescription: Heart rates by Ægir Øst and Łukasz.\n",
		"tool/thai":         "name: ภาษาไทย\ncategory: data\ndescription: Thai words.\n",
		"tool/pine":         "name: Pine\ncategory: vector-databases\ndescription: Hosted search of vectors.\nlicense: MIT\n",
		"tool/quad":         "name: Quad\ncategory: vector-databases\ndescription: Search of vectors on your own machine.\npricingModel: open-source\nlicense: AGPL-3.0-only\n",
		"tool/caller":       "name: Caller\ncategory: voice-agents\ndescription: Transcribes telephone calls of customers in real time.\ntags: [telephony, text-to-video]\n",
		"tool/ringer":       "name: Ringer\ncategory: voice-agents\ndescription: Answers telephone calls and detects fraud.\n",
		"model/gpt-5":       "name: GPT-5\ncategory: language\ndescription: Language model.\nids: {openrouter: openai/gpt-5}\n",
		"model/gpt-4":       "name: GPT-4\ncategory: language\ndescription: Language model of openers.\nstatus: deprecated\n",
	}
	for path, text := range files {
		file := filepath.Join(dir, path+".yaml")
		suite.Check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		suite.Check(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return dir
}

func TestQueriesAsPeopleTypeThem(t *testing.T) {
	c := open(t, peopleContent(t))
	for q, want := range map[string]string{ // the expected first hits
		"panda": "tool/pandas", "transformer": "tool/transformers", // numbers
		"claud": "tool/claude-desk", "gtp 5": "model/gpt-5", // a start before a typo elsewhere, a short word
		"huggingface transformers": "tool/transformers", "hugging face hub": "tool/hub", "text2video": "tool/caller",
		"torch": "tool/pytorch", "cv2": "tool/opencv", "pip install -U torch==2.1": "tool/pytorch", "import cv2 as cv": "tool/opencv",
		"opencv_python": "tool/opencv", "openai/gpt-5": "model/gpt-5", "openrouter/openai/gpt-5:free": "model/gpt-5",
		"https://github.com/pytorch/pytorch": "tool/pytorch", "pytorch/pytorch": "tool/pytorch",
		"coeur": "tool/coeur", "Cœur": "tool/coeur", "aegir": "tool/coeur", "ost lukasz": "tool/coeur", "ไทย": "tool/thai",
		"language model": "model/gpt-5 model/gpt-4", "gpt 4": "model/gpt-4", // retired ones last, unless named
		"alternative to pine": "tool/pine tool/quad", "open source vector database": "tool/quad tool/pine", "agpl": "tool/quad",
		"detecting frauds": "tool/ringer",
	} {
		expected := strings.Fields(want)
		keys, res := c.find(t, q, 50)
		if !slices.Equal(keys[:min(len(keys), len(expected))], expected) {
			t.Errorf("%q finds %v, want %v first", q, keys, expected)
		}
		for _, h := range res.Hits {
			e := c.build.Entity(h.Ordinal)
			if len(res.Highlights(e)) == 0 {
				t.Errorf("%q finds %s without highlights", q, e.Key())
			}
		}
	}
}

func TestExclusions(t *testing.T) {
	c := open(t, peopleContent(t))
	for q, want := range map[string]string{
		"pytorch": "tool/pytorch tool/torchvision", "pytorch -torchvision": "tool/pytorch", "pytorch -PyTorch": "",
		`"telephone calls" -frauds -transcribes`: "", `"telephone calls" -fraud`: "tool/caller", "-pytorch": "tool/pytorch tool/torchvision",
	} {
		if keys, _ := c.find(t, q, 50); !slices.Equal(keys, strings.Fields(want)) {
			t.Errorf("%q finds %v, want %s", q, keys, want)
		}
	}
}

// TestDroppedWords checks that records follow that lack the least telling words, and that the
// result names these.
func TestDroppedWords(t *testing.T) {
	c := open(t, peopleContent(t))
	for q, want := range map[string]struct{ keys, dropped string }{
		"real time voice agents":        {"tool/caller tool/ringer", "real time"},
		"customers voice agents":        {"tool/caller tool/ringer", "customers"},
		`"telephone calls" customers`:   {"tool/caller tool/ringer", "customers"}, // phrases are never dropped
		`telephone "answers" customers`: {"tool/ringer", "customers"},
		"zzzzz voice agents":            {"tool/caller tool/ringer", "zzzzz"},
		"pandas":                        {"tool/pandas tool/dasky", ""},
		"voice agents":                  {"tool/caller tool/ringer", ""},
	} {
		keys, res := c.find(t, q, 50)
		if strings.Join(keys, " ") != want.keys || strings.Join(res.Dropped, " ") != want.dropped {
			t.Errorf("%q finds %v without %v, want %v", q, keys, res.Dropped, want)
		}
	}
}
