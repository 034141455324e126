# Start with make run and make test; make help lists all targets.
# SHELL is bash because of pipefail: if a program in a pipeline fails, the recipe line must fail.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO       ?= go
VERSION  := $(shell git describe --always --dirty 2>/dev/null || echo devel)
# Only debuggers need symbols and DWARF, a third of the binary: DEBUG=1 keeps them.
LDFLAGS  := $(if $(DEBUG),,-s -w) -X main.release=$(VERSION)
ADDR     ?= 127.0.0.1:8080
ADMIN    ?= 127.0.0.1:8081
N        ?= 100000
CORPUS   ?= $(or $(TMPDIR),/tmp)/kindex-corpus-$(N)
# A number of runs, because go test sometimes fails at the end of a duration.
FUZZTIME ?= 2000x
# Fuzz targets that render an image or a page take milliseconds per input.
SLOWFUZZ := FuzzPNG|FuzzGet

# Without paths in the binaries, checkouts in different folders share the build cache.
export GOFLAGS := $(strip $(shell go env GOFLAGS 2>/dev/null) -trimpath)

.PHONY: help run build install engine static content check test tests soak gofmt lint requests scale bench snapshots corpus fuzz dist sdk screenshots fmt clean tools test-tools soak-tools

help: ## list all targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "%-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build the included content and serve it; print an API key for trying it out
	@bin/kindex build --content content --out .
	@key=$$(bin/kindex keys create --account local --name 'make run' --replace); \
	  bin/kindex accounts limit local 1000000 >/dev/null; \
	  echo; \
	  echo "Without a key you get 20 requests per day. This key allows a million:"; \
	  echo "  export KEY=$$key"
	@echo "Open http://$(ADDR)/ in a browser. Or try these in another terminal:"
	@echo "  curl -H \"x-api-key: \$$KEY\" 'http://$(ADDR)/api/search?q=gradient+boosting&limit=3'"
	@echo "  curl -H \"x-api-key: \$$KEY\" 'http://$(ADDR)/api/leaderboard/all?limit=5'"
	@echo "  curl -H \"x-api-key: \$$KEY\" 'http://$(ADDR)/api/entity/tool/pytorch/score'"
	@echo "  bin/kindex search pytrch"
	@echo "  bin/kindex history --limit 3"
	@echo "  bin/kindex --help"
	@echo
	@exec bin/kindex serve --dir . --addr $(ADDR) --admin $(ADMIN)

build: tools engine ## compile bin/kindex
	@echo 'compiling bin/kindex' && $(GO) build -ldflags '$(LDFLAGS)' -o bin/kindex ./cmd/kindex

PREFIX ?= $(if $(filter 0,$(shell id -u)),/usr/local,$(HOME)/.local)
install: build ## copy bin/kindex to PREFIX/bin (default: /usr/local as root, otherwise ~/.local)
	install -D -m 755 bin/kindex $(DESTDIR)$(PREFIX)/bin/kindex

# MiniSearch, the search library for static sites, comes from npm and is embedded in the program.
# Everything else works without it, so make build does without it where npm cannot fetch it.
engine:
	@{ command -v npm >/dev/null && $(MAKE) --no-print-directory $(MINISEARCH) 2>/dev/null; } || test -e $(MINISEARCH) || \
	  echo 'no MiniSearch from npm: bin/kindex cannot write static sites (build --static); everything else works'

MINISEARCH := site/pages/npm/minisearch.js
$(MINISEARCH): site/package-lock.json
	$(call need,npm,npm)
	@echo 'fetching MiniSearch'; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	  cp site/package.json site/package-lock.json "$$dir"; npm ci --ignore-scripts --prefix "$$dir" --omit=dev --no-audit --no-fund --silent; \
	  { echo '/*!'; cat "$$dir/node_modules/minisearch/LICENSE.txt"; echo '*/'; grep -v '^//# sourceMappingURL' "$$dir/node_modules/minisearch/dist/es/index.js"; } > "$$dir/minisearch.js"; \
	  mv "$$dir/minisearch.js" $@

static: $(MINISEARCH) build ## build the website of the included content as plain files, in static/
	bin/kindex build --content content --out . --static static

