package packed

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestStringBuilder checks that a builder writes what PackStrings packs, also if strings fill several
// blocks or are larger than one.
func TestStringBuilder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, longest := range []int{0, 3, 1000, blockSize / 2, blockSize + 1} {
		var list []string
		var b StringBuilder
		for range r.IntN(10) + longest/100000 {
			s := strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(longest+1))
			list = append(list, s)
			b.Add([]byte(s))
		}
		var file bytes.Buffer
		n, err := b.WriteTo(&file)
		if err != nil || n != int64(file.Len()) {
			t.Fatalf("%d bytes, %d counted: %v", file.Len(), n, err)
		}
		if want := PackStrings(list); !bytes.Equal(file.Bytes(), want) {
			t.Fatalf("%d strings of up to %d bytes differ from those packed", len(list), longest)
		}
		table, err := OpenStrings(file.Bytes())
		if err != nil || table.Len() != len(list) {
			t.Fatalf("%d strings of %d: %v", table.Len(), len(list), err)
		}
		for i, s := range list {
			if got := table.At(i); string(got) != s {
				t.Fatalf("string %d has %d bytes, not %d", i, len(got), len(s))
			}
		}
	}
}

// TestTooLarge checks the limit of a table. Strings that exceed it would take too much memory here.
func TestTooLarge(t *testing.T) {
	if err := checkText(3, 1<<32-1); err != nil {
		t.Error(err)
	}
	if err := checkText(3, 1<<32); err == nil || !strings.Contains(err.Error(), "4294967296 bytes") {
		t.Errorf("4 GiB: %v", err)
	}
}
