package console

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"kindex/edge/account"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/site/pages"
	"kindex/site/panel"
)

type panelRoute struct {
	Verb   string
	Path   string
	answer func(*panelRequest) (*panel.Page, error)
}

// PanelRoutes returns the routes of the developer panel. Every write is a form that contains the
// session's token, answered by a redirect to a page that can be reloaded, unless a secret is
// shown. The panel calls the same functions as the API, so the same rules apply.
func PanelRoutes() []panelRoute {
	const get, post = http.MethodGet, http.MethodPost
	return []panelRoute{
		{get, "/developer/", (*panelRequest).keys},
		{get, "/developer/keys/", func(*panelRequest) (*panel.Page, error) { return redirect(auth.Panel), nil }}, // the page that showed a new key was reloaded
		{post, "/developer/keys/", (*panelRequest).createKey},
		{get, "/developer/keys/:key/revoke/", (*panelRequest).confirmRevoke},
		{post, "/developer/keys/:key/revoke/", (*panelRequest).revokeKey},
		{get, PanelLog, (*panelRequest).log},
		{get, "/developer/webhooks/", (*panelRequest).webhooks},
		{post, "/developer/webhooks/", (*panelRequest).createWebhook},
		{get, "/developer/webhooks/:webhook/", ofWebhook((*panelRequest).webhook)},
		{post, "/developer/webhooks/:webhook/test/", ofWebhook((*panelRequest).testWebhook)},
		{post, "/developer/webhooks/:webhook/replay/", ofWebhook((*panelRequest).replay)},
		{get, "/developer/webhooks/:webhook/rotate/", ofWebhook((*panelRequest).confirmRotate)},
		{post, "/developer/webhooks/:webhook/rotate/", ofWebhook((*panelRequest).rotateWebhook)},
		{get, "/developer/webhooks/:webhook/delete/", ofWebhook((*panelRequest).confirmDelete)},
		{post, "/developer/webhooks/:webhook/delete/", ofWebhook((*panelRequest).deleteWebhook)},
		{get, "/developer/submissions/", (*panelRequest).submissions},
		{get, "/developer/submissions/:submission/", (*panelRequest).submission},
		{post, "/developer/submissions/:submission/withdraw/", (*panelRequest).withdrawSubmission},
	}
}

func (s *Console) panel() []pageRoute {
	routes := []pageRoute{{http.MethodGet, "/developer", func(_ *web.Call, w http.ResponseWriter) {
		auth.Guard(w.Header())
		w.Header().Set("Location", auth.Panel)
		w.WriteHeader(http.StatusMovedPermanently)
	}}}
	for _, r := range PanelRoutes() {
		routes = append(routes, pageRoute{r.Verb, r.Path, func(c *web.Call, w http.ResponseWriter) { (&panelRequest{Call: c, console: s}).serve(w, r.answer) }})
	}
	return routes
}

type panelRequest struct {
	*web.Call
	console *Console
	site    *pages.Site
	account apikey.Account
	member  panel.Member // its account is "" if the user is signed out
}

func (v *panelRequest) page(template, title string, data any) *panel.Page {
	return &panel.Page{Template: template, Title: title, Member: v.member, Data: data}
}

// redirect leads to a path that is never taken from a request.
func redirect(path string) *panel.Page { return &panel.Page{Location: path} }

// serve handles a request within the time limit for personal responses.
func (v *panelRequest) serve(w http.ResponseWriter, answer func(*panelRequest) (*panel.Page, error)) {
	auth.Guard(w.Header())
	v.SetDeadline()
	if v.Served = v.console.Live.Current(); v.Served == nil {
		v.Fail(w, web.ErrNotReady())
		return
	}
	v.site = v.Served.Site()
	page, err := v.authorize(w, answer)
	if err != nil {
		page = v.refusal(w, err)
	}
	if err := v.respond(w, page); err != nil {
		v.Fail(w, err)
	}
}

// errSignedOut is the response to a form whose session has ended.
var errSignedOut = &web.Problem{Status: http.StatusForbidden, Title: "You are signed out",
	Detail: "Your session has ended, so nothing was changed. Sign in and try again."}

