package didyoumean

import (
	"math/bits"
	"unicode/utf8"
)

// MaxWordLen is the maximum length of a Word in letters.
const MaxWordLen = 64

// Word is a word prepared for comparison with many strings. It may be used
// concurrently.
type Word struct {
	letters    int
	letterMask uint64
	ascii      [utf8.RuneSelf]uint64 // for each ASCII letter, its positions in the word as bits
	others     map[rune]uint64       // the same for non-ASCII letters
}

// NewWord returns a Word for a string of at most MaxWordLen letters.
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

// Letters returns the number of letters in the word.
func (w *Word) Letters() int { return w.letters }

// LetterMask returns a mask with one bit for each letter in a string and another bit for each
// letter that occurs more than once. Letters are distinguished only by their last five bits.
func LetterMask(text string) (mask uint64) {
	for _, r := range text {
		bit := uint64(1) << (r & 31)
		mask |= bit | (mask&bit)<<32
	}
	return mask
}

// MinDistance returns a lower bound for the distance between the word and a string
// with this LetterMask. It holds for every distance in which an edit adds at most
// one letter and removes at most one.
func (w *Word) MinDistance(kinds uint64) int { return minDistance(w.letterMask, kinds) }

func minDistance(a, b uint64) int { return max(bits.OnesCount64(a&^b), bits.OnesCount64(b&^a)) }

// Distance returns the optimal string alignment distance between the word and a
// string: the number of edits, where transposing two adjacent letters is one edit
// and transposed letters are not edited again. It computes a whole column of the
// distance table at a time (H. Hyyrö, "A Bit-Vector Algorithm for Computing
// Levenshtein and Damerau Edit Distances", Nordic Journal of Computing 10, 2003).
func (w *Word) Distance(text string) int {
	if w.letters == 0 {
		return utf8.RuneCountInString(text)
	}
	more, fewer := ^uint64(0), uint64(0) // cells one greater, or one less, than the cell above
	var diagonal uint64                  // cells equal to the cell above and to the left
	var previous uint64                  // positions of the previous letter
	distance, last := w.letters, w.letters-1
	for _, r := range text {
		current := w.positions(r)
		swapped := (^diagonal & current) << 1 & previous
		diagonal = ((current & more) + more ^ more) | current | fewer | swapped
		// Cells one greater, or one less, than the cell to the left.
		right, left := fewer|^(diagonal|more), diagonal&more
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
