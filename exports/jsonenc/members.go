package jsonenc

// Members calls f with each member of a JSON object that AppendJSON or AppendRow
// wrote: compact, valid, and with names that need no escapes. It only scans the
// bytes, so fields of a record can be selected without decoding it.
func Members(object []byte, f func(name string, value []byte)) {
	i := 1 // after the opening brace
	for i < len(object) && object[i] == '"' {
		end := i + 1
		for object[end] != '"' {
			end++
		}
		name := string(object[i+1 : end])
		from := end + 2 // after the closing quote and the colon
		to := valueEnd(object, from)
		f(name, object[from:to])
		i = to + 1 // after the comma or the closing brace
	}
}

// valueEnd returns the end of the value that starts at i.
func valueEnd(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}
