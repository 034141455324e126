package edge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/site/pages"
)

// panelRoute is an address of the panel.
type panelRoute struct {
	verb   string
	path   string
	answer func(*visitor) (shown, error)
}

// panelRoutes is the whole developer's panel on one screen. A write is a form with
// the session's token, and leads on to a page that can be reloaded, except where a
// secret is shown once. What a page does is done by the functions behind the API, so
// that there is one set of rules.
func panelRoutes() []panelRoute {
	const get, post = http.MethodGet, http.MethodPost
	return []panelRoute{
		{get, "/developer/", (*visitor).keys},
		{get, "/developer/keys/", to(auth.Panel)}, // where a new key was shown
		{post, "/developer/keys/", (*visitor).makeKey},
		{get, "/developer/keys/:key/revoke/", (*visitor).askToRevoke},
		{post, "/developer/keys/:key/revoke/", (*visitor).revokeKey},
		{get, panelLog, (*visitor).log},
		{get, "/developer/webhooks/", (*visitor).webhooks},
		{post, "/developer/webhooks/", (*visitor).makeWebhook},
		{get, "/developer/webhooks/:webhook/", (*visitor).webhook},
		{post, "/developer/webhooks/:webhook/test/", (*visitor).testWebhook},
		{post, "/developer/webhooks/:webhook/replay/", (*visitor).replay},
		{get, "/developer/webhooks/:webhook/rotate/", (*visitor).askToRotate},
		{post, "/developer/webhooks/:webhook/rotate/", (*visitor).rotateWebhook},
		{get, "/developer/webhooks/:webhook/delete/", (*visitor).askToDelete},
		{post, "/developer/webhooks/:webhook/delete/", (*visitor).deleteWebhook},
		{get, "/developer/submissions/", (*visitor).submissions},
		{get, "/developer/submissions/:submission/", (*visitor).submission},
		{post, "/developer/submissions/:submission/withdraw/", (*visitor).withdrawSubmission},
	}
}

// panel returns the routes of the developer's panel.
func (s *Console) panel() []pageRoute {
	routes := []pageRoute{{http.MethodGet, "/developer", func(_ *call, w http.ResponseWriter) {
		auth.Guard(w.Header())
		w.Header().Set("Location", auth.Panel)
		w.WriteHeader(http.StatusMovedPermanently)
	}}}
	for _, r := range panelRoutes() {
		routes = append(routes, pageRoute{r.verb, r.path, func(c *call, w http.ResponseWriter) { (&visitor{call: c, console: s}).attend(w, r.answer) }})
	}
	return routes
}

// visitor is somebody who asks for a page of the panel.
type visitor struct {
	*call
	console *Console
	site    *pages.Site
	account apikey.Account
	member  pages.Member // "" as the account where nobody is signed in
}

// shown is what somebody gets to see: a page, or another place to go to.
type shown struct {
	page pages.Panel
	to   string // a path of the panel, never one that a request has named
}

func to(path string) func(*visitor) (shown, error) {
	return func(*visitor) (shown, error) { return shown{to: path}, nil }
}

// attend answers a request, in the time that an answer about one's own may take.
func (v *visitor) attend(w http.ResponseWriter, answer func(*visitor) (shown, error)) {
	auth.Guard(w.Header())
	var ctx context.Context
	ctx, v.end = context.WithTimeout(v.request.Context(), ownTime)
	v.request = v.request.WithContext(ctx)
	if !v.acquire(w, v.console.live) {
		return
	}
	var err error
	if v.site, err = v.served.site(); err != nil {
		v.fail(w, err)
		return
	}
	a, err := v.enter(w, answer)
	if err != nil {
		a = shown{page: v.refusal(w, err)}
	}
	if err := v.send(w, a); err != nil {
		v.fail(w, err)
	}
}

// errSignedOut is what a form comes to whose session is over.
var errSignedOut = &Problem{Status: http.StatusForbidden, Title: "You are signed out",
	Detail: "Your session is over, so nothing was changed. Sign in, and do it again."}

