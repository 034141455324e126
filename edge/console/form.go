package console

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/edge/account"
	"kindex/edge/auth"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/edge/web"
	"kindex/site/form"
	"kindex/site/pages"
	"kindex/site/siteurl"
)

// BytesPerCheck is the size of a form that counts as one check; a larger one counts as several.
const BytesPerCheck = 8 << 10

// tooOften returns the error for a client that has reached an hourly limit. Uses of the form do not
// count towards the API limits.
func tooOften(c *web.Call, wait int64) error {
	c.Writer.Header().Set("Retry-After", strconv.FormatInt(wait, 10))
	return refused(http.StatusTooManyRequests, "You have reached the hourly limit. Try again later; your entries are still in the form below.")
}

func ownsForm(path string) bool {
	return path == strings.TrimSuffix(siteurl.Submit, "/") || strings.HasPrefix(path, siteurl.Submit)
}

// refused returns the reason why a form is rejected without being checked.
func refused(status int, text string) *web.Problem {
	return &web.Problem{Status: status, Detail: text}
}

// Form handles GET /submit/.
func (s *Console) Form(c *web.Call) (*web.Reply, error) {
	c.SetDeadline()
	q, _ := url.ParseQuery(c.Request.URL.RawQuery) // invalid parts of the query are ignored, as on all pages
	f := &form.Form{Kinds: c.Served.Build.Kinds()}
	if key := q.Get("e"); strings.Contains(key, "/") {
		c.Writer.Header()["Vary"] = c.Shared.Vary("Accept-Encoding, Accept")
		if there, err := fillCorrection(c, f, key); err != nil {
			return nil, err
		} else if !there {
			return noSuchEntity(c, key)
		}
	}
	if err := s.fillSession(c, f); err != nil {
		s.Shared.Log.Warn("reading the session failed", "requestId", c.ID, "error", err)
		f.Notice = "Accounts are currently unavailable; you can still check the form."
	}
	return s.formPage(c, f)
}

// RedirectToForm handles GET /submit/check.
func (s *Console) RedirectToForm(*web.Call) (*web.Reply, error) {
	return &web.Reply{Location: siteurl.Submit}, nil
}

// CheckForm handles POST /submit/check.
func (s *Console) CheckForm(c *web.Call) (*web.Reply, error) {
	return s.answerForm(c, func(f *form.Form) (*web.Reply, error) {
		if _, err := s.checkForm(c, f); err != nil {
			return nil, err
		}
		if wantsJSON(c) {
			return web.JSONReply(http.StatusOK, f.Check)
		}
		return s.formPage(c, f)
	})
}

// SubmitForm handles POST /submit/.
func (s *Console) SubmitForm(c *web.Call) (*web.Reply, error) {
	return s.answerForm(c, func(f *form.Form) (*web.Reply, error) {
		draft, err := s.checkForm(c, f)
		switch {
		case err != nil:
			return nil, err
		case f.Taken != nil:
			f.Status = http.StatusConflict
		case draft == nil:
			f.Status = http.StatusUnprocessableEntity
		case f.Account == "":
			f.Notice = "Your submission was not stored because you are not signed in. Other ways to send it are listed below the file."
		default:
			return s.storeSubmission(c, f, draft)
		}
		return s.formPage(c, f)
	})
}

