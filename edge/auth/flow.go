package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kindex/edge/apikey"
	"kindex/site/panel"
)

func (h *Handler) choose(w http.ResponseWriter, r *http.Request) {
	_, _, err := h.Session(r)
	switch {
	case err == nil:
		redirect(w, Panel)
	case errors.Is(err, ErrSignedOut):
		allowForms(w.Header(), h.leaving())
		var list []panel.Provider
		for _, p := range h.providers {
			list = append(list, panel.Provider{Name: p.name(), Title: p.title()})
		}
		h.render(w, r, &panel.Page{Template: "signin", Title: "Sign in", Description: "Sign in to get an API key.", Data: list})
	default:
		h.unavailable(w, r, err)
	}
}

// provider returns the provider in the path, or nil.
func (h *Handler) provider(r *http.Request) provider {
	for _, p := range h.providers {
		if p.name() == r.PathValue("provider") {
			return p
		}
	}
	return nil
}

func (h *Handler) start(w http.ResponseWriter, r *http.Request) {
	p := h.provider(r)
	switch {
	case h.checkOrigin(r) != nil:
		h.problem(w, r, http.StatusForbidden, "Sign-in was not started from this site",
			"Start again at "+h.base.String()+"/signin.")
		return
	case p == nil:
		h.unknownProvider(w, r)
		return
	case !h.AllowStart(r):
		h.problem(w, r, http.StatusTooManyRequests, "Too many sign-ins from your IP address or network", "Try again in an hour.")
		return
	}
	a := newAttempt(p.name(), h.Now())
	to, err := p.begin(r.Context(), a)
	if err != nil {
		h.Log.Error("sign-in: provider unavailable", "provider", p.title(), "error", err)
		h.problem(w, r, http.StatusBadGateway, p.title()+" cannot be reached",
			"Your account is not affected. Try again in a few minutes.")
		return
	}
	h.setCookie(w, attemptCookie, a.token, attemptTTL)
	redirect(w, to)
}

// finish handles the callback, in which the browser delivers the provider's response.
func (h *Handler) finish(w http.ResponseWriter, r *http.Request) {
	p := h.provider(r)
	if p == nil {
		h.unknownProvider(w, r)
		return
	}
	a, ok := h.attempt(r, p)
	if !ok {
		h.noAttempt(w, r)
		return
	}
	h.setCookie(w, attemptCookie, "", 0)
	who, err := p.identify(r.Context(), a, r.URL.Query())
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		h.Log.Info("sign-in denied by the provider", "provider", p.title(), "error", err)
		h.problem(w, r, http.StatusForbidden, p.title()+" denied the sign-in", "You may have declined, or this service may not be registered with the provider. Nothing has changed here.")
	case err != nil:
		h.Log.Error("sign-in failed", "provider", p.title(), "error", shorten(err.Error()))
		h.problem(w, r, http.StatusBadGateway, "Sign-in with "+p.title()+" failed",
			"The provider's response was missing or could not be verified, so you were not signed in. The cause is recorded in the service log.")
	default:
		h.openSession(w, r, p, who)
	}
}

// noAttempt handles a callback without an attempt. Usually the browser has reloaded the page.
func (h *Handler) noAttempt(w http.ResponseWriter, r *http.Request) {
	if _, _, err := h.Session(r); err == nil {
		redirect(w, Panel)
		return
	}
	h.problem(w, r, http.StatusBadRequest, "This sign-in has ended",
		"It was already completed, took longer than ten minutes, or was started in another browser.")
}

