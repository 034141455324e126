package diff

import (
	"fmt"
	"strings"

	"kindex/builder/plural"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// MaxComment is the maximum size of a comment in bytes: less than GitHub's limit of 65,536
// characters, so that another line can be added.
const MaxComment = 65000

// The limits for each part of the comparison, which let all parts fit together.
const (
	maxDuplicates = 10000
	maxTable      = 25000
	maxEntity     = 10000
	maxValue      = 600 // in characters
)

// Markdown returns the comparison as a comment on a pull request. Strings from files are put
// in code spans or blocks, where GitHub renders no markup, mentions or references.
func (d *Report) Markdown() string {
	c := &markdownComment{}
	c.add("### kindex diff: " + d.countText() + "\n\n")
	c.add(fmt.Sprintf("%s → %s, scores as of %s; %s.\n\n", CodeSpan(d.From.String()), CodeSpan(d.To.String()), d.AsOf[:10], d.totalText()))
	for _, n := range d.Notes {
		c.add("Note: " + CodeSpan(safetext.Shorten(n, maxValue)) + "\n\n")
	}
	if text := d.refusalText(); text != "" {
		c.add("⚠️ **" + text + "**\n\n")
	}
	duplicates := d.DuplicateLines(CodeSpan, func(s string) string { return CodeSpan(safetext.Shorten(s, maxValue)) })
	c.addList("duplicates", maxDuplicates, len(duplicates), func(i int) string { return "- ⚠️ " + duplicates[i] + "\n" })
	if len(d.Entities) > 0 {
		c.add("| | Entity | Composite | Overall rank | Rank in its category |\n|---|---|---|---|---|\n")
		c.addList("entities", maxTable, len(d.Entities), func(i int) string { return tableRow(&d.Entities[i]) })
	}
	d.addRoot(c)
	left := 0
	for i := range d.Entities {
		if block := entityDetails(&d.Entities[i]); block != "" && !c.fits(block) {
			left++
		} else {
			c.add(block)
		}
	}
	if left > 0 {
		c.WriteString(fmt.Sprintf("The fields of %s are omitted because GitHub limits the length of a comment; `kindex diff` shows them all.\n",
			plural.Count(left, "entity", "entities")))
	}
	return c.String()
}

// markdownComment builds a comment of at most MaxComment bytes.
type markdownComment struct{ strings.Builder }

// fits reports whether a part fits into the rest of the comment and leaves room for one more
// line.
func (c *markdownComment) fits(part string) bool { return c.Len()+len(part)+300 <= MaxComment }

func (c *markdownComment) add(part string) {
	if c.fits(part) {
		c.WriteString(part)
	}
}

// addList appends lines from a list up to a maximum size. If items are omitted, it then
// appends a line with their number.
func (c *markdownComment) addList(what string, most, n int, line func(i int) string) {
	if n == 0 {
		return
	}
	end := c.Len() + most
	for i := range n {
		text := line(i)
		if c.Len()+len(text) > end || !c.fits(text) {
			c.WriteString(fmt.Sprintf("\n%d more %s are not listed.\n", n-i, what))
			break
		}
		c.WriteString(text)
	}
	c.WriteByte('\n')
}

func tableRow(e *Entity) string {
	key := "`" + e.Key() + "`"
	if e.former != "" {
		key = fmt.Sprintf("`%s` → %s", e.former, key)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", eventName(e), key,
		arrow(e.Composite.Old.String(), e.Composite.New.String()), arrow(rankText(e.Ranks.All.Old), rankText(e.Ranks.All.New)),
		categoryRankText(e, func(rank, category string) string { return fmt.Sprintf("%s (`%s`)", rank, category) }))
}

// entityDetails returns a collapsible block with the fields of an entity, or "" if there
// are none.
func entityDetails(e *Entity) string {
	var b strings.Builder
	if e.LeadsTo != "" {
		fmt.Fprintf(&b, "  its address redirects to %s\n", e.LeadsTo)
	}
	if text := touchedText(e); text != "" {
		fmt.Fprintf(&b, "  %s\n", text)
	}
	b.WriteString(diffLines(e.Fields))
	if b.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("<details><summary>%s <code>%s</code></summary>\n\n%s\n</details>\n\n", eventName(e), e.Key(), diffBlock(b.String()))
}

func diffLines(fields []record.FieldChange) string {
	var b strings.Builder
	for _, f := range fields {
		for _, l := range linesOf(f) {
			for _, side := range []struct{ sign, value string }{{"-", l.old}, {"+", l.new}} {
				if side.value == "" {
					continue
				}
				text := fmt.Sprintf("%s %s: %s\n", side.sign, l.field, safetext.Shorten(side.value, maxValue))
				if b.Len()+len(text) > maxEntity {
					b.WriteString("  …\n")
					return b.String()
				}
				b.WriteString(text)
			}
		}
	}
	return b.String()
}

func (d *Report) addRoot(c *markdownComment) {
	if f := d.Formula; f != nil {
		c.add("⚠️ " + strings.Join(formulaTexts(f, CodeSpan), " ") + "\n\n")
		if len(f.Largest) > 0 {
			c.add("| Largest moves | Composite |\n|---|---|\n")
			for _, m := range f.Largest {
				c.add(fmt.Sprintf("| `%s` | %s → %s |\n", m.Key(), m.Old, m.New))
			}
			c.add("\n")
		}
	}
	var b strings.Builder
	for i, x := range d.Categories {
		if b.Len() > maxEntity {
			fmt.Fprintf(&b, "  %d more categories\n", len(d.Categories)-i)
			break
		}
		fmt.Fprintf(&b, "  category %s %s\n%s", strings.TrimPrefix(x.Event, "category."), x.Slug, diffLines(x.Fields))
	}
	if len(d.Index) > 0 {
		b.WriteString("  index.yaml\n" + diffLines(d.Index))
	}
	if b.Len() > 0 {
		c.add("<details><summary>categories and index.yaml</summary>\n\n" + diffBlock(b.String()) + "\n</details>\n\n")
	}
}

// diffBlock returns a fenced code block whose content cannot close the block.
func diffBlock(text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + "diff\n" + text + fence + "\n"
}

// CodeSpan returns a string as a code span on one line. The delimiters have more backticks
// than any run of backticks in the string.
func CodeSpan(s string) string {
	s = safetext.Printable(s)
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.TrimSpace(s) != s || s == "" {
		s = " " + s + " "
	}
	return fence + s + fence
}

func longestRun(s string, of rune) (most int) {
	n := 0
	for _, r := range s {
		if n++; r != of {
			n = 0
		}
		most = max(most, n)
	}
	return most
}
