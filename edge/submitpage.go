package edge

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

	"kindex/edge/auth"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/exports"
	"kindex/exports/didyoumean"
	"kindex/site/pages"
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
// it. A form counts once, and once more for every checkedBytes that it has.
const (
	maxChecks        = 1200
	maxNetworkChecks = 10 * maxChecks
	maxSent          = 30
	checkedBytes     = 8 << 10
)

func newForms(shared *Shared) forms {
	f := forms{turns: &turns{}, foreign: http.NewCrossOriginProtection(), asked: ratelimit.NewMemory(nil, ratelimit.MemoryOptions{Now: shared.now, Log: shared.log})}
	if u, err := url.Parse(shared.url); err == nil && u.Host != "" {
		_ = f.foreign.AddTrustedOrigin(u.Scheme + "://" + u.Host) // else the header Host has to do
	}
	return f
}

func (f *forms) close() { _ = f.asked.Close(context.Background()) } // it keeps nothing

// take counts something of a subject in an hour, and tells whether there was room.
func (f *forms) take(c *call, who ratelimit.Subject) error {
	who.Window = time.Hour
	st, err := f.asked.Take(c.request.Context(), who)
	if err != nil || !st.Allowed {
		c.writer.Header().Set("Retry-After", strconv.FormatInt(st.Wait(c.shared.now()), 10))
		return &refusedForm{http.StatusTooManyRequests, "That was too much for one hour; go on a little later. Nothing is lost: what you have entered stands below."}
	}
	return nil
}

// admit counts a form of some bytes, and waits for the turn of the network that it
// comes from, which lasts until done is called. The network is counted first, so that
// one network makes the counts of no more addresses than it may have checks.
func (f *forms) admit(c *call, size int) (done func(), err error) {
	from := c.shared.proxies.Client(c.request)
	for range 1 + size/checkedBytes {
		for _, who := range []ratelimit.Subject{ratelimit.OfNetwork(from, maxNetworkChecks), ratelimit.OfAddress(from, maxChecks)} {
			if err := f.take(c, who); err != nil {
				return nil, err
			}
		}
	}
	done, err = f.turns.wait(c.request.Context(), ratelimit.Network(from))
	if err != nil {
		c.writer.Header().Set("Retry-After", "1")
		err = &refusedForm{http.StatusTooManyRequests, "Too many forms are being sent from your network right now; try again in a moment. Nothing is lost: what you entered is below."}
	}
	return done, err
}

// ownsForm tells whether an address is among those of the form.
func ownsForm(path string) bool {
	return path == strings.TrimSuffix(pages.SubmitPath, "/") || strings.HasPrefix(path, pages.SubmitPath)
}

// refusedForm is why a form is not looked at.
type refusedForm struct {
	status int
	text   string
}

func (e *refusedForm) Error() string { return e.text }

// GET /submit/
func (s *Console) form(c *call) (*reply, error) {
	c.hurry()
	q, _ := url.ParseQuery(c.request.URL.RawQuery) // what cannot be read is left out, as on all pages
	if typ, slug, ok := strings.Cut(q.Get("e"), "/"); ok {
		site, err := c.served.site()
		if err != nil {
			return nil, err
		}
		a, err := site.Amend(pages.Request{Path: pages.SubmitPath, Query: q, Base: c.base()}, typ, slug, submission.File)
		c.writer.Header()["Vary"] = c.shared.vary.accept
		if err == nil && a.Status == http.StatusNotFound && !prefersHTML(c.request.Header["Accept"]) {
			return nil, unknownEntity(c, typ, slug)
		}
		return pageReply(a, err)
	}
	f := &pages.Form{}
	if err := s.signedIn(c, f); err != nil {
		s.shared.log.Warn("who is signed in is not known", "requestId", c.id, "error", err)
		f.Notice = "Accounts cannot be reached at the moment; checking goes on."
	}
	return s.formPage(c, f)
}

// GET /submit/check
func (s *Console) toForm(*call) (*reply, error) { return &reply{location: pages.SubmitPath}, nil }

