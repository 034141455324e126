package pricing

import (
	"math/big"
	"strconv"
	"strings"

	"kindex/exports/jsonenc"
)

// AppendJSON appends the cost as one compact object: the total rounded half up to a
// millionth of a dollar, each line exactly.
func (c *Cost) AppendJSON(dst []byte) []byte {
	dst = jsonenc.AppendString(append(dst, `{"provider":`...), c.Offer.Provider)
	dst = jsonenc.AppendString(append(dst, `,"id":`...), c.Offer.ID)
	dst = appendDollars(append(dst, `,"cost":`...), c.Total, 6)
	if dst = append(dst, `,"over":`...); c.Over > 0 {
		dst = strconv.AppendInt(dst, c.Over, 10)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"lines":[`...)
	for i := range c.Lines {
		l := &c.Lines[i]
		dst = jsonenc.AppendComma(dst, i)
		dst = jsonenc.AppendString(append(dst, `{"item":`...), l.Item)
		dst = strconv.AppendInt(append(dst, `,"quantity":`...), l.Quantity, 10)
		dst = l.Price.AppendJSON(append(dst, `,"price":`...))
		dst = append(appendDollars(append(dst, `,"cost":`...), l.Cost, lineDecimals), '}')
	}
	dst = jsonenc.AppendStrings(append(dst, `],"unknown":`...), c.Unknown)
	dst = jsonenc.AppendStrings(append(dst, `,"exceeds":`...), c.Exceeds)
	dst = jsonenc.AppendTexts(dst, "reason", c.Reason())
	dst = strconv.AppendBool(append(dst, `,"deprecated":`...), c.Offer.Deprecated)
	return append(jsonenc.AppendTexts(dst, "until", c.Offer.Until, "date", c.Offer.Date, "source", c.Offer.Source), '}')
}

// lineDecimals is enough for every line: a whole number of tokens at a whole number of
// millionths of a dollar for a million tokens. Only seconds at the price of a minute can need more.
const lineDecimals = 12

// Dollars returns the cost of a line in dollars, exact and without trailing zeros, or "" if
// it is unknown.
func (l *Line) Dollars() string { return formatDollars(l.Cost, lineDecimals) }

// Dollars returns the total in dollars, rounded half up to a millionth and without trailing
// zeros, or "" if it is unknown.
func (c *Cost) Dollars() string { return formatDollars(c.Total, 6) }

// formatDollars formats an amount with at most the given number of decimals. A cost is not
// negative, so that rounding half away from zero is rounding half up.
func formatDollars(x *big.Rat, decimals int) string {
	if x == nil {
		return ""
	}
	return strings.TrimRight(strings.TrimRight(x.FloatString(decimals), "0"), ".")
}

func appendDollars(dst []byte, x *big.Rat, decimals int) []byte {
	if x == nil {
		return append(dst, "null"...)
	}
	return append(dst, formatDollars(x, decimals)...)
}
