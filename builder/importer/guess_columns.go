package importer

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// column is what is known of a column of a file whose mapping is guessed.
type column struct {
	name   string
	norm   string // the name in lower case, letters and digits only
	last   string // the same of what follows the last dot of the name, or ""
	used   bool
	list   bool           // some values are JSON lists
	other  bool           // some values are objects or lists of objects
	counts map[string]int // the number of rows with each value, or with each entry of a list
	total  int            // the sum of counts
	length int            // the total length of the values in code points

	decimalComma bool // the file has a decimal comma

	unknown map[string]bool // the texts that say that a value is unknown
}

func newColumn(name string) *column {
	last := ""
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		last = normalName(name[i+1:])
	}
	return &column{name: name, norm: normalName(name), last: last, counts: map[string]int{}, unknown: map[string]bool{}}
}

// normalName reduces a name to lower-case letters and digits.
func normalName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// add adds the value of a row.
func (c *column) add(value any) {
	switch v := value.(type) {
	case nil:
	case []any:
		c.list = true
		for _, item := range v {
			c.add(item)
		}
	case map[string]any:
		c.other = true
	case json.Number:
		c.addText(v.String())
	case bool:
		c.addText(textOf(v))
	case string:
		c.addText(strings.TrimSpace(v))
	}
}

func (c *column) addText(text string) {
	switch {
	case text == "":
		return
	case unknownWords[strings.ToLower(text)]:
		c.unknown[text] = true
		return
	}
	c.counts[text]++
	c.total++
	c.length += utf8.RuneCountInString(text)
}

// unknownWords are texts by which files say that a value is unknown.
var unknownWords = map[string]bool{"n/a": true, "na": true, "nan": true, "null": true, "none": true, "-": true, "–": true, "unknown": true, "?": true}

// filled returns the number of values that say something, or 0 if some are objects.
func (c *column) filled() int {
	if c.other {
		return 0
	}
	return c.total
}

// share returns the share of values that pass a test.
func (c *column) share(test func(string) bool) float64 {
	n := 0
	for value, count := range c.counts {
		if test(value) {
			n += count
		}
	}
	return float64(n) / float64(max(1, c.total))
}

// most reports whether at least nine of ten values pass a test.
func (c *column) most(test func(string) bool) bool { return c.total > 0 && c.share(test) >= 0.9 }

// distinct reports whether hardly any value occurs twice.
func (c *column) distinct() bool { return len(c.counts)*10 >= c.total*9 }

func (c *column) meanLen() float64 { return float64(c.length) / float64(max(1, c.total)) }

// sortedValues returns the values, the most frequent first.
func (c *column) sortedValues() []string {
	return slices.SortedFunc(maps.Keys(c.counts), func(a, b string) int {
		if d := c.counts[b] - c.counts[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}

// example returns a value that fails a test, for a message.
func (c *column) example(test func(string) bool) string {
	for _, value := range c.sortedValues() {
		if !test(value) {
			return value
		}
	}
	return ""
}

var (
	addressForm = regexp.MustCompile(`^https?://[^\s/?#@]+([/?#]\S*)?$`)
	githubForm  = regexp.MustCompile(`^https?://(www\.)?(github\.com|gitlab\.com|codeberg\.org)/[^/\s]+/[^/\s]+`)
	pairForm    = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[\w.-]+$`)
	commaForm   = regexp.MustCompile(`^[+-]?\d{1,3}((\.\d{3})+|\d*),\d+$`)
	pointForm   = regexp.MustCompile(`^[+-]?\d{1,3}((,\d{3})+|\d*)\.\d+$`)
	plainName   = regexp.MustCompile(`^[^\s:/?#]+$`)
	pythonForm  = regexp.MustCompile(`^\[.*\]$`)
)

func isAddress(s string) bool     { return addressForm.MatchString(s) }
func isRepository(s string) bool  { return githubForm.MatchString(s) }
func isPair(s string) bool        { return pairForm.MatchString(s) }
func isPlainName(s string) bool   { return plainName.MatchString(s) }
func isPlainNumber(s string) bool { return plainForm.MatchString(s) }
func isGrouped(s string) bool     { return plainForm.MatchString(s) || groupedForm.MatchString(s) }
func isDateOrMonth(s string) bool { return isoDate.MatchString(s) || isoMonth.MatchString(s) }
func isDay(s string) bool         { return isoDate.MatchString(s) }
func isAnswer(s string) bool      { return strings.EqualFold(s, "true") || strings.EqualFold(s, "false") }

// withPoint is a test for numbers with a decimal comma.
func withPoint(test func(string) bool) func(string) bool {
	return func(s string) bool { return test(swapSeparators(s)) }
}

// hasDecimalComma reports whether a file has numbers that can only have a decimal comma, such as
// 4,5, and none that can only have a decimal point.
func hasDecimalComma(columns []*column) bool {
	comma := false
	for _, c := range columns {
		for value := range c.counts {
			if pointForm.MatchString(value) && !groupedForm.MatchString(swapSeparators(value)) {
				return false
			}
			comma = comma || commaForm.MatchString(value) && !groupedForm.MatchString(value)
		}
	}
	return comma
}

func sortedNames(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }
