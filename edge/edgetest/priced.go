package edgetest

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
)

// pricedOffers are the offers of model/priced after each commit of Priced.
var pricedOffers = []string{
	`  - {provider: acme, id: priced-1, input: 4, output: 20}
  - {provider: example-cloud, id: acme/priced-1, input: 4.5, output: 21}
`, `  - {provider: acme, id: priced-1, input: 3, output: 15, cacheRead: 0.3}
  - {provider: example-cloud, id: acme/priced-1, input: 4.5, output: 21}
`, `  - provider: acme
    id: priced-1
    input: 3
    output: 15
    cacheRead: 0.3
    cacheWrite: 3.75
    context: 1000000
    outputLimit: 64000
    tiers: [{over: 200000, input: 6, output: 22.5}]
    modes:
      batch: {input: 1.5, output: 7.5}
  - {provider: example-hub, id: "acme/priced-1:free", input: 0, output: 0, free: true, context: 32768}
`, `  - provider: acme
    id: priced-1
    input: 2
    output: 10
    cacheRead: 0.2
    cacheWrite: 2.5
    context: 1000000
    outputLimit: 64000
    tiers: [{over: 200000, input: 4, output: 15}]
    modes:
      batch: {input: 1, output: 5}
  - {provider: acme, id: priced-1-preview, input: 2, output: 10, deprecated: true}
  - {provider: example-cloud, id: acme/priced-1, input: 2.2, output: 11}
  - {provider: example-hub, id: "acme/priced-1:free", input: 0, output: 0, free: true, context: 32768}
`}

// Priced adds to a content folder models with offers, and one tool whose repository is
// archived, in four commits on the given days before Today, oldest first. The price of
// model/priced changes, one of its offers and its downloads vanish and come back, and
// model/priced-old retires 40 days after Today in its favour.
func Priced(t testing.TB, content string, daysAgo [4]int) {
	t.Helper()
	for i, ago := range daysAgo {
		day := Today().AddDate(0, 0, -ago).Format(time.DateOnly)
		if i == 0 {
			addProviders(t, content)
			for n := range 14 {
				write(t, content, fmt.Sprintf("model/priced-%d.yaml", n), pricedModel(fmt.Sprintf("Priced %d", n), day, 40<<n, 20+4*(n*7%11)-n%3*7, fmt.Sprintf(
					"offersRead: {date: %s, source: https://hub.example.org/prices}\noffers:\n  - {provider: example-hub, id: m/%d, input: %g, output: %g}\n", day, n, 0.05*float64(int(1)<<(n*7%11)), 0.2*float64(int(1)<<(n*7%11)))))
			}
			write(t, content, "tool/priced-kit.yaml", strings.Replace(pricedModel("Priced Kit", day, 900, 30, ""), "language", "ml-frameworks", 1)+"  archived: {value: 1, date: "+day+", source: https://example.org/kit}\n")
			write(t, content, "model/priced-old.yaml", pricedModel("Priced Old", day, 500, 30, fmt.Sprintf(
				"lifecycle: {deprecated: %s, retires: %s, replacedBy: model/priced, source: https://acme.example/retired}\n", day, Today().AddDate(0, 0, 40).Format(time.DateOnly))))
		}
		more := fmt.Sprintf("offersRead: {date: %s, source: https://acme.example/prices}\noffers:\n%s", day, pricedOffers[i])
		text := pricedModel("Priced One", day, 1000+400*i, 50, pricedFacts+more)
		if i == 2 {
			text = text[:strings.Index(text, "  downloads:")] + text[strings.Index(text, "  lastRelease:"):]
		}
		write(t, content, "model/priced.yaml", text)
		Commit(t, filepath.Dir(content), ago)
	}
}

// pricedFacts are facts of model/priced, and pricedTemplate is the file of a model with a name, a category, more
// members, a day, stars, downloads and a result.
//
//go:embed testdata/priced-facts.yaml
var pricedFacts string

//go:embed testdata/priced.yaml.fmt
var pricedTemplate string

func pricedModel(name, day string, stars, result int, more string) string {
	return fmt.Sprintf(pricedTemplate, name, []string{"language", "coding"}[len(name)%2], more, day, stars, 100*stars, result)
}

func addProviders(t testing.TB, content string) {
	t.Helper()
	path := filepath.Join(content, "providers.yaml")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte("providers:\n"), nil
	}
	suite.Check(t, err)
	write(t, content, "providers.yaml", string(text)+`  - {slug: acme, name: Acme, url: "https://acme.example/", maker: Acme}
  - {slug: example-cloud, name: Example Cloud, url: "https://cloud.example.org/"}
  - {slug: example-hub, name: Example Hub, url: "https://hub.example.org/"}
`)
}

func write(t testing.TB, content, name, text string) {
	t.Helper()
	path := filepath.Join(content, filepath.FromSlash(name))
	suite.Check(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
}

// NewRepository returns a content folder in a new repository, with the categories and the
// formula of suite.Content and no entities.
func NewRepository(t testing.TB) string {
	t.Helper()
	repo := t.TempDir()
	content := filepath.Join(repo, "content")
	for _, name := range []string{"categories.yaml", "scoring.yaml"} {
		text := suite.Must(os.ReadFile(filepath.Join(suite.Content(t), name)))(t)
		write(t, content, name, string(text))
	}
	git(t, repo, 0, "init", "-q", "-b", "main")
	return content
}
