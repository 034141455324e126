package exports

import (
	"fmt"
)

// sectioned opens lookup files, keeping the first error.
type sectioned struct {
	b   *Build
	err error
}

func (s *sectioned) open(name string, want int) [][]byte {
	parts, err := unpackSections(s.b.files[name], want)
	if err != nil {
		if s.err == nil {
			s.err = fmt.Errorf("%s: %w", name, err)
		}
		return make([][]byte, want)
	}
	return parts
}

func (s *sectioned) strings(name string, part []byte) stringTable {
	t, err := openStrings(part)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("%s: %w", name, err)
	}
	return t
}

func (s *sectioned) postings(name string, parts [][]byte) postings {
	p := postings{keys: s.strings(name, parts[0]), ends: parts[1], sets: parts[2]}
	n := p.keys.len()
	s.check(name, len(p.ends) == 8*(n+1) && uint64At(p.ends, n) == uint64(len(p.sets)))
	return p
}

// check notes that a lookup file is not of the shape that it should have.
func (s *sectioned) check(name string, fits bool) {
	if !fits && s.err == nil {
		s.err = fmt.Errorf("%s: %w", name, errSections)
	}
}
