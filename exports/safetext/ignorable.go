package safetext

import (
	"unicode"
	"unicode/utf8"
)

// Characters that are hidden only next to certain characters.
const (
	nonJoiner  = 0x200c
	joiner     = 0x200d
	textStyle  = 0xfe0e
	emojiStyle = 0xfe0f
	keycap     = 0x20e3

	// lastIdeographic is the last variation selector (VS48) in the sequences registered at
	// https://www.unicode.org/ivd/. If higher selectors were allowed, each ideograph could
	// carry a hidden byte of data.
	lastIdeographic = 0xe011f
)

// blanks are symbols and letters that fonts draw as blank space, although Unicode
// does not list them as ignorable.
var blanks = map[rune]bool{
	0x2800:  true, // BRAILLE PATTERN BLANK
	0xfffc:  true, // OBJECT REPLACEMENT CHARACTER
	0x16fe4: true, // KHITAN SMALL SCRIPT FILLER
	0x1d159: true, // MUSICAL SYMBOL NULL NOTEHEAD
}

// isIgnorable reports whether a character is hidden unless a neighbouring character needs it.
func isIgnorable(r rune) bool {
	switch {
	case r < 0x300:
		return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xad
	case r >= 0x3400 && r < 0xd7a4: // most ideographs and Hangul
		return false
	case r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef: // noncharacters
		return true
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // Cf, but visible: Arabic number signs
		return false
	}
	return blanks[r] || unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// joinsNeighbours reports whether correct spelling needs an ignorable character
// between the character before it and the text after it.
func joinsNeighbours(r, before rune, after string) bool {
	switch {
	case r == nonJoiner:
		return unicode.In(before, joiningScripts...)
	case r == joiner:
		return unicode.In(before, joiningScripts...) || isEmojiBase(before) && isSymbol(first(after))
	case r == textStyle || r == emojiStyle:
		return isSymbol(before) || emojiBases[before] || isKeycapBase(before) && first(after) == keycap
	case r >= 0xfe00 && r <= 0xfe02 || r >= 0xe0100 && r <= lastIdeographic:
		return unicode.Is(unicode.Ideographic, before)
	}
	return false
}

func first(s string) rune {
	if s == "" {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func isEmojiBase(r rune) bool {
	return isSymbol(r) || r == emojiStyle || r >= 0x1f3fb && r <= 0x1f3ff // skin tones
}

func isSymbol(r rune) bool {
	return r >= 0xa9 && r != utf8.RuneError && unicode.In(r, unicode.So, unicode.Sm) && !blanks[r]
}

func isKeycapBase(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }

// emojiBases are punctuation marks and letters that have an emoji form.
// https://www.unicode.org/Public/UCD/latest/ucd/emoji/emoji-variation-sequences.txt
var emojiBases = map[rune]bool{0x203c: true, 0x2049: true, 0x2139: true, 0x3030: true}

// joiningScripts are the scripts whose spelling uses joiners
// (https://www.unicode.org/reports/tr31/#Layout_and_Format_Control_Characters).
var joiningScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Myanmar,
	unicode.Khmer, unicode.Balinese, unicode.Javanese, unicode.Meetei_Mayek,
}

var names = map[rune]string{
	'\t': "tab", '\n': "line feed", '\r': "carriage return", 0x1b: "escape",
	0xad: "soft hyphen", 0x34f: "combining grapheme joiner", 0x61c: "Arabic letter mark",
	0x115f: "Hangul choseong filler", 0x1160: "Hangul jungseong filler", 0x180e: "Mongolian vowel separator",
	0x200b: "zero width space", nonJoiner: "zero width non-joiner", joiner: "zero width joiner",
	0x200e: "left-to-right mark", 0x200f: "right-to-left mark",
	0x2028: "line separator", 0x2029: "paragraph separator",
	0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding", 0x202c: "pop directional formatting",
	0x202d: "left-to-right override", 0x202e: "right-to-left override",
	0x2060: "word joiner", 0x2061: "function application", 0x2062: "invisible times", 0x2063: "invisible separator", 0x2064: "invisible plus",
	0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate", 0x2069: "pop directional isolate",
	0x2800: "blank Braille pattern", 0x3164: "Hangul filler", 0xfeff: "byte order mark", 0xffa0: "halfwidth Hangul filler",
	0xfffc: "object replacement character", 0xe0001: "language tag",
}
