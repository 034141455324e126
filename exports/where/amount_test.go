package where_test

import (
	"strings"
	"testing"

	"kindex/exports/where"
)

func TestAmount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"200k": "200000", "200K": "200000", "200 k": "200000", "200,000": "200000", "200 000": "200000", "200\u00a0000": "200000", "200\u202f000": "200000",
		"200'000": "200000", "200_000": "200000", "1,048,576": "1048576", "1.048.576": "1048576", "1M": "1000000", "1m": "1000000", "1.5M": "1500000",
		"1,5M": "1500000", "1,048M": "1048000", "1.0485760M": "1048576", "2 million": "2000000", "128k tokens": "128000", "7B": "7000000000", "0.6b": "600000000",
		"1.2T": "1200000000000", "$1": "1", "$ 1.50": "1.50", "1,5": "1.5", "1,50 $": "1.50", "0,125": "0.125", "1.125": "1.125", "US$2": "2", "2.50 USD": "2.50",
		"$1,250.75": "1250.75", "1.250,75": "1250.75", "1,000": "1000", "007": "7", ".5": "0.5", ",5": "0.5", "0": "0", "0.0001k": "0.1", " 3 dollars ": "3",
		// These are not numbers.
		"": "", " ": "", "$": "", "k": "", "-1": "", "+1": "", "1e9": "", "1.": "", "1,": "", "1,00,000": "", "12,34": "12.34", "1,2,3": "", "1.000,000.00": "",
		"1,000.000.000": "", "2 00": "", "1 000,000": "", "1 000 00": "", "200kk": "", "cheap": "", "1/2": "", "٣": "", "1..5": "", "1 .5": "", "12 k 5": "",
		"1'000_000": "1000000", strings.Repeat("9", 101): "",
	} {
		got, ok := where.Amount(text)
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", text, got, ok, want)
		}
	}
	for text, want := range map[string]int64{"200k": 200_000, "1.5k": 1500, "200,000": 200_000, "1.048.576": 1_048_576} {
		if got, _, ok := where.WholeAmount(text); got != want || !ok {
			t.Errorf("%q is %d, %v, want %d", text, got, ok, want)
		}
	}
	for text, want := range map[string]string{"200.000": "200000", "1.5": "", "0.125": "", "x": "", "99999999999999999999": ""} {
		if _, near, ok := where.WholeAmount(text); near != want || ok {
			t.Errorf("%q: %q, %v, want %q", text, near, ok, want)
		}
	}
}

func FuzzAmount(f *testing.F) {
	for _, text := range []string{"200k", "$1,5", "1 000,00", "1.048.576 tokens"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		number, ok := where.Amount(text)
		if !ok {
			return
		}
		if strings.Trim(number, "0123456789.") != "" || strings.Count(number, ".") > 1 {
			t.Errorf("%q is %q", text, number)
		}
		if again, ok := where.Amount(number); len(number) <= 100 && (!ok || again != number && !strings.Contains(number, ".")) {
			t.Errorf("%q is %q, which is %q", text, number, again)
		}
	})
}
