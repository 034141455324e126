package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"kindex/exports/safetext"
)

// bareScalar matches texts that YAML reads as strings without quotes, apart from reservedWords.
var bareScalar = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

var reservedWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan"}

// writable reports whether a text can be a value in a mapping.
func writable(text string) bool {
	for range safetext.Hidden(text) {
		return false
	}
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= 200
}

// scalar returns a text as a YAML scalar. JSON strings are YAML scalars.
func scalar(text string) string {
	if bareScalar.MatchString(text) && !slices.Contains(reservedWords, strings.ToLower(text)) {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // cannot happen for a string
	}
	return strings.TrimSpace(b.String())
}

// yaml returns the mapping, and completes unsure in its order.
func (g *guesser) yaml(file string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# A proposed mapping for %s. Lines marked \"check\" are guesses.\n", strings.Map(dropControl, file))
	b.WriteString("#\n# The list must be credited: fill in where it comes from, and uncomment the line.\n" +
		"# source: {name: , url: , license: , date: }   # date: the day on which the figures were read\n")
	early := g.unsure
	g.unsure = nil
	typ := g.typ
	if g.typeColumn != nil {
		typ = scalar(g.typeColumn.name)
	} else {
		typ = "{constant: " + typ + "}"
	}
	g.line(&b, "", "type", typ, g.typeDoubt)
	g.input(&b)
	for _, section := range []string{"fields", "links", "ids", "modalities", "parameters", "signals"} {
		g.section(&b, section)
	}
	g.unsure = append(g.unsure, early...)
	return b.Bytes()
}

// input writes the format of the file, if its name does not say it all.
func (g *guesser) input(b *bytes.Buffer) {
	var parts []string
	switch g.delimiter {
	case 0:
	case '\t':
		parts = append(parts, "delimiter: tab")
	default:
		parts = append(parts, "delimiter: "+scalar(string(g.delimiter)))
	}
	switch {
	case g.decimalComma:
		parts = append(parts, `decimal: ","`)
	case slices.ContainsFunc(g.chosen, func(c choice) bool { return strings.HasPrefix(c.doubt, "commas are read") }):
		parts = append(parts, `decimal: "."`)
	}
	missing := map[string]bool{}
	for _, c := range g.chosen {
		for text := range c.unknown {
			missing[scalar(text)] = true
		}
	}
	if len(missing) > 0 {
		parts = append(parts, "missing: ["+strings.Join(slices.Sorted(maps.Keys(missing)), ", ")+"]")
	}
	if len(parts) > 0 {
		g.line(b, "", "input", "{"+strings.Join(parts, ", ")+"}", "")
	}
}

// section writes the fields of one part of the mapping.
func (g *guesser) section(b *bytes.Buffer, section string) {
	first := true
	for _, c := range g.chosen {
		part, name, nested := strings.Cut(c.path, ".")
		if !nested {
			part, name = "fields", c.path
		}
		if part != section {
			continue
		}
		if first {
			fmt.Fprintf(b, "%s:\n", section)
			first = false
		}
		g.line(b, "  ", name, c.form, c.doubt)
	}
}

// line writes one field, and records what is unsure about it.
func (g *guesser) line(b *bytes.Buffer, indent, name, form, doubt string) {
	fmt.Fprintf(b, "%s%s: %s", indent, name, form)
	if doubt != "" {
		fmt.Fprintf(b, "   # check: %s", strings.Map(dropControl, doubt))
		g.unsure = append(g.unsure, name+": "+doubt)
	}
	b.WriteByte('\n')
}

// dropControl removes characters that would end a comment.
func dropControl(r rune) rune {
	if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff {
		return -1
	}
	return r
}
