package deploy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"kindex/builder/suite"
)

// kubernetes is the version of Kubernetes whose schemas are used, the newest in the module.
const kubernetes = "1.30"

// schemaModule returns the folder of a module in testdata/schemas/go.mod.
func schemaModule(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", path)
	cmd.Dir = filepath.Join("testdata", "schemas")
	out, err := cmd.Output()
	var m struct{ Dir string }
	if err = errors.Join(err, json.Unmarshal(out, &m)); err != nil || m.Dir == "" {
		suite.NotRun(t, fmt.Sprintf("the module %s cannot be downloaded: %v %s", path, err, out))
	}
	return m.Dir
}

// object is a document of YAML.
type object = map[string]any

// documents returns all documents of a file as JSON values.
func documents(t *testing.T, name string) (all []object) {
	t.Helper()
	for dec := yaml.NewDecoder(bytes.NewReader(read(t, name))); ; {
		var o object
		err := dec.Decode(&o)
		if errors.Is(err, io.EOF) {
			return all
		}
		suite.Require(t, err == nil, name, err)
		text := suite.Must(json.Marshal(o))(t)
		v := suite.Must(jsonschema.UnmarshalJSON(bytes.NewReader(text)))(t)
		all = append(all, v.(object))
	}
}

func decode(t *testing.T, file string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(read(t, file)))
	suite.Require(t, err == nil, file, err)
	return v
}

// compile compiles the schema at a pointer in a document.
func compile(t *testing.T, doc any, pointer string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	suite.Check(t, c.AddResource("schema.json", doc))
	return suite.Must(c.Compile("schema.json" + pointer))(t)
}

// TestCompose checks compose.yaml against the schema of the Compose specification, and that each
// service has no more rights than it needs.
func TestCompose(t *testing.T) {
	suite.InTest(t)
	dir := schemaModule(t, "github.com/compose-spec/compose-go/v2")
	schema := compile(t, decode(t, filepath.Join(dir, "schema", "compose-spec.json")), "")
	file := documents(t, "compose.yaml")[0]
	err := schema.Validate(file)
	suite.Holds(t, err == nil, err)
	services := file["services"].(object)
	for name, v := range services {
		s := v.(object)
		limits, _ := at(s, "deploy", "resources", "limits").(object)
		if s["read_only"] != true || s["user"] != "65532:65532" || fmt.Sprint(s["cap_drop"], s["security_opt"]) != "[ALL] [no-new-privileges:true]" || limits["memory"] == nil || limits["cpus"] == nil || limits["pids"] == nil {
			t.Errorf("%s has more rights or resources than it needs: %v", name, s)
		}
		suite.Holds(t, s["ports"] == nil || name == "proxy", name, "publishes ports")
		for variable, value := range maybe(s["environment"]) {
			if secretName.MatchString(variable) && !strings.HasPrefix(fmt.Sprint(value), "/run/secrets/") {
				t.Errorf("%s: the value of %s is in the file", name, variable)
			}
		}
	}
	for name, v := range file["secrets"].(object) {
		suite.Holds(t, v.(object)["file"] == "secrets/"+name, "secret", name, v)
	}
	checkSigning(t, schema, services)
	if got := at(services, "storage", "image"); got != "docker.io/versity/versitygw:"+versitygw(t) {
		t.Errorf("the storage is %v, and the tests use versitygw %s", got, versitygw(t))
	}
	subnet := at(file, "networks", "edges", "ipam", "config")
	suite.Holds(t, subnet.([]any)[0].(object)["subnet"] == at(services, "edge", "environment", "KINDEX_TRUSTED_PROXIES"), "trusted proxies are not those in", subnet)
}

// checkSigning checks the file that adds signatures: it changes only services of compose.yaml, and
// only the builder gets the signing key.
func checkSigning(t *testing.T, schema *jsonschema.Schema, services object) {
	t.Helper()
	file := documents(t, "compose.signing.yaml")[0]
	err := schema.Validate(file)
	suite.Holds(t, err == nil, err)
	for name, v := range file["services"].(object) {
		if services[name] == nil {
			t.Errorf("compose.signing.yaml changes %s, which compose.yaml does not have", name)
		}
		if at(v, "secrets") != nil && name != "builder" {
			t.Errorf("compose.signing.yaml gives %s the signing key", name)
		}
	}
	if key := at(file, "services", "builder", "environment", "SIGNING_KEY"); key != "/run/secrets/builds.key" || at(file, "secrets", "builds.key", "file") != "secrets/builds.key" ||
		!bytes.Contains(read(t, "builder.sh"), []byte(`--sign "$SIGNING_KEY"`)) {
		t.Errorf("the builder signs with %v", key)
	}
}

// secretName matches the names of variables whose values must not be in a manifest.
var secretName = regexp.MustCompile(`(?i)password|secret|access_key|token|passfile|operator_key`)

// versitygw returns the version of the server that the tests use.
func versitygw(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`github\.com/versity/versitygw (v\S+)`).FindSubmatch(read(t, "../../.tools.mod"))
	suite.Require(t, m != nil, "no versitygw in .tools.mod")
	return string(m[1])
}

