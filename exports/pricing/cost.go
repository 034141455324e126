package pricing

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// Use is what is sent and received: Requests requests of the same size. All but Requests
// are of one request, and tokens unless they say otherwise.
type Use struct {
	Input        int64 // all of the input, including the five parts
	Output       int64 // all of the output, including the two parts
	Cached       int64 // the part of Input that is read from a cache
	CacheWrite   int64 // the part of Input that is written to a cache
	CacheWrite1h int64 // the part of Input that is written to a cache for an hour
	InputAudio   int64 // the part of Input that is audio
	InputImage   int64 // the part of Input that is images
	Reasoning    int64 // the part of Output that is reasoning
	OutputAudio  int64 // the part of Output that is audio
	Images       int64 // images that are priced apart, not tokens
	Pages        int64 // pages of documents that are priced apart
	Seconds      int64 // of audio or video that is priced apart
	Characters   int64 // of text that is priced apart
	Requests     int64
	Mode         string // the name of a mode such as batch, or "" for the standard one
}

// MaxQuantity is the largest value of each number in a Use.
const MaxQuantity = 1_000_000_000

// Check returns an error that names the wrong quantity, as the parameters of the API are
// named.
func (u *Use) Check() error {
	for _, q := range []struct {
		name  string
		value int64
	}{{"input", u.Input}, {"output", u.Output}, {"cached", u.Cached}, {"cacheWrite", u.CacheWrite}, {"cacheWrite1h", u.CacheWrite1h}, {"inputAudio", u.InputAudio},
		{"inputImage", u.InputImage}, {"reasoning", u.Reasoning}, {"outputAudio", u.OutputAudio}, {"images", u.Images}, {"pages", u.Pages},
		{"seconds", u.Seconds}, {"characters", u.Characters}, {"requests", u.Requests}} {
		if q.value < 0 || q.value > MaxQuantity {
			return fmt.Errorf("%s: %d is not between 0 and %d", q.name, q.value, int64(MaxQuantity))
		}
	}
	switch {
	case u.InputParts() > u.Input:
		return errors.New("cached, cacheWrite, cacheWrite1h, inputAudio and inputImage together are more than input, of which they are parts")
	case u.Reasoning+u.OutputAudio > u.Output:
		return errors.New("reasoning and outputAudio together are more than output, of which they are parts")
	}
	return nil
}

// InputParts returns the part of the input that has prices of its own.
func (u *Use) InputParts() int64 {
	return u.Cached + u.CacheWrite + u.CacheWrite1h + u.InputAudio + u.InputImage
}

// Line is one item of the calculation: so many tokens, requests or the like at a price.
type Line struct {
	Item     string       // the name of the price, in PriceNames
	Quantity int64        // tokens, requests and the like, over all requests; seconds for the price of a minute
	Price    record.Price // for a million tokens or one of anything else; unknown if the offer has none
	Cost     *big.Rat     // in dollars, exact; nil if Price is unknown
}

// Cost is what a use costs at an offer.
type Cost struct {
	Offer   *record.Offer
	Over    int64    // the length above which the applied tier holds, 0 for the offer's own prices
	Lines   []Line   // what is used, in the order of PriceNames
	Total   *big.Rat // in dollars, exact; nil if a price that is needed is unknown, or a limit is exceeded
	Unknown []string // the names of the unknown prices that are needed
	Exceeds []string // the limits of the offer, context and outputLimit, that the request exceeds
	Untold  int64    // if not 0, the prices for more input tokens than these are unknown, but not those for fewer
	Mode    string

	use Use
}

// firstTier returns the least number of input tokens over which prices differ, in an offer or as
// given; 0 stands for none.
func firstTier(o *record.Offer, over int64) int64 {
	least := func(tiers []record.Tier) {
		if len(tiers) > 0 && (over == 0 || tiers[0].Over < over) { // by Over
			over = tiers[0].Over
		}
	}
	least(o.Tiers)
	for i := range o.Modes {
		least(o.Modes[i].Tiers)
	}
	return over
}

