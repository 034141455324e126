// Package safetext finds, removes and escapes hidden characters in text.
//
// The text may reach people, terminals, spreadsheets and agents.
//
// A character is hidden if it is invisible or changes how its neighbours are shown:
// controls, format characters and other default ignorable code points
// (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point), line and
// paragraph separators, private-use characters, noncharacters, and symbols that are
// drawn as blanks. Correct spelling needs a few of these characters in certain
// places. There they do not count as hidden:
//
//   - ZERO WIDTH JOINER and NON-JOINER after a letter or mark of a script that
//     joins letters, such as Arabic or Devanagari;
//   - ZERO WIDTH JOINER between two symbols, and one variation selector after a
//     symbol: emoji sequences (https://www.unicode.org/reports/tr51/);
//   - one registered variation selector after an ideograph
//     (https://www.unicode.org/reports/tr37/).
//
// Unassigned code points do not count as hidden: fonts draw a box for them, and
// they may be letters or emoji that are newer than the program. The functions may
// be called concurrently.
package safetext

import (
	"fmt"
	"iter"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden returns the hidden characters of s and the offsets of their first bytes.
// They include line breaks and tabs. A byte that is not valid UTF-8 is returned as
// utf8.RuneError. A correctly encoded U+FFFD does not count as hidden.
func Hidden(s string) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		previous := rune(-1)
		for i := 0; i < len(s); {
			if c := s[i]; c >= ' ' && c < 0x7f {
				previous = rune(c)
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			if (r == utf8.RuneError && n == 1 || isIgnorable(r) && !joinsNeighbours(r, previous, s[i+n:])) && !yield(i, r) {
				return
			}
			previous = r
			i += n
		}
	}
}

// Contains reports whether s contains a hidden character.
func Contains(s string) bool {
	for range Hidden(s) {
		return true
	}
	return false
}

// Strip returns s without its hidden characters.
func Strip(s string) string { return Replace(s, "") }

// Replace returns s with each hidden character replaced.
func Replace(s, replacement string) string {
	return replace(s, func(rune) string { return replacement })
}

// Escape returns s with each hidden character, including line breaks, written as an
// escape sequence that YAML and Go share: \u200b, or \U000e0041 above U+FFFF. It is
// for terminals and for reviewers, who must see every character.
func Escape(s string) string { return replace(s, escape) }

// EscapeLines is like Escape, but leaves line feeds and tabs unchanged.
func EscapeLines(s string) string {
	return replace(s, func(r rune) string {
		if r == '\n' || r == '\t' {
			return string(r)
		}
		return escape(r)
	})
}

// OneLine returns s on one line: each run of white space and hidden characters
// becomes one space, and none remains at either end.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(Replace(s, " "), func(r rune) bool { return unicode.IsSpace(r) || r == utf8.RuneError }), " ")
}

// Shorten returns s or, if it has more than limit characters, its first limit
// characters and an ellipsis. It is for messages and logs that quote input.
func Shorten(s string, limit int) string {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// EscapeJSON is like EscapeLines, but writes characters above U+FFFF as surrogate pairs, so
// that a JSON document keeps its meaning when it is escaped.
func EscapeJSON(s string) string {
	return replace(s, func(r rune) string {
		if r == '\n' || r == '\t' {
			return string(r)
		}
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			return escape(high) + escape(low)
		}
		return escape(r)
	})
}

// Describe returns the code point and name of a character for a message, such as "U+200B
// (zero width space)".
func Describe(r rune) string {
	if name := names[r]; name != "" {
		return fmt.Sprintf("%U (%s)", r, name)
	}
	switch {
	case r >= 0xe0020 && r <= 0xe007f:
		return fmt.Sprintf("%U (tag character)", r)
	case unicode.Is(unicode.Variation_Selector, r):
		return fmt.Sprintf("%U (variation selector)", r)
	case unicode.Is(unicode.Co, r):
		return fmt.Sprintf("%U (private use)", r)
	case unicode.IsControl(r):
		return fmt.Sprintf("%U (control character)", r)
	}
	return fmt.Sprintf("%U", r)
}

func replace(s string, replacement func(rune) string) string {
	var b strings.Builder
	done := 0
	for i, r := range Hidden(s) {
		b.WriteString(s[done:i])
		b.WriteString(replacement(r))
		_, n := utf8.DecodeRuneInString(s[i:])
		done = i + n
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

func escape(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Quote returns a string in double quotes and escapes the characters that a
// terminal interprets or hides.
func Quote(s string) string { return Escape(strconv.Quote(s)) }

// Printable returns a string unchanged if a terminal shows all of it. Otherwise it
// quotes the string.
func Printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) && !Contains(s) {
		return s
	}
	return Quote(s)
}

// Address returns an address for a message, quoted: without user information, query and fragment,
// each of which can be a secret. A text that is no address is cut the same way.
func Address(s string) string {
	rest := ""
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s, rest = s[:i], s[i:i+1]+"…"
	}
	scheme := ""
	if i := strings.Index(s, "://"); i >= 0 {
		scheme, s = s[:i+3], s[i+3:]
	}
	// A password can contain slashes and more than one @.
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = "…" + s[i:]
	}
	return Quote(scheme + s + rest)
}

// credentials match user information, and the values of parameters that are named after secrets.
var credentials = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*:/{1,2})[^\s"'/?#]+@|([?&][^=&\s"']*(?i:token|key|secret|sig|pass|credential)[^=&\s"']*=)[^&\s"'#]+`)
})

// WithoutCredentials returns a message in which the addresses that it repeats have lost their credentials: people
// also paste addresses where none is expected.
func WithoutCredentials(message string) string {
	return credentials().ReplaceAllStringFunc(message, func(found string) string {
		m := credentials().FindStringSubmatch(found)
		switch {
		case m[2] != "":
			return m[2] + "…"
		case strings.HasSuffix(found, ":xxxxx@"): // it was left out before
			return found
		}
		return m[1] + "…@"
	})
}

// Loopback reports whether a host name or IP address is always this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}

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

// End returns a text with a full stop at its end, unless it is a sentence already.
func End(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
