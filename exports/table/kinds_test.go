package table

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"kindex/builder/suite"
)

// columnKinds has a column of every kind that entity columns do not cover, with full and
// empty rows.
var columnKinds = slices.Concat(columns(Integer, "n"), columns(Timestamp, "at"), columns(Raw, "raw"), columns(Number, "x"), columns(Boolean, "free"))

func kindRows() []Row {
	return []Row{
		{-5.0, "2026-11-01T12:34:56Z", json.RawMessage(`[{"field":"a","old":null}]`), 0.1, true},
		{0.0, "1969-12-31T23:59:59Z", json.RawMessage(`"x,y"`), -1.5e300, false},
		{nil, "", nil, nil, nil},
	}
}

func encodeKinds(t *testing.T, format string) string {
	t.Helper()
	var buf bytes.Buffer
	enc := suite.Must(NewEncoder(format, &buf, columnKinds))(t)
	for _, r := range kindRows() {
		suite.Check(t, enc.Write(r))
	}
	suite.Check(t, enc.Close())
	return buf.String()
}

func TestKindsAsText(t *testing.T) {
	lines := []string{
		`{"n":-5,"at":"2026-11-01T12:34:56Z","raw":[{"field":"a","old":null}],"x":0.1,"free":true}`,
		`{"n":0,"at":"1969-12-31T23:59:59Z","raw":"x,y","x":-1.5e+300,"free":false}`,
		`{"n":null,"at":null,"raw":null,"x":null,"free":null}`,
	}
	for format, want := range map[string]string{
		"jsonl": strings.Join(lines, "\n") + "\n",
		"json":  "[\n" + strings.Join(lines, ",\n") + "\n]\n",
		"csv": "n,at,raw,x,free\r\n-5,2026-11-01T12:34:56Z,\"[{\"\"field\"\":\"\"a\"\",\"\"old\"\":null}]\",0.1,true\r\n" +
			"0,1969-12-31T23:59:59Z,\"\"\"x,y\"\"\",-1.5e+300,false\r\n,,,,\r\n",
	} {
		suite.Equal(t, encodeKinds(t, format), want, format)
	}
}

func TestKindsInParquet(t *testing.T) {
	raw := encodeKinds(t, "parquet")
	f := suite.Must(parquet.OpenFile(strings.NewReader(raw), int64(len(raw))))(t)
	for i, want := range []string{"optional int64 n", "optional int64 at (TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS))", "optional binary raw (STRING)",
		"optional double x", "optional boolean free"} {
		field := f.Schema().Fields()[i]
		var b strings.Builder
		suite.Check(t, parquet.PrintSchema(&b, field.Name(), parquet.Group{field.Name(): field}))
		suite.Contains(t, b.String(), want, "column", i)
	}
	type row struct {
		N   *int64     `parquet:"n,optional"`
		At  *time.Time `parquet:"at,optional,timestamp(millisecond)"`
		Raw *string    `parquet:"raw,optional"`
		X   *float64   `parquet:"x,optional"`
		F   *bool      `parquet:"free,optional"`
	}
	rows, err := parquet.Read[row](strings.NewReader(raw), int64(len(raw)))
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	for i, want := range kindRows()[:2] {
		if r := rows[i]; float64(*r.N) != want[0] || r.At.UTC().Format(time.RFC3339) != want[1] || *r.Raw != string(want[2].(json.RawMessage)) || *r.X != want[3] || *r.F != want[4] {
			t.Errorf("row %d is %d, %v, %s", i, *r.N, r.At, *r.Raw)
		}
	}
	if r := rows[2]; r.N != nil || r.At != nil || r.Raw != nil || r.X != nil || r.F != nil {
		t.Errorf("the empty row is %+v", r)
	}
}

func TestTimesMustBeTimes(t *testing.T) {
	enc := suite.Must(NewEncoder("parquet", &bytes.Buffer{}, columnKinds))(t)
	if err := enc.Write(Row{nil, "yesterday", nil, nil, nil}); err == nil || !strings.Contains(err.Error(), "parquet: at: ") {
		t.Errorf("%v", err)
	}
}
