package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// recorder is an index that knows nothing and keeps what it is asked.
type recorder struct{ asked []string }

func (r *recorder) Resolve(_ context.Context, ids []string) ([]byte, error) {
	r.asked = append(r.asked, ids...)
	data := make([]Resolution, len(ids))
	return json.Marshal(map[string]any{"data": data})
}

// TestNoSecretLeaves audits files with credentials in addresses, variables and lines that cannot be
// read. Nothing of them may be sent to the index, or be in a report.
func TestNoSecretLeaves(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(t.TempDir(), "summary.md"))
	files := map[string]string{
		"requirements.txt": "git+https://token:s3cret@github.com/a/b.git@v1#egg=b\nb @ git+https://s3cret@git.example/b.git\nhttps://u:s3cret@files.example/b-1.whl\n" +
			"-i https://u:s3cret@pypi.example/simple\nb @ https://files.example/b.zip?token=s3cret\n-r https://u:s3cret@files.example/r.txt\n! https://u:s3cret@x.example\n" +
			"git+s3cret@github.com:a/b.git\nb @ git+ssh://u:s3cret@git.example:22/b.git\nhttps://u:p@s3cret@files.example/b.zip\n" +
			"b @ https://u:pa/s3cret@files.example/b.zip\nhttps://u:s3cret#x@files.example/b.zip\nhttps://u:s3cret%@files.example/b.zip\n! ghp_s3cret0123456789abcdef\n" +
			"https://dl.cloudsmith.io/s3cret/a/b/python/b-1.tar.gz\nb @ https://pypi.fury.io/s3cret/a/b-1-py3-none-any.whl\n" +
			"b @ https://files.example/b.zip?X-Amz-Credential=s3cret&X-Amz-Signature=s3cret\n",
		"package.json":    `{"dependencies": {"a": "git+https://x-access-token:s3cret@github.com/a/b.git#main", "b": "https://u:s3cret@npm.example/b.tgz", "c": "s3cret@github.com:a/c.git", "d": "http://s3cret@h.example/d"}}`,
		"Pipfile":         "[[source]]\nname = \"own\"\nurl = \"https://u:s3cret@pypi.example/simple\"\n[packages]\na = {git = \"https://u:s3cret@git.example/a.git\"}\nb = {version = \"*\", index = \"own\"}\n",
		"environment.yml": "channels: ['https://conda.example/t/s3cret/own', 'https://conda.anaconda.org/t/s3cret/own']\ndependencies:\n- a\n- 'https://u:s3cret@conda.example/own/noarch/b-1-0.conda'\n- pip: ['--index-url https://u:s3cret@x.example']\n",
		".env":            "KEY=s3cret\nMODEL=https://u:s3cret@host.example/v1\nMODEL_API_KEY=s3cret\nMODEL_AUTH=s3cret\nLLM_PASSWORD=s3cret\nLLM=sk-s3cret0123456789abcdef\n",
		"models.txt":      "https://u:s3cret@host.example/model\nhttps://host.example/m?api_key=s3cret\ngit@s3cret@h.example:a/b\nOPENAI_API_KEY=s3cret\napi_token: s3cret\nm\n",
		"variables.txt":   "OPENAI_API_KEY=s3cret\nDATABASE_URL=postgres://u:s3cret@h.example/d\nMODEL=m\n",
		"compose.yaml":    "services: {a: {image: a, environment: [MODEL=m, API_KEY=s3cret]}, b: {environment: {MODEL: m, LLM_TOKEN: s3cret}}}\n",
		"own.ipynb":       `{"cells": [{"source": ["api_key = \"s3cret\"\n", "!KEY=s3cret pip install git+https://s3cret@h.example/a"]}]}`,
		"Dockerfile":      "RUN pip install --extra-index-url https://u:s3cret@pypi.example/simple a\nARG TOKEN=s3cret\nRUN pip install https://h.example/$TOKEN/a.zip --proxy http://u:s3cret@h.example\nRUN git clone https://u:s3cret@h.example/a\n",
		"sbom.json":       `{"bomFormat": "CycloneDX", "components": [{"name": "a", "purl": "pkg:generic/a?download_url=https://u:s3cret@h.example/a"}, {"name": "a", "purl": "pkg:generic/a?download_url=https%3A%2F%2Fu%3As3cret%40h.example%2Fa%3Ftoken%3Ds3cret"}, {"type": "machine-learning-model", "name": "m", "externalReferences": [{"url": "https://u:s3cret@h.example/m"}]}]}`,
		"uv.lock":         "[[package]]\nname = \"a\"\nsource = {registry = \"https://u:s3cret@pypi.example/simple\"}\n",
	}
	dir := t.TempDir()
	for name, text := range files {
		suite.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		var index recorder
		policy := suite.Must(NewPolicy("2026-07-01", nil))(t)
		r := suite.Must(Run(t.Context(), &index, []string{filepath.Join(dir, name)}, nil, policy))(t)
		if r.Entries == 0 {
			t.Errorf("%s: nothing was read", name)
		}
		out := bytes.NewBufferString(strings.Join(index.asked, "\n"))
		for _, format := range Formats {
			suite.Check(t, r.Write(out, format, "1"))
		}
		summary := suite.Must(os.ReadFile(os.Getenv("GITHUB_STEP_SUMMARY")))(t)
		for line := range strings.Lines(out.String() + string(summary)) {
			if strings.Contains(line, "s3cret") {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}
