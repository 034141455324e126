package indexes_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"kindex/builder/suite"
	"kindex/exports/record"
)

// oddContent is a catalogue of names that are hard to find.
func oddContent(t testing.TB) string {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"tool/pandarallel":   "name: Pandaral·lel\ncategory: a\ndescription: Runs pandas on all cores.\n",
		"model/detr":         "name: DE⫶TR\ncategory: vision\ndescription: End-to-end object detection & <b>more</b>.\n",
		"tool/r":             "name: R\ncategory: languages\ndescription: Statistics.\n",
		"tool/ray":           "name: Ray\ncategory: a\ndescription: Scales.\n",
		"model/command-r":    "name: Command R\ncategory: b\ndescription: A model for retrieval.\n",
		"tool/rpy2":          "name: rpy2\ncategory: a\ndescription: Calls R from Python.\ntags: [r]\n",
		"tool/c":             "name: C\ncategory: languages\ndescription: Small.\n",
		"tool/cpp":           "name: C++\ncategory: languages\ndescription: Large.\n",
		"tool/csharp":        "name: C#\ncategory: languages\ndescription: Managed.\n",
		"tool/scikit-learn":  "name: scikit-learn\ncategory: a\ndescription: Classical machine learning.\n",
		"model/gpt-4":        "name: GPT-4\ncategory: b\ndescription: Language model.\n",
		"model/gpt-4o":       "name: GPT-4o\ncategory: b\ndescription: Omni model.\n",
		"model/gpt-5":        "name: GPT-5\ncategory: b\ndescription: Language model, the fifth.\n",
		"model/o3":           "name: o3\ncategory: b\ndescription: Reasons.\n",
		"model/o3-mini":      "name: o3-mini\ncategory: b\ndescription: Reasons, smaller.\n",
		"model/ernie":        "name: 文心一言\ncategory: b\ndescription: 百度的大语言模型。\n",
		"model/wenxin":       "name: 文学心理\ncategory: b\ndescription: Another.\n",
		"tool/senor":         "name: Señor Café\ncategory: a\ndescription: Marks & accents, \"quoted\".\n",
		"tool/gidra":         "name: Ёлка Гидра\ncategory: a\ndescription: По-русски.\n",
		"tool/hammer":        "name: Hammer\ncategory: hand-tools\ndescription: Drives nails.\nformerly: [nail-driver, old-hammer]\n",
		"model/mail":         "name: Mail\ncategory: b\nprovider: Open Letters\ndescription: Writes.\nstatus: deprecated\n",
		"model/mail-2":       "name: Mail 2\ncategory: b\nprovider: Open Letters\ndescription: Writes mail by open letters.\n",
		"tool/mail":          "name: Mail\ncategory: b\nprovider: Somebody\ndescription: Sends.\n",
		"tool/ollama":        "name: Ollama\ncategory: a\ndescription: Runs models.\n",
		"tool/llama-index":   "name: LlamaIndex\ncategory: a\ndescription: Retrieves.\n",
		"model/opus-4-5":     "name: Claude Opus 4.5\ncategory: b\ndescription: Opus.\ntags: [claude-opus]\n",
		"model/opus-5":       "name: Claude Opus 5\ncategory: b\ndescription: Opus, the fifth.\n",
		"tool/deepseek-chat": "name: DeepSeek Chat\ncategory: b\ndescription: Talks.\nprovider: The Acme Technologies\n",
	} {
		file := filepath.Join(dir, path+".yaml")
		suite.Check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		suite.Check(t, os.WriteFile(file, []byte(text), 0o644))
	}
	categories := "categories:\n  - {slug: a, title: Libraries}\n  - {slug: b, title: Language models}\n" +
		"  - {slug: hand-tools, title: Implements for the workbench}\n  - {slug: languages, title: Languages}\n  - {slug: vision, title: Vision}\n"
	suite.Check(t, os.WriteFile(filepath.Join(dir, "categories.yaml"), []byte(categories), 0o644))
	return dir
}

// TestLastLetterTwice checks that a name whose last letter was typed twice is found, although without it the word
// would be in descriptions.
func TestLastLetterTwice(t *testing.T) {
	suite.WithoutRace(t)
	c := realCatalogue(t)
	tried := 0
	c.each(t, func(e *record.Entity) {
		if len(e.Name) < 4 || e.Status == record.Withdrawn || strings.ContainsFunc(e.Name, func(r rune) bool { return !unicode.IsLetter(r) || r > unicode.MaxASCII }) {
			return
		}
		tried++
		if hits, _ := c.find(t, e.Name+e.Name[len(e.Name)-1:], 3); !slices.Contains(hits, e.Key()) {
			t.Errorf("%s: %v", e.Name, hits)
		}
	})
	if tried < 50 {
		t.Errorf("only %d names", tried)
	}
}

