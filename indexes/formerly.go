package indexes

import (
	"encoding/binary"
	"errors"
	"path/filepath"

	"github.com/blevesearch/vellum"
)

// formerlyFile holds the earlier slugs of records, which the records do not
// have, each behind the number of the document.
const formerlyFile = "formerly.fst"

// formerly returns the earlier slugs of a record, sorted.
func (x *Index) formerly(o uint32) (slugs []string, err error) {
	number := x.number(o)
	if number == nowhere {
		return x.document(o).formerly, nil
	}
	it, err := x.oldSlugs.Iterator(formerlyKey(number, ""), formerlyKey(number+1, ""))
	for ; err == nil; err = it.Next() {
		key, _ := it.Current()
		slugs = append(slugs, string(key[4:]))
	}
	if errors.Is(err, vellum.ErrIteratorDone) {
		err = nil
	}
	return slugs, err
}

func formerlyKey(number uint32, slug string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, number), slug...)
}

// writeFormerly makes the file from keys in order.
func writeFormerly(dir string, keys [][]byte) error {
	return writeTransducer(filepath.Join(dir, formerlyFile), func(insert func(key []byte, value uint64)) {
		for _, k := range keys {
			insert(k, 0)
		}
	})
}
