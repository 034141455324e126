package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
	"kindex/edge"
	"kindex/edge/storage/storagetest"
)

// TestTimeTravelOfCollection compares every change in the replayed history with the records
// before and after it: applying the change to the record before it must produce the record
// after it, in every field that is compared.
func TestTimeTravelOfCollection(t *testing.T) { wholeReplay(t, nil).travel() }

// TestTimeTravelOfExtract does the same with the extract in testdata.
func TestTimeTravelOfExtract(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	extractReplay(t).travel()
}

func (r *replay) travel() {
	t := r.t
	out := t.TempDir()
	if code, stderr := kindex(t, "build", "--content", filepath.Join(r.repo, "content"), "--out", out, "--as-of", r.list[len(r.list)-1].date); code != cli.ExitOK {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	s, err := edge.New(edge.Options{Dir: out, State: storagetest.SQLite(t)})
	if err != nil {
		t.Fatal(err)
	}
	answer := func(url string) (int, []byte) {
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, url, nil))
		return rec.Code, rec.Body.Bytes()
	}
	_, body := answer("/api/export/changelog")
	var changes []change
	if err := json.Unmarshal(body, &changes); err != nil || len(changes) == 0 {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	day := map[string]string{} // the day before each snapshot
	for i := range r.list {
		day[r.list[i].date] = daysBefore(r.list[i].date, 1)
	}
	checked := 0
	for _, c := range changes {
		date := c.Timestamp[:10]
		address := "/api/entity/" + c.Entity.Type + "/" + c.Entity.Slug + "?at="
		before, after := map[string]string{}, map[string]string{}
		status, body := answer(address + day[date])
		if c.Event == "entity.updated" || status == http.StatusOK {
			before = countedFields(t, status, body)
		}
		status, body = answer(address + date)
		switch {
		case c.Event != "entity.deleted":
			after = countedFields(t, status, body)
		case status != http.StatusGone:
			t.Fatalf("%s%s: status %d after it was deleted", address, date, status)
		}
		with := maps.Clone(before)
		for _, f := range c.Changes {
			if strings.HasPrefix(f.Field, "scores.") {
				continue
			}
			if orNullText(with[f.Field]) != string(f.Old) {
				t.Errorf("%s on %s: %s was %s, the change has %s", c.Entity.Slug, date, f.Field, with[f.Field], f.Old)
			}
			if with[f.Field] = string(f.New); string(f.New) == "null" {
				delete(with, f.Field)
			}
			checked++
		}
		if !maps.Equal(with, after) {
			t.Errorf("%s on %s: the previous record with the change is\n%s\nthe record is\n%s", c.Entity.Slug, date, jsonOf(with), jsonOf(after))
		}
		if t.Failed() && checked > 1000 {
			t.FailNow()
		}
	}
	t.Logf("%d changes with %d values", len(changes), checked)
}

// countedFields returns the fields of a record that are compared.
func countedFields(t *testing.T, status int, body []byte) map[string]string {
	t.Helper()
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	var record map[string]json.RawMessage
	if err := json.Unmarshal(body, &record); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"type", "slug", "scores", "addedDate", "lastUpdated", "build", "offerCount"} {
		delete(record, name)
	}
	delete(record, "ids") // the list has none but those that follow from links
	fields := map[string]string{}
	for _, group := range []string{"links", "signals", "modalities", "parameters"} {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(record[group], &members); err != nil {
			t.Fatal(err)
		}
		for name, v := range members {
			var fact struct{ Value json.RawMessage }
			if group == "signals" && name != "benchmarks" {
				if err := json.Unmarshal(v, &fact); err != nil {
					t.Fatal(err)
				}
				v = fact.Value
			}
			if s := string(v); s != "null" && s != "[]" {
				fields[group+"."+name] = s
			}
		}
		delete(record, group)
	}
	for name, v := range record {
		if !slices.Contains([]string{"null", "[]"}, string(v)) {
			fields[name] = string(v)
		}
	}
	return fields
}
