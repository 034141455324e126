package yamlfmt_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/content"
	"kindex/builder/content/contenttest"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/builder/suite"
	"kindex/exports/kinds"
)

// TestFormat formats the single file in each archive in testdata/format. It compares the
// formatted file, or the problems if the file is refused, with the expected output. With
// -update, it writes the actual output; review the diff before you commit it.
func TestFormat(t *testing.T) {
	suite.Archives(t, "testdata/format", 20, func(t *testing.T, name string, files []txtar.File) string {
		in := files[0]
		got, err := yamlfmt.Format(kinds.Default(), "content/"+in.Name, in.Data)
		if refused := strings.HasPrefix(name, "error_"); refused != (err != nil) {
			t.Fatalf("refused: %v", err)
		} else if refused {
			return err.Error() + "\n"
		}
		checkFormat(t, "content/"+in.Name, in.Data, true)
		return string(got)
	})
}

// TestFormatRaw tests input that a text archive cannot represent well.
func TestFormatRaw(t *testing.T) {
	const want = "name: X # é\ndescription: >\n  a\n  b\n\ntags: [a, b]\n# end\n"
	for name, data := range map[string]string{
		"line ends of Windows": "name: X # é\r\ndescription: >\r\n  a\r\n  b\r\n\r\ntags:\r\n- a\r\n- b\r\n# end\r\n",
		"byte order mark":      "\ufeffname: X # é\ndescription: >\n  a\n  b\n\ntags: [a, b]\n# end\n",
		"both":                 "\ufeffname: X # é\r\ndescription: >\r\n  a\r\n  b\r\n\r\ntags: [a, b]\r\n# end",
		"trailing blanks":      "name: X # é   \ndescription: >   \n  a\n  b\n \n  \ntags:   [ a,b ]  \n# end  \n\n\n  \n",
		"no line end":          "name: X # é\ndescription: >\n  a\n  b\n\ntags: [a, b]\n# end",
		"blank lines on top":   "\n\n  \n" + want,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := yamlfmt.Format(kinds.Default(), "content/tool/x.yaml", []byte(data))
			if err != nil || string(got) != want {
				t.Errorf("%v\n--- got\n%s--- want\n%s", err, got, want)
			}
		})
	}
	for name, c := range map[string]struct{ data, want string }{
		"Latin-1":   {"name: Caf\xe9\n", "1:10: is not UTF-8 text from here on"},
		"too large": {"name: X\n# " + strings.Repeat("x", 300000) + "\n", "1:1: is larger than 131072 bytes"},
		"too deep":  {"name: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n", "1:39: is nested more than 32 levels deep"},
		"nothing":   {"", "1:1: is empty"},
		// The parser silently drops the second line.
		"a loss": {"name: X\n!n!!", "1:1: cannot be formatted: one of its 'n' characters would be lost"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := yamlfmt.Format(kinds.Default(), "content/tool/x.yaml", []byte(c.data)); err == nil || !strings.HasPrefix(err.Error(), "content/tool/x.yaml:"+c.want) {
				t.Errorf("%.300v instead of %s\n%.300s", err, c.want, got)
			}
		})
	}
}

// TestFormatExamples checks that the examples in the READMEs are formatted.
func TestFormatExamples(t *testing.T) {
	examples := 0
	for _, readme := range []string{"../../../README.md", "../../../content/README.md"} {
		data := suite.Must(os.ReadFile(readme))(t)
		for _, text := range strings.Split(string(data), "```yaml\n")[1:] {
			text, _, _ = strings.Cut(text, "```")
			if text = unnamed(text); !strings.HasPrefix(text, "name:") {
				continue
			}
			examples++
			if got, err := yamlfmt.Format(kinds.Default(), readme, []byte(text)); err != nil || string(got) != text {
				t.Errorf("%s: %v\n--- formatted\n%s--- original\n%s", readme, err, got, text)
			}
		}
	}
	if examples < 3 {
		t.Errorf("found %d examples, want 3", examples)
	}
}

// FuzzFormat checks that Format either preserves a file's data and comments or refuses the
// file, that formatting the result again changes nothing, and that no input causes a panic.
func FuzzFormat(f *testing.F) {
	for i, data := range contenttest.Seeds(f) {
		if i%5 == 0 {
			f.Add(data)
		}
	}
	f.Add([]byte("name: X\n!n!!")) // the parser treats the second line as a name
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, path := range []string{"content/tool/x.yaml", "content/scoring.yaml"} {
			checkFormat(t, path, data, false)
		}
	})
}

