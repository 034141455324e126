package record

import (
	"cmp"
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
