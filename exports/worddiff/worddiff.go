// Package worddiff finds the words that differ between two versions of a text.
package worddiff

import "strings"

// Kind is what happened to a part of a text: it was kept, deleted or inserted.
type Kind uint8

// The kinds of parts.
const (
	Same Kind = iota
	Deleted
	Inserted
)

// Part is a run of words of the same kind. Its text has single spaces between words and none
// at its ends; parts are separated by spaces.
type Part struct {
	Kind Kind
	Text string
}

// Deleted reports whether the part is only in the old text.
func (p Part) Deleted() bool { return p.Kind == Deleted }

// Inserted reports whether the part is only in the new text.
func (p Part) Inserted() bool { return p.Kind == Inserted }

const (
	maxCells = 250_000 // of the comparison table; texts that differ more are not compared
	minWords = 6       // of the longer text; shorter texts are easier to read one after the other
	minSame  = 3       // one word in this many must be in both texts
	island   = 3       // a single kept word of at most this many bytes is treated as changed
)

// Parts returns the differences between two texts, which consist of words separated by white
// space. At each change, the deleted words come before the inserted ones. It returns nil if the
// texts are short, very long, or have so little in common that they are easier to read one
// after the other.
func Parts(old, new string) []Part {
	a, b := strings.Fields(old), strings.Fields(new)
	if max(len(a), len(b)) < minWords {
		return nil
	}
	begin := 0
	for begin < len(a) && begin < len(b) && a[begin] == b[begin] {
		begin++
	}
	end := 0
	for end < len(a)-begin && end < len(b)-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	x, y := a[begin:len(a)-end], b[begin:len(b)-end]
	if len(x)*len(y) > maxCells {
		return nil
	}
	var words []word
	words = mark(words, Same, a[:begin])
	words = compare(words, x, y)
	words = withoutIslands(mark(words, Same, a[len(a)-end:]))
	same := 0
	for _, w := range words {
		if w.kind == Same {
			same++
		}
	}
	if same*minSame < max(len(a), len(b)) {
		return nil
	}
	return join(words)
}

// word is a word of either text; one that both share is listed once.
type word struct {
	kind Kind
	text string
}

func mark(words []word, kind Kind, list []string) []word {
	for _, text := range list {
		words = append(words, word{kind, text})
	}
	return words
}

// compare appends the differences between two lists of words, according to a longest common
// subsequence.
func compare(words []word, x, y []string) []word {
	width := len(y) + 1
	length := make([]uint16, (len(x)+1)*width) // of the longest common subsequence of x[i:] and y[j:]
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] == y[j]:
			words = append(words, word{Same, x[i]})
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			words = append(words, word{Deleted, x[i]})
			i++
		default:
			words = append(words, word{Inserted, y[j]})
			j++
		}
	}
	return mark(mark(words, Deleted, x[i:]), Inserted, y[j:])
}

// withoutIslands turns short words that were kept between two changes into parts of the change.
func withoutIslands(words []word) (list []word) {
	for i, w := range words {
		if w.kind == Same && len(w.text) <= island && i > 0 && i+1 < len(words) && words[i-1].kind != Same && words[i+1].kind != Same {
			list = append(list, word{Deleted, w.text}, word{Inserted, w.text})
			continue
		}
		list = append(list, w)
	}
	return list
}

// join joins adjacent words of the same kind, deleted ones first.
func join(words []word) (list []Part) {
	for i := 0; i < len(words); {
		var run [3][]string
		changed := words[i].kind != Same
		for ; i < len(words) && (words[i].kind != Same) == changed; i++ {
			run[words[i].kind] = append(run[words[i].kind], words[i].text)
		}
		for kind, texts := range run {
			if len(texts) > 0 {
				list = append(list, Part{Kind(kind), strings.Join(texts, " ")})
			}
		}
	}
	return list
}

// Shorten replaces the middle of kept parts by an ellipsis, so that at most context words remain
// before and after a change. It modifies the list.
func Shorten(parts []Part, context int) []Part {
	for i := range parts {
		p := &parts[i]
		words := strings.Fields(p.Text)
		before, after := context, context // words kept at the beginning and at the end of the part
		if i == 0 {
			before = 0
		}
		if i == len(parts)-1 {
			after = 0
		}
		if p.Kind != Same || len(words) <= before+after+1 {
			continue
		}
		kept := append(append(words[:before:before], "…"), words[len(words)-after:]...)
		p.Text = strings.Join(kept, " ")
	}
	return parts
}
