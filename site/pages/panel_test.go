package pages_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/site/pages"
	"kindex/site/panel"
)

// hostileText is an attack that may occur in any string. In the fields listed in free,
// direction marks are added to it.
const hostileText = "<script>alert(1)</script>\" onclick=\"alert(1){{.Token}}"

// free lists the fields whose strings come from people or from their servers.
var free = []string{"Account", "Login", "Title", "Heading", "Text", "Name", "URL", "URLFault", "EventFault", "Fault", "Refused", "Reason",
	"DisabledReason", "Error", "YAML"}

// filled sets every string in a value to text, at any depth, and puts one element into every
// list.
func filled(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(400)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0), text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), text)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			more := text
			if slices.Contains(free, v.Type().Field(i).Name) {
				more += "\u202e"
			}
			filled(v.Field(i), more)
		}
	}
}

// panelPages returns a page of each kind, of sign-in and of the panel, by template.
func panelPages() map[string]any {
	return map[string]any{"signin": &[]panel.Provider{}, "firstkey": &panel.NewKey{}, "refusal": &panel.Refusal{}, "keys": &panel.Keys{}, "newkey": &panel.NewKey{}, "revoke": &panel.APIKey{},
		"audit": &panel.Audit{}, "webhooks": &panel.Webhooks{}, "newwebhook": &panel.NewSecret{}, "webhook": &panel.Deliveries{}, "delete": &panel.Webhook{}, "rotate": &panel.Rotation{},
		"submissions": &panel.Submissions{}, "submission": &panel.Submission{}}
}

// TestPanelPages renders each page, first empty and then with attacks in every field, and
// checks that no attack becomes markup, that each form has its token, and that nothing
// violates the Content-Security-Policy.
func TestPanelPages(t *testing.T) {
	s := siteOf(t, builtOf(t, map[string]string{"tool/one.yaml": "name: One\ncategory: other\ndescription: The only entity that these pages need.\n"}), pages.Options{Contact: hostileText + "\u202e"})
	typed := regexp.MustCompile(`<input[^>]* value="[^"]*"`) // these pages return the value as it was typed
	form := regexp.MustCompile(`(?s)<form[^>]*method="post"[^>]*action="([^"]*)".*?</form>`)
	for _, text := range []string{"", hostileText, strings.Repeat("long ", 400)} {
		for name, data := range panelPages() {
			p := &panel.Page{Template: name, Script: true, Data: data}
			if text != "" {
				p.Title, p.Description = text, text
				filled(reflect.ValueOf(&p.Member).Elem(), text)
				filled(reflect.ValueOf(data).Elem(), text)
			}
			a, err := s.Panel(pages.Request{Path: "/developer/", Base: "https://index.example.org", Account: text}, p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			body := string(a.Body)
			for _, bad := range []string{"<script>", "<style", " style=", ` onclick="`, "\u202e", "ZgotmplZ", `rel="canonical"`, `property="og:`} {
				if strings.Contains(typed.ReplaceAllString(body, ""), bad) {
					t.Errorf("%s with %.20q has %s", name, text, bad)
				}
			}
			if strings.Count(body, "<h1") != 1 || strings.Count(body, "<h1") != strings.Count(body, "</h1>") || !strings.Contains(body, `content="noindex"`) {
				t.Errorf("%s: not one heading, or for search engines: %s", name, body)
			}
			for _, m := range form.FindAllStringSubmatch(body, -1) {
				if strings.Count(m[0], `name="token"`) != 1 && !strings.HasPrefix(m[1], "/signin/") {
					t.Errorf("%s: a form without token: %s", name, m[0])
				}
			}
			if len(body) > 100_000 {
				t.Errorf("%s: %d bytes", name, len(body))
			}
		}
	}
}

// TestUse draws all kinds of usage, and checks that the bar never exceeds the limit and is
// never empty if there was any usage.
func TestUse(t *testing.T) {
	width := regexp.MustCompile(`class="use-fill" width="([0-9.]+)"`)
	for _, limit := range []int64{1, 3, 100, 1_000_000} {
		last := -1.0
		for _, used := range slices.Sorted(slices.Values([]int64{0, 1, limit / 3, limit / 2, limit * 4 / 5, limit - 1, limit, limit + 7})) {
			u := panel.Use{Used: used, Limit: limit}
			var w float64
			if m := width.FindStringSubmatch(string(u.Picture())); m == nil {
				t.Fatal(u.Picture())
			} else if _, err := fmt.Sscan(m[1], &w); err != nil {
				t.Fatal(err)
			}
			if w < 0 || w > 1000 || (w == 0) != (used == 0) || (w == 1000) != (used >= limit) || w < last {
				t.Errorf("%d of %d: %v", used, limit, w)
			}
			if last = w; u.Left() != max(0, limit-used) || (u.Level() == "full") != (used >= limit) {
				t.Errorf("%d of %d: %d left, %q", used, limit, u.Left(), u.Level())
			}
		}
	}
	for window, want := range map[time.Duration]string{24 * time.Hour: "1 day", time.Hour: "1 hour", 90 * time.Minute: "90 minutes", 48 * time.Hour: "2 days", 10 * time.Second: "10 seconds"} {
		suite.Equal(t, (panel.Use{Window: window}).Span(), want, window)
	}
}