func (s *Console) storeSubmission(c *web.Call, f *form.Form, draft *submission.Draft) (*web.Reply, error) {
	err := s.auth.CheckForm(c.Request)
	if errors.Is(err, auth.ErrForged) {
		return nil, refused(http.StatusForbidden, "Your submission was not stored because you have signed in again since you opened this form. Submit it again.")
	}
	if err != nil {
		return nil, web.StateProblem(err)
	}
	owner, _, err := s.auth.Session(c.Request)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	if wait, ok := s.Shared.Limits.AllowAccount(ratelimit.FormSubmit, owner.ID); !ok {
		return nil, tooOften(c, wait)
	}
	id := storage.NewID("sub_")
	err = s.State.Write(s.Shared.WithSessionActor(c.Request), func(tx *storage.Tx) error {
		proposed, err := account.NewSubmission(draft, id, owner.ID)
		if err == nil {
			_, err = tx.CreateSubmission(proposed)
		}
		return err
	})
	var taken *submission.TakenError
	switch {
	case errors.As(err, &taken):
		// An identical submission means that the form was sent twice.
		if o := taken.Submission; o == nil || o.YAML != string(draft.YAML) || o.Key() != draft.Entity.Key() {
			f.Taken, f.Status = newTaken(taken), http.StatusConflict
			f.Complete, f.Pull, f.Save, f.Mail = false, "", "", ""
			f.Summarize()
			return s.formPage(c, f)
		}
		id = taken.Submission.ID
	case errors.Is(err, submission.ErrTooManyOpen):
		return nil, refused(http.StatusConflict, "Your submission was not stored. "+account.TooManyOpen)
	case err != nil:
		return nil, web.StateProblem(err)
	}
	return &web.Reply{Status: http.StatusSeeOther, Header: http.Header{"Location": {PanelSubmissions + id + "/"}}}, nil
}

// answerForm handles a form. If an error occurs, the page shows the reason and keeps what was
// entered.
func (s *Console) answerForm(c *web.Call, answer func(*form.Form) (*web.Reply, error)) (*web.Reply, error) {
	c.SetDeadline()
	f := &form.Form{Kinds: c.Served.Build.Kinds()}
	err := s.readForm(c, f)
	var r *web.Reply
	if err == nil {
		r, err = answer(f)
	}
	var p *web.Problem
	if !errors.As(err, &p) {
		return r, err
	}
	if p.Cause != nil && !c.ClientGone() {
		s.Shared.Log.Warn("answering a form failed", "requestId", c.ID, "error", p.Cause)
	}
	if wantsJSON(c) {
		return web.JSONReply(p.Status, map[string]string{"detail": p.Detail})
	}
	f.Notice, f.Status = p.Detail, p.Status
	return s.formPage(c, f)
}

// readForm reads the submitted form and its session. The form is then checked in the gate of pages.
func (s *Console) readForm(c *web.Call, f *form.Form) error {
	if s.foreign.Check(c.Request) != nil {
		return refused(http.StatusForbidden, "This form was sent from another site. Use the form on this page.")
	}
	sent, size, tooLong := readFormBody(c, f)
	var gone error
	if sent != nil {
		gone = readCorrection(c, f, sent)
		f.Was = readPrevious(f, sent)
		f.Values = formValues(f, sent) // whatever else is wrong, the page shows them again
	}
	err := s.fillSession(c, f)
	switch {
	case tooLong != nil:
		return tooLong
	case gone != nil:
		return gone
	case err != nil:
		return web.StateProblem(err)
	}
	if wait, ok := s.Shared.Limits.Allow(ratelimit.FormCheck, c.Shared.Proxies.Client(c.Request), int64(1+size/BytesPerCheck)); !ok {
		return tooOften(c, wait)
	}
	return c.EnterGate(s.Shared.Limits.PageGate)
}

func (s *Console) fillSession(c *web.Call, f *form.Form) error {
	if s.auth == nil {
		return nil
	}
	owner, token, err := s.auth.Session(c.Request)
	if err == nil {
		f.Account, f.Token = owner.Name, token
	} else if errors.Is(err, auth.ErrSignedOut) {
		err = nil
	}
	return err
}

// formPage returns the page with a form. The page must not be cached, since it may be personal.
func (s *Console) formPage(c *web.Call, f *form.Form) (*web.Reply, error) {
	if f.Amends != "" {
		f.File = currentFile(c, f)
	}
	a, err := c.Served.Site().Submit(pages.Request{Path: siteurl.Submit, Base: c.BaseURL(), Account: f.Account}, f)
	r, err := pageReply(a, err)
	if r != nil {
		r.Cache = web.NoStore
	}
	return r, err
}

