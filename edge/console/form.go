package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"kindex/edge/account"
	"kindex/edge/auth"
	"kindex/edge/live"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/edge/web"
	"kindex/exports/didyoumean"
	"kindex/exports/record"
	"kindex/site/form"
	"kindex/site/pages"
	"kindex/site/siteurl"
)

// forms bounds what the form for submissions may be asked, which costs nobody
// anything of their limit.
type forms struct {
	foreign *http.CrossOriginProtection
	asked   *ratelimit.Memory
	turns   *turns
}

// How often in an hour an address, and a network of addresses, may have the form
// checked, which happens with every pause in typing, and an account may submit with
// it. A form counts once, and once more for every CheckedBytes that it has.
const (
	MaxChecks        = 1200
	MaxNetworkChecks = 10 * MaxChecks
	MaxSent          = 30
	CheckedBytes     = 8 << 10
)

func newForms(shared *web.Shared) forms {
	f := forms{turns: &turns{}, foreign: http.NewCrossOriginProtection(), asked: ratelimit.NewMemory(nil, ratelimit.MemoryOptions{Now: shared.Now, Log: shared.Log})}
	if u, err := url.Parse(shared.URL); err == nil && u.Host != "" {
		_ = f.foreign.AddTrustedOrigin(u.Scheme + "://" + u.Host) // else the header Host has to do
	}
	return f
}

func (f *forms) close() { _ = f.asked.Close(context.Background()) } // it keeps nothing

// take counts something of a subject in an hour, and reports whether there was room.
func (f *forms) take(c *web.Call, who ratelimit.Subject) error {
	who.Window = time.Hour
	st, err := f.asked.Take(c.Request.Context(), who)
	if err != nil || !st.Allowed {
		c.Writer.Header().Set("Retry-After", strconv.FormatInt(st.Wait(c.Shared.Now()), 10))
		return &refusedForm{http.StatusTooManyRequests, "That was too much for one hour; go on a little later. Nothing is lost: what you have entered stands below."}
	}
	return nil
}

// admit counts a form of some bytes, and waits for the turn of the network that it
// comes from, which lasts until done is called. The network is counted first, so that
// one network makes the counts of no more addresses than it may have checks.
func (f *forms) admit(c *web.Call, size int) (done func(), err error) {
	from := c.Shared.Proxies.Client(c.Request)
	for range 1 + size/CheckedBytes {
		for _, who := range []ratelimit.Subject{ratelimit.OfNetwork(from, MaxNetworkChecks), ratelimit.OfAddress(from, MaxChecks)} {
			if err := f.take(c, who); err != nil {
				return nil, err
			}
		}
	}
	done, err = f.turns.wait(c.Request.Context(), ratelimit.Network(from))
	if err != nil {
		c.Writer.Header().Set("Retry-After", "1")
		err = &refusedForm{http.StatusTooManyRequests, "Too many forms are being sent from your network right now; try again in a moment. Nothing is lost: what you entered is below."}
	}
	return done, err
}

// ownsForm reports whether an address is among those of the form.
func ownsForm(path string) bool {
	return path == strings.TrimSuffix(siteurl.Submit, "/") || strings.HasPrefix(path, siteurl.Submit)
}

// refusedForm is why a form is not looked at.
type refusedForm struct {
	status int
	text   string
}

func (e *refusedForm) Error() string { return e.text }

// Form answers GET /submit/.
func (s *Console) Form(c *web.Call) (*web.Reply, error) {
	c.SetDeadline()
	q, _ := url.ParseQuery(c.Request.URL.RawQuery) // what cannot be read is left out, as on all pages
	if typ, slug, ok := strings.Cut(q.Get("e"), "/"); ok {
		site, err := c.Served.Site()
		if err != nil {
			return nil, err
		}
		a, err := site.SuggestEdit(pages.Request{Path: siteurl.Submit, Query: q, Base: c.Base()}, typ, slug, submission.File)
		c.Writer.Header()["Vary"] = c.Shared.Vary.Accept
		if err == nil && a.Status == http.StatusNotFound && !web.PrefersHTML(c.Request.Header["Accept"]) {
			return nil, web.UnknownEntity(c, typ, slug)
		}
		return pageReply(a, err)
	}
	f := &form.Form{}
	if err := s.signedIn(c, f); err != nil {
		s.shared.Log.Warn("who is signed in is not known", "requestId", c.ID, "error", err)
		f.Notice = "Accounts cannot be reached at the moment; checking goes on."
	}
	return s.formPage(c, f)
}

// ToForm answers GET /submit/check.
func (s *Console) ToForm(*web.Call) (*web.Reply, error) {
	return &web.Reply{Location: siteurl.Submit}, nil
}

// CheckForm answers POST /submit/check.
func (s *Console) CheckForm(c *web.Call) (*web.Reply, error) {
	return s.answerForm(c, func(f *form.Form) (*web.Reply, error) {
		if _, err := s.examine(c, f); err != nil {
			return nil, err
		}
		if wantsJSON(c) {
			return web.Object(http.StatusOK, f.Check)
		}
		return s.formPage(c, f)
	})
}

