package main

import (
	"bytes"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
)

// TestTalkativeEndpoint has a webhook's endpoint send more data after its response. None of
// that data may appear in the operator's log.
func TestTalkativeEndpoint(t *testing.T) {
	suite.InTest(t)
	const forged = "level=ERROR msg=forged"
	heard := make(chan struct{}, 10)
	endpoint := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n"+strings.Repeat(forged+" ", 100))
		heard <- struct{}{}
		_, _ = io.Copy(io.Discard, conn) // until the edge closes it
		_ = conn.Close()
	}))
	defer endpoint.Close()
	dir := t.TempDir()
	roots, target := filepath.Join(dir, "roots.pem"), filepath.Join(dir, "kindex.db")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: endpoint.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	writeContent(t, filepath.Join(dir, "content"), 2)
	if r := runKindex(t, dir, "build", "--out", "out"); r.code != 0 {
		t.Fatal(r.out)
	}
	st, err := storage.Open(t.Context(), target, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key := makeKey(t, st, "stranger")
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}

	server := program("serve", "--dir", filepath.Join(dir, "out"), "--state", target, "--addr", "127.0.0.1:0", "--admin", "",
		"--webhook-allow", strings.TrimPrefix(endpoint.URL, "https://"))
	server.Env = append(server.Env, "SSL_CERT_FILE="+roots)
	var logged bytes.Buffer
	server.Stderr = &logged
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended {
			_ = server.Process.Kill()
			_ = server.Wait()
		}
	}()
	line := make([]byte, 256)
	n, err := out.Read(line)
	base, found := strings.CutPrefix(strings.TrimSpace(string(line[:n])), "serving ")
	if err != nil || !found {
		t.Fatalf("the server does not start: %q, %v", line[:n], err)
	}
	post := func(path, body string, want int) (location string) {
		req, err := http.NewRequest(http.MethodPost, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("x-api-key", key)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != want {
			text, _ := io.ReadAll(res.Body)
			t.Fatalf("%s: %d %s", path, res.StatusCode, text)
		}
		return res.Header.Get("Location")
	}
	hook := post("/api/webhooks", `{"url":"`+endpoint.URL+`","events":["entity.updated"]}`, http.StatusCreated)
	for range 3 {
		post(hook+"/test", "{}", http.StatusAccepted)
		select {
		case <-heard:
		case <-time.After(hanging):
			t.Fatal("no delivery arrived")
		}
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	ended = true
	if err := server.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if strings.Contains(logged.String(), "forged") {
		t.Errorf("output of the endpoint appears in the log:\n%.500s", logged.String())
	}
}
