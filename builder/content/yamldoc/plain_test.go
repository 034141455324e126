package yamldoc

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// checkPlain reports whether text is read without the parser. If it is, it fails the test unless
// the parser returns the same value and no problem.
func checkPlain(t *testing.T, text string) bool {
	t.Helper()
	d := New("")
	if !d.checkReadable([]byte(text)) {
		return false
	}
	fast, ok := readPlain(text)
	if !ok {
		return false
	}
	if d.parse(text); d.root != nil {
		d.Value = d.root.Value()
	}
	if len(d.Problems) > 0 || !reflect.DeepEqual(d.Value, any(fast)) {
		t.Errorf("%s\nread as  %#v\nparsed as %#v\nproblems %v", text, fast, d.Value, d.Problems)
	}
	return true
}

// entityFiles returns the texts of the entity files of the content for tests.
func entityFiles(t testing.TB) (texts []string) {
	files, err := filepath.Glob(filepath.Join(suite.Content(t), "*", "*.yaml"))
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		data := suite.Must(os.ReadFile(f))(t)
		texts = append(texts, string(data))
	}
	return texts
}

// TestPlain checks that real files are read without the parser, and as it reads them.
func TestPlain(t *testing.T) {
	texts, plain := entityFiles(t), 0
	for _, text := range texts {
		if checkPlain(t, text) {
			plain++
		}
	}
	t.Logf("%d of %d files are read without the parser", plain, len(texts))
	if plain < len(texts)*98/100 {
		t.Errorf("%d of %d files are read without the parser; expected at least 98 %%", plain, len(texts))
	}
}

// TestPlainForms checks which forms are read without the parser.
func TestPlainForms(t *testing.T) {
	data := suite.Must(os.ReadFile("testdata/forms.txt"))(t)
	for line := range strings.Lines(string(data)) {
		word, quoted, _ := strings.Cut(strings.TrimSpace(line), " ")
		text, err := strconv.Unquote(strings.TrimSpace(quoted))
		if word == "#" {
			continue
		}
		if got := checkPlain(t, text); err != nil || got != (word == "plain") {
			t.Errorf("%s is read without the parser: %t (%v)", line, got, err)
		}
	}
	if checkPlain(t, "a: "+strings.Repeat("[", plainDepth)+strings.Repeat("]", plainDepth)+"\n") {
		t.Error("deep nesting is not left to the parser")
	}
}

// TestPlainLocates checks that problems found later have the parser's positions.
func TestPlainLocates(t *testing.T) {
	d := Parse("x.yaml", []byte("a: b\nc:\n  - {d: e}\n"))
	if d.root != nil {
		t.Fatal("the parser was used")
	}
	if line, col := d.Locate([]string{"c", "0", "d"}, false); line != 3 || col != 9 {
		t.Error(line, col)
	}
}

func FuzzPlain(f *testing.F) {
	for i, text := range entityFiles(f) {
		if i%50 == 0 && len(text) < 4000 {
			f.Add(text)
		}
	}
	f.Add("a: [b, c, \"d, e\", 1]\nb: {c: 1.0, \"d\": 'e'}\n# f\n\ng:\n  - h: i\n    j: 2026-01-01\n  - k\n")
	f.Fuzz(func(t *testing.T, text string) { checkPlain(t, text) })
}

// TestPlainRandom compares the two readers on random sequences of the parts of which files
// consist.
func TestPlainRandom(t *testing.T) {
	parts := []string{"a", "b", "c d", ": ", ": ", ":", "\n", "\n", "\n  ", "\n  - ", "\n    ", "- ", "[", "]", "{", "}", ", ", ",", `"`, "'", "#", " #",
		" ", "1", ".5", "-", "true", "null", "2026-01-02", "é", "\u00a0", "x/y", "?", "!", "&", "*", "|", ">", "%", "@", "`", "=", "~", "<<", "\\"}
	rng := rand.New(rand.NewPCG(1, 2))
	runs, plain := 300_000, 0
	if testing.Short() {
		runs = 50_000
	}
	for range runs {
		text := "a: "
		for range rng.IntN(14) {
			text += parts[rng.IntN(len(parts))]
		}
		if checkPlain(t, text) {
			plain++
		}
	}
	t.Logf("%d of %d texts are read without the parser", plain, runs)
	if plain < runs/50 {
		t.Error("too few texts are read without the parser")
	}
}