// POST /submit/check
func (s *Console) checkForm(c *call) (*reply, error) {
	return s.answerForm(c, func(f *pages.Form) (*reply, error) {
		if _, err := s.examine(c, f); err != nil {
			return nil, err
		}
		if wantsJSON(c) {
			return object(http.StatusOK, f.Check)
		}
		return s.formPage(c, f)
	})
}

// POST /submit/
func (s *Console) sendForm(c *call) (*reply, error) {
	return s.answerForm(c, func(f *pages.Form) (*reply, error) {
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
func (s *Console) takeIn(c *call, f *pages.Form, draft *submission.Draft) (*reply, error) {
	err := s.people.CheckForm(c.request)
	if errors.Is(err, auth.ErrForged) {
		return nil, &refusedForm{http.StatusForbidden, "Nothing was stored: you have signed in anew since this form was opened. It is ready now; submit it again."}
	}
	if err != nil {
		return nil, stateProblem(err)
	}
	account, _, err := s.people.Session(c.request)
	if err != nil {
		return nil, stateProblem(err)
	}
	if err := s.forms.take(c, ratelimit.OfAccount(account.ID, 0, 0, maxSent)); err != nil {
		return nil, err
	}
	id := storage.NewID("sub_")
	err = s.state.Write(s.shared.asSession(c.request), func(tx *storage.Tx) error {
		_, err := tx.CreateSubmission(submissionFrom(draft, id, account.ID))
		return err
	})
	var taken *submission.TakenError
	switch {
	case errors.As(err, &taken):
		// The same again is a form that was sent twice.
		if o := taken.Submission; o == nil || o.YAML != string(draft.YAML) || o.Key() != draft.Entity.Key() {
			f.Taken, f.Status = takenBy(taken), http.StatusConflict
			f.Complete, f.Pull = false, ""
			f.Sum()
			return s.formPage(c, f)
		}
		id = taken.Submission.ID
	case errors.Is(err, submission.ErrTooManyOpen):
		return nil, &refusedForm{http.StatusConflict, "Nothing was stored. " + tooManyOpen}
	case err != nil:
		return nil, stateProblem(err)
	}
	return &reply{status: http.StatusSeeOther, header: http.Header{"Location": {panelSubmissions + id + "/"}}}, nil
}

// answerForm reads a form and answers it. Where it cannot, the page says why, and
// has what was entered.
func (s *Console) answerForm(c *call, answer func(*pages.Form) (*reply, error)) (*reply, error) {
	c.hurry()
	f := &pages.Form{}
	done, err := s.readForm(c, f)
	var r *reply
	if err == nil {
		defer done()
		r, err = answer(f)
	}
	var refused *refusedForm
	var p *Problem
	switch {
	case errors.As(err, &p):
		if !c.left() {
			s.shared.log.Warn("a form was not answered", "requestId", c.id, "error", p.cause)
		}
		refused = &refusedForm{p.Status, p.Detail}
	case !errors.As(err, &refused):
		return r, err
	}
	if wantsJSON(c) {
		return object(refused.status, map[string]string{"detail": refused.text})
	}
	f.Notice, f.Status = refused.text, refused.status
	return s.formPage(c, f)
}

// readForm fills in a form as it was sent, and who has sent it. Whoever answers it
// calls done then.
func (s *Console) readForm(c *call, f *pages.Form) (done func(), err error) {
	if s.forms.foreign.Check(c.request) != nil {
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
		return nil, stateProblem(err)
	}
	return s.forms.admit(c, size)
}

// signedIn fills in who is signed in, if somebody is.
func (s *Console) signedIn(c *call, f *pages.Form) error {
	if s.people == nil {
		return nil
	}
	account, token, err := s.people.Session(c.request)
	if err == nil {
		f.Account, f.Token = account.Name, token
	} else if !errors.Is(err, auth.ErrSignedOut) {
		return err
	}
	return nil
}

// formPage is the page with a form. Nobody keeps it: it may be somebody's own.
func (s *Console) formPage(c *call, f *pages.Form) (*reply, error) {
	site, err := c.served.site()
	if err != nil {
		return nil, err
	}
	a, err := site.Submit(pages.Request{Path: pages.SubmitPath, Base: c.base(), Account: f.Account}, f)
	r, err := pageReply(a, err)
	if r != nil {
		r.cache = unkept
	}
	return r, err
}

// wantsJSON tells the page's own script from a browser that shows the answer.
func wantsJSON(c *call) bool { return strings.Contains(c.header("Accept"), "application/json") }

// examine checks a form by the rules of submissions and notes on it what they say.
// The draft is nil where they forbid it.
func (s *Console) examine(c *call, f *pages.Form) (*submission.Draft, error) {
	f.Checked = true
	fields, problems := formFields(c.request.PostForm, f.Values)
	draft, err := submission.Parse(fields, built{c.served})
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
	if f.Similar, err = likeEntities(c.served, f.Values["name"], f.Values["url"]); err != nil {
		return nil, err
	}
	f.Path = formFile(fields, draft)
	if f.Complete = draft != nil; f.Complete {
		f.Pull = c.served.build.Manifest.Repository.New(f.Path, f.YAML)
	}
	f.Sum()
	return draft, nil
}

func remarks(f *pages.Form, problems []submission.Problem) []pages.Remark {
	list := []pages.Remark{}
	entries := map[string][]string{} // of the lists, split once
	for _, p := range problems[:min(len(problems), mostFaults)] {
		list = append(list, f.Remark(p.Field, p.Message, cmp.Or(p.Suggestion, entryFor(f, p.Field, entries))))
	}
	return list
}

// entryFor is what an entry of a list, such as tags[1], should probably be, where the
// rules only say that it will not do; "" for another field. It fills in entries.
func entryFor(f *pages.Form, field string, entries map[string][]string) string {
	root, item, _ := strings.Cut(strings.TrimSuffix(field, "]"), "[")
	i, err := strconv.Atoi(item)
	if err != nil || formKinds[root] != "list" {
		return ""
	}
	list, ok := entries[root]
	if !ok {
		list = pages.SplitList(f.Values[root])
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
	if !slices.Contains(exports.Types, typ) {
		typ = pages.DefaultType
	}
	slug := submission.Slug(fields)
	if slug == "" {
		slug = "…"
	}
	return typ + "/" + slug + ".yaml"
}

// takenBy describes what is there already: an entity, or the account's own submission.
func takenBy(e *submission.TakenError) *pages.Taken {
	t := &pages.Taken{Text: sentence(e.Error())}
	if e.Submission == nil {
		t.Path = "/" + e.Type + "/" + e.Slug + "/"
	} else {
		t.Path = panelSubmissions + e.Submission.ID + "/"
	}
	return t
}

// mostNamedAlike is how many entities are looked at for those that may be the same.
const mostNamedAlike = 30

// like tells of the entities that may be what a form describes. Of all that a search
// for the name finds, those are left whose name is near to it, or a part of it, or
// which have its page.
func likeEntities(v *view, name, page string) ([]pages.Like, error) {
	list := []pages.Like{}
	word := letters(name)
	if word == "" {
		return list, nil
	}
	found, err := entitiesNamed(v, name, mostNamedAlike)
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		var e struct{ Type, Slug, Name, Category, URL string }
		if err := json.Unmarshal(v.build.Record(o), &e); err != nil {
			return nil, err
		}
		samePage := page != "" && e.URL != "" && exports.FoldURL(e.URL) == exports.FoldURL(page)
		if samePage || alike(word, letters(e.Name)) {
			list = append(list, pages.Like{Path: "/" + e.Type + "/" + e.Slug + "/", Name: e.Name, Note: v.titles[e.Category]})
		}
		if len(list) == mostSimilarTo {
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
	}, exports.Fold(name))
}

// alike tells of two names whether they may mean the same: one has the other in it,
// or hardly a letter differs.
func alike(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 2 && strings.Contains(b, a) || a == b || didyoumean.Name(a, []string{b}) != ""
}