// checkFormat formats a file and compares the result with the original. If strict is set, it
// is an error if Format reports that a valid file cannot be formatted.
func checkFormat(t *testing.T, path string, data []byte, strict bool) {
	t.Helper()
	out, err := yamlfmt.Format(kinds.Default(), path, data)
	if err != nil {
		problems, ok := errors.AsType[yamldoc.Problems](err)
		if !ok || len(problems) == 0 {
			t.Fatalf("an error without a position: %v", err)
		}
		for _, p := range problems {
			contenttest.CheckProblem(t, p)
			if strict && strings.Contains(p.Message, "cannot be formatted") {
				t.Errorf("%v\n%q\n%s", p, data, data)
			}
		}
		return
	}
	again, err := yamlfmt.Format(kinds.Default(), path, out)
	if err != nil || !bytes.Equal(again, out) {
		t.Errorf("formatting again changes it: %v\n--- input\n%q\n--- once\n%s--- twice\n%s", err, data, out, again)
	}
	if n, m := bytes.Count(data, []byte("#")), bytes.Count(out, []byte("#")); n > m {
		t.Errorf("%d of %d # were lost\n%q\n%s", n-m, n, data, out)
	}
	for i, line := range strings.Split(string(out), "\n") {
		if strings.ContainsAny(line, "\r\ufeff") {
			t.Errorf("line %d: %q", i+1, line)
		}
	}
	if !bytes.HasSuffix(out, []byte("\n")) || bytes.HasSuffix(out, []byte("\n\n")) || bytes.HasPrefix(out, []byte("\n")) {
		t.Errorf("blank lines at the start or end: %q", out)
	}
	e1, p1 := content.ParseEntity(kinds.Default(), path, "tool", "x", data)
	e2, p2 := content.ParseEntity(kinds.Default(), path, "tool", "x", out)
	if len(p1) != len(p2) || !reflect.DeepEqual(e1, e2) {
		t.Errorf("another entity: %v %v\n%v %v\n%s", e1, p1, e2, p2, out)
	}
	var v1, v2 any
	if yaml.Unmarshal(data, &v1) == nil {
		if err := yaml.Unmarshal(out, &v2); err != nil {
			t.Errorf("the library cannot read the result: %v\n%s", err, out)
		}
	}
}

// TestFormatScattered adds comments, blank lines and line breaks in random places in valid
// files. Most results are still valid YAML, and all of those must be formatted without losing a
// comment.
func TestFormatScattered(t *testing.T) {
	suite.InTest(t)
	const files = 500
	random := rand.New(rand.NewPCG(1, 2))
	formatted := 0
	for range files {
		text := scatter(random, scattered[random.IntN(len(scattered))])
		path := []string{"content/tool/x.yaml", "content/categories.yaml"}[random.IntN(2)]
		checkFormat(t, path, []byte(text), true)
		out, err := yamlfmt.Format(kinds.Default(), path, []byte(text))
		if err != nil {
			continue
		}
		formatted++
		for _, word := range commentWord.FindAllString(text, -1) {
			if n := strings.Count(string(out), word+"."); n != 1 {
				t.Errorf("%s occurs %d times\n%s\n%s", word, n, text, out)
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if formatted < files/3 {
		t.Errorf("only %d of %d files were valid", formatted, files)
	}
}

var commentWord = regexp.MustCompile(`# remark\d+`)

var scattered = []string{`name: X
category: nlp
description: >
  A text that is
  folded, see #5.
version: 1.10
url: https://a.example/#x
links:
  homepage: https://a.example/
  paper: https://b.example/
tags: [a, "b c", d]
capabilities:
  - one
  - two
signals:
  stars: {value: 1, date: 2026-01-01, source: https://a.example/}
  forks:
    value: 2
    date: 2026-01-01
  benchmarks:
    - {name: "A, b", value: 1.5}
    - name: C
      value: -2
`, `categories:
- slug: a
  title: A
- slug: b
  title: "B: #c"
  description: |
    One
      two
- {slug: c, title: 'It''s'}
`, `version: "1"
types: {tool: {minimumCoverage: 0, dimensions: {adoption: {weight: 1, measures: [{signal: stars, map: log}, {signal: forks}]}}}}
nested:
- - a
  - b
-
  - c
  -
    d: e
    f:
empty: []
none:
also: {}
`}

// scatter changes a file in a few random places.
func scatter(random *rand.Rand, text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	remark := func(i int) string { return fmt.Sprintf("# remark%d.", i) }
	for i := range 1 + random.IntN(8) {
		at := random.IntN(len(lines) + 1)
		indent := strings.Repeat(" ", random.IntN(7))
		if at == len(lines) {
			lines = append(lines, indent+remark(i))
			continue
		}
		line := lines[at]
		switch random.IntN(6) {
		case 0, 1:
			lines = slices.Insert(lines, at, indent+remark(i))
		case 2:
			lines[at] += strings.Repeat(" ", 1+random.IntN(3)) + remark(i)
		case 3:
			lines = slices.Insert(lines, at, "")
		default: // a line break after punctuation, with or without a comment
			signs := regexp.MustCompile(`[\[{,:]( |$)|- |[\[{]|[\]}]`).FindAllStringIndex(line, -1)
			if len(signs) == 0 {
				continue
			}
			cut := signs[random.IntN(len(signs))][1]
			deeper := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " -"))+1+random.IntN(4))
			first := line[:cut]
			if random.IntN(2) == 0 {
				first += " " + remark(i)
			}
			lines = slices.Replace(lines, at, at+1, first, deeper+line[cut:])
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// unnamed returns an example without the line that names its file.
func unnamed(text string) string {
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# content/") {
		return rest
	}
	return text
}
