package badge_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
	"kindex/site/badge"
)

func TestBadge(t *testing.T) {
	suite.Golden(t, "testdata/score.svg", badge.SVG("kindex score", "89.8", badge.Green))
	suite.Golden(t, "testdata/unranked.svg", badge.SVG("kindex rank", "not ranked", badge.Grey))
	suite.Golden(t, "testdata/hostile.svg", badge.SVG(`</text><script>alert("1")</script>`, "]]>&'\x00\u202e\n💥 日本", badge.Red))
	long := string(badge.SVG(strings.Repeat("W", 200), "1", badge.Amber))
	suite.Contains(t, long, ">"+strings.Repeat("W", badge.MaxLabelLen)+"…<", "a long label is shown")
	if empty := string(badge.SVG("", "steady", badge.Grey)); strings.Count(empty, "<text") != 1 {
		t.Errorf("without a label it is %s", empty)
	}
}

// drawn is a badge as a program reads it.
type drawn struct {
	XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
	Width   int      `xml:"width,attr"`
	Height  int      `xml:"height,attr"`
	Role    string   `xml:"role,attr"`
	Label   string   `xml:"aria-label,attr"`
	Title   string   `xml:"title"`
	Groups  []struct {
		Hidden string `xml:"aria-hidden,attr"`
		Rects  []struct {
			X     int    `xml:"x,attr"`
			Width int    `xml:"width,attr"`
			Fill  string `xml:"fill,attr"`
		} `xml:"rect"`
		Texts []struct {
			X      int    `xml:"x,attr"`
			Length int    `xml:"textLength,attr"`
			Text   string `xml:",chardata"`
		} `xml:"text"`
	} `xml:"g"`
}

// elements lists the allowed elements of a badge; none of them loads, links to or runs
// anything.
const elements = " svg title clipPath rect g text "

// FuzzBadge checks that, for any label and message, the image is well-formed, has the
// same elements, contains the label and the message, and has no overlapping parts.
func FuzzBadge(f *testing.F) {
	for _, s := range []string{"kindex score", "", "<b>", "&amp;", `"`, "'", "]]>", "\x00", "\xff", "\u202e", "日本語", "💥", "e\u0301", "\ufffe", strings.Repeat("x", 500)} {
		f.Add(s, "89.8")
		f.Add("label", s)
	}
	f.Fuzz(func(t *testing.T, label, message string) {
		svg := badge.SVG(label, message, badge.Olive)
		var d drawn
		if err := xml.Unmarshal(svg, &d); err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		dec := xml.NewDecoder(bytes.NewReader(svg))
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			suite.Check(t, err)
			if e, ok := token.(xml.StartElement); ok && !strings.Contains(elements, " "+e.Name.Local+" ") {
				t.Errorf("it has the element %s: %s", e.Name.Local, svg)
			}
		}
		a, b := d.Groups[0].Rects[0], d.Groups[0].Rects[1]
		if d.Role != "img" || d.Label != d.Title || d.Groups[1].Hidden != "true" || d.Height != 20 || a.Width+b.Width != d.Width || b.X != a.Width {
			t.Errorf("it is drawn as %+v", d)
		}
		for _, text := range d.Groups[1].Texts {
			part := a
			if text.X >= a.Width {
				part = b
			}
			if text.X < part.X+5 || text.X+text.Length > part.X+part.Width-5 || !strings.Contains(d.Title, text.Text) {
				t.Errorf("%q is at %d, %d wide, in %+v", text.Text, text.X, text.Length, part)
			}
		}
	})
}

// TestScoreColour checks that a better score never has a worse colour, and that white text is
// readable on every colour.
func TestScoreColour(t *testing.T) {
	suite.Equal(t, badge.ScoreColour(record.Score{}), badge.Grey, "an unknown score")
	order := []string{badge.Red, badge.Amber, badge.Olive, badge.Green}
	at := 0
	for x := range 101 {
		got := badge.ScoreColour(record.ScoreOf(float64(x)))
		for at < len(order) && order[at] != got {
			at++
		}
		if at == len(order) {
			t.Fatalf("%d is %s", x, got)
		}
	}
	suite.Equal(t, at, len(order)-1, "the best score", order[at])
	for _, colour := range append(order, badge.Grey, badge.Teal, "#444444") {
		if c := onWhite(t, colour); c < 4.5 {
			t.Errorf("white on %s has a contrast of %.2f", colour, c)
		}
	}
}

// onWhite returns the contrast between white and a colour (WCAG 2.2, relative luminance).
func onWhite(t *testing.T, colour string) float64 {
	t.Helper()
	n := suite.Must(strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32))(t)
	luminance := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		part := float64(n>>(8*i)&255) / 255
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		luminance += weight * part
	}
	return 1.05 / (luminance + 0.05)
}

func ExampleSVG() {
	svg := badge.SVG("kindex score", "89.8", badge.Green)
	fmt.Println(string(svg[:bytes.IndexByte(svg, '>')+1]))
	// Output: <svg xmlns="http://www.w3.org/2000/svg" width="115" height="20" role="img" aria-label="kindex score: 89.8">
}
