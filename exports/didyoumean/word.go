package didyoumean

import (
	"math/bits"
	"unicode/utf8"
)

// MaxWordLen is how many letters a Word may have.
const MaxWordLen = 64

// Word is a text that many others are compared with. It may be used from many
// goroutines.
type Word struct {
	letters    int
	letterMask uint64
	ascii      [utf8.RuneSelf]uint64 // where a letter stands in the word, a bit for each place
	others     map[rune]uint64       // the same of other letters
}

// NewWord returns a text of at most MaxWordLen letters as a word.
func NewWord(text string) *Word {
	w := &Word{letterMask: LetterMask(text)}
	for _, r := range text {
		position := uint64(1) << w.letters
		w.letters++
		if r < utf8.RuneSelf {
			w.ascii[r] |= position
			continue
		}
		if w.others == nil {
			w.others = map[rune]uint64{}
		}
		w.others[r] |= position
	}
	return w
}

// Letters is how many letters the word has.
func (w *Word) Letters() int { return w.letters }

// LetterMask has a bit for each kind of letter that a text has, and one for each that it
// has more than once. Letters are told apart by their last five bits.
func LetterMask(text string) (mask uint64) {
	for _, r := range text {
		bit := uint64(1) << (r & 31)
		mask |= bit | (mask&bit)<<32
	}
	return mask
}

// MinDistance is how many edits the word and a text with such letters are apart at least, by
// whatever rule: an edit adds one letter at most, and takes one away.
func (w *Word) MinDistance(kinds uint64) int { return minDistance(w.letterMask, kinds) }

func minDistance(a, b uint64) int { return max(bits.OnesCount64(a&^b), bits.OnesCount64(b&^a)) }

// Distance is how many edits lead from the word to a text, where exchanging two
// neighbours is one, after which neither is edited again (optimal string alignment). A
// column of the table of distances is computed at once (H. Hyyrö, "A Bit-Vector
// Algorithm for Computing Levenshtein and Damerau Edit Distances", Nordic Journal of
// Computing 10, 2003).
func (w *Word) Distance(text string) int {
	if w.letters == 0 {
		return utf8.RuneCountInString(text)
	}
	more, fewer := ^uint64(0), uint64(0) // where a cell is one more than that above it, or one fewer
	var diagonal, previous uint64        // where a cell is that left above it; where the letter before stands
	distance, last := w.letters, w.letters-1
	for _, r := range text {
		current := w.positions(r)
		swapped := (^diagonal & current) << 1 & previous
		diagonal = ((current & more) + more ^ more) | current | fewer | swapped
		right, left := fewer|^(diagonal|more), diagonal&more // where a cell is one more than that left of it, or one fewer
		distance += int(right>>last&1) - int(left>>last&1)
		right, left = right<<1|1, left<<1
		more, fewer, previous = left|^(diagonal|right), right&diagonal, current
	}
	return distance
}

func (w *Word) positions(r rune) uint64 {
	if r < utf8.RuneSelf {
		return w.ascii[r]
	}
	return w.others[r]
}