// wantsJSON reports whether the page's script sent the request, rather than a browser that
// displays the response.
func wantsJSON(c *web.Call) bool { return strings.Contains(c.Header("Accept"), "application/json") }

// checkForm checks a form against the rules for submissions and fills in the results: errors,
// warnings, similar entities and the file, or what a correction changes. The draft is nil if the
// form is not valid.
func (s *Console) checkForm(c *web.Call, f *form.Form) (*submission.Draft, error) {
	f.Checked = true
	fields, problems := formFields(c.Request.PostForm, f)
	draft, err := submission.Parse(fields, account.NewSubmissionIndex(c.Served))
	var invalid *submission.InvalidError
	var taken *submission.TakenError
	var warnings []yamldoc.Problem
	switch {
	case errors.As(err, &invalid) && invalid.Unchanged: // no mistake in a form
	case errors.As(err, &invalid):
		problems, warnings = append(problems, invalid.Problems...), invalid.Warnings
	case errors.As(err, &taken):
		f.Taken = newTaken(taken)
	case err != nil:
		return nil, err
	default:
		warnings = draft.Warnings
	}
	if f.Complete = draft != nil && len(problems) == 0; !f.Complete {
		draft = nil
	}
	if f.Amends == "" {
		showProposal(c, f, fields, problems, draft)
	} else if err := showCorrection(c, f, draft); err != nil {
		return nil, err
	}
	f.Problems, f.Warnings = newRemarks(f, problems), newRemarks(f, warnings)
	f.Offer(c.Shared.ContactAddress)
	f.Summarize()
	return draft, nil
}

func showProposal(c *web.Call, f *form.Form, fields map[string]any, problems []yamldoc.Problem, draft *submission.Draft) {
	f.Similar = similarEntities(c.Served, f.Values["name"], f.Values["url"])
	if draft != nil {
		f.Path, f.YAML = draft.Entity.Key()+".yaml", string(draft.YAML)
		f.Pull = c.Served.Build.Manifest.Repository.New(f.Path, f.YAML)
		return
	}
	typ, _ := fields["type"].(string)
	if f.Kinds.Kind(typ) == nil {
		typ = "…"
	}
	f.Path = typ + "/" + cmp.Or(submission.Slug(fields), "…") + ".yaml"
	f.YAML = string(submission.Sketch(f.Kinds, fields, problems))
}

func newRemarks(f *form.Form, problems []yamldoc.Problem) []form.Remark {
	list, lists := []form.Remark{}, map[string][]string{}
	for name, kind := range formKinds(f) {
		if kind == "list" {
			lists[name] = form.SplitList(f.Values[name])
		}
	}
	for _, p := range problems[:min(len(problems), web.MaxFieldErrors)] {
		list = append(list, f.Remark(p.Field, p.Message, cmp.Or(p.Suggestion, listEntrySuggestion(p.Field, lists))))
	}
	return list
}

// listEntrySuggestion returns a suggestion for an invalid list entry, such as tags[1], if the
// rules do not provide one and the list does not contain it yet. For other fields it returns "".
func listEntrySuggestion(field string, lists map[string][]string) string {
	root, item, _ := strings.Cut(strings.TrimSuffix(field, "]"), "[")
	list := lists[root]
	i, err := strconv.Atoi(item)
	if err != nil || i >= len(list) || slices.Contains(list, content.Slugify(list[i])) {
		return ""
	}
	return content.Slugify(list[i])
}

func newTaken(e *submission.TakenError) *form.Taken {
	t := &form.Taken{Text: web.AsSentence(e.Error())}
	if e.Submission == nil {
		t.Path = "/" + e.Type + "/" + e.Slug + "/"
	} else {
		t.Path = PanelSubmissions + e.Submission.ID + "/"
	}
	return t
}
