package record

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// FieldValues returns an entity's values in one of the view.FilterFields.
func (e *Entity) FieldValues(field string) []string {
	switch field {
	case "capability":
		return e.Capabilities
	case "tag":
		return e.Tags
	}
	for _, v := range e.Values {
		if v.Field.Query == field {
			return v.Field.Texts(v.Value)
		}
	}
	if text := e.Text(field); text != "" {
		return []string{text}
	}
	return nil
}

// Text returns the text in a member of the record, or "" if it is unknown.
func (e *Entity) Text(member string) string {
	for _, m := range e.texts() {
		if m.name == member {
			return *m.value.(*string)
		}
	}
	return ""
}

// FoldName returns what the spellings of a name have in common, such as GPT-4 and gpt 4: the letters and digits of
// Fold, and plus signs and hashes, since C++ and C# are not C.
func FoldName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || r == '+' || r == '#' {
			return r
		}
		return -1
	}, Fold(name))
}

// Fold returns the form in which names and filter values are compared: in lower
// case, with compatibility characters decomposed and diacritics removed, so that
// "É" matches "e" and "Œ" matches "oe".
func Fold(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(s) // as most texts, whose words searches fold one by one
	}
	return undecomposed.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s)))
}

// undecomposed replaces letters that Unicode does not decompose by what people type for them.
var undecomposed = strings.NewReplacer("œ", "oe", "æ", "ae", "ø", "o", "ł", "l", "ß", "ss", "đ", "d", "ð", "d", "þ", "th", "ħ", "h", "ı", "i", "ŧ", "t")

// CompareRank defines the order of ordinals: listed entities before withdrawn ones,
// then by composite score with the best first and null last, then by type and slug.
func CompareRank(a, b *Entity) int {
	c := CompareStanding(a.Status == Withdrawn, b.Status == Withdrawn, a.Scores.Composite, b.Scores.Composite)
	if c != 0 {
		return c
	}
	return CompareKey(a, b)
}

// CompareStanding is CompareRank without the types and slugs: two entities with the same standing
// are ordered by CompareKey.
func CompareStanding(withdrawnA, withdrawnB bool, compositeA, compositeB Score) int {
	return cmp.Or(CompareBools(withdrawnA, withdrawnB), compositeB.Compare(compositeA))
}

// CompareKey orders by type, then slug.
func CompareKey(a, b *Entity) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Slug, b.Slug))
}

// CompareBools orders false before true.
func CompareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Names of benchmark results used to contain their details in parentheses, such as
// "Terminal-Bench (Artificial Analysis, 2.1, Codex, medium)": who published it, the version
// or the dataset, the harness, and the variant. Unfold takes such names apart. FoldedName
// is its inverse; changes are compared and identified by it, so that taking a name apart is
// no change.

// What the details in parentheses may be.
var (
	foldedPublishers = []string{"Artificial Analysis", "Scale", "swebench.com"}
	foldedHarnesses  = []string{"Claude Code", "Codex", "Codex CLI", "Cursor CLI", "Gemini CLI", "Mini-SWE-Agent", "Terminus-2"}
	foldedEfforts    = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	foldedDatasets   = []string{"hard-aa", "public"}
	foldedVersion    = regexp.MustCompile(`^[0-9]+(\.[0-9]+)+$`)
)

// comparison follows the maker that published a table of several makers' models.
const comparison = " comparison"

// Unfold moves the details that the name of a result contains into their fields. It leaves
// a name alone whose parentheses contain anything else, and a result that has details.
func (b *Benchmark) Unfold() {
	name, rest, _ := strings.Cut(b.Name, " (")
	rest, ok := strings.CutSuffix(rest, ")")
	if !ok || *b != (Benchmark{Name: b.Name, Value: b.Value, Date: b.Date, Source: b.Source}) {
		return
	}
	u := Benchmark{Name: name, Value: b.Value, Date: b.Date, Source: b.Source}
	for i, part := range strings.Split(rest, ", ") {
		maker, compared := strings.CutSuffix(part, comparison)
		switch {
		case i == 0 && part == ByMaker:
			u.By = ByMaker
		case i == 0 && compared:
			u.By, u.Publisher = ByMaker, maker
		case i == 0 && slices.Contains(foldedPublishers, part):
			u.By, u.Publisher = ByIndependent, part
		case foldedVersion.MatchString(part):
			u.Version = part
		case slices.Contains(foldedDatasets, part):
			u.Dataset = part
		case slices.Contains(foldedHarnesses, part):
			u.Harness = part
		case slices.Contains(foldedEfforts, part):
			u.Variant = part
		default:
			return
		}
	}
	if u.FoldedName() == b.Name {
		*b = u
	}
}

// FoldedName returns the name of a result with its details in parentheses.
func (b *Benchmark) FoldedName() string {
	publisher := b.Publisher
	switch {
	case b.By == ByMaker && publisher != "":
		publisher += comparison
	case b.By == ByMaker:
		publisher = ByMaker
	}
	parts := []string{publisher, b.Version, b.Dataset, b.Harness, b.Variant}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return b.Name
	}
	return b.Name + " (" + strings.Join(parts, ", ") + ")"
}

// Identity returns a string that is equal for two results with the same name and details,
// also if one of them has a folded name.
func (b *Benchmark) Identity() string {
	apart := *b
	apart.Unfold()
	name := apart.FoldedName()
	again := Benchmark{Name: name, Value: b.Value, Date: b.Date, Source: b.Source}
	if again.Unfold(); again == apart {
		return name
	}
	return strings.Join([]string{name, apart.Metric, apart.Harness, apart.Variant, apart.Dataset, apart.Version, apart.By, apart.Publisher}, "\x00")
}
