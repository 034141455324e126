package edge_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/exports"
	"kindex/exports/store"
	"kindex/exports/table"
)

// downloaders are programs that download the addresses in their arguments as a person would call
// them, with whatever compression they ask for, and print a line with the SHA-256 of each.
var downloaders = map[string][]string{
	"curl": {"sh", "-c", `for url; do curl -fsS --compressed -H 'Accept-Encoding: gzip' "$url" | sha256sum; done`, "sh"},
	"wget": {"sh", "-c", `for url; do wget -q --compression=auto -O - "$url" | sha256sum; done`, "sh"},
	"Ruby": {"ruby", "-rnet/http", "-rdigest", "-e", `ARGV.each { |url| puts Digest::SHA256.hexdigest(Net::HTTP.get(URI(url))) }`},
	"Perl": {"perl", "-MLWP::UserAgent", "-MHTTP::Message", "-MDigest::SHA=sha256_hex", "-e", `
my $agent = LWP::UserAgent->new;
$agent->default_header("Accept-Encoding" => scalar HTTP::Message::decodable());
for (@ARGV) { print sha256_hex($agent->get($_)->decoded_content(charset => "none")), "\n" }`},
	"httpx": {"python3", "-c", `
import hashlib, httpx, sys
for url in sys.argv[1:]:
    response = httpx.get(url, trust_env=False)
    response.raise_for_status()
    print(hashlib.sha256(response.content).hexdigest())`},
	"aiohttp": {"python3", "-c", `
import aiohttp, asyncio, hashlib, sys
async def main():
    async with aiohttp.ClientSession(raise_for_status=True) as session:
        for url in sys.argv[1:]:
            async with session.get(url) as response:
                print(hashlib.sha256(await response.read()).hexdigest())
asyncio.run(main())`},
}

// inPage is what downloaders are, for Chromium. It is a function of a list of addresses.
const inPage = `async urls => {
  let sums = "";
  for (const url of urls) {
    const sum = await crypto.subtle.digest("SHA-256", await (await fetch(url)).arrayBuffer());
    sums += Array.from(new Uint8Array(sum), byte => byte.toString(16).padStart(2, "0")).join("") + "\n";
  }
  return sums;
}`

// isTable reports whether the files of a build with a name are those of a table.
func isTable(m *store.Manifest, base string) bool {
	_, ok := m.File(base + ".parquet")
	return ok
}

// TestClients downloads every table in every format with common clients, and compares what they
// got with the manifest. Several of them would silently keep the beginning of a response whose
// gzip has more than one member.
func TestClients(t *testing.T) {
	suite.InTest(t)
	e := edgetest.Start(t, edge.Options{LimitAnonymous: 10_000})
	sums := map[string]string{}
	m := manifestOf(t, e)
	tables := 0
	for _, f := range m.Files {
		base, _, _ := strings.Cut(f.Path, ".")
		if !isTable(&m, base) {
			continue
		}
		if strings.HasSuffix(f.Path, ".parquet") {
			tables++
		}
		if !suite.Soaking() && base != "ids" && base != "entities" {
			continue // clients treat all tables alike
		}
		sums[e.URL+"/data/"+m.ID+"/"+f.Path] = f.SHA256
		if !strings.HasSuffix(f.Path, ".parquet") {
			continue
		}
		if strings.HasPrefix(base, exports.KindFile("")) && base != exports.FullFile {
			continue // only files
		}
		for _, format := range table.Formats {
			address := e.URL + "/api/export/" + base + "?format=" + format.Name
			if base == "entities_full" {
				address = e.URL + "/api/export/entities?fields=all&format=" + format.Name
			}
			sums[address] = sumOfTable(t, e, &m, base, format)
		}
	}
	suite.Require(t, tables == 9, tables, "tables, want 9")
	urls := slices.Sorted(maps.Keys(sums))
	for name, command := range downloaders {
		t.Run(name, func(t *testing.T) {
			program := programOf(t, name, command[0])
			out, err := exec.Command(program, slices.Concat(command[1:], urls)...).Output()
			suite.Require(t, err == nil, err, stderrOf(err))
			sameSums(t, string(out), urls, sums)
		})
	}
	t.Run("Chromium", func(t *testing.T) {
		suite.InSoak(t, "it starts a browser; the other clients download the same files")
		tab := browser.Open(t, 800, 600)
		list := suite.Must(json.Marshal(urls))(t)
		tab.Do(t, chromedp.Navigate(e.URL+"/robots.txt"))
		sameSums(t, browser.Eval[string](t, tab, "(%s)(%s)", inPage, list), urls, sums)
	})
}

// programOf returns the path of a client's interpreter. If something that it needs is missing, the
// test is skipped or fails.
func programOf(t *testing.T, client, name string) string {
	t.Helper()
	switch client {
	case "httpx", "aiohttp":
		return suite.Python(t, "/usr/bin/python3", client)
	case "Perl":
		if exec.Command(name, "-MLWP::UserAgent", "-e", "1").Run() != nil {
			suite.Missing(t, "libwww-perl")
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		suite.Missing(t, name)
	}
	if name == "sh" {
		if _, err := exec.LookPath(client); err != nil {
			suite.Missing(t, client)
		}
	}
	return path
}

// sameSums checks the output of a client: the first word of each line is the sum of a file.
func sameSums(t *testing.T, output string, urls []string, sums map[string]string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(output), "\n")
	suite.Require(t, len(lines) == len(urls), len(lines), len(urls), "files were downloaded")
	for i, url := range urls {
		if got, _, _ := strings.Cut(lines[i], " "); got != sums[url] {
			t.Errorf("%s: the downloaded file differs from the manifest", url)
		}
	}
}

