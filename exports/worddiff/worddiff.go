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
	s := script{words: make([]word, 0, len(a)+len(b))}
	s.add(Same, a[:begin]...)
	s.compare(x, y)
	s.add(Same, a[len(a)-end:]...)
	s.joinIslands()
	if s.count(Same)*minSame < max(len(a), len(b)) {
		return nil
	}
	return s.parts()
}

// word is a word with its kind.
type word struct {
	kind Kind
	text string
}

// script lists the words of both texts; a word that both share is listed once.
type script struct{ words []word }

func (s *script) add(kind Kind, list ...string) {
	for _, text := range list {
		s.words = append(s.words, word{kind, text})
	}
}

func (s *script) count(kind Kind) (n int) {
	for _, w := range s.words {
		if w.kind == kind {
			n++
		}
	}
	return n
}

// compare appends the differences between two lists of words, according to a longest common
// subsequence.
func (s *script) compare(x, y []string) {
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
			s.add(Same, x[i])
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			s.add(Deleted, x[i])
			i++
		default:
			s.add(Inserted, y[j])
			j++
		}
	}
	s.add(Deleted, x[i:]...)
	s.add(Inserted, y[j:]...)
}

// joinIslands turns short words that were kept between two changes into parts of the change.
func (s *script) joinIslands() {
	var list []word
	for i, w := range s.words {
		if w.kind == Same && len(w.text) <= island && i > 0 && i+1 < len(s.words) && s.words[i-1].kind != Same && s.words[i+1].kind != Same {
			list = append(list, word{Deleted, w.text}, word{Inserted, w.text})
			continue
		}
		list = append(list, w)
	}
	s.words = list
}

// parts joins adjacent words of the same kind, deleted ones first.
func (s *script) parts() (list []Part) {
	for i := 0; i < len(s.words); {
		var run [3][]string
		changed := s.words[i].kind != Same
		for ; i < len(s.words) && (s.words[i].kind != Same) == changed; i++ {
			w := s.words[i]
			run[w.kind] = append(run[w.kind], w.text)
		}
		for kind, words := range run {
			if len(words) > 0 {
				list = append(list, Part{Kind(kind), strings.Join(words, " ")})
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
