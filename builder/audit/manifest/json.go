package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// jsonValue is a string in a JSON file. Other values are left out.
type jsonValue struct {
	path []string // keys; elements of arrays have the key of their array
	text string
	line int
}

// jsonReader is a JSON file that is being read.
type jsonReader struct {
	file    *file
	decoder *json.Decoder
	visit   func(v *jsonValue) error
	path    []string
	offset  int // up to which lines were counted
	line    int
}

// readJSON calls visit with the strings in a JSON file, in order. Their paths are valid
// during the call.
func (f *file) readJSON(visit func(v *jsonValue) error) error {
	r := &jsonReader{file: f, decoder: json.NewDecoder(bytes.NewReader(f.data)), visit: visit, line: 1}
	r.decoder.UseNumber()
	if err := r.value(); err != nil {
		return err
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return f.wrong(r.lineNow(), "data follows the JSON value")
	}
	return nil
}

func (r *jsonReader) value() error {
	if len(r.path) > maxNesting {
		return r.file.wrong(r.lineNow(), fmt.Sprintf("nested more than %d deep", maxNesting))
	}
	t, err := r.decoder.Token()
	if err != nil {
		return r.invalid(err)
	}
	switch t := t.(type) {
	case string:
		return r.visit(&jsonValue{r.path, t, r.lineNow()})
	case json.Delim:
		return r.elements(t == '{')
	}
	return nil
}

// elements reads the elements of an array or an object up to its end.
func (r *jsonReader) elements(named bool) error {
	name := ""
	if !named && len(r.path) > 0 {
		name = r.path[len(r.path)-1]
	}
	for r.decoder.More() {
		if named {
			t, err := r.decoder.Token()
			if err != nil {
				return r.invalid(err)
			}
			name, _ = t.(string)
		}
		r.path = append(r.path, name)
		if err := r.value(); err != nil {
			return err
		}
		r.path = r.path[:len(r.path)-1]
	}
	if _, err := r.decoder.Token(); err != nil {
		return r.invalid(err)
	}
	return nil
}

func (r *jsonReader) invalid(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return r.file.wrong(r.lineNow(), "invalid JSON: "+err.Error())
}

// lineNow returns the line of the latest token.
func (r *jsonReader) lineNow() int {
	at := min(int(r.decoder.InputOffset()), len(r.file.data))
	r.line += strings.Count(string(r.file.data[r.offset:at]), "\n")
	r.offset = at
	return r.line
}
