package collect_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"regexp"
	"strings"
	"time"

	"kindex/exports/record"
)

// world is what all services say in each week of a year: figures that start at those of the content, and
// grow. It also is the truth with which the files are compared.
type world struct {
	first    time.Time // the day of week 0
	week     int
	entities []*record.Entity
	base     map[string]float64 // by identifier and name of the figure
	days     map[string]string  // by identifier and name of the day
	quiet    map[string]bool    // identifiers of projects without news
	github   map[string]*record.Entity
	asr      []*record.Entity // those with a result on the leaderboard
}

const asrName = "Open ASR Leaderboard (Hugging Face, English, short recordings)"

func newWorld(first time.Time, entities []*record.Entity) *world {
	w := &world{first: first, entities: entities, base: map[string]float64{}, days: map[string]string{}, quiet: map[string]bool{}, github: map[string]*record.Entity{}}
	for _, e := range entities {
		for _, namespace := range []string{"github", "pypi", "npm", "huggingface"} {
			for _, id := range e.IDsIn(namespace) {
				for _, f := range e.Signals.Facts {
					w.base[key(id, f.Name)], w.days[key(id, f.Name)] = f.Number, f.Day
				}
				commit, known := e.Signals.Fact("lastCommit")
				w.quiet[folded(id)] = known && daysBetween(commit.Day, commit.Date) > 120 || hash("active "+folded(id)) < 0.1 && w.base[key(id, "stars")] < 20000
				if _, ok := w.base[key(id, namespace+"Downloads")]; !ok {
					if f, known := e.Signals.Fact("downloads"); known {
						w.base[key(id, namespace+"Downloads")] = f.Number // what the content has of all registries together
					}
				}
				if namespace == "github" {
					w.github[strings.ToLower(id)] = e
				}
			}
		}
		if len(e.IDsIn("huggingface")) > 0 && w.result(e, 0) > 0 {
			w.asr = append(w.asr, e)
		}
	}
	return w
}

func key(id, name string) string { return folded(id) + " " + name }

// folded returns the form in which spellings of an identifier are compared.
func folded(id string) string {
	return strings.NewReplacer("_", "-", ".", "-").Replace(strings.ToLower(id))
}

func hash(text string) float64 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, text) // cannot fail
	return float64(h.Sum32()%1000) / 1000
}

func daysBetween(from, to string) int32 {
	a, err1 := record.DayNumber(from)
	b, err2 := record.DayNumber(to)
	if err1 != nil || err2 != nil {
		return 0
	}
	return b - a
}

func (w *world) dayOf(week int) string { return w.first.AddDate(0, 0, 7*week).Format(time.DateOnly) }

// figure returns a count in a week: it grows by up to 1.2 % a week, and downloads also vary.
func (w *world) figure(id, name string, week int) float64 {
	x, ok := w.base[key(id, name)]
	if !ok {
		x = 60 + math.Floor(40000*math.Pow(hash(key(id, name)), 4))
	}
	x *= math.Pow(1+0.012*hash("growth "+key(id, name)), float64(week+1))
	if strings.Contains(name, "ownloads") {
		x *= 1 + 0.05*math.Sin(float64(week)+6*hash(folded(id)))
	}
	return math.Round(x)
}

// lastDay returns a day in a week that only moves forward. Quiet projects stay as they are.
func (w *world) lastDay(id, name string, week int) string {
	held := w.days[key(id, name)]
	if held != "" && w.quiet[folded(id)] {
		return held
	}
	return max(held, w.first.AddDate(0, 0, 7*week-1-int(5*hash(folded(id)))).Format(time.DateOnly))
}

// The weeks in which something happens.
const (
	renamedWeek  = 5  // a repository gets another name
	archivedWeek = 9  // a repository is archived
	badWeek      = 12 // GitHub leaves out the stars of every third repository
	downWeek     = 20 // GitHub answers nothing
	zeroWeek     = 26 // pypistats.org counts no downloads
	shareWeek    = 30 // the leaderboard has shares instead of percent
	cutWeek      = 18 // a price falls to a half
	wrongWeek    = 24 // a price is a thousandth for a week
	mixedWeek    = 33 // two repositories have the stars and forks of one of them
	lastWeek     = 36 // the leaderboard ends
	newWeek      = 44 // twenty new models
)

// chosen returns the repository with the most stars after n others.
func (w *world) chosen(n int) string {
	var ids []string
	for _, e := range w.entities {
		if list := e.IDsIn("github"); len(list) > 0 && w.github[strings.ToLower(list[0])] == e && w.base[key(list[0], "stars")] > 2000 {
			ids = append(ids, list[0])
		}
	}
	for i := range ids {
		for j := range ids[:i] {
			if w.base[key(ids[i], "stars")] > w.base[key(ids[j], "stars")] {
				ids[i], ids[j] = ids[j], ids[i]
			}
		}
	}
	return ids[n]
}