func TestNamesThatAreHardToFind(t *testing.T) {
	c := open(t, oddContent(t))
	for q, want := range map[string]string{ // the expected first hits
		"pandarallel": "tool/pandarallel", "Pandaral·lel": "tool/pandarallel", "pandaral lel": "tool/pandarallel", "pandarall": "tool/pandarallel",
		"pandralel": "tool/pandarallel", "detr": "model/detr", "DE⫶TR": "model/detr", "de tr": "model/detr",
		"r": "tool/r tool/rpy2 tool/ray model/command-r", "R": "tool/r tool/rpy2 tool/ray model/command-r",
		"c": "tool/c model/command-r tool/cpp tool/csharp", "c++": "tool/cpp", "C#": "tool/csharp", "cpp": "tool/cpp",
		"scikit-learn": "tool/scikit-learn", "scikit learn": "tool/scikit-learn", "scikitlearn": "tool/scikit-learn",
		"Scikit_Learn": "tool/scikit-learn", "scikitlern": "tool/scikit-learn", "sckit-learn": "tool/scikit-learn", "scikitl": "tool/scikit-learn",
		"gpt4": "model/gpt-4 model/gpt-4o", "GPT 4": "model/gpt-4 model/gpt-4o", "gpt-4": "model/gpt-4 model/gpt-4o", `"GPT 4"`: "model/gpt-4",
		"gpt4o": "model/gpt-4o", "gpt-5": "model/gpt-5", "gpt5": "model/gpt-5", "o3": "model/o3 model/o3-mini", "o3-mini": "model/o3-mini", "o3 mini": "model/o3-mini", "o3mini": "model/o3-mini",
		"文心一言": "model/ernie", "文心": "model/ernie model/wenxin", `"文心"`: "model/ernie", "语言模型": "model/ernie",
		"senor cafe": "tool/senor", "SEÑOR CAFÉ": "tool/senor", "café": "tool/senor", "cafe\u0301": "tool/senor",
		"елка": "tool/gidra", "ёлка гидра": "tool/gidra", "гидраа": "tool/gidra",
		"olama": "tool/ollama tool/llama-index", "caude opus 5": "model/opus-5 model/opus-4-5", "claude ops 4.5": "model/opus-4-5",
		"old-hammer": "tool/hammer", "nail driver": "tool/hammer", "naildriver": "tool/hammer", "workbench": "tool/hammer", "hand tools": "tool/hammer",
		"deep seek": "tool/deepseek-chat", "deep seek chat": "tool/deepseek-chat", "technologies": "tool/deepseek-chat", "technology": "tool/deepseek-chat",
		"open letters mail": "model/mail", "mail openletters": "model/mail", "open mail": "model/mail", "somebody mail": "tool/mail",
		"acme": "tool/deepseek-chat", "technologis": "tool/deepseek-chat", "the acme": "tool/deepseek-chat", "object-detection": "model/detr",
		"claude 3 opus": "model/opus-4-5 model/opus-5", "opus 4": "model/opus-4-5", "claude haiku": "model/opus-4-5 model/opus-5",
	} {
		expected := strings.Fields(want)
		keys, _ := c.find(t, q, 50)
		if !slices.Equal(keys[:min(len(keys), len(expected))], expected) {
			t.Errorf("%q finds %v, want %v first", q, keys, expected)
		}
	}
	for q, not := range map[string]string{"gpt-4": "model/gpt-5", "gpt4": "model/gpt-5", "gpt-5": "model/gpt-4", `"文心"`: "model/wenxin", `"gpt 4"`: "model/gpt-4o"} {
		if keys, _ := c.find(t, q, 50); slices.Contains(keys, not) {
			t.Errorf("%q finds %v", q, keys)
		}
	}
}

// TestNear checks which near names are found for queries without search results.
func TestNear(t *testing.T) {
	suite.WithoutRace(t)
	c := realCatalogue(t)
	for q, want := range map[string]string{
		"pyttrchhh": "PyTorch", "tensorfolllow": "TensorFlow", "gtp4": "GPT", "scikkitleeern": "scikit-learn", "bayezzyan": "Bayesian Optimization",
		"pytorchhhhhhhhhhh": "PyTorch", "tranzfoormerz": "Transformers", "kerass2": "Keras", "llamma77": "Llama",
	} {
		if keys, _ := c.find(t, q, 1); len(keys) > 0 {
			t.Errorf("%q finds %v", q, keys)
		}
		list := c.index.NearestNames(q, c.all, 5)
		if len(list) == 0 || len(list) > 5 {
			t.Fatalf("%q: %v", q, list)
		}
		near := slices.ContainsFunc(list, func(o uint32) bool {
			e := c.build.Entity(o)
			return strings.HasPrefix(e.Name, want)
		})
		if !near {
			t.Errorf("%s is not near %q", want, q)
		}
	}
	for _, q := range []string{"", "!", "zz", "qjxqjxqjx", strings.Repeat("x", 500)} {
		if list := c.index.NearestNames(q, c.all, 5); len(list) != 0 {
			t.Errorf("near %.20q are %v", q, list)
		}
	}
}

var dotAtLetter = regexp.MustCompile(`(\pL)\.|\.(\pL)`)

// TestBeginnings compares suggestions for prefixes of names with the results of a
// scan.
func TestBeginnings(t *testing.T) {
	suite.InTest(t)
	c := realCatalogue(t)
	suggested := 0
	for _, q := range []string{"p", "py", "pyt", "s", "sc", "sci", "scikit l", "g", "gp", "gpt", "gpt 4", "c", "q3", "2", "2.5", "x", "zzz"} {
		want := 0
		c.each(t, func(e *record.Entity) {
			// The names are split into words as in the index: at all signs, and at a dot next to a letter.
			plain := dotAtLetter.ReplaceAllString(strings.ToLower(e.Name), "$1 $2")
			name := " " + strings.Join(strings.FieldsFunc(plain, func(r rune) bool {
				return r != '.' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
			}), " ")
			if strings.Contains(name, " "+q) {
				want++
			}
		})
		list, total := c.index.Suggest(q, c.all, 5)
		if total != want || len(list) != min(want, 5) {
			t.Errorf("%q suggests %d of %d, want %d", q, len(list), total, want)
		}
		suggested += total
	}
	if suggested < 100 {
		t.Errorf("only %d suggestions", suggested)
	}
	for q, want := range map[string]string{"gpt 5": "GPT-5", "ollama": "Ollama"} { // the whole name comes first
		if list, _ := c.index.Suggest(q, c.all, 5); len(list) == 0 || c.build.Entity(list[0]).Name != want {
			t.Errorf("%q suggests %v, want %s first", q, list, want)
		}
	}
}