# Test binaries without debug information link faster.
LEAN := -ldflags=-w
# Tests sync thousands of small files, so they use a large in-memory file system if there is one.
INMEMORY := $(shell test "$$(df --output=avail -m /dev/shm 2>/dev/null | tail -n 1)" -gt 8000 2>/dev/null && ! findmnt -no OPTIONS /dev/shm | grep -q noexec && echo /dev/shm)
TESTTMP  := $(or $(TMPDIR),$(INMEMORY),/tmp)
# The list of tests that could not run here; see builder/suite.
NOTRUN   := $(CURDIR)/bin/not-run.txt
# Test processes live for seconds: less frequent garbage collection saves a tenth of the time.
TEST     := GOGC=$(or $(GOGC),300) KINDEX_NOT_RUN=$(NOTRUN) TMPDIR=$(TESTTMP) $(GO) test -vet=off $(LEAN)
# Runs go test with arguments, and reports what the tests cost. The name is that of the files in
# bin that keep the details.
measured = $(TEST) -count=1 -exec '$(CURDIR)/.ci/measure $(CURDIR)/bin/$(1).costs' -json $(2) | .ci/report bin/$(1).json bin/$(1).costs
# Start the slowest packages first, so that none is left running alone at the end.
LONGEST := ./cmd/kindex ./site/sdk ./site/audit ./edge ./site/docs
# The tests that suite.InRace marks, as a pattern for -run, and their packages. The mark is in the
# line below the name of the test; cmd/kindex, TestRaceRun, checks that none is missed.
MARKED       = $(shell grep -rlF --include='*_test.go' 'suite.InRace(t)' builder cmd edge exports indexes)
RACETESTS    = ^($(shell grep -hB 1 -F 'suite.InRace(t)' $(MARKED) | sed -nE 's/^func (Test[A-Za-z0-9]+).*/\1/p' | paste -sd '|' -))$$
RACYPACKAGES = $(addprefix ./,$(sort $(dir $(MARKED))))

# There are three suites; builder/suite defines which tests are in which. Many packages wait
# for other programs and timers, so more of them run at once than there are cores. go test
# repeats only what a change can affect, except the tests of cmd/kindex: they read files of the
# whole repository in other programs, which go test does not see, so they run beside the others.
check: tools gofmt ## run the fast tests, in less than a minute; offline once the modules are downloaded
	$(GO) vet ./...
	@$(TEST) -count=1 -short ./cmd/kindex & beside=$$!; failed=; \
	  $(TEST) -p 4 -short ./edge ./site/pages $$($(GO) list ./... | grep -vE '/(site/(audit|sdk)|cmd/(bench|gencorpus|kindex))$$') || failed=yes; \
	  wait $$beside || failed=yes; test -z "$$failed"

test: test-tools tests ## run all tests that a change must pass, with the race detector on concurrent code; takes minutes

tests:
	@mkdir -p bin && rm -f $(NOTRUN) bin/*.costs
	@$(call measured,tests,-p 4 -timeout 30m $(LONGEST) ./...)
	@echo 'with the race detector:'
	@GORACE=atexit_sleep_ms=100 $(call measured,race,-p 4 -timeout 30m -race -short -run '$(RACETESTS)' $(RACYPACKAGES))
	@test ! -e $(NOTRUN) || sort -u $(NOTRUN)

soak: soak-tools ## run every test at full size, concurrent code with the race detector, fuzzing, and a build of 100,000 entities; takes about 90 minutes
	@mkdir -p bin && rm -f $(NOTRUN) bin/*.costs
	@KINDEX_SOAK=1 $(call measured,soak,-p 3 -timeout 0 -skip '^TestLighthouse$$' ./cmd/dist $(LONGEST) ./...)
	@echo 'alone, because Lighthouse measures times:'
	@KINDEX_SOAK=1 $(call measured,lighthouse,-timeout 0 -run '^TestLighthouse$$' ./site/audit)
	@echo 'with the race detector:'
	@GORACE=atexit_sleep_ms=100 $(call measured,soak-race,-p 3 -timeout 0 -race -short $(RACYPACKAGES) ./edge/... ./exports/...)
	@test ! -e $(NOTRUN) || sort -u $(NOTRUN)
	@$(MAKE) --no-print-directory fuzz scale requests

gofmt:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }

# Runs a developer tool at the version pinned in .tools.mod.
DEVTOOL := $(GO) tool -modfile=.tools.mod
# golangci-lint runs the analyzers of go vet.
lint: tools gofmt ## run the linters; fail on dead code or unneeded modules
	$(GO) mod download -modfile=.tools.mod
	$(DEVTOOL) golangci-lint run ./...
	@dead=$$($(DEVTOOL) deadcode -test ./...); test -z "$$dead" || { echo "dead code:"; echo "$$dead"; exit 1; }
	@$(GO) mod tidy -diff || { echo "run: go mod tidy"; exit 1; }
	@$(GO) list -modfile=.tools.mod -deps tool >/dev/null || { echo "run: go mod download -modfile=.tools.mod MODULE, for the module whose sum is missing"; exit 1; }

SOAKTIME ?= 10m
requests: tools ## send mutated requests to every path of an edge for SOAKTIME
	$(GO) test -vet=off -count=1 -timeout 0 -v ./edge -run TestWholeEdge -fuzz-edge $(SOAKTIME)

# go test runs one fuzz target at a time.
fuzz: tools ## run every fuzz target for FUZZTIME
	@grep -rl --include='*_test.go' '^func Fuzz' . | sort | while read -r file; do \
	  for target in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9]*)\(.*/\1/p' "$$file"); do \
	    echo "fuzz $$(dirname "$$file") $$target"; \
	    times=$(FUZZTIME); case $$target in $(SLOWFUZZ)) times=200x;; esac; \
	    $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime "$$times" -fuzzminimizetime 5x "$$(dirname "$$file")"; \
	  done; done