// at returns the value at a path of names, or nil.
func at(v any, path ...string) any {
	for _, name := range path {
		o, _ := v.(object)
		v = o[name]
	}
	return v
}

func maybe(v any) object {
	o, _ := v.(object)
	return o
}

// TestKubernetes checks each manifest against the schema of its kind, without unknown fields, and
// that each container has no more rights than it needs.
func TestKubernetes(t *testing.T) {
	suite.InTest(t)
	builtins := filepath.Join(schemaModule(t, "sigs.k8s.io/kubectl-validate"), "pkg", "openapiclient", "builtins", kubernetes)
	files, err := filepath.Glob("kubernetes/*.yaml")
	suite.Require(t, err == nil && len(files) >= 6, files, err)
	schemas, workloads, selectors := map[string]*jsonschema.Schema{}, map[string]bool{}, map[string]string{}
	for _, file := range files {
		for _, o := range documents(t, file) {
			kind, name := fmt.Sprint(o["apiVersion"], " ", o["kind"]), fmt.Sprint(file, " ", o["kind"], " ", at(o, "metadata", "name"))
			if schemas[kind] == nil {
				schemas[kind] = kindSchema(t, builtins, o)
			}
			suite.Check(t, schemas[kind].Validate(o))
			suite.Holds(t, o["kind"] != "Secret", name, "users create secrets")
			pod := maybe(at(o, "spec", "template"))
			if o["kind"] == "CronJob" {
				pod = maybe(at(o, "spec", "jobTemplate", "spec", "template"))
			}
			if len(pod) > 0 {
				workloads[fmt.Sprint(at(pod, "metadata", "labels", "app"))] = true
				checkPod(t, name, pod["spec"])
			}
			if o["kind"] == "Service" {
				selectors[name] = fmt.Sprint(at(o, "spec", "selector", "app"))
			}
			if o["kind"] == "NetworkPolicy" && at(o, "spec", "podSelector", "matchLabels") != nil {
				selectors[name] = fmt.Sprint(at(o, "spec", "podSelector", "matchLabels", "app"))
			}
		}
	}
	for name, app := range selectors {
		suite.Holds(t, workloads[app], name, "selects", app, "which does not exist")
	}
}

// kindSchema returns the schema of an object's kind. In the API's own schema, objects may have
// unknown fields; here they may not.
func kindSchema(t *testing.T, builtins string, o object) *jsonschema.Schema {
	t.Helper()
	version, kind := o["apiVersion"].(string), o["kind"].(string)
	file := filepath.Join(builtins, "apis", filepath.FromSlash(version)+".json")
	group, v, grouped := strings.Cut(version, "/")
	if !grouped {
		file, group, v = filepath.Join(builtins, "api", version+".json"), "", version
	}
	suite.Must(os.Stat(file))(t)
	name, wanted := "", fmt.Sprint(object{"group": group, "kind": kind, "version": v})
	doc := decode(t, file)
	for id, s := range at(doc, "components", "schemas").(object) {
		s := s.(object)
		if s["properties"] != nil && s["additionalProperties"] == nil {
			s["additionalProperties"] = false
		}
		if kinds, _ := s["x-kubernetes-group-version-kind"].([]any); len(kinds) == 1 && fmt.Sprint(kinds[0]) == wanted {
			name = id
		}
	}
	suite.Require(t, name != "", file, "has no kind", kind)
	return compile(t, doc, "#/components/schemas/"+name)
}

func checkPod(t *testing.T, name string, spec any) {
	t.Helper()
	if at(spec, "securityContext", "runAsNonRoot") != true || at(spec, "securityContext", "seccompProfile", "type") != "RuntimeDefault" || at(spec, "automountServiceAccountToken") != false {
		t.Errorf("%s: %v", name, at(spec, "securityContext"))
	}
	containers := at(spec, "containers").([]any)
	for _, c := range containers {
		s := at(c, "securityContext")
		if at(s, "readOnlyRootFilesystem") != true || at(s, "allowPrivilegeEscalation") != false || fmt.Sprint(at(s, "capabilities", "drop")) != "[ALL]" || at(c, "resources", "limits", "memory") == nil {
			t.Errorf("%s: a container has more rights or resources than it needs: %v", name, c)
		}
		env, _ := at(c, "env").([]any)
		for _, e := range env {
			if v, ok := at(e, "value").(string); ok && secretName.MatchString(fmt.Sprint(at(e, "name"))) && !strings.HasPrefix(v, "/run/secrets/") {
				t.Errorf("%s: the value of %v is in the file", name, at(e, "name"))
			}
		}
		mounts, _ := at(c, "volumeMounts").([]any)
		volumes, _ := at(spec, "volumes").([]any)
		for _, m := range mounts {
			known := slices.ContainsFunc(volumes, func(v any) bool { return at(v, "name") == at(m, "name") })
			claim := strings.Contains(name, "StatefulSet")
			suite.Holds(t, known || claim, name, "no volume", at(m, "name"))
		}
	}
}
