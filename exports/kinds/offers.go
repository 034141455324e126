package kinds

// What the block offers reads of an entity besides its offers, if the index declares it.
const (
	ContextSignal  = "contextTokens"  // how many tokens a request may contain
	OutputSignal   = "outputTokens"   // how many tokens a response may contain
	OutputModality = "outputModality" // the filter of the kinds of output
)

// OfferFilters are the filters of entities by which their offers are filtered too.
var OfferFilters = []string{"family", "modality"}
