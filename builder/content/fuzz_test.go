package content_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"kindex/builder/content"
	"kindex/builder/content/contenttest"
	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// FuzzParseEntity checks that parsing any input neither panics nor hangs, that every
// problem has a position, and that a valid record can be read back.
func FuzzParseEntity(f *testing.F) {
	f.Add([]byte("name: A #x\r\nlicense: MIT #x\r\nurl: B #x\r\ndescription: C # d\r\n")) // the lexer counts these line breaks twice
	for _, data := range contenttest.Seeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		e, problems := content.ParseEntity(kinds.Default(), "content/tool/x.yaml", "tool", "x", data)
		if took := time.Since(start); took > 5*time.Minute { // a generous limit, which is only meant to catch a hang
			t.Errorf("%d bytes took %s", len(data), took)
		}
		_, others := content.ParseScoring(kinds.Default(), "content/scoring.yaml", data)
		for _, p := range append(others, problems...) {
			contenttest.CheckProblem(t, p)
		}
		errors, _ := problems.Count()
		if (e == nil) != (errors > 0) {
			t.Fatalf("the entity is nil: %v, but there are %d errors", e == nil, errors)
		}
		again, same := content.ParseEntity(kinds.Default(), "content/tool/x.yaml", "tool", "x", data)
		if !reflect.DeepEqual(e, again) || !reflect.DeepEqual(problems, same) {
			t.Error("parsing the same bytes twice gave different results")
		}
		if e != nil {
			checkRecord(t, e)
		}
	})
}

// checkRecord checks that the JSON record of an entity can be read back.
func checkRecord(t *testing.T, e *record.Entity) {
	t.Helper()
	authored := e.AppendJSON(nil)
	var back record.Entity
	if err := json.Unmarshal(authored, &back); err != nil {
		t.Fatalf("the record is not valid: %v\n%s", err, authored)
	}
	suite.Equal(t, string(back.AppendJSON(nil)), string(authored), "the record changes when it is read back")
	if e.Name == "" || e.Category == "" || e.Description == "" {
		t.Errorf("a required field is empty: %s", authored)
	}
}
