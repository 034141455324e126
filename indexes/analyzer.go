package indexes

import (
	"bytes"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"
)

// splitWords is the tokenizer of fields whose words were found already: it
// splits at single spaces. Bleve's own whitespace tokenizer reads character by
// character and allocates for each word.
const splitWords = "kindex_words"

func init() {
	err := registry.RegisterTokenizer(splitWords, func(map[string]any, *registry.Cache) (analysis.Tokenizer, error) {
		return wordTokenizer{}, nil
	})
	if err != nil {
		panic(err) // the name is ours alone
	}
}

type wordTokenizer struct{}

// Tokenize implements analysis.Tokenizer.
func (wordTokenizer) Tokenize(input []byte) analysis.TokenStream {
	if len(input) == 0 {
		return nil
	}
	n := bytes.Count(input, []byte{' '}) + 1
	tokens, stream := make([]analysis.Token, n), make(analysis.TokenStream, n)
	start := 0
	for i := range tokens {
		end := len(input)
		if at := bytes.IndexByte(input[start:], ' '); at >= 0 {
			end = start + at
		}
		tokens[i] = analysis.Token{Term: input[start:end:end], Start: start, End: end, Position: i + 1, Type: analysis.AlphaNumeric}
		stream[i] = &tokens[i]
		start = end + 1
	}
	return stream
}