// SendForm answers POST /submit/.
func (s *Console) SendForm(c *web.Call) (*web.Reply, error) {
	return s.answerForm(c, func(f *form.Form) (*web.Reply, error) {
		draft, err := s.examine(c, f)
		switch {
		case err != nil:
			return nil, err
		case f.Taken != nil:
			f.Status = http.StatusConflict
		case draft == nil:
			f.Status = http.StatusUnprocessableEntity
		case f.Account == "":
			f.Notice = "Nothing was stored: nobody is signed in. There are other ways to send it, below its file."
		default:
			return s.takeIn(c, f, draft)
		}
		return s.formPage(c, f)
	})
}

// takeIn stores a submission of the account that is signed in.
func (s *Console) takeIn(c *web.Call, f *form.Form, draft *submission.Draft) (*web.Reply, error) {
	err := s.auth.CheckForm(c.Request)
	if errors.Is(err, auth.ErrForged) {
		return nil, &refusedForm{http.StatusForbidden, "Nothing was stored: you have signed in anew since this form was opened. It is ready now; submit it again."}
	}
	if err != nil {
		return nil, web.StateProblem(err)
	}
	owner, _, err := s.auth.Session(c.Request)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	if err := s.forms.take(c, ratelimit.OfAccount(owner.ID, 0, 0, MaxSent)); err != nil {
		return nil, err
	}
	id := storage.NewID("sub_")
	err = s.state.Write(s.shared.AsSession(c.Request), func(tx *storage.Tx) error {
		_, err := tx.CreateSubmission(account.SubmissionFrom(draft, id, owner.ID))
		return err
	})
	var taken *submission.TakenError
	switch {
	case errors.As(err, &taken):
		// The same again is a form that was sent twice.
		if o := taken.Submission; o == nil || o.YAML != string(draft.YAML) || o.Key() != draft.Entity.Key() {
			f.Taken, f.Status = takenBy(taken), http.StatusConflict
			f.Complete, f.Pull = false, ""
			f.Summarize()
			return s.formPage(c, f)
		}
		id = taken.Submission.ID
	case errors.Is(err, submission.ErrTooManyOpen):
		return nil, &refusedForm{http.StatusConflict, "Nothing was stored. " + account.TooManyOpen}
	case err != nil:
		return nil, web.StateProblem(err)
	}
	return &web.Reply{Status: http.StatusSeeOther, Header: http.Header{"Location": {PanelSubmissions + id + "/"}}}, nil
}

// answerForm reads a form and answers it. Where it cannot, the page says why, and
// has what was entered.
func (s *Console) answerForm(c *web.Call, answer func(*form.Form) (*web.Reply, error)) (*web.Reply, error) {
	c.SetDeadline()
	f := &form.Form{}
	done, err := s.readForm(c, f)
	var r *web.Reply
	if err == nil {
		defer done()
		r, err = answer(f)
	}
	var refused *refusedForm
	var p *web.Problem
	switch {
	case errors.As(err, &p):
		if !c.Left() {
			s.shared.Log.Warn("a form was not answered", "requestId", c.ID, "error", p.Cause)
		}
		refused = &refusedForm{p.Status, p.Detail}
	case !errors.As(err, &refused):
		return r, err
	}
	if wantsJSON(c) {
		return web.Object(refused.status, map[string]string{"detail": refused.text})
	}
	f.Notice, f.Status = refused.text, refused.status
	return s.formPage(c, f)
}

// readForm fills in a form as it was sent, and who has sent it. Whoever answers it
// calls done then.
func (s *Console) readForm(c *web.Call, f *form.Form) (done func(), err error) {
	if s.forms.foreign.Check(c.Request) != nil {
		return nil, &refusedForm{http.StatusForbidden, "This form was sent by a page of another site. Use the form on this page."}
	}
	sent, size, tooLong := readFormBody(c)
	if sent != nil {
		f.Values = formValues(sent)
	}
	err = s.signedIn(c, f)
	switch {
	case tooLong != nil:
		return nil, tooLong
	case err != nil:
		return nil, web.StateProblem(err)
	}
	return s.forms.admit(c, size)
}

// signedIn fills in who is signed in, if somebody is.
func (s *Console) signedIn(c *web.Call, f *form.Form) error {
	if s.auth == nil {
		return nil
	}
	owner, token, err := s.auth.Session(c.Request)
	if err == nil {
		f.Account, f.Token = owner.Name, token
	} else if !errors.Is(err, auth.ErrSignedOut) {
		return err
	}
	return nil
}

// formPage is the page with a form. Nobody keeps it: it may be somebody's own.
func (s *Console) formPage(c *web.Call, f *form.Form) (*web.Reply, error) {
	site, err := c.Served.Site()
	if err != nil {
		return nil, err
	}
	a, err := site.Submit(pages.Request{Path: siteurl.Submit, Base: c.Base(), Account: f.Account}, f)
	r, err := pageReply(a, err)
	if r != nil {
		r.Cache = web.Unkept
	}
	return r, err
}

