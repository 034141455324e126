package ogimage_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/exports/record"
	"kindex/site/ogimage"
)

func parts(scores ...float64) []ogimage.Part {
	all := make([]ogimage.Part, len(scores))
	for i, s := range scores {
		all[i].Name = []string{"Adoption", "Quality", "Freshness", "Citations", "Engagement"}[i]
		if s >= 0 {
			all[i].Score = record.ScoreOf(s)
		}
	}
	return all
}

// pytorch is the card of a tool in the content for tests.
func pytorch() ogimage.Card {
	return ogimage.Card{
		Site: "kindex", Kind: "Tool", Name: "PyTorch", Provider: "PyTorch", Category: "Machine-learning frameworks", Fallback: "tool/pytorch",
		Description: "Tensor library and automatic differentiation for building neural networks in ordinary Python code; models run eagerly, can be compiled, and train on CPUs, GPUs and clusters.",
		Score:       record.ScoreOf(89.8), Rank: 1, Ranked: 354, AsOf: "2026-11-21", Parts: parts(99, -1, 42.6, 94.7, 99.8),
	}
}

// cards holds the cards of the golden files: entities and leaders in the content for tests,
// and strings that no content should have.
var cards = map[string]ogimage.Card{
	"tool": pytorch(),
	"model": {
		Site: "kindex", Kind: "Model", Name: "Claude Opus 4.8", Provider: "Anthropic", Category: "Vision-language models", Fallback: "model/claude-opus-4-8",
		Description: "Follows Opus 4.7 by six weeks; the announcement sets SWE-Bench Pro and Terminal-Bench beside the figures of that predecessor, and both are higher.",
		Score:       record.ScoreOf(82.1), Rank: 7, Ranked: 354, AsOf: "2026-11-21", Parts: parts(-1, 85.7, 71.5, -1, -1),
	},
	"unranked": {
		Site: "kindex", Kind: "Model", Name: "Nemotron 3 Nano Omni 30B A3B Reasoning", Provider: "NVIDIA", Category: "Omni-modal models", Fallback: "model/nemotron-3-nano-omni-30b-a3b-reasoning",
		Description: "Gives Nemotron 3 Nano eyes and ears: one open model that reasons over documents, screens, film and speech.",
		AsOf:        "2026-11-21", Parts: parts(-1, -1, 67.5, -1, -1),
	},
	"long": {
		Site: "An index with a title that is far too long for the foot of a picture, whoever made it", Kind: "Tool",
		Name:     "The Comprehensive Toolkit for Everything that Anybody could ever want to do with Data, Models and Agents, Second Edition",
		Provider: strings.Repeat("Some Institute of Long Names ", 10), Category: strings.Repeat("Category ", 30), Fallback: "tool/" + strings.Repeat("toolkit-", 30),
		Description: strings.Repeat("It does one thing after another, and then it does the next. ", 20),
		Score:       record.ScoreOf(100), Rank: 99999, Ranked: 100000, AsOf: "2026-11-21",
		Parts: []ogimage.Part{{Name: strings.Repeat("Dimension ", 9), Score: record.ScoreOf(100)}, {Name: "None", Score: record.ScoreOf(0)}},
	},
	"scripts": {
		Site: "kindex", Kind: "Model", Name: "通义千问 Qwen 🚀", Provider: "Vi\u1ec7n Nghi\u00ean c\u1ee9u AI \u202etxet\u202c", Category: "language\nmodels", Fallback: "model/qwen",
		Description: "Cafe\u0301 \u2011 na\u00efve, \ufb00, Ελληνικά, русский; 中文 and العربية are marked. 🤗\u200d💥 \xff\x00",
		Score:       record.ScoreOf(7.3), AsOf: "some day", Parts: parts(0, 0.1, 50, 99.9, 100),
	},
	"index": {
		Site: "kindex", Name: "kindex", Fallback: "480 tools and models",
		Description: "Machine-learning tools and AI models in use today, described in plain words, with dated figures that each name their source.",
		AsOf:        "2026-11-21",
		Parts: []ogimage.Part{{"PyTorch", record.ScoreOf(89.8)}, {"scikit-learn", record.ScoreOf(88.8)}, {"TensorFlow", record.ScoreOf(88.7)},
			{"Transformers", record.ScoreOf(87.5)}, {"Matplotlib", record.ScoreOf(83.9)}},
	},
	"plainindex": {
		Site: "kindex", Name: "kindex",
		Description: "Machine-learning tools and AI models in use today, described in plain words, with dated figures that each name their source.",
		AsOf:        "2026-11-21",
	},
}

