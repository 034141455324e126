package importer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/importer"
	"kindex/builder/suite"
)

// TestEverySnapshot imports every snapshot of the list of projects with the mapping that was
// written for the last snapshot. The only rows that may be refused are those of repositories
// that appear in two rows with different content.
func TestEverySnapshot(t *testing.T) {
	shared := suite.Collections(t)
	want := map[string]string{
		"2021-01-01": "765 rows: 762 written, 1 skipped, 2 refused, 0 warnings",
		"2021-01-28": "839 rows: 833 written, 4 skipped, 2 refused, 0 warnings",
		"2021-02-25": "841 rows: 835 written, 4 skipped, 2 refused, 0 warnings",
		"2021-03-11": "841 rows: 835 written, 4 skipped, 2 refused, 0 warnings",
		"2021-04-01": "842 rows: 836 written, 4 skipped, 2 refused, 0 warnings",
		"2021-04-29": "842 rows: 836 written, 4 skipped, 2 refused, 0 warnings",
		"2021-05-13": "844 rows: 838 written, 4 skipped, 2 refused, 0 warnings",
		"2021-06-03": "844 rows: 838 written, 4 skipped, 2 refused, 0 warnings",
		"2021-07-01": "885 rows: 878 written, 5 skipped, 2 refused, 1 warnings",
		"2021-08-19": "884 rows: 879 written, 5 skipped, 0 refused, 1 warnings",
		"2021-08-26": "884 rows: 879 written, 5 skipped, 0 refused, 1 warnings",
		"2021-11-17": "886 rows: 881 written, 5 skipped, 0 refused, 1 warnings",
		"2021-12-09": "886 rows: 881 written, 5 skipped, 0 refused, 1 warnings",
		"2022-01-13": "886 rows: 881 written, 5 skipped, 0 refused, 1 warnings",
		"2022-02-10": "922 rows: 915 written, 5 skipped, 2 refused, 1 warnings",
		"2022-04-28": "923 rows: 916 written, 5 skipped, 2 refused, 1 warnings",
		"2024-06-06": "917 rows: 909 written, 8 skipped, 0 refused, 1 warnings",
	}
	files, err := filepath.Glob(filepath.Join(shared, "data", "best-of", "*.csv.gz"))
	if err != nil || len(files) < len(want) {
		t.Fatal(len(files), err)
	}
	got := map[string]string{}
	for _, file := range files {
		date := strings.TrimSuffix(filepath.Base(file), ".csv.gz")
		r := run(t, importer.Options{Input: file, Mapping: "testdata/best-of.yaml", Content: t.TempDir(), Date: date})
		got[date] = counts(r)
		for _, o := range r.Refusals {
			if len(o.Reasons) != 1 || !strings.Contains(o.Reasons[0].Message, "have different content") {
				t.Errorf("%s row %d: %v", date, o.Row, o.Reasons)
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		for _, date := range slices.Sorted(maps.Keys(got)) {
			t.Errorf("%q: %q,", date, got[date])
		}
	}
}

// TestEveryOffer imports every offer of two large collections, and checks how many prices have
// too many decimals, and how many offers state 0 for both input and output. Eight offers of speech
// models have prices of thousands of dollars, which are not for tokens: they are refused.
func TestEveryOffer(t *testing.T) {
	models := filepath.Join(suite.Collections(t), "data", "fresh", "models")
	if _, err := os.Stat(models); err != nil {
		suite.CannotRun(t, "the collection of offers is missing: "+err.Error())
	}
	for name, c := range map[string]struct {
		mapping, want string
		refused       int
	}{
		"models-dev-offers": {`{each: offers, provider: {column: provider_id, as: slug}, id: model_id, input: cost.input, output: cost.output,
  cacheRead: cost.cache_read, cacheWrite: cost.cache_write, reasoningOutput: cost.reasoning, inputAudio: cost.input_audio, outputAudio: cost.output_audio,
  tiers: {each: cost.tiers, over: tier.size, input: input, output: output, cacheRead: cache_read, cacheWrite: cache_write}}`,
			"5276 offers, 149 prices rounded, 1231 of 0, 432 offers at 0/0", 0},
		"ruby-llm-models": {`{each: offers, provider: {column: provider, as: slug}, id: id,
  input: pricing.text_tokens.standard.input_per_million, output: pricing.text_tokens.standard.output_per_million,
  cacheRead: pricing.text_tokens.standard.cache_read_input_per_million, cacheWrite: pricing.text_tokens.standard.cache_write_input_per_million}`,
			"1629 offers, 29 prices rounded, 65 of 0, 28 offers at 0/0", 8},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			input, mapping := filepath.Join(dir, "offers.jsonl"), filepath.Join(dir, "offers.yaml")
			offersInParts(t, filepath.Join(models, name+".json"), input)
			text := "type: model\nfields: {name: provider, category: {constant: language}, description: {constant: Its offers.}}\noffers:\n- " + c.mapping + "\n"
			if err := os.WriteFile(mapping, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			r := run(t, importer.Options{Input: input, Mapping: mapping, Content: filepath.Join(dir, "content"), Date: "2026-07-02"})
			offers := 0
			for _, e := range load(t, filepath.Join(dir, "content")) {
				offers += len(e.Offers)
			}
			got := fmt.Sprintf("%d offers, %d prices rounded, %d of 0, %d offers at 0/0", offers, r.RoundedPrices, r.ZeroPrices, r.ZeroOffers)
			if got != c.want || r.Refused != c.refused {
				t.Errorf("%s, want %s; refused: %v", got, c.want, r.Refusals)
			}
		})
	}
}

// notForTokens matches prices of thousands of dollars, which cannot be for a million tokens.
var notForTokens = regexp.MustCompile(`_per_million":\s*[0-9]{4,}`)

// offersInParts writes lines with at most a hundred offers each, and lines for those that are
// refused.
func offersInParts(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var offers []json.RawMessage
	if err := json.Unmarshal(data, &offers); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	var parts [][]json.RawMessage
	offers = slices.DeleteFunc(offers, func(o json.RawMessage) bool {
		if notForTokens.Match(o) {
			parts = append(parts, []json.RawMessage{slices.Clone(o)})
			return true
		}
		return false
	})
	for _, part := range slices.AppendSeq(parts, slices.Chunk(offers, 100)) {
		list, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, `{"provider":"part %d","offers":%s}`+"\n", b.Len(), list)
	}
	if err := os.WriteFile(to, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