corpus: tools ## generate N entities in CORPUS
	@test -d $(CORPUS) || { rm -rf $(CORPUS).part && $(GO) run ./cmd/gencorpus -n $(N) -content content -out $(CORPUS).part && mv $(CORPUS).part $(CORPUS); }

scale: build corpus ## validate, build and verify N generated entities; print times and memory
	@out=$$(mktemp -d); trap 'rm -rf "$$out"' EXIT; \
	  echo "validate $(N) generated entities"; time bin/kindex validate $(CORPUS); \
	  bin/kindex build --content $(CORPUS) --out "$$out" --as-of 2026-11-01; \
	  bin/kindex verify "$$out"

# Run nothing else at the same time, because most of the results are times.
bench: build corpus ## measure N generated entities beside FTS5, Bleve and net/http; see site/docs/benchmarks.md
	@$(GO) run ./cmd/bench -corpus $(CORPUS) $(BENCHFLAGS)
	@$(GO) test ./exports/view -run - -bench Declared -benchtime 5x -count 5

snapshots: tools ## build every public snapshot; print NOT RUN if they are missing
	@KINDEX_SOAK=1 $(GO) test -count=1 -v -timeout 0 -run EverySnapshot ./builder | grep -vE '^(=== |    --- PASS)'

# Needs a clean working tree. To sign the release: go run ./cmd/dist -sign
dist: tools $(MINISEARCH) ## write the files of the release VERSION=v1.2.3 into .dist
	$(GO) mod download -modfile=.tools.mod
	$(GO) run ./cmd/dist -version '$(VERSION)' $(if $(URL),-url '$(URL)')

sdk: test-tools ## pack the client libraries into site/sdk/archives, with the version of the OpenAPI description
	$(GO) test -count=1 ./site/sdk -run 'Archives|Sums' -update
	$(GO) test -count=1 ./site/sdk -run 'TestTypeScript$$' -update

screenshots: test-tools ## save screenshots of the website's main pages in site/docs/screenshots
	$(GO) test -count=1 ./site/audit -run TestWebsite -screenshots $(CURDIR)/site/docs/screenshots -content $(CURDIR)/content

