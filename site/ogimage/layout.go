package ogimage

import (
	"cmp"
	"fmt"
	"image/color"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// Positions, in pixels: a column for the name and the description, a column for the score,
// and a footer. Text is positioned by its baseline.
const (
	margin = 72
	right  = Width - margin

	textWidth  = 680
	scoreLeft  = 828
	scoreWidth = right - scoreLeft

	kickerLine = 96
	figureLine = 206 // for the score, and for the name if it is in the largest letters
	rankLine   = 254
	lowestBar  = 496
	footRule   = 540
	footLine   = 586
)

// The type styles used in an image.
var (
	kickerType      = letters{bold, 21}
	labelType       = letters{regular, 21}
	nameType        = letters{bold, 84}
	titleType       = letters{bold, 124}
	providerType    = letters{regular, 30}
	descriptionType = letters{regular, 27}
	subtitleType    = letters{regular, 31}
	scoreType       = letters{bold, 118}
	verdictType     = letters{medium, 44}
	rankType        = letters{medium, 26}
	partType        = letters{regular, 20}
	leaderType      = letters{medium, 23}
	figureType      = letters{medium, 20}
	siteType        = letters{bold, 24}
	footType        = letters{regular, 22}
)

func (p *painter) draw(c *Card) {
	p.fill(margin, 0, 72, 12, accent)
	switch {
	case c.Kind != "":
		p.who(c)
		p.score(c)
	case len(c.Parts) > 0:
		p.title(c, textWidth)
		p.write(scoreLeft, kickerLine, "LEADERS", kickerType, accent)
		p.bars(c.Parts, 158, leaderType, ink)
	default:
		p.title(c, right-margin)
	}
	p.foot(c)
}

// who draws the left column of an entity's image: the kind, name, provider and description.
func (p *painter) who(c *Card) {
	x := margin
	if kind := drawable(strings.ToUpper(c.Kind), 80); kind != "" {
		x = 18 + p.write(x, kickerLine, p.cut(kind, kickerType, textWidth/2), kickerType, accent)
	}
	if category := drawable(c.Category, 200); category != "" {
		p.write(x, kickerLine, p.cut(category, labelType, margin+textWidth-x), labelType, muted)
	}
	name := c.name()
	lines, t := p.fit(name, nameType, textWidth)
	y := p.paragraph(kickerLine+16, lines, t, t.size+t.size/8)
	if provider := drawable(c.Provider, 200); provider != "" && !strings.EqualFold(provider, name) {
		y += 52
		p.write(margin, y, p.cut(provider, providerType, textWidth), providerType, muted)
	}
	lines, _ = p.wrap(drawable(c.Description, 400), descriptionType, textWidth, 3)
	p.paragraph(y+28, lines, descriptionType, 39)
}

// title draws the left column of the index's image: the title and description.
func (p *painter) title(c *Card, width int) {
	lines, t := p.fit(c.name(), titleType, width)
	y := figureLine - t.size - t.size/8
	if len(lines) > 1 {
		y = kickerLine - 24
	}
	y = p.paragraph(y, lines, t, t.size+t.size/8)
	lines, _ = p.wrap(drawable(c.Description, 400), subtitleType, min(width, 900), 3)
	p.paragraph(y+32, lines, subtitleType, 45)
}

// paragraph draws lines below y and returns the baseline of the last one.
func (p *painter) paragraph(y int, lines []string, t letters, height int) int {
	for _, line := range lines {
		y += height
		p.write(margin, y, line, t, ink)
	}
	return y
}

// name returns the name to draw or, if it cannot be drawn, a fallback. It never returns "".
func (c *Card) name() string {
	return cmp.Or(drawable(c.Name, 300), drawable(c.Fallback, 300), drawable(c.Kind, 40), "…")
}

// score draws the right column of an entity's image.
func (p *painter) score(c *Card) {
	x := p.write(scoreLeft, kickerLine, "SCORE", kickerType, accent)
	if c.Score.Known() {
		p.write(x+10, kickerLine, "of 100", labelType, muted)
		p.write(scoreLeft, figureLine, c.Score.String(), scoreType, ink)
	} else {
		p.write(scoreLeft, figureLine-22, "not ranked", verdictType, muted)
	}
	if c.Rank > 0 {
		rank := "Rank " + humanize.Comma(int64(c.Rank))
		if c.Ranked > 0 {
			rank += " of " + humanize.Comma(int64(c.Ranked))
		}
		if c.Board != "" {
			rank += " in " + drawable(c.Board, 120)
		}
		p.write(scoreLeft, rankLine, p.cut(rank, rankType, scoreWidth), rankType, accent)
	}
	p.bars(c.Parts, 316, partType, muted)
}

// bars draws the parts from a baseline downwards, spaced as if there were MaxParts parts.
func (p *painter) bars(parts []Part, y int, t letters, c color.Color) {
	step := (lowestBar - y) / (MaxParts - 1)
	for _, part := range parts[:min(len(parts), MaxParts)] {
		figure := cmp.Or(part.Score.String(), "–")
		wide := p.width(figure, figureType)
		p.write(right-wide, y, figure, figureType, ink)
		p.write(scoreLeft, y, p.cut(drawable(part.Name, 120), t, scoreWidth-wide-12), t, c)
		if part.Score.Known() {
			p.fill(scoreLeft, y+11, scoreWidth, 6, track)
			p.fill(scoreLeft, y+11, scoreWidth*int(part.Score.Tenths())/1000, 6, accent)
		} else {
			p.hatch(scoreLeft, y+11, scoreWidth, 6)
		}
		y += step
	}
}

// foot draws the footer: the title of the index and the day.
func (p *painter) foot(c *Card) {
	p.fill(margin, footRule, right-margin, 2, rule)
	edge := right
	if day := drawable(day(c.AsOf), 40); day != "" {
		day = p.cut("as of "+day, footType, 400)
		edge -= p.width(day, footType)
		p.write(edge, footLine, day, footType, muted)
		edge -= 24
	}
	x := margin
	if site := drawable(c.Site, 120); site != "" && (c.Kind != "" || site != c.name()) {
		x = 16 + p.write(x, footLine, p.cut(site, siteType, (edge-x)*2/3), siteType, ink)
	}
	if address := drawable(c.Fallback, 200); address != "" && address != c.name() {
		p.write(x, footLine, p.cut(address, footType, edge-x), footType, muted)
	}
}

// day formats a date. Other strings are returned unchanged.
func day(s string) string {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return s
	}
	return fmt.Sprintf("%d %s %d", t.Day(), t.Month(), t.Year())
}
