package record

import "kindex/exports/kinds"

// Reference is a field of an entity that names another one.
type Reference struct {
	Field *kinds.Field
	Key   string // type/slug
	Index int    // in the list of the field, or -1 if it is no list
}

// References returns what the declared fields of an entity name, in the order of the record.
func (e *Entity) References() (list []Reference) {
	for _, v := range e.Values {
		if v.Field.Words() != kinds.Reference {
			continue
		}
		for i, key := range v.Field.Texts(v.Value) {
			if !v.Field.IsList() {
				i = -1
			}
			list = append(list, Reference{v.Field, key, i})
		}
	}
	return list
}
