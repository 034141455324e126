package record_test

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
)

func TestPrice(t *testing.T) {
	for text, want := range map[string]string{"0": "0", "3": "3", "0.1": "0.1", "15.123456": "15.123456", "2.50": "2.5", "999999998.999999": "999999998.999999", "1e-6": "0.000001", "null": "null"} {
		var p record.Price
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := json.Marshal(p); err != nil || string(got) != want {
			t.Errorf("%s became %s, %v", text, got, err)
		}
		if p.Known() != (text != "null") {
			t.Errorf("%s: known %t", text, p.Known())
		}
	}
	for _, text := range []string{"-1", "0.1234567", "1e9", `"3"`, "NaN", "true"} {
		var p record.Price
		if err := json.Unmarshal([]byte(text), &p); err == nil || p.Known() {
			t.Errorf("%s was accepted as %v", text, p)
		}
	}
	rng := rand.New(rand.NewPCG(19, 1))
	for range 100_000 {
		p := record.PriceOf(rng.Int64N([]int64{1e15 - 1e6, 1e9, 3e6}[rng.IntN(3)]))
		x, err := strconv.ParseFloat(p.String(), 64)
		if again, exact, wrong := record.RoundPrice(x); err != nil || wrong != nil || !exact || again != p || p.Float() != x {
			t.Fatalf("%v became %v (exact: %t, %v, %v)", p, again, exact, err, wrong)
		}
	}
	for _, noise := range []struct {
		x    float64
		want string
	}{{0.30000000000000004, "0.3"}, {1.7999999999999998, "1.8"}, {0.00000049, "0"}, {0.0000005, "0.000001"}} {
		if p, exact, err := record.RoundPrice(noise.x); err != nil || exact || p.String() != noise.want {
			t.Errorf("%v was rounded to %v (exact: %t, %v)", noise.x, p, exact, err)
		}
	}
}

func TestMaintenance(t *testing.T) {
	day := func(s string) int32 {
		return suite.Must(record.DayNumber(s))(t)
	}
	facts := func(commit, read string, archived float64) *record.Signals {
		return &record.Signals{Facts: []record.Fact{{Name: "archived", Number: archived, Date: read}, {Name: "lastCommit", Day: commit, Date: read}}}
	}
	for _, c := range []struct {
		commit, read string
		archived     float64
		on, want     string
	}{
		{"2026-01-01", "2026-06-30", 0, "2026-07-01", "active"},  // 180 days
		{"2026-01-01", "2026-07-01", 0, "2026-07-01", "slow"},    // 181
		{"2026-01-01", "2027-01-01", 0, "2027-01-02", "slow"},    // 365
		{"2026-01-01", "2027-01-02", 0, "2027-01-02", "dormant"}, // 366
		{"2026-01-01", "2026-01-02", 1, "2026-02-01", "archived"},
		{"2026-01-01", "2026-01-02", 0, "2027-02-06", "active"}, // read 400 days ago
		{"2026-01-01", "2026-01-02", 0, "2027-02-07", ""},
		{"2026-01-01", "2026-01-02", 1, "2027-02-07", ""},
		{"", "2026-01-02", 0, "2026-01-02", ""},
		{"2026-01-01", "", 0, "2026-01-02", ""},
	} {
		if got := record.MaintenanceOf(facts(c.commit, c.read, c.archived), day(c.on)); got.State != c.want || (got.AsOf != "") != (c.want != "") {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestParsePrice(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "2.5": "2.5", "002.500": "2.5", "0.000001": "0.000001", "999999999.999999": "999999999.999999",
		"": "is not", ".5": "is not", "5.": "is not", "-1": "is not", "+1": "is not", "1e3": "is not", "1,5": "is not", "1.2.3": "is not", " 1": "is not", "٣": "is not",
		"0.0000001": "more than six decimals", "1.0000000": "more than six decimals",
		"1000000000": "not below", "99999999999999999999": "not below",
	} {
		p, err := record.ParsePrice(text)
		if got := p.String(); err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
}

// FuzzParsePrice parses amounts a second time, as fractions.
func FuzzParsePrice(f *testing.F) {
	for _, text := range []string{"1.25", "0.000001", "999999999", "1e2", "-0", ".1", "1_0", "0x1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := record.ParsePrice(text)
		if err != nil {
			if p.Known() {
				t.Errorf("%q is %s and an error", text, p)
			}
			return
		}
		want, ok := new(big.Rat).SetString(text)
		if !ok || want.Cmp(big.NewRat(p.Micros(), 1_000_000)) != 0 {
			t.Errorf("%q is %s", text, p)
		}
	})
}
