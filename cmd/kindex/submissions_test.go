package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/edge/submission/github/githubtest"
)

// httppost URL STATUS FILE ['HEADER: VALUE'] posts the file as JSON; the response body
// becomes the output.
func cmdHTTPPost(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 3, "httppost URL STATUS FILE ['HEADER: VALUE'...]")
	sendHTTP(ts, http.MethodPost, args[0], args[1], ts.ReadFile(args[2]), append([]string{"Content-Type: application/json"}, args[3:]...))
}

// httpdelete URL STATUS ['HEADER: VALUE'...] sends DELETE; the response body becomes the
// output.
func cmdHTTPDelete(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 2, "httpdelete URL STATUS ['HEADER: VALUE'...]")
	sendHTTP(ts, http.MethodDelete, args[0], args[1], "", args[2:])
}

func sendHTTP(ts *testscript.TestScript, method, url, status, body string, headers []string) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	ts.Check(err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, strings.TrimSpace(value))
	}
	client := http.Client{Timeout: hanging, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	ts.Check(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	ts.Check(err)
	fmt.Fprint(ts.Stdout(), string(b))
	if strconv.Itoa(res.StatusCode) != status {
		ts.Fatalf("status %d, want %s: %s", res.StatusCode, status, b)
	}
}

// readenv FILE VAR sets the variable to the content of a file without the trailing newline.
func cmdReadEnv(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "readenv FILE VAR")
	ts.Setenv(args[1], strings.TrimSuffix(ts.ReadFile(args[0]), "\n"))
}

// forges maps each script's folder to the forge that the script has started.
var forges sync.Map

// forge start BARE VAR starts a forge over a bare repository and sets the variable to its
// address. forge merge|close N settles a pull request. forge lose drops the response to the
// next pull request creation. forge body N prints a pull request. forge count N checks the
// number of pull requests. forge state N STATE checks whether a pull request is open or
// closed. forge withdraw STATE ID withdraws a submission before the forge answers the next request.
func cmdForge(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) > 0, "forge start BARE VAR | merge N | close N | lose | body N | count N")
	key := ts.Getenv("WORK")
	if args[0] == "start" {
		s := githubtest.Start(ts.MkAbs(args[1]))
		forges.Store(key, s)
		ts.Setenv(args[2], s.URL)
		ts.Defer(func() {
			s.Close()
			forges.Delete(key)
			for _, wrong := range s.Violations() {
				ts.Logf("the forge: %s", wrong)
			}
			if len(s.Violations()) > 0 {
				ts.Fatalf("the forge received an invalid request")
			}
		})
		return
	}
	found, ok := forges.Load(key)
	if !ok {
		ts.Fatalf("no forge was started")
	}
	s, n := found.(*githubtest.Server), 0
	if args[0] == "withdraw" {
		withdraw := func() {
			state, err := storage.Open(context.Background(), ts.MkAbs(args[1]), storage.Options{MustExist: true})
			if err == nil {
				_, err = state.MoveSubmission(context.Background(), args[2], submission.Withdrawn, submission.Change{})
				err = errors.Join(err, state.Close())
			}
			if err != nil {
				ts.Logf("withdrawing %s: %v", args[2], err) // the script then finds that it is not withdrawn
			}
		}
		s.Behave(func(b *githubtest.Behaviour) { b.Before = withdraw })
		return
	}
	if len(args) > 1 {
		var err error
		n, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	switch pulls := s.Pulls(); args[0] {
	case "merge", "close":
		ts.Check(s.ClosePull(n, args[0] == "merge"))
	case "lose":
		s.Behave(func(b *githubtest.Behaviour) { b.Lose = 1 })
	case "body":
		fmt.Fprintf(ts.Stdout(), "%s\n\n%s", pulls[n-1].Title, pulls[n-1].Body)
	case "count":
		if len(pulls) != n {
			ts.Fatalf("%d pull requests, want %d", len(pulls), n)
		}
	case "state":
		if got := pulls[n-1].State; len(args) != 3 || got != args[2] {
			ts.Fatalf("pull request %d is %s", n, got)
		}
	default:
		ts.Fatalf("forge %s?", args[0])
	}
}