// openSession opens a session, always with a new token, whatever cookies the browser sent.
func (h *Handler) openSession(w http.ResponseWriter, r *http.Request, p provider, who Identity) {
	token, key := newToken(), apikey.Generate()
	a := SignedInIdentity{Identity: who, Name: accountName(who.Login), Key: key, Hash: hash(token), At: h.Now(), Address: h.Address(r)}
	if old := h.cookie(r, sessionCookie); old != "" {
		a.Replaces = hash(old)
	}
	// The provider's code can be used only once, so the sign-in continues, within a time limit,
	// even if the client disconnects.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), providerTimeout)
	defer cancel()
	account, made, err := h.Store.SignIn(ctx, a)
	var suspended *apikey.SuspendedError
	switch {
	case errors.As(err, &suspended):
		h.Log.Info("sign-in to suspended account", "account", suspended.Account)
		h.setCookie(w, sessionCookie, "", 0)
		h.problem(w, r, http.StatusForbidden, "Your account is suspended", "It was suspended by the operator of this service.")
		return
	case err != nil:
		h.unavailable(w, r, err)
		return
	}
	h.Log.Info("signed in", "provider", p.title(), "account", account.ID, "new", made)
	h.setCookie(w, sessionCookie, token, MaxSessionAge)
	if !made {
		redirect(w, Panel)
		return
	}
	w.Header().Set("Referrer-Policy", "no-referrer") // the address contains the provider's code
	h.render(w, r, &panel.Page{Template: "firstkey", Title: "Your API key", Script: true, Member: panel.Member{Account: account.Name},
		Data: panel.NewKey{Name: who.Login, Key: key.Reveal()}})
}

func (h *Handler) signOut(w http.ResponseWriter, r *http.Request) {
	err := h.CheckForm(r)
	if err == nil {
		err = h.Store.EndSession(r.Context(), hash(h.cookie(r, sessionCookie)))
	}
	switch {
	case errors.Is(err, ErrForged):
		h.problem(w, r, http.StatusForbidden, "You were not signed out", "This form was not submitted from a page of this service, or you have signed in again since you opened it. Reload the page.")
		return
	case err != nil && !errors.Is(err, ErrSignedOut):
		h.unavailable(w, r, err)
		return
	}
	h.setCookie(w, sessionCookie, "", 0)
	redirect(w, "/signin")
}

// redirect sends the browser to a page. The target is a fixed path or a provider's endpoint,
// and is never taken from a request.
func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

func (h *Handler) unknownProvider(w http.ResponseWriter, r *http.Request) {
	h.problem(w, r, http.StatusNotFound, "Unknown sign-in method", "The sign-in page lists the available methods.")
}

func (h *Handler) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	h.Log.Error("sign-in: database unavailable", "path", r.URL.Path, "error", err)
	w.Header().Set("Retry-After", "5")
	h.problem(w, r, http.StatusServiceUnavailable, "Sign-in is currently unavailable", "Try again in a minute. Everything that does not need an account still works.")
}

// attemptTTL is the maximum time that a user can spend at the provider.
const attemptTTL = 10 * time.Minute

// attempt is a sign-in between its start and the provider's callback. Nothing is stored: its state,
// nonce and code verifier are derived from a random token in a cookie of the browser that started
// it. The token ends with the time at which the attempt expires, in Unix seconds.
type attempt struct{ provider, token string }

func newAttempt(provider string, now time.Time) attempt {
	return attempt{provider, newToken() + "." + strconv.FormatInt(now.Add(attemptTTL).Unix(), 10)}
}

// state is the parameter by which a callback is recognized.
func (a attempt) state() string { return derive(a.token, "state for "+a.provider) }

// nonce is expected in the id_token.
func (a attempt) nonce() string { return derive(a.token, "nonce for "+a.provider) }

// verifier is the PKCE code verifier.
func (a attempt) verifier() string { return derive(a.token, "verifier for "+a.provider) }

// attempt returns the attempt to which a callback belongs. A callback with a repeated parameter is
// treated as forged. An attempt can be used once, because the provider's code can.
func (h *Handler) attempt(r *http.Request, p provider) (a attempt, ok bool) {
	answer := r.URL.Query()
	for _, values := range answer {
		if len(values) > 1 {
			return a, false
		}
	}
	a = attempt{p.name(), h.cookie(r, attemptCookie)}
	_, expires, _ := strings.Cut(a.token, ".")
	end, err := strconv.ParseInt(expires, 10, 64)
	return a, err == nil && h.Now().Unix() < end && subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(a.state())) == 1
}
