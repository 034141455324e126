package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"kindex/builder/suite"
)

// installed are files that every package contains, below /usr.
var installed = []string{"bin/kindex", "share/man/man1/kindex.1.gz", "share/man/man1/kindex-build.1.gz", "share/bash-completion/completions/kindex",
	"share/zsh/site-functions/_kindex", "share/fish/vendor_completions.d/kindex.fish", "share/doc/kindex/LICENSE", "share/doc/kindex/examples/kindex.service"}

func checkInstalled(t *testing.T, root string) {
	t.Helper()
	for _, name := range installed {
		if info, err := os.Stat(filepath.Join(root, "usr", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	checkProgram(t, exec.Command(filepath.Join(root, "usr", "bin", "kindex"), "version", "--json"))
}

// TestDeb installs the Debian package into an empty system.
func TestDeb(t *testing.T) {
	name := filepath.Join(releaseFiles(t), "kindex-"+version+"-linux-"+runtime.GOARCH+".deb")
	need(t, "dpkg-deb", "dpkg")
	for field, want := range map[string]string{"Package": "kindex", "Version": strings.TrimPrefix(version, "v"), "Architecture": runtime.GOARCH, "Recommends": "git, ca-certificates"} {
		suite.Equal(t, strings.TrimSpace(mustRun(t, ".", "dpkg-deb", "--field", name, field)), want, field)
	}
	if out := mustRun(t, ".", "dpkg-deb", "--contents", name); !strings.Contains(out, "-rwxr-xr-x root/root") || !strings.Contains(out, "2026-11-01 ") || strings.Contains(out, "/var/") {
		t.Error(out)
	}
	root := t.TempDir()
	if os.Geteuid() != 0 {
		mustRun(t, ".", "dpkg-deb", "--extract", name, root) // only root can install
	} else {
		for _, dir := range []string{"info", "updates", "triggers"} {
			suite.Check(t, os.MkdirAll(filepath.Join(root, "var", "lib", "dpkg", dir), 0o755))
		}
		suite.Check(t, os.WriteFile(filepath.Join(root, "var", "lib", "dpkg", "status"), nil, 0o644))
		mustRun(t, ".", "dpkg", "--root="+root, "--force-script-chrootless", "--install", name)
		if out := mustRun(t, ".", "dpkg", "--root="+root, "--status", "kindex"); !strings.Contains(out, "Status: install ok installed") {
			t.Error(out)
		}
	}
	checkInstalled(t, root)
}

// TestRPM installs the RPM package into an empty system.
func TestRPM(t *testing.T) {
	name := filepath.Join(releaseFiles(t), "kindex-"+version+"-linux-"+runtime.GOARCH+".rpm")
	need(t, "rpm", "cpio")
	out := mustRun(t, ".", "rpm", "--dbpath", t.TempDir(), "--query", "--package", "--queryformat", "%{NAME} %{VERSION} %{LICENSE} %{BUILDTIME} %{OS}\n", name)
	if want := "kindex " + strings.TrimPrefix(version, "v") + " Apache-2.0 1793534400 linux\n"; !strings.HasSuffix(out, want) {
		t.Errorf("%s, want %s", out, want)
	}
	if out := mustRun(t, ".", "rpm", "--dbpath", t.TempDir(), "--checksig", "--nosignature", name); !strings.Contains(out, "digests OK") {
		t.Error(out)
	}
	root := t.TempDir()
	if os.Geteuid() == 0 {
		// Debian's rpm wants to be forced to install anything.
		mustRun(t, ".", "rpm", "--root="+root, "--dbpath=/var/lib/rpm", "--force-debian", "--nodeps", "--install", name)
		if out := mustRun(t, ".", "rpm", "--root="+root, "--dbpath=/var/lib/rpm", "--verify", "--nodeps", "kindex"); out != "" {
			t.Error(out)
		}
	} else {
		// The names in the archive are absolute. rpm2cpio reports the size of the archive as
		// wrong although it is complete, so cpio decides.
		mustRun(t, root, "bash", "-euc", `rpm2cpio "$0" | cpio -idm --quiet --no-absolute-filenames`, name)
	}
	checkInstalled(t, root)
}

// TestArchive unpacks the archive for this machine, and checks those for the platforms that cannot
// run here.
func TestArchive(t *testing.T) {
	dir := releaseFiles(t)
	root := t.TempDir()
	base := "kindex-" + version + "-linux-" + runtime.GOARCH
	listing := mustRun(t, root, "tar", "-tvzf", filepath.Join(dir, base+".tar.gz"))
	if !strings.Contains(listing, "-rwxr-xr-x 0/0") || strings.Count(listing, "2026-11-01 ") != strings.Count(listing, "\n") {
		t.Error(listing)
	}
	mustRun(t, root, "tar", "-xzf", filepath.Join(dir, base+".tar.gz"))
	suite.Equal(t, namesIn(t, root), []string{base})
	checkProgram(t, exec.Command(filepath.Join(root, base, "kindex"), "version", "--json"))
	if page := string(read(t, filepath.Join(root, base, "man", "man1", "kindex-version.1"))); !strings.Contains(page, `"Nov 2026" "kindex `+version+`"`) {
		t.Error(page)
	}
	mustRun(t, root, "bash", "-n", base+"/completions/bash/kindex")
	for _, arch := range []string{"amd64", "arm64"} {
		name := "kindex-" + version + "-windows-" + arch
		suite.Contains(t, mustRun(t, root, "tar", "-tzf", filepath.Join(dir, name+".tar.gz")), name+"/kindex.exe\n")
	}
}

// TestBillOfMaterials compares the bill of materials with the modules that the program itself
// lists, and with the schema of CycloneDX.
func TestBillOfMaterials(t *testing.T) {
	dir := releaseFiles(t)
	name := "kindex-linux-" + runtime.GOARCH
	f := suite.Must(os.Open(filepath.Join(dir, name+".cdx.json")))(t)
	defer f.Close()
	bom := cdx.NewBOM()
	suite.Check(t, cdx.NewBOMDecoder(f, cdx.BOMFileFormatJSON).Decode(bom))
	if bom.SpecVersion != cdx.SpecVersion1_6 || bom.Metadata.Timestamp != "2026-11-01T12:00:00Z" || bom.Metadata.Component.Version != version {
		t.Errorf("%v %+v", bom.SpecVersion, bom.Metadata)
	}
	listed := map[string]bool{}
	for _, c := range *bom.Components {
		listed[c.Name+" "+c.Version] = true
	}
	info, err := buildinfo.ReadFile(filepath.Join(dir, name))
	if err != nil || len(info.Deps) < 50 {
		t.Fatalf("%v: %v", info, err)
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if !listed[m.Path+" "+m.Version] {
			t.Errorf("%s %s is not listed", m.Path, m.Version)
		}
	}
	validateBOM(t, f.Name())
}

// validateBOM validates a bill of materials with the schema that the module cyclonedx-go
// brings with it.
func validateBOM(t *testing.T, path string) {
	t.Helper()
	module := strings.TrimSpace(mustRun(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go"))
	c := jsonschema.NewCompiler()
	for name, file := range map[string]string{
		"bom-1.6.schema.json": "bom-1.6.schema.json", "spdx.schema.json": "spdx.schema.json",
		"jsf-0.82.schema.json": "jsf-0.82.schemax.json", // misspelled in the module
	} {
		doc := suite.Must(jsonschema.UnmarshalJSON(bytes.NewReader(read(t, filepath.Join(module, "schema", file)))))(t)
		suite.Check(t, c.AddResource("http://cyclonedx.org/schema/"+name, doc))
	}
	schema := suite.Must(c.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json"))(t)
	doc := suite.Must(jsonschema.UnmarshalJSON(bytes.NewReader(read(t, path))))(t)
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%v", err)
	}
	delete(doc.(map[string]any), "bomFormat")
	if err := schema.Validate(doc); err == nil {
		t.Error("the schema accepts a document without bomFormat")
	}
}
