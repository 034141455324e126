package edge

import (
	"strconv"

	"kindex/exports/leaderboard"
)

// comparedTo names the day that a board is compared with, in JSON: null where the
// build does not know that day.
func comparedTo(f *leaderboard.Former) string {
	if !f.Known() {
		return `"comparedTo":null`
	}
	return `"comparedTo":"` + f.Day() + `"`
}

// appendMovement adds rank, previousRank and delta to a record: by how many
// places it has climbed.
func appendMovement(dst []byte, rank, previous int) []byte {
	dst = append(dst, `,"rank":`...)
	dst = strconv.AppendInt(dst, int64(rank), 10)
	if previous == 0 {
		return append(dst, `,"previousRank":null,"delta":null`...)
	}
	dst = append(dst, `,"previousRank":`...)
	dst = strconv.AppendInt(dst, int64(previous), 10)
	dst = append(dst, `,"delta":`...)
	return strconv.AppendInt(dst, int64(previous-rank), 10)
}
