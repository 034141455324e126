package edge

import (
	"fmt"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestAttackManyRanges requests many ranges of a file, and the same range many times. The
// response to a request of 15 KB would be fifty times as large. Ranges that together exceed the file are
// answered with the file.
func TestAttackManyRanges(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 400)
	id := s.buildID()
	var many []string
	for i := range 2000 {
		many = append(many, fmt.Sprint(2*i, "-", 2*i))
	}
	for _, path := range []string{"/data/" + id + "/entities.jsonl", "/api/export/entities?format=jsonl", "/api/sdk/python"} {
		size := len(s.ask(t, "GET", path).body)
		for ranges, status := range map[string]int{
			strings.Join(many, ","):                     416,
			strings.Join(many[:11], ","):                416,
			strings.Join(many[:10], ", "):               206,
			strings.Repeat("0-0,", 9) + "0-0":           206,
			"0-99,50-60":                                206,
			"0-99,100-199":                              206,
			"-10,0-9":                                   206,
			"-10,-5":                                    206,
			fmt.Sprintf("0-9,%d-", size-5) + ",-5":      206,
			"0-,0-":                                     200, // more than the file
			"5-,0-4":                                    206,
			"0-," + strings.Repeat(" ", 9000) + "-1":    200,
			"0-0," + strings.Repeat(",", 2000) + "9-9":  416,
			"99999999999999999999-,0-1":                 -1,
			"1-0,0-0":                                   -1,
			fmt.Sprintf("%d-,%d-", size, size) + ",1-2": 206,
		} {
			a := s.ask(t, "GET", path, "Range", "bytes="+ranges)
			if status >= 0 && a.status != status || status < 0 && a.status == 200 || len(a.body) > 2*size {
				t.Errorf("%s with %.60s: %d %.200s", path, ranges, a.status, a.body)
			}
			if a.status == 416 && (len(a.body) > 1000 || a.header.Get("Content-Range") == "" && status == 416) {
				t.Errorf("%s with %.60s: %d bytes, Content-Range %q", path, ranges, len(a.body), a.header.Get("Content-Range"))
			}
		}
	}
}