// TestGzipMembers checks that what is served as gzip, and every gzip file of a build, is one member.
func TestGzipMembers(t *testing.T) {
	suite.InTest(t)
	e := edgetest.Start(t, edge.Options{LimitAnonymous: 10_000})
	m := manifestOf(t, e)
	files := 0
	for _, f := range m.Files {
		if f.Encoding == "gzip" {
			if !strings.Contains(f.Path, "/") {
				files++
			}
			_, body := download(t, e.URL+"/data/"+m.ID+"/"+f.Path, "gzip")
			oneMember(t, f.Path, body)
		}
	}
	if files != 2*9+1 {
		t.Errorf("%d tables are compressed with gzip, want JSON Lines and CSV of each of 9 tables, and the JSON of entities", files)
	}
	for _, path := range []string{"/api/export/entities?format=csv", "/api/export/entities?format=jsonl&type=model", "/api/export/changelog", "/api/export/signals?format=json",
		"/api/entities?limit=100", "/api/openapi", "/api/feed", "/api/leaderboard/all", "/", "/data/" + m.ID + "/manifest.json"} {
		header, body := download(t, e.URL+path, "gzip")
		if header.Get("Content-Encoding") == "gzip" {
			oneMember(t, path, body)
		} else if !strings.HasPrefix(path, "/data/") {
			t.Errorf("%s is not compressed", path)
		}
	}
}

// sumOfTable returns the SHA-256 of a table in a format: that of its file or, if the build has it
// compressed only, of what the file decodes to; the array of JSON is made of the lines.
func sumOfTable(t *testing.T, e *edgetest.Edge, m *store.Manifest, base string, format table.Format) string {
	t.Helper()
	if f, ok := m.File(base + format.Extension); ok {
		return f.SHA256
	}
	stored := format.Extension
	if format.Name == "json" {
		stored = ".jsonl"
	}
	_, member := download(t, e.URL+"/data/"+m.ID+"/"+base+stored+store.GzipExtension, "gzip")
	r := suite.Must(gzip.NewReader(bytes.NewReader(member)))(t)
	text := suite.Must(io.ReadAll(r))(t)
	if format.Name == "json" {
		text = fmt.Appendf(nil, "[\n%s\n]\n", strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", ",\n"))
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// manifestOf returns the manifest of the build that an edge serves.
func manifestOf(t *testing.T, e *edgetest.Edge) (m store.Manifest) {
	t.Helper()
	_, text := download(t, e.URL+"/api/export/manifest", "identity")
	suite.Check(t, json.Unmarshal(text, &m))
	return m
}

// download requests an address with an Accept-Encoding and returns the body as it was sent.
func download(t *testing.T, address, accept string) (http.Header, []byte) {
	t.Helper()
	r := suite.Must(http.NewRequest(http.MethodGet, address, nil))(t)
	r.Header.Set("Accept-Encoding", accept)
	res := suite.Must(http.DefaultClient.Do(r))(t)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	suite.Require(t, err == nil && res.StatusCode == http.StatusOK, address, res.Status, err)
	return res.Header, body
}

// oneMember checks that data is a single gzip member.
func oneMember(t *testing.T, name string, data []byte) {
	t.Helper()
	rest := bytes.NewReader(data)
	z, err := gzip.NewReader(rest)
	suite.Require(t, err == nil, name, err)
	z.Multistream(false)
	if _, err := io.Copy(io.Discard, z); err != nil || rest.Len() > 0 {
		t.Errorf("%s: %d bytes follow the first gzip member, %v", name, rest.Len(), err)
	}
}

// stderrOf returns what a program wrote before it failed.
func stderrOf(err error) string {
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		return string(e.Stderr)
	}
	return ""
}

// TestGoClient generates a Go client with oapi-codegen, without renaming anything, and checks that it compiles.
// In make soak, oapi-codegen also generates a server.
func TestGoClient(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	runGo := func(args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = suite.Root(t)
		cmd.Env = append(os.Environ(), "GOPROXY=off") // make test-tools has fetched the modules
		out, err := cmd.Output()
		suite.Require(t, err == nil, "go", args, err, stderrOf(err))
		return out
	}
	file := filepath.Join(t.TempDir(), "client.go")
	generate := []string{"tool", "-modfile=.tools.mod", "oapi-codegen", "-package", "client", "edge/openapi/openapi.yaml"}
	client := runGo(slices.Insert(slices.Clone(generate), 5, "-generate", "types,client")...)
	suite.Check(t, os.WriteFile(file, client, 0o644))
	runGo("vet", "-modfile=.tools.mod", file)
	if suite.Soaking() && !bytes.Contains(runGo(generate...), []byte("type ServerInterface interface")) {
		t.Error("oapi-codegen with default flags generated no server")
	}
}
