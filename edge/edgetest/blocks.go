package edgetest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
	text, err := os.ReadFile(filepath.Join(suite.Root(t), file))
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := parseBlocks(string(text))
	if err != nil {
		t.Fatalf("%s:%v", file, err)
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no fenced blocks", file)
	}
	return blocks
}

var (
	fence      = regexp.MustCompile("^([ \t>]*)(```+|~~~+)[ \t]*([^`]*)$")
	namingLine = regexp.MustCompile(`^(?:#|//|--)[ \t]*([\w.][\w./-]*\.\w+)[ \t]*$`)
)

// parseBlocks finds fenced blocks as defined in section 4.5 of CommonMark 0.31, in lists of any
// depth. It removes the fence's indentation from the lines of the block.
func parseBlocks(text string) ([]Block, error) {
	var blocks []Block
	var open []string // parts of the opening fence, or nil outside a block
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		m := fence.FindStringSubmatch(line)
		switch {
		case open == nil && m == nil:
		case open == nil:
			open = m
			b := Block{Line: n + 1}
			if words := strings.Fields(m[3]); len(words) > 0 {
				b.Language = words[0]
				if len(words) > 1 {
					b.File = words[1]
				}
			}
			blocks = append(blocks, b)
		case m != nil && strings.HasPrefix(m[2], open[2]) && m[3] == "":
			open = nil
		default:
			b := &blocks[len(blocks)-1]
			line = unindent(line, open[1])
			if m := namingLine.FindStringSubmatch(line); m != nil && b.Text == "" && b.File == "" {
				b.File = m[1]
			}
			b.Text += line + "\n"
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%d: the block has no closing fence", blocks[len(blocks)-1].Line)
	}
	return blocks, nil
}

// unindent removes the fence's indentation from a line, or as much of it as the line has.
func unindent(line, indent string) string {
	for range indent {
		if line == "" || !strings.ContainsRune(" \t>", rune(line[0])) {
			break
		}
		line = line[1:]
	}
	return line
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
