package table

import (
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestSpreadsheetCells checks that strings and lists that a spreadsheet would
// evaluate as formulas are quoted, and that numbers are not.
func TestSpreadsheetCells(t *testing.T) {
	var b strings.Builder
	columns := []Column{{Name: "a", Kind: Text}, {Name: "b", Kind: List}, {Name: "c", Kind: Integer}}
	enc := suite.Must(NewEncoder(SpreadsheetCSV, &b, columns))(t)
	for _, row := range []Row{
		{"=1+1", []string{"=2+2", "x"}, -3.0},
		{"plain", []string{"x", "=2+2"}, nil},
	} {
		suite.Check(t, enc.Write(row))
	}
	suite.Check(t, enc.Close())
	if got, want := b.String(), "a,b,c\r\n'=1+1,'=2+2|x,-3\r\nplain,x|=2+2,\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