# What must hold of the content, whatever the program is; the workflow validate runs it for each
# change of the content. The tests of the program use a copy of their own instead; see builder/suite.
content: build ## check the included content: problems, empty boards, format, tables, that it can be built and verified, and judged searches
	bin/kindex validate --strict content
	@bin/kindex fmt --check content || { echo "the files above are not formatted; run: make fmt"; exit 1; }
	@silent=$$(grep -lE '^status: ' content/model/*.yaml | xargs grep -LE '^  deprecation: '); test -z "$$silent" || { echo "retired models without the link deprecation, the makers' notice:"; echo "$$silent"; exit 1; }
	@out=$$(mktemp -d); trap 'rm -rf "$$out"' EXIT; bin/kindex build --content content --out "$$out" && bin/kindex verify "$$out"
	@rm -f $(NOTRUN)
	KINDEX_NOT_RUN=$(NOTRUN) $(GO) test -count=1 ./builder/content -run 'Test(ResultRows|PublishedResults|Unsourced)$$' -content "$$PWD/content"
	$(GO) test -count=1 ./indexes -run 'TestRelevance$$' -content "$$PWD/content"
	@test ! -e $(NOTRUN) || sort -u $(NOTRUN)

fmt: ## format the code and the content
	@gofmt -w $$(git ls-files '*.go')
	@$(GO) run ./cmd/kindex fmt content

clean: ## remove builds and binaries
	rm -rf bin .dist exports/builds exports/current indexes/builds .kindex-build.lock
	@test ! -e kindex.db || echo 'kindex.db is kept: it contains accounts, keys and submissions'

# Installed programs are used; missing ones are installed with apt-get, which needs root or
# sudo. Go itself must be installed already, because distributions package older versions.
SUDO := $(shell test "$$(id -u)" = 0 || echo sudo)
define need
@command -v $(1) >/dev/null || { echo "installing $(2)"; $(SUDO) apt-get update -q && $(SUDO) apt-get install -y -q --no-install-recommends $(2); }
endef

# The tests start their own PostgreSQL. Debian's package would set up and start a permanent
# server; a configuration file prevents that during the installation. The package's
# programs are not in PATH.
NOCLUSTER := /etc/postgresql-common/createcluster.d/kindex-tests.conf
define need-postgresql
@ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null || { echo "installing postgresql"; \
  $(SUDO) mkdir -p $(dir $(NOCLUSTER)); echo 'create_main_cluster = false' | $(SUDO) tee $(NOCLUSTER) >/dev/null; \
  trap '$(SUDO) rm -f $(NOCLUSTER)' EXIT; \
  $(SUDO) apt-get update -q; $(SUDO) apt-get install -y -q --no-install-recommends postgresql; }
endef

# The package that contains promtool would also set up and start a server, so only the program is
# installed.
define need-promtool
@command -v promtool >/dev/null || { echo "installing promtool"; $(SUDO) apt-get update -q; \
  dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; cd "$$dir"; apt-get download -q prometheus; dpkg-deb -x prometheus_*.deb .; \
  $(SUDO) install -m 755 usr/bin/promtool /usr/local/bin/promtool; }
endef

# Without this file, Debian would start the proxy after installing it.
NOSTART := /usr/sbin/policy-rc.d
define need-haproxy
@command -v haproxy /usr/sbin/haproxy >/dev/null || { echo "installing haproxy"; $(SUDO) apt-get update -q; \
  if test ! -e $(NOSTART); then printf '#!/bin/sh\nexit 101\n' | $(SUDO) tee $(NOSTART) >/dev/null; $(SUDO) chmod 755 $(NOSTART); trap '$(SUDO) rm -f $(NOSTART)' EXIT; fi; \
  $(SUDO) apt-get install -y -q --no-install-recommends haproxy; }
endef

# The headless shell is Chromium without the desktop UI; page tests take little more than half
# as long with it. Not every distribution packages it.
define need-chromium
@command -v chromium-headless-shell headless-shell headless_shell chromium chromium-browser google-chrome >/dev/null || { echo "installing Chromium"; \
  $(SUDO) apt-get update -q; $(SUDO) apt-get install -y -q --no-install-recommends chromium-headless-shell || $(SUDO) apt-get install -y -q --no-install-recommends chromium; }
endef

tools:
	@command -v $(GO) >/dev/null || { echo "Go 1.26 or newer is needed: https://go.dev/dl/"; exit 1; }
	$(call need,git,git)
	@test -n "$$($(GO) env GOFLAGS | grep mod=vendor)" || $(GO) mod download

test-tools: tools
	$(need-postgresql)
	$(call need,gcc,gcc libc6-dev)
	$(call need,unshare,util-linux)
	$(call need,python3,python3)
	@python3 -c 'import venv, ensurepip' 2>/dev/null || { echo "installing python3-venv"; $(SUDO) apt-get update -q && $(SUDO) apt-get install -y -q --no-install-recommends python3-venv; }
	$(call need,curl,curl)
	$(call need,jq,jq)
	$(call need,wget,wget)
	$(call need,ruby,ruby)
	@perl -MLWP::UserAgent -e 1 2>/dev/null || { echo "installing libwww-perl"; $(SUDO) apt-get update -q && $(SUDO) apt-get install -y -q --no-install-recommends libwww-perl; }
	@/usr/bin/python3 -c 'import aiohttp, httpx' 2>/dev/null || { echo "installing aiohttp and httpx"; $(SUDO) apt-get update -q && $(SUDO) apt-get install -y -q --no-install-recommends python3-aiohttp python3-httpx; }
	$(call need,openssl,openssl)
	$(call need,xmllint,libxml2-utils)
	$(call need,node,nodejs)
	$(call need,npm,npm)
	$(need-chromium)
	$(need-promtool)
	$(need-haproxy)
	$(GO) mod download -modfile=.tools.mod
	@test site/node_modules/.package-lock.json -nt site/package-lock.json || npm ci --prefix site
	@$(MAKE) --no-print-directory $(MINISEARCH)

soak-tools: test-tools
	$(call need,dpkg,dpkg)
	$(call need,rpm,rpm)
	$(call need,cpio,cpio)
	$(call need,file,file)
	$(call need,shellcheck,shellcheck)
	$(call need,java,default-jre-headless)
