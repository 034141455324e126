package content_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder"
	"kindex/builder/content/contenttest"
	"kindex/builder/suite"
)

// problemLine matches a report line, which starts with a position so that editors and
// terminals can jump there.
var problemLine = regexp.MustCompile(`^[^:]+:\d+:\d+: `)

// TestLint loads one malformed content folder for each archive in testdata/lint and compares the
// whole report. With -update, it writes the actual report; review the diff before you commit it.
func TestLint(t *testing.T) {
	suite.InTest(t)
	suite.Archives(t, "testdata/lint", 60, func(t *testing.T, _ string, archive []txtar.File) string {
		files := map[string]string{}
		for _, f := range archive {
			files["content/"+f.Name] = string(f.Data)
		}
		got := report(t, files)
		contenttest.CheckReport(t, got)
		return got
	})
}

// report writes files to an empty folder, loads its content and returns the
// report.
func report(t *testing.T, files map[string]string) string {
	t.Helper()
	writeFiles(t, files)
	_, problems, err := builder.LoadContent("content", nil)
	if err != nil {
		t.Fatalf("the folder could not be read at all: %v", err)
	}
	if len(problems) == 0 {
		return ""
	}
	return problems.Error() + "\n"
}

// writeFiles changes to a new folder and writes files to it.
func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	suite.Write(t, ".", files)
}

// TestLintRaw tests input that a text archive cannot represent well: other encodings, line
// endings, and very large files.
func TestLintRaw(t *testing.T) {
	suite.InTest(t)
	const good = "name: X\ncategory: nlp\ndescription: D\n"
	crlf := strings.NewReplacer("\n", "\r\n")
	for name, c := range map[string]struct{ data, want string }{
		"Latin-1":            {"name: X\ndescription: Caf\xe9\n", "2:17: is not UTF-8 text from here on; save the file as UTF-8"},
		"UTF-16":             {"\xff\xfen\x00a\x00", "1:1: is not UTF-8 text from here on; save the file as UTF-8"},
		"half a character":   {"name: \"\U0001f600 \xf0\x9f\"\n", "1:10: is not UTF-8 text from here on; save the file as UTF-8"},
		"NUL":                {"name: X\x00\n", "1:8: contains the hidden character U+0000 (control character) here; remove it"},
		"escape":             {good + "# \x1b[2J\n", "4:3: contains the hidden character U+001B (escape) here; remove it"},
		"bidi in comment":    {good + "tags: [a] # é \u202e\n", "4:15: contains the hidden character U+202E (right-to-left override) here; remove it"},
		"line separator":     {"name: X\u2028Y\n", "1:8: contains the hidden character U+2028 (line separator) here; remove it"},
		"BOM in the middle":  {good + "\ufeffurl: x\n", "4:1: contains the hidden character U+FEFF (byte order mark) here; remove it"},
		"BOM and a mistake":  {"\ufeffnam: X\n" + good, "1:1: nam: unknown field"},
		"CRLF and a mistake": {crlf.Replace(good + "\ntags: [A]\n"), `5:8: tags[0]: "A": use lower-case`},
		"CRLF and a tab":     {crlf.Replace(good + "links:\n\tdemo: x\n"), "5:1: contains a tab here; use spaces"},
		"CRLF in a text":     {"name: X\ncategory: nlp\r\ndescription: |\r\n  a\r\n  b\r\n", `3:14: description: "a\nb": use one line`},
		"too large":          {good + strings.Repeat("# comment\n", 30000), "1:1: is larger than 131072 bytes"},
		"too large, one line": {good + "url: https://a.example/" + strings.Repeat("x", 300000),
			"1:1: is larger than 131072 bytes"},
		"long text":        {strings.Replace(good, "D", strings.Repeat("é ", 40000)+"é", 1), "3:14: description: has 80001 characters; at most 2000 are allowed"},
		"long key":         {good + strings.Repeat("k", 1000) + ": x\n", `4:1: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk…": unknown field`},
		"many fields":      {strings.Repeat("a: 1\n", 8000), "1:1: has more than 16384 tokens"},
		"many blank lines": {good + "provider: >\n" + strings.Repeat("\n", 101) + "  x\n", "105:1: more than 100 consecutive blank lines; remove them"},
		"many returns":     {good + "provider: >\n" + strings.Repeat("\r", 5000), "4:1: more than 100 consecutive blank lines; remove them"},
		"blank lines":      {good + strings.Repeat("\n", 100) + "x: 1\n", "104:1: x: unknown field"},
		"many documents":   {strings.Repeat("--- \n", 20000), "1:1: has more than 8192 lines"},
		"many entries":     {good + "tags: [" + strings.Repeat("a, ", 5000) + "a]", "4:7: tags: has 5001 entries; at most 50 are allowed"},
		"many colons":      {"name: " + strings.Repeat("a: ", 5000), "1:7: is not valid YAML: "},
		"only dashes":      {strings.Repeat("- ", 5000), "1:65: is nested more than 32 levels deep"},
		"only brackets":    {strings.Repeat("[{", 5000), "1:33: is nested more than 32 levels deep"},
		"only quotes":      {strings.Repeat(`"`, 5001), "1:5001: is not valid YAML: "},
		"only carriage":    {strings.Repeat("\r", 5000), "1:1: is empty"},
		"anchors in line":  {strings.Repeat("&a ", 5000), "1:4: is not valid YAML: "},
	} {
		t.Run(name, func(t *testing.T) {
			got := report(t, map[string]string{"content/tool/x.yaml": c.data})
			if !strings.HasPrefix(got, "content/tool/x.yaml:"+c.want) {
				t.Errorf("the report is %.500q, want prefix %q", got, c.want)
			}
			for line := range strings.Lines(got) {
				if !problemLine.MatchString(line) || !strings.HasSuffix(line, "\n") {
					t.Errorf("not a report line: %q", line)
				}
			}
		})
	}
}