// result returns the truth on the leaderboard; 0 if there is none.
func (w *world) result(e *record.Entity, week int) float64 {
	for _, b := range e.Signals.Benchmarks {
		if b.FoldedName() == asrName {
			if week >= 8 { // run again
				return math.Round(b.Value*98) / 100
			}
			return b.Value
		}
	}
	return 0
}

func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	send := func(v any) {
		out.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(out).Encode(v)
	}
	rest := func(prefix, suffix string) string {
		return strings.TrimSuffix(strings.TrimPrefix(path, prefix), suffix)
	}
	switch {
	case (path == "/graphql" || strings.HasPrefix(path, "/repos/")) && w.week == downWeek:
		http.Error(out, "Unicorn!", http.StatusServiceUnavailable)
	case path == "/graphql":
		send(w.repositories(r))
	case strings.HasPrefix(path, "/repos/"):
		id := strings.Replace(rest("/repos/", "/contributors"), "renamed/", strings.Split(w.chosen(3), "/")[0]+"/", 1)
		out.Header().Set("Link", fmt.Sprintf(`<https://x.example/?page=%.0f>; rel="last"`, w.figure(id, "contributors", w.week)))
		send([]any{})
	case strings.HasPrefix(path, "/pypi/"):
		id := rest("/pypi/", "/json")
		send(map[string]any{"info": map[string]any{"name": id, "version": w.version(id)},
			"urls": []any{map[string]any{"upload_time_iso_8601": w.lastDay(id, "lastRelease", w.week) + "T10:00:00Z"}}})
	case strings.HasPrefix(path, "/api/packages/"):
		n := w.figure(rest("/api/packages/", "/recent"), "pypiDownloads", w.week)
		if w.week == zeroWeek {
			n = 0
		}
		send(map[string]any{"data": map[string]any{"last_month": n}, "package": rest("/api/packages/", "/recent"), "type": "recent_downloads"})
	case strings.HasPrefix(path, "/downloads/point/last-month/"):
		points := map[string]any{}
		names := strings.Split(rest("/downloads/point/last-month/", ""), ",")
		for _, name := range names {
			points[name] = map[string]any{"package": name, "downloads": w.figure(name, "npmDownloads", w.week)}
		}
		if len(names) == 1 {
			send(points[names[0]])
			return
		}
		send(points)
	case strings.HasPrefix(path, "/api/models/"):
		id := rest("/api/models/", "")
		send(map[string]any{"id": id, "downloads": w.figure(id, "huggingfaceDownloads", w.week), "likes": w.figure(id, "likes", w.week)})
	case path == "/catalog.json":
		send(w.catalog())
	case path == "/asr.csv":
		w.leaderboard(out)
	default:
		id := rest("/", "")
		version := w.version(id)
		send(map[string]any{"name": id, "dist-tags": map[string]any{"latest": version}, "versions": map[string]any{version: map[string]any{}},
			"time": map[string]any{version: w.lastDay(id, "lastRelease", w.week) + "T10:00:00Z"}})
	}
}

func (w *world) version(id string) string {
	return fmt.Sprintf("9.%s", strings.ReplaceAll(w.lastDay(id, "lastRelease", w.week), "-", ""))
}

var asked = regexp.MustCompile(`(r\d+):repository\(owner:"([^"]+)",name:"([^"]+)"\)`)

// repositories answers a GraphQL query.
func (w *world) repositories(r *http.Request) any {
	body, _ := io.ReadAll(r.Body) // a part of a query answers for fewer
	var q struct{ Query string }
	_ = json.Unmarshal(body, &q)
	data := map[string]any{}
	for i, m := range asked.FindAllStringSubmatch(q.Query, -1) {
		name := m[2] + "/" + m[3]
		id := name
		if m[2] == "renamed" {
			id = w.chosen(3)
		}
		from := id // whose figures they are
		if w.week == mixedWeek && id == w.chosen(5) {
			from = w.chosen(4)
		}
		repo := map[string]any{"nameWithOwner": name, "stargazerCount": w.figure(from, "stars", w.week), "forkCount": w.figure(from, "forks", w.week),
			"isArchived": w.week >= archivedWeek && id == w.chosen(6), "createdAt": w.created(id) + "T10:00:00Z",
			"issues": total(w.figure(id, "openIssues", w.week)), "releases": total(w.figure(id, "releases", w.week)),
			"defaultBranchRef": map[string]any{"target": map[string]any{"committedDate": w.lastDay(id, "lastCommit", w.week) + "T10:00:00Z",
				"history": total(w.figure(id, "commits", w.week)), "recent": total(math.Floor(100 * hash(id)))}}}
		if id == w.chosen(3) && w.week >= renamedWeek {
			repo["nameWithOwner"] = "renamed/" + m[3]
		}
		if w.week == badWeek && i%3 == 0 {
			delete(repo, "stargazerCount")
		}
		data[m[1]] = repo
	}
	return map[string]any{"data": data}
}

func total(n float64) any { return map[string]any{"totalCount": n} }

func (w *world) created(id string) string {
	if day := w.days[key(id, "created")]; day != "" {
		return day
	}
	return "2019-05-05"
}

