package indexes

import (
	"encoding/binary"
	"errors"
	"path/filepath"

	"github.com/blevesearch/vellum"
)

// aliasesFile stores the earlier slugs of records, which the records do not contain.
// Each key is the number of the document followed by a slug.
const aliasesFile = "formerly.fst"

// aliases returns the sorted earlier slugs of a record.
func (x *Index) aliases(o uint32) (slugs []string, err error) {
	if !x.isStored(o) {
		return x.document(o).aliases, nil
	}
	it, err := x.aliasFST.Iterator(aliasKey(o, ""), aliasKey(o+1, ""))
	for ; err == nil; err = it.Next() {
		key, _ := it.Current()
		slugs = append(slugs, string(key[4:]))
	}
	if errors.Is(err, vellum.ErrIteratorDone) {
		err = nil
	}
	return slugs, err
}

func aliasKey(docNum uint32, slug string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, docNum), slug...)
}

// writeAliases writes aliasesFile from sorted keys.
func writeAliases(dir string, keys [][]byte) error {
	return writeTransducer(filepath.Join(dir, aliasesFile), func(insert func(key []byte, value uint64)) {
		for _, k := range keys {
			insert(k, 0)
		}
	})
}