// drawn draws a card and fails unless the result is a small PNG of the right dimensions.
func drawn(t testing.TB, c ogimage.Card) ([]byte, *image.Paletted) {
	t.Helper()
	data, err := ogimage.PNG(c)
	if err != nil {
		t.Fatal(err)
	}
	const most = 100_000
	if len(data) > most {
		t.Errorf("the picture has %d bytes, more than %d", len(data), most)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	flat, ok := img.(*image.Paletted)
	if !ok || flat.Rect != image.Rect(0, 0, ogimage.Width, ogimage.Height) {
		t.Fatalf("the picture is a %T of %v", img, img.Bounds())
	}
	return data, flat
}

// TestPNG compares pixels, not bytes, because another version of Go may compress images
// differently. A shade may differ by one step, because processors that fuse multiplication
// and addition round numbers differently.
func TestPNG(t *testing.T) {
	suite.InTest(t)
	const step = 16
	for name, c := range cards {
		t.Run(name, func(t *testing.T) {
			data, got := drawn(t, c)
			file := filepath.Join("testdata", name+".png")
			if suite.Updating() {
				if err := os.WriteFile(file, data, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			was, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := png.Decode(bytes.NewReader(was))
			if err != nil {
				t.Fatal(err)
			}
			if want.Bounds() != got.Rect {
				t.Fatalf("%s has the size %v", file, want.Bounds())
			}
			other := 0
			for y := range ogimage.Height {
				for x := range ogimage.Width {
					if apart(want.At(x, y), got.At(x, y)) > step {
						other++
					}
				}
			}
			if other > 0 {
				t.Errorf("%d pixels are not as in %s; to update it: go test -update", other, file)
			}
		})
	}
}

// apart returns the largest difference, out of 255, between two colours in any channel.
func apart(a, b color.Color) int {
	p, q := color.NRGBAModel.Convert(a).(color.NRGBA), color.NRGBAModel.Convert(b).(color.NRGBA)
	most := 0
	for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B), int(p.A) - int(q.A)} {
		most = max(most, d, -d)
	}
	return most
}

// TestSameBytes checks that no image depends on images drawn earlier or at the same time.
func TestSameBytes(t *testing.T) {
	cards := maps.Clone(cards)
	cards["mixed"] = every("Tool", mixed())
	want := map[string][]byte{}
	for name, c := range cards {
		want[name], _ = drawn(t, c)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for name, c := range cards {
				if got, err := ogimage.PNG(c); err != nil || !bytes.Equal(got, want[name]) {
					t.Errorf("%s gives another image, %v", name, err)
				}
			}
		})
	}
	all.Wait()
}

// TestTexts checks that characters that cannot be drawn are replaced, but never by a box.
func TestTexts(t *testing.T) {
	card := func(name, fallback string) ogimage.Card {
		return ogimage.Card{Site: "kindex", Kind: "Model", Name: name, Fallback: fallback}
	}
	for _, c := range []struct{ name, shownAs string }{
		{"Cafe\u0301", "Caf\u00e9"},
		{"a\u202eb\u2066c\u200f\u200b", "abc"},
		{" two\r\n\t words\u2028", "two words"},
		{"\U0001f917 Transformers \U0001f680", "Transformers"},
		{"Zeichen\xff\xfeKette\x00", "Zeichen Kette"},
		{"Ti\u1ebfng \ufb00 \uff27\uff30\uff34 \u2011", "Tieng ff GPT -"},
		{"Qwen from 通义", "Qwen from …"},
		{"e" + strings.Repeat("\u0301\u0489", 60), "\u00e9"},
		{"日本語", "model/x"},
		{"العربية", "model/x"},
		{"हिन्दी", "model/x"},
		{"通义千问 Qwen", "model/x"},
		{"\u202e\n", "model/x"},
		{"\U0001f917\U0001f680", "model/x"},
		{"", "model/x"},
	} {
		got, _ := drawn(t, card(c.name, "model/x"))
		if want, _ := drawn(t, card(c.shownAs, "model/x")); !bytes.Equal(got, want) {
			t.Errorf("%q is not shown as %q", c.name, c.shownAs)
		}
	}
	got, _ := drawn(t, card("日本語", "模型/日本語"))
	if want, _ := drawn(t, card("Model", "")); !bytes.Equal(got, want) {
		t.Error("a card without a drawable name or URL does not show its kind")
	}
	if other, _ := drawn(t, card("Models", "model/x")); bytes.Equal(got, other) {
		t.Error("two names give the same image")
	}
}

// TestBars checks that the length of a bar represents its score, to a tenth of a pixel's
// shade, and that unknown scores look different from zero.
func TestBars(t *testing.T) {
	length := func(p ogimage.Part) (pixels int) {
		_, img := drawn(t, ogimage.Card{Kind: "Tool", Name: "x", Parts: []ogimage.Part{p}})
		for x := range ogimage.Width {
			if img.At(x, 329) == (color.RGBA{0x0b, 0x6e, 0x63, 0xff}) {
				pixels++
			}
		}
		return pixels
	}
	for tenths := 0; tenths <= 1000; tenths += 125 {
		score := float64(tenths) / 10
		if got, want := length(ogimage.Part{Score: record.ScoreOf(score)}), 300*tenths/1000; got < want || got > want+1 {
			t.Errorf("the bar of %.1f is %d pixels long, not %d", score, got, want)
		}
	}
	zero, _ := drawn(t, ogimage.Card{Kind: "Tool", Name: "x", Parts: parts(0)})
	null, _ := drawn(t, ogimage.Card{Kind: "Tool", Name: "x", Parts: parts(-1)})
	if bytes.Equal(zero, null) {
		t.Error("null looks like 0")
	}
}