// calculate returns what a use costs at one of a model's offers. The prices of a mode or tier stand alone:
// those that it does not state are unknown, except that reasoning without a price of its
// own is billed as output, and that a request without a price costs only its tokens. A request that
// exceeds a limit of the offer has no cost. Longer requests than longest have other prices at one of the
// offers; an offer that has no tiers does not say what it charges for them.
func calculate(o *record.Offer, u Use, longest int64) Cost {
	c := Cost{Offer: o, Mode: u.Mode, use: u}
	if o.Context > 0 && u.Input > o.Context {
		c.Exceeds = append(c.Exceeds, "context")
	}
	if o.OutputLimit > 0 && u.Output > o.OutputLimit {
		c.Exceeds = append(c.Exceeds, "outputLimit")
	}
	if len(c.Exceeds) > 0 {
		return c
	}
	prices, tiers := &o.Prices, o.Tiers
	if u.Mode != "" {
		i := slices.IndexFunc(o.Modes, func(m record.Mode) bool { return m.Name == u.Mode })
		if i < 0 {
			c.Unknown = []string{"modes." + u.Mode}
			return c
		}
		prices, tiers = &o.Modes[i].Prices, o.Modes[i].Tiers
	}
	if len(tiers) == 0 && longest > 0 && u.Input > longest {
		prices, c.Untold = &record.Prices{}, longest
	}
	for i := range tiers { // by Over
		if u.Input > tiers[i].Over {
			prices, c.Over = &tiers[i].Prices, tiers[i].Over
		}
	}
	reasoning := record.ReasoningPrice
	if !prices[reasoning].Known() {
		reasoning = record.OutputPrice
	}
	var quantity [len(record.Prices{})]int64
	quantity[record.InputPrice] = u.Input - u.InputParts()
	quantity[record.CacheReadPrice], quantity[record.CacheWritePrice] = u.Cached, u.CacheWrite
	quantity[record.CacheWrite1hPrice], quantity[record.InputImagePrice] = u.CacheWrite1h, u.InputImage
	quantity[record.InputAudioPrice], quantity[record.OutputAudioPrice] = u.InputAudio, u.OutputAudio
	quantity[record.ImagePrice], quantity[record.PagePrice], quantity[record.CharacterPrice] = u.Images, u.Pages, u.Characters
	if time := record.SecondPrice; prices[time].Known() || !prices[record.MinutePrice].Known() {
		quantity[time] = u.Seconds
	} else {
		quantity[record.MinutePrice] = u.Seconds
	}
	quantity[record.OutputPrice] = u.Output - u.Reasoning - u.OutputAudio
	quantity[reasoning] += u.Reasoning
	if prices[record.RequestPrice].Known() {
		quantity[record.RequestPrice] = 1
	}
	c.Total = new(big.Rat)
	for i, n := range quantity {
		if n > 0 && u.Requests > 0 {
			c.add(i, n, u.Requests, prices[i])
		}
	}
	return c
}

// Reason returns why the cost is unknown, as a sentence, or "".
func (c *Cost) Reason() string {
	switch {
	case slices.Contains(c.Exceeds, "context"):
		return fmt.Sprintf("The request has %d input tokens, and the offer's context is %d.", c.use.Input, c.Offer.Context)
	case len(c.Exceeds) > 0:
		return fmt.Sprintf("The answer has %d output tokens, and the offer's outputLimit is %d.", c.use.Output, c.Offer.OutputLimit)
	case len(c.Unknown) == 0:
		return ""
	case c.Offer.Until != "" && !c.Offer.Prices.Known():
		return "The prices ended on " + c.Offer.Until + ", and the next ones are unknown."
	case c.Untold > 0:
		return fmt.Sprintf("The model has other prices for more than %d input tokens, and the offer does not state them.", c.Untold)
	case len(c.Lines) == 0:
		return "The offer states no prices for " + c.Mode + " requests."
	}
	return "The offer does not state these prices: " + strings.Join(c.Unknown, ", ") + "."
}

// add adds a line for n tokens or requests in each request.
func (c *Cost) add(item int, n, requests int64, p record.Price) {
	line := Line{Item: record.PriceNames[item], Quantity: n * requests, Price: p} // at most MaxQuantity²
	if !p.Known() {
		c.Unknown, c.Total = append(c.Unknown, line.Item), nil
		c.Lines = append(c.Lines, line)
		return
	}
	unit := int64(1e12) // a millionth of a dollar for a million tokens
	switch {
	case item == record.MinutePrice:
		unit = 60e6
	case !record.PerMillion(item):
		unit = 1e6
	}
	line.Cost = new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(line.Quantity), big.NewInt(p.Micros())), big.NewInt(unit))
	if c.Total != nil {
		c.Total.Add(c.Total, line.Cost)
	}
	c.Lines = append(c.Lines, line)
}

// CalculateAll returns what a use costs at each of a model's offers, or at those of one provider if
// it is not "": the cheapest first, unknown costs last.
func CalculateAll(offers []record.Offer, provider string, u Use) []Cost {
	var costs []Cost
	longest := int64(0)
	for i := range offers {
		longest = firstTier(&offers[i], longest)
	}
	for i := range offers {
		if provider == "" || offers[i].Provider == provider {
			costs = append(costs, calculate(&offers[i], u, longest))
		}
	}
	slices.SortFunc(costs, Compare)
	return costs
}

// Compare orders costs: the cheapest first, unknown ones last, equal ones by offer.
func Compare(a, b Cost) int {
	switch {
	case a.Total != nil && b.Total != nil:
		if order := a.Total.Cmp(b.Total); order != 0 {
			return order
		}
	case a.Total != nil:
		return -1
	case b.Total != nil:
		return 1
	}
	return cmp.Or(cmp.Compare(a.Offer.Provider, b.Offer.Provider), cmp.Compare(a.Offer.ID, b.Offer.ID))
}

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