// priced returns the offer whose price changes.
func (w *world) priced() (*record.Entity, *record.Offer) {
	for _, e := range w.entities {
		for i := range e.Offers {
			if o := &e.Offers[i]; fromModelsDev(o) && o.Prices[record.InputPrice].Float() >= 1 && len(o.Tiers) == 0 {
				return e, o
			}
		}
	}
	return nil, nil
}

func fromModelsDev(o *record.Offer) bool {
	return strings.HasPrefix(o.Source, "https://github.com/anomalyco/models.dev/")
}

// input returns the true input price of an offer.
func (w *world) input(o *record.Offer, week int) float64 {
	if _, chosen := w.priced(); chosen == o && week >= cutWeek {
		return o.Prices[record.InputPrice].Float() / 2
	}
	return o.Prices[record.InputPrice].Float()
}

// catalog is catalog.json of models.dev.
func (w *world) catalog() any {
	models, providers := map[string]any{}, map[string]map[string]any{}
	put := func(provider, id string, offer map[string]any) {
		if providers[provider] == nil {
			providers[provider] = map[string]any{}
		}
		providers[provider][id] = offer
	}
	for _, e := range w.entities {
		for _, id := range e.IDsIn("modelsdev") {
			limit := map[string]any{}
			for name, signal := range map[string]string{"context": "contextTokens", "output": "outputTokens"} {
				if f, ok := e.Signals.Fact(signal); ok {
					limit[name] = f.Number
				}
			}
			f, _ := e.Signals.Fact("released")
			models[id] = map[string]any{"name": e.Name, "release_date": f.Day, "limit": limit}
		}
		for i := range e.Offers {
			if o := &e.Offers[i]; fromModelsDev(o) {
				put(o.Provider, o.ID, w.offer(o))
			}
		}
	}
	for i := range 20 {
		if w.week >= newWeek {
			id := fmt.Sprintf("newlab/nova-%c", 'a'+i)
			models[id] = map[string]any{"name": fmt.Sprintf("Nova %c", 'A'+i), "release_date": w.dayOf(newWeek), "knowledge": "2026-12", "open_weights": i%2 == 0,
				"limit": map[string]any{"context": 200000, "output": 32000}, "modalities": map[string]any{"input": []string{"text"}, "output": []string{"text"}}}
			for seller := range i {
				put(fmt.Sprintf("shop%d", seller), id, map[string]any{"base_model": id, "cost": map[string]any{"input": 1, "output": 4}})
			}
		}
	}
	catalog := map[string]any{}
	for name, offers := range providers {
		catalog[name] = map[string]any{"models": offers}
	}
	return map[string]any{"models": models, "providers": catalog}
}

// offer returns an offer in the form of models.dev.
func (w *world) offer(o *record.Offer) map[string]any {
	rates := func(p *record.Prices) map[string]any {
		out := map[string]any{}
		for kind, name := range map[int]string{record.InputPrice: "input", record.OutputPrice: "output", record.ReasoningPrice: "reasoning",
			record.CacheReadPrice: "cache_read", record.CacheWritePrice: "cache_write", record.InputAudioPrice: "input_audio", record.OutputAudioPrice: "output_audio"} {
			if p[kind].Known() {
				out[name] = p[kind].Float()
			}
		}
		return out
	}
	cost, limit := rates(&o.Prices), map[string]any{}
	if _, chosen := w.priced(); chosen == o {
		cost["input"] = w.input(o, w.week)
		if w.week == wrongWeek {
			cost["input"] = w.input(o, w.week) / 1000
		}
	}
	var tiers []any
	for i := range o.Tiers {
		tier := rates(&o.Tiers[i].Prices)
		tier["tier"] = map[string]any{"size": o.Tiers[i].Over}
		tiers = append(tiers, tier)
	}
	cost["tiers"] = tiers
	for name, n := range map[string]int64{"context": o.Context, "output": o.OutputLimit} {
		if n > 0 {
			limit[name] = n
		}
	}
	out := map[string]any{"cost": cost, "limit": limit}
	if o.Deprecated {
		out["status"] = "deprecated"
	}
	for i := range o.Modes {
		if m := &o.Modes[i]; m.Name == "priority" {
			out["experimental"] = map[string]any{"modes": map[string]any{"fast": map[string]any{"cost": rates(&m.Prices),
				"provider": map[string]any{"body": map[string]any{"service_tier": "priority"}}}}}
		}
	}
	return out
}

// leaderboard sends the list of results.
func (w *world) leaderboard(out http.ResponseWriter) {
	if w.week >= lastWeek {
		http.Error(out, "Gone", http.StatusGone)
		return
	}
	fmt.Fprintln(out, "model,Avg. WER")
	for _, e := range w.asr {
		x := w.result(e, w.week)
		if w.week == shareWeek {
			x /= 100
		}
		fmt.Fprintf(out, "%s,%v\n", e.IDsIn("huggingface")[0], x)
	}
}
