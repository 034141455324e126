package didyoumean

// table computes distances. It reuses its memory.
type table struct {
	cells   []int  // row by row; cell i, j is the distance between the first i and j letters
	lastRow []int  // for each column, the last row so far with the same letter, or 0
	a, b    []rune // the letters of the rows and columns
}

// distance returns the Damerau-Levenshtein distance between two strings: the number of edits,
// where transposing two letters that have become adjacent is one edit (R. Lowrance, R. A. Wagner,
// "An Extension of the String-to-String Correction Problem", Journal of the ACM 22, 1975).
func (t *table) distance(a, b string) int {
	t.fill(a, b)
	width := len(t.b) + 1
	for i, letter := range t.a {
		above, row := t.cells[i*width:(i+1)*width], t.cells[(i+1)*width:(i+2)*width]
		lastColumn := 0 // the last column so far with the letter of the row, or 0
		for j, other := range t.b {
			edits := above[j]
			if letter != other {
				edits++
			}
			edits = min(edits, above[j+1]+1, row[j]+1)
			if r, c := t.lastRow[j], lastColumn; r > 0 && c > 0 {
				between := i - r + j - c // letters between those to transpose
				edits = min(edits, t.cells[(r-1)*width+c-1]+between+1)
			}
			if letter == other {
				lastColumn = j + 1
			}
			row[j+1] = edits
		}
		for j, other := range t.b {
			if letter == other {
				t.lastRow[j] = i + 1
			}
		}
	}
	return t.cells[len(t.a)*width+len(t.b)]
}

// fill prepares the table: it sets the first row and the first column.
func (t *table) fill(a, b string) {
	t.a, t.b = appendRunes(t.a[:0], a), appendRunes(t.b[:0], b)
	width := len(t.b) + 1
	if n := (len(t.a) + 1) * width; n > len(t.cells) {
		t.cells = make([]int, 2*n)
	}
	if len(t.b) > len(t.lastRow) {
		t.lastRow = make([]int, 2*len(t.b))
	}
	clear(t.lastRow[:len(t.b)])
	for j := range width {
		t.cells[j] = j
	}
	for i := range t.a {
		t.cells[(i+1)*width] = i + 1
	}
}

func appendRunes(dst []rune, s string) []rune {
	for _, r := range s {
		dst = append(dst, r)
	}
	return dst
}
