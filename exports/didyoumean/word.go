package didyoumean

import "math/bits"

// LetterMask returns a mask with one bit for each letter in a string and another bit for each
// letter that occurs more than once. Letters are distinguished only by their last five bits.
func LetterMask(text string) (mask uint64) {
	for _, r := range text {
		bit := uint64(1) << (r & 31)
		mask |= bit | (mask&bit)<<32
	}
	return mask
}

// MinDistance returns a lower bound for the distance between two strings with these LetterMasks. It holds
// for every distance in which an edit adds at most one letter and removes at most one.
func MinDistance(a, b uint64) int { return max(bits.OnesCount64(a&^b), bits.OnesCount64(b&^a)) }

// Distance returns the optimal string alignment distance between two strings: the number of edits, where
// transposing two adjacent letters is one edit and transposed letters are not edited again.
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	wide := len(t) + 1
	cells := make([]int, (len(s)+1)*wide) // of s[:i] and t[:j]
	for at := range cells {
		switch i, j := at/wide, at%wide; {
		case i == 0 || j == 0:
			cells[at] = i + j
		case s[i-1] == t[j-1]:
			cells[at] = cells[at-wide-1]
		default:
			cells[at] = 1 + min(cells[at-wide], cells[at-1], cells[at-wide-1])
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				cells[at] = min(cells[at], 1+cells[at-2*wide-2])
			}
		}
	}
	return cells[len(cells)-1]
}