// every returns a card in which every string is s.
func every(kind, s string) ogimage.Card {
	all := make([]ogimage.Part, 20)
	for i := range all {
		all[i] = ogimage.Part{Name: s, Score: record.ScoreOf(100)}
	}
	return ogimage.Card{Site: s, Kind: kind, Name: s, Provider: s, Category: s, Fallback: s, Description: s,
		Score: record.ScoreOf(100), Rank: math.MaxInt, Ranked: math.MaxInt, AsOf: s, Parts: all}
}

// within fails if something is drawn outside the columns.
func within(t *testing.T, c ogimage.Card, img *image.Paletted) {
	t.Helper()
	const left, gap, score, right, foot = 72, 752, 828, 1128, 536
	const over = 10 // a letter may overhang its column
	var paper [ogimage.Width]byte
	for y := 12; y < ogimage.Height; y++ {
		row := img.Pix[y*img.Stride:][:ogimage.Width]
		empty := [][]byte{row[:left-over], row[right+over:]}
		if y > 606 {
			empty = [][]byte{row}
		} else if c.Kind != "" && y < foot {
			empty = append(empty, row[gap+over:score-over])
		}
		for _, part := range empty {
			if !bytes.Equal(part, paper[:len(part)]) {
				t.Fatalf("something is drawn outside the columns, %d pixels from the top", y)
			}
		}
	}
}

// mixed is a long text whose letters rarely repeat, which results in the largest image.
func mixed() string {
	var b strings.Builder
	for i := range 10_000 {
		b.WriteRune(rune('!' + i*i*7%('~'-'!')))
		b.WriteRune(rune('À' + i*7919%('ž'-'À')))
	}
	return b.String()
}

// TestHostile checks that, for strings of any length and kind, the image stays small, is
// drawn quickly, and stays within its margins.
func TestHostile(t *testing.T) {
	for _, s := range []string{
		strings.Repeat("W", 10_000), strings.Repeat("@#&%", 3000), strings.Repeat("i", 10_000), strings.Repeat("W ", 5000), strings.Repeat("-", 10_000),
		strings.Repeat("\u202e\u2067", 5000), "a" + strings.Repeat("\u0301", 10_000), strings.Repeat("\n", 10_000), strings.Repeat("\xff", 10_000),
		strings.Repeat("日本語", 4000), strings.Repeat("\U0001f469\u200d\U0001f467", 2000), strings.Repeat("\ufdfa", 4000), strings.Repeat("…", 4000),
		strings.Repeat("Ǻ", 5000), mixed(),
	} {
		for _, kind := range []string{s, ""} {
			c := every(kind, s)
			_, img := drawn(t, c)
			within(t, c, img)
		}
	}
}

// TestEndless checks that only the start of a string is processed: measuring all of it
// would take minutes.
func TestEndless(t *testing.T) {
	suite.InTest(t)
	least := [2]time.Duration{time.Hour, time.Hour}
	for range 20 { // the machine may be busy during one attempt, but is unlikely to be during all of them
		for i, n := range []int{1 << 10, 1 << 22} {
			text := strings.Repeat("WW日 ", n)
			begun := time.Now()
			drawn(t, every(text, text))
			least[i] = min(least[i], time.Since(begun))
		}
		if least[1] <= 50*least[0] {
			return
		}
	}
	t.Errorf("a text takes %v, one 4096 times longer takes %v", least[0], least[1])
}

func FuzzPNG(f *testing.F) {
	for name, c := range cards {
		f.Add(c.Kind, c.Name, c.Provider, c.Description, c.AsOf, len(name))
	}
	f.Add("", "\u202e", "\xff", "\x00", "2026-02-30", -1)
	f.Fuzz(func(t *testing.T, kind, name, provider, description, asOf string, n int) {
		c := ogimage.Card{Site: provider, Kind: kind, Name: name, Provider: provider, Category: asOf, Fallback: name, Description: description,
			Rank: n, Ranked: -n, AsOf: asOf, Parts: []ogimage.Part{{Name: name}, {Name: kind, Score: record.ScoreOf(float64(uint(n)%1001) / 10)}}}
		if n%2 == 0 {
			c.Score = c.Parts[1].Score
		}
		_, img := drawn(t, c)
		within(t, c, img)
	})
}

func BenchmarkPNG(b *testing.B) {
	for name, c := range map[string]ogimage.Card{"usual": pytorch(), "hostile": every("Tool", mixed())} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ogimage.PNG(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
