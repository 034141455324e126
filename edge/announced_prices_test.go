package edge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
)

// TestAnnouncedPrices serves offers whose prices end, are announced, hold at some hours or are not for tokens:
// before the day and after it, and what they were on the day before.
func TestAnnouncedPrices(t *testing.T) {
	r := NewRepository(t)
	suite.Check(t, os.CopyFS(r.Dir, os.DirFS("testdata/prices")))
	const model = "category: language\ndescription: A model with a price.\nprovider: OpenAI\nurl: https://example.org/\noffersRead: {date: 2026-11-01, source: https://example.org/prices}\noffers:\n"
	r.Commit("2026-11-02T10:00:00Z", "Prices",
		"model/changing.yaml", "name: Changing\n"+model+`  - provider: openai
    id: changing
    input: 2
    output: 8
    modes:
      offPeak: {hours: "16:30 to 00:30 UTC", input: 1, output: 4}
    next: {from: 2026-12-01, input: 3, output: 12}
  - {provider: azure, id: changing, input: 2.5, output: 9, until: 2026-11-30}
  - {provider: xai, id: changing, input: 9, output: 9, until: 2026-10-31, next: {from: 2026-11-01, input: 7, output: 7}}
  - {provider: minimax, id: changing, input: 50, output: 50, until: 2026-10-31, next: {from: 2027-01-01, input: 1, output: 1}}
`,
		"model/reader.yaml", "name: Reader\n"+model+`  - {provider: openai, id: reader, page: 0.002}
  - {provider: azure, id: reader, minute: 0.006, character: 0.000015, image: 0.01}
  - {provider: xai, id: reader, second: 0.0002, input: 1, output: 2, inputImage: 3, cacheWrite1h: 5}
`)
	out := filepath.Join(t.TempDir(), "out")
	buildDay(t, r, out, "2026-11-30")
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: 1e6})
	cost := func(query, want string) {
		t.Helper()
		var got costReply
		if a := s.ask(t, "GET", "/api/cost?"+query); json.Unmarshal(a.body, &got) != nil {
			t.Fatalf("%s: %d %s", query, a.status, a.body)
		}
		suite.Equal(t, got.String(), want, query)
	}
	has := func(path string, texts ...string) {
		t.Helper()
		a := s.ask(t, "GET", path)
		for _, text := range texts {
			a.want(t, 200, text)
		}
	}
	const before = "openai/changing 10, input 1000000×2=2, output 1000000×8=8\n" +
		"azure/changing 11.5, input 1000000×2.5=2.5, output 1000000×9=9\n" +
		"xai/changing 18, input 1000000×9=9, output 1000000×9=9\n" + // read on the day from which less was announced
		"minimax/changing 100, input 1000000×50=50, output 1000000×50=50" // read after the day on which it was to end
	const million = "model=changing&input=1000000&output=1000000"
	cost(million, before)
	cost(million+"&mode=offPeak&provider=openai", "openai/changing 5, input 1000000×1=1, output 1000000×4=4")
	has("/api/cost?"+million, `"until":"2026-11-30"`, `"until":"2026-12-31"`)
	has("/api/entity/model/changing", `"price":{"input":2,"output":8,`, `"next":{"from":"2026-12-01","input":3,"output":12}`,
		`"modes":{"offPeak":{"hours":"16:30 to 00:30 UTC","input":1,"output":4}}`)
	has("/api/offers?sort=input&provider=openai&model=changing", `"input":2,`, `"until":"2026-11-30"`, `"next":{"from":"2026-12-01"`)
	has("/model/changing/", "Off-peak: $1.00 input, $4.00 output", "Off-peak hours: 16:30 to 00:30 UTC", "From 1 Dec 2026: $3.00 input, $12.00 output")
	// Pages; 90 seconds by the minute and by the second; a thousand characters; tokens of images, and an hour in the cache.
	cost("model=reader&input=0&pages=500&provider=openai", "openai/reader 1, page 500×0.002=1")
	cost("model=reader&input=0&seconds=90&provider=azure", "azure/reader 0.009, minute 90×0.006=0.009")
	cost("model=reader&input=0&seconds=90&provider=xai", "xai/reader 0.018, second 90×0.0002=0.018")
	cost("model=reader&input=0&characters=1000&images=2&provider=azure", "azure/reader 0.035, image 2×0.01=0.02, character 1000×0.000015=0.015")
	cost("model=reader&input=1000&inputImage=400&cacheWrite1h=500&provider=xai",
		"xai/reader 0.0038, input 100×1=0.0001, cacheWrite1h 500×5=0.0025, inputImage 400×3=0.0012")
	cost("model=reader&input=0&pages=1&provider=azure", "azure/reader null, page 1×null=null, no page")
	has("/model/reader/", "$0.002 a page", "$0.006 a minute")
	has("/api/export/offers?format=csv", "model,changing,openai,changing,,,,,2,8,", "model,changing,openai,changing,offPeak,,,,1,4,", "model,changing,openai,changing,,,2026-12-01,,3,12,")

	s.publishDay(t, r, "2026-12-02")
	cost(million, "openai/changing 15, input 1000000×3=3, output 1000000×12=12\n"+
		"xai/changing 18, input 1000000×9=9, output 1000000×9=9\n"+
		"minimax/changing 100, input 1000000×50=50, output 1000000×50=50\n"+
		"azure/changing null, input 1000000×null=null, output 1000000×null=null, no input, no output")
	cost(million+"&at=2026-11-30", before)
	has("/api/cost?"+million, "The prices ended on 2026-11-30")
	has("/api/entity/model/changing", `"price":{"input":3,"output":12,`)
	has("/api/offers?sort=input&provider=openai&model=changing", `"input":3,`)
	has("/api/offers?sort=input&provider=openai&model=changing&at=2026-11-30", `"input":2,`)
	has("/api/entities?type=model&maxPrice=6&sort=price", `"slug":"changing"`)
	has("/model/changing/", "$3", "1 Dec 2026")
	has("/api/entity/model/changing/changelog", `"count":1,`) // an announced price that takes effect is no change of the content
}
