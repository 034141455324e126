package table

import (
	"fmt"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
)

// held returns how much an encoder buffers: the largest number of rows that it had received
// but not yet written at any time.
func held(t *testing.T, format string, rows int) (most int, bytes int) {
	t.Helper()
	w := &counter{}
	enc := suite.Must(NewStreamEncoder(format, w, EntityColumns))(t)
	row := make(Row, len(EntityColumns))
	since := 0
	for i := range rows {
		for j := range row {
			row[j] = map[Kind]any{Text: fmt.Sprint("text ", i, j), Decimal: record.ScoreOf(float64(i % 100)), List: []string{"a", fmt.Sprint(i)}, Date: "2026-11-01"}[EntityColumns[j].Kind]
		}
		before := w.n
		suite.Check(t, enc.Write(row))
		if since++; w.n > before {
			since = 0
		}
		most = max(most, since)
	}
	suite.Check(t, enc.Close())
	return most, w.n
}

type counter struct{ n int }

func (c *counter) Write(b []byte) (int, error) { c.n += len(b); return len(b), nil }

// TestStreamsHoldLittle checks that a stream encoder's buffer does not grow with
// the number of rows.
func TestStreamsHoldLittle(t *testing.T) {
	suite.InTest(t)
	for _, f := range Formats {
		most, bytes := held(t, f.Name, 20_000)
		if most > 6000 || bytes < 20_000 {
			t.Errorf("%s: %d rows held, %d bytes", f.Name, most, bytes)
		}
	}
}