// authorize identifies the user and handles the request if it is allowed. A form is accepted only
// if it was submitted from a page in this session and the account is within its limit. Forms do not
// count towards the account's API limit and must not be a way around it.
func (v *panelRequest) authorize(w http.ResponseWriter, answer func(*panelRequest) (*panel.Page, error)) (*panel.Page, error) {
	sessions, isRead := v.console.auth, v.Request.Method != http.MethodPost
	account, token, err := sessions.Session(v.Request)
	switch {
	case errors.Is(err, auth.ErrSignedOut) && !isRead:
		return nil, errSignedOut
	case errors.Is(err, auth.ErrSignedOut) && v.Request.URL.Path != auth.Panel:
		return redirect(auth.Panel), nil
	case errors.Is(err, auth.ErrSignedOut):
		return nil, nil
	case err != nil:
		return nil, web.StateProblem(err)
	}
	v.account, v.member = account, panel.Member{Account: account.Name, Token: token}
	v.Request = v.Request.WithContext(v.Shared.WithSessionActor(v.Request))
	if isRead {
		return answer(v)
	}
	switch err := sessions.CheckForm(v.Request); {
	case errors.Is(err, auth.ErrForged), errors.Is(err, auth.ErrSignedOut):
		return nil, &web.Problem{Status: http.StatusForbidden, Title: "Nothing was changed", Detail: web.AsSentence(auth.ErrForged.Error())}
	case err != nil:
		return nil, web.StateProblem(err)
	}
	if wait, ok := v.Shared.Limits.AllowAccount(ratelimit.PanelChange, v.account.ID); !ok {
		w.Header().Set("Retry-After", strconv.FormatInt(wait, 10))
		return nil, &web.Problem{Status: http.StatusTooManyRequests, Title: "Hourly limit reached",
			Detail: fmt.Sprintf("You can make at most %d changes per hour here, so nothing was changed. The API has its own limit.", ratelimit.PanelChange.Account)}
	}
	return answer(v)
}

func (v *panelRequest) refusal(w http.ResponseWriter, err error) *panel.Page {
	p := web.AsProblem(err)
	r := &panel.Refusal{Heading: p.Title, Text: p.Detail, Back: auth.Panel, BackTo: "Back to your keys"}
	switch {
	case p.Status == http.StatusNotFound:
		r.Heading, r.Text = "Not found", "It may have been deleted, or it may belong to another account."
	case p.Status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "5")
		fallthrough
	case p.Status >= 500:
		v.Shared.LogFailure(v.ID, v.Request.URL.Path, p)
		r.Text = "Your account is not affected. Try again in a minute."
	case v.member.Account == "":
		r.Back, r.BackTo = "/signin", "Sign in"
	}
	page := v.page("refusal", r.Heading, r)
	page.Status = p.Status
	return page
}

func (v *panelRequest) respond(w http.ResponseWriter, page *panel.Page) error {
	if page != nil && page.Location != "" {
		w.Header().Set("Location", page.Location)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	q := pages.Request{Path: v.Request.URL.Path, Base: v.BaseURL(), Account: v.member.Account}
	var answer *pages.Answer
	var err error
	if page == nil { // signed-out users see a page that describes the panel
		answer, err = v.site.Get(q)
	} else {
		answer, err = v.site.Panel(q, page)
	}
	if err != nil {
		return err
	}
	auth.Send(w, v.Request, answer.Status, answer.MediaType, answer.Body)
	return nil
}

func (v *panelRequest) field(name string) string {
	return strings.TrimSpace(v.Request.PostForm.Get(name))
}

// pageOf returns the first entries of a list, and the path of the page with those that follow, or "".
func pageOf[T any](list []T, size int, path string, id func(T) string) (page []T, older string) {
	if len(list) <= size {
		return list, ""
	}
	return list[:size], path + "?before=" + id(list[size-1])
}

// create performs the write of a form that creates something with a secret, once, however often the
// form is sent: its field once has a value of its own. refused is a problem that the client caused.
func create[T any](v *panelRequest, do account.WriteFunc) (created T, repeated bool, refused *web.Problem, err error) {
	a := storage.IdempotencyKey{AccountID: v.account.ID, Method: v.Request.Method, Path: v.Request.URL.Path}
	if form := maps.Clone(v.Request.PostForm); form.Get("once") != "" {
		delete(form, auth.FormField)
		sum := sha256.Sum256([]byte(form.Encode()))
		a.Key = hex.EncodeToString(sum[:])
	}
	done, repeated, err := v.console.Accounts.WriteOnce(v.Request.Context(), a, do)
	switch {
	case err == nil && !repeated:
		err = json.Unmarshal([]byte(done.Answer), &created)
	case errors.As(err, &refused) && refused.Status < 500:
		err = nil
	}
	return created, repeated, refused, err
}

// fieldError returns a field's error as a sentence with the field's label, or "" if the field has
// no error.
func fieldError(p *web.Problem, field, called string) string {
	for _, f := range p.Errors {
		if f.Field == field {
			return web.AsSentence(called + " " + f.Message)
		}
	}
	return ""
}