// wantsJSON tells the page's own script from a browser that shows the answer.
func wantsJSON(c *web.Call) bool { return strings.Contains(c.Header("Accept"), "application/json") }

// examine checks a form by the rules of submissions and notes on it what they say.
// The draft is nil where they forbid it.
func (s *Console) examine(c *web.Call, f *form.Form) (*submission.Draft, error) {
	f.Checked = true
	fields, problems := formFields(c.Request.PostForm, f.Values)
	draft, err := submission.Parse(fields, account.SubmissionIndex{Served: c.Served})
	var invalid *submission.InvalidError
	var taken *submission.TakenError
	var warnings []submission.Problem
	switch {
	case errors.As(err, &invalid):
		f.YAML = string(submission.Sketch(fields, invalid.Problems))
		problems, warnings = append(problems, invalid.Problems...), invalid.Warnings
	case errors.As(err, &taken):
		f.Taken = takenBy(taken)
		f.YAML = string(submission.Sketch(fields, nil))
	case err != nil:
		return nil, err
	default:
		f.YAML, warnings = string(draft.YAML), draft.Warnings
		if len(problems) > 0 {
			draft = nil
		}
	}
	f.Problems, f.Warnings = remarks(f, problems), remarks(f, warnings)
	if f.Similar, err = likeEntities(c.Served, f.Values["name"], f.Values["url"]); err != nil {
		return nil, err
	}
	f.Path = formFile(fields, draft)
	if f.Complete = draft != nil; f.Complete {
		f.Pull = c.Served.Build.Manifest.Repository.New(f.Path, f.YAML)
	}
	f.Summarize()
	return draft, nil
}

func remarks(f *form.Form, problems []submission.Problem) []form.Remark {
	list := []form.Remark{}
	entries := map[string][]string{} // of the lists, split once
	for _, p := range problems[:min(len(problems), web.MaxFieldErrors)] {
		list = append(list, f.Remark(p.Field, p.Message, cmp.Or(p.Suggestion, entryFor(f, p.Field, entries))))
	}
	return list
}

// entryFor is what an entry of a list, such as tags[1], should probably be, where the
// rules only say that it will not do; "" for another field. It fills in entries.
func entryFor(f *form.Form, field string, entries map[string][]string) string {
	root, item, _ := strings.Cut(strings.TrimSuffix(field, "]"), "[")
	i, err := strconv.Atoi(item)
	if err != nil || formKinds[root] != "list" {
		return ""
	}
	list, ok := entries[root]
	if !ok {
		list = form.SplitList(f.Values[root])
		entries[root] = list
	}
	if i >= len(list) {
		return ""
	}
	guess := submission.Slugify(list[i])
	if slices.Contains(list, guess) {
		return "" // it is there already
	}
	return guess
}

// formFile is the path of the file that a submission is about to have, as far as
// that is known.
func formFile(fields map[string]any, draft *submission.Draft) string {
	if draft != nil {
		return draft.Entity.Key() + ".yaml"
	}
	typ, _ := fields["type"].(string)
	if !slices.Contains(record.Types, typ) {
		typ = form.DefaultType
	}
	slug := submission.Slug(fields)
	if slug == "" {
		slug = "…"
	}
	return typ + "/" + slug + ".yaml"
}

// takenBy describes what is there already: an entity, or the account's own submission.
func takenBy(e *submission.TakenError) *form.Taken {
	t := &form.Taken{Text: web.Sentence(e.Error())}
	if e.Submission == nil {
		t.Path = "/" + e.Type + "/" + e.Slug + "/"
	} else {
		t.Path = PanelSubmissions + e.Submission.ID + "/"
	}
	return t
}

// maxNamedAlike is how many entities are looked at for those that may be the same.
const maxNamedAlike = 30

// like tells of the entities that may be what a form describes. Of all that a search
// for the name finds, those are left whose name is near to it, or a part of it, or
// which have its page.
func likeEntities(v *live.ServedBuild, name, page string) ([]form.Similar, error) {
	list := []form.Similar{}
	word := letters(name)
	if word == "" {
		return list, nil
	}
	found, err := v.EntitiesNamed(name, maxNamedAlike)
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		var e struct{ Type, Slug, Name, Category, URL string }
		if err := json.Unmarshal(v.Build.Record(o), &e); err != nil {
			return nil, err
		}
		samePage := page != "" && e.URL != "" && record.NormalizeURL(e.URL) == record.NormalizeURL(page)
		if samePage || alike(word, letters(e.Name)) {
			list = append(list, form.Similar{Path: "/" + e.Type + "/" + e.Slug + "/", Name: e.Name, Note: v.Titles[e.Category]})
		}
		if len(list) == live.MaxSimilar {
			break
		}
	}
	return list, nil
}

// letters are those of a name, and its digits: what it is still known by when it is
// written in another way.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, record.Fold(name))
}

// alike tells of two names whether they may mean the same: one has the other in it,
// or hardly a letter differs.
func alike(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 2 && strings.Contains(b, a) || a == b || didyoumean.Name(a, []string{b}) != ""
}
