package edgetest

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"kindex/builder/suite"
)

// address is the address that the examples use for the edge.
const address = "http://127.0.0.1:8080"

// Block is a fenced block in a Markdown file.
type Block struct {
	Line     int    // line of its opening fence, from 1
	Language string // the first word after the opening fence
	// File is the file name if the block is a file. The name is the second word after the fence,
	// or the first line if that is a comment with only a file name, such as "# sync.py" or "//
	// sync.mjs". That line is part of the text.
	File string
	Text string
}

// Blocks returns the fenced blocks of a Markdown file under Root, in order.
func Blocks(t testing.TB, file string) []Block {
	t.Helper()
	source := suite.Must(os.ReadFile(filepath.Join(suite.Root(t), file)))(t)
	var blocks []Block
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if fenced, ok := n.(*ast.FencedCodeBlock); ok && entering {
			blocks = append(blocks, block(fenced, source))
		}
		return ast.WalkContinue, nil
	})
	if len(blocks) == 0 {
		t.Fatalf("%s has no fenced blocks", file)
	}
	return blocks
}

var namingLine = regexp.MustCompile(`^(?:#|//|--)[ \t]*([\w.][\w./-]*\.\w+)[ \t]*\n`)

func block(n *ast.FencedCodeBlock, source []byte) Block {
	b := Block{Text: string(n.Lines().Value(source))}
	if n.Info != nil {
		b.Line = 1 + bytes.Count(source[:n.Info.Segment.Start], []byte("\n"))
		words := append(strings.Fields(string(n.Info.Value(source))), "", "")
		b.Language, b.File = words[0], words[1]
	} else if n.Lines().Len() > 0 {
		b.Line = bytes.Count(source[:n.Lines().At(0).Start], []byte("\n"))
	}
	if m := namingLine.FindStringSubmatch(b.Text); m != nil && b.File == "" {
		b.File = m[1]
	}
	return b
}

// shown reports whether a program printed what an example shows. In the example, "…" matches any
// output, and a line break with the spaces around it matches any amount of space, because long
// output is wrapped for the reader.
func shown(want, got string) bool {
	pattern := regexp.QuoteMeta(strings.TrimSpace(want))
	pattern = regexp.MustCompile(`[ \t]*\n\s*`).ReplaceAllString(pattern, `\s*`)
	pattern = strings.ReplaceAll(pattern, "…", `(?s:.*?)`)
	return regexp.MustCompile(`^\s*` + pattern + `\s*$`).MatchString(got)
}