// enter finds out who asks, and has the request answered if it may be. Only what a
// page of this session has sent, and not too often, changes anything.
func (v *visitor) enter(w http.ResponseWriter, answer func(*visitor) (shown, error)) (shown, error) {
	people, look := v.console.people, v.request.Method != http.MethodPost
	account, token, err := people.Session(v.request)
	switch {
	case errors.Is(err, auth.ErrSignedOut) && !look:
		return shown{}, errSignedOut
	case errors.Is(err, auth.ErrSignedOut) && v.request.URL.Path != auth.Panel:
		return shown{to: auth.Panel}, nil
	case errors.Is(err, auth.ErrSignedOut):
		return shown{}, nil
	case err != nil:
		return shown{}, stateProblem(err)
	}
	v.account, v.member = account, pages.Member{Account: account.Name, Token: token}
	v.request = v.request.WithContext(v.shared.asSession(v.request))
	if look {
		return answer(v)
	}
	switch err := people.CheckForm(v.request); {
	case errors.Is(err, auth.ErrForged), errors.Is(err, auth.ErrSignedOut):
		return shown{}, &Problem{Status: http.StatusForbidden, Title: "Nothing was changed", Detail: sentence(auth.ErrForged.Error())}
	case err != nil:
		return shown{}, stateProblem(err)
	}
	if err := v.count(w); err != nil {
		return shown{}, err
	}
	return answer(v)
}

// mostForms is how many forms of the panel an account may send in an hour, on this
// edge: they do not count against its limit, and are no way around it.
const mostForms = 60

func (v *visitor) count(w http.ResponseWriter) error {
	st, err := v.console.starts.Take(v.request.Context(), ratelimit.Subject{ID: "panel:" + v.account.ID, Limit: mostForms, Window: time.Hour})
	switch {
	case err != nil:
		return stateProblem(err)
	case !st.Allowed:
		w.Header().Set("Retry-After", strconv.FormatInt(st.Wait(v.shared.now()), 10))
		return &Problem{Status: http.StatusTooManyRequests, Title: "That is too much for one hour",
			Detail: fmt.Sprintf("At most %d changes can be made here in an hour, so nothing was changed. The API has a limit of its own.", mostForms)}
	}
	return nil
}

// refusal says why there is no answer.
func (v *visitor) refusal(w http.ResponseWriter, err error) pages.Panel {
	p := problemOf(err)
	r := &pages.RefusalPage{Member: v.member, Status: p.Status, Heading: p.Title, Text: p.Detail, Back: auth.Panel, BackTo: "Back to your keys"}
	switch {
	case p.Status == http.StatusNotFound:
		r.Heading, r.Text = "You have nothing at this address", "It may have been deleted, or it is another account's."
	case p.Status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "5")
		fallthrough
	case p.Status >= 500:
		v.shared.log.Error("request failed", "requestId", v.id, "path", v.request.URL.Path, "error", fmt.Sprint(p.cause))
		r.Text = "Nothing is wrong with you or your account. Try again in a minute."
	case v.member.Account == "":
		r.Back, r.BackTo = "/signin", "Sign in"
	}
	return r
}

// send answers. It does not compress: the page has the form's token, and may show
// what somebody else has chosen, of which the length would tell (BREACH).
func (v *visitor) send(w http.ResponseWriter, a shown) error {
	h := w.Header()
	if a.to != "" {
		h.Set("Location", a.to)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	q := pages.Request{Path: v.request.URL.Path, Base: v.base(), Account: v.member.Account}
	var answer *pages.Answer
	var err error
	if a.page == nil { // what the panel is, for those who are not signed in
		answer, err = v.site.Get(q)
	} else {
		answer, err = v.site.Panel(q, a.page)
	}
	if err != nil {
		return err
	}
	h.Set("Content-Type", answer.MediaType)
	h.Set("Content-Length", strconv.Itoa(len(answer.Body)))
	w.WriteHeader(answer.Status)
	if v.request.Method == http.MethodHead {
		return nil
	}
	return clientGone(writeAll(w, answer.Body))
}

// field is what somebody has put into a form, without the spaces around it.
func (v *visitor) field(name string) string { return strings.TrimSpace(v.request.PostForm.Get(name)) }

// once tells a form from every other one, so that what makes something makes it once,
// however often its answer is reloaded.
func once() string { return storage.NewID("") }

// attempt is the form that was sent, as the state tells repeated writes apart.
func (v *visitor) attempt() storage.Attempt {
	a := storage.Attempt{AccountID: v.account.ID, Method: v.request.Method, Path: v.request.URL.Path}
	form := maps.Clone(v.request.PostForm)
	delete(form, auth.FormField)
	if form.Get("once") != "" {
		sum := sha256.Sum256([]byte(form.Encode()))
		a.Key = hex.EncodeToString(sum[:])
	}
	return a
}

// fault is what is wrong with a field, as a sentence about what people call it; ""
// for nothing.
func (p *Problem) fault(field, called string) string {
	for _, f := range p.Errors {
		if f.Field == field {
			return sentence(called + " " + f.Message)
		}
	}
	return ""
}
