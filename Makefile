# agentx: build, test, demo. `make help` lists the targets.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X agentx/internal/buildinfo.version=$(VERSION) -X agentx/internal/buildinfo.commit=$(COMMIT)
PROGRAMS := agentx-prep agentx-run agentx-analyze
FUZZTIME ?= 30s
export CGO_ENABLED ?= 0

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: assets ## build the three programs into bin/ (static, no cgo)
	@mkdir -p bin
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ $(PROGRAMS:%=./cmd/%)

.PHONY: assets
assets: ## fetch the chart script that pages embed (needs npm; without it pages carry SVG)
	@go run ./internal/view/assets/fetch $(if $(ECHARTS),-from $(ECHARTS))

.PHONY: dist
dist: assets ## one tar to carry: programs for linux/amd64 and arm64, documents, licences, checksums
	@rm -rf dist
	@for arch in amd64 arm64; do echo "linux/$$arch"; \
	  CGO_ENABLED=0 GOOS=linux GOARCH=$$arch go build -trimpath -buildvcs=false -ldflags '$(LDFLAGS) -buildid=' \
	    -o dist/programs/linux-$$arch/ $(PROGRAMS:%=./cmd/%) || exit 1; done
	@go run ./internal/dist -version '$(VERSION)' -programs dist/programs -out dist $(if $(WITHOUT_CHARTS),-without-charts)

.PHONY: arm64
arm64: ## cross-compile the programs for linux/arm64 and throw them away
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -gcflags='all=-N -l' -o /dev/null $(PROGRAMS:%=./cmd/%)

.PHONY: demo
demo: build ## prepare the sample corpus, replay it against the built-in server, show the results
	@sh ./demo.sh

.PHONY: test
test: ## the whole suite: gofmt, vet, staticcheck, the programs for arm64, all tests; the pages where Chromium is installed
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "not gofmt-ed: $$unformatted"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...
	@$(MAKE) --no-print-directory arm64
	go test -count=1 -timeout 9m ./...
	@for name in chromium chromium-browser google-chrome chrome; do command -v $$name >/dev/null && found=yes; done; \
	  if [ -n "$$found" ]; then $(MAKE) --no-print-directory browser; \
	  else echo "no Chromium is installed: the pages were not opened in a browser (make browser)"; fi

.PHONY: race
race: ## all tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race -count=1 -timeout 30m ./...

.PHONY: lint
lint: ## gofmt, vet and staticcheck only
	gofmt -l $$(git ls-files '*.go')
	go vet ./...
	go tool staticcheck ./...

.PHONY: browser
browser: assets ## open the pages in Chromium (skipped where there is none)
	cd browser && go vet ./... && go test -count=1 ./...

.PHONY: e2e
e2e: ## prep, run and analyze against real servers, where they are installed (AGENTX_SHARED, AGENTX_REAL_URL)
	AGENTX_E2E=1 go test -count=1 -v -timeout 9m ./internal/e2e

.PHONY: bench
bench: bench-run bench-prep ## figures side by side with a limit or a peer

.PHONY: bench-run
bench-run: build ## client against the built-in server: stamps, lateness, rates, CPU per request, memory, slow streams, faults
	go run ./internal/benchrun -bin bin

.PHONY: bench-prep
bench-prep: build ## builds of 100 and 640 recorded traces, cold and warm, beside the peer's figures
	go run ./internal/benchprep -bin bin

.PHONY: bench-analyze
bench-analyze: build ## summary, exports and a full scan of large logs, beside their limits
	go run ./internal/benchreport -bin bin

.PHONY: bench-log
bench-log: ## the event log: events/s, bytes per event and chunk, scan speed, lateness on a slow disk
	go test ./eventlog -run '^$$' -bench Append -benchtime 1400000x
	go test ./eventlog -run '^$$' -bench ExchangeEnd -benchtime 100000x
	go test ./eventlog -run '^$$' -bench Chunks -benchtime 768000x
	go test ./eventlog -run '^$$' -bench 'Scan|Check' -benchtime 1x
	go test ./eventlog -run '^$$' -bench AddOnASlowDisk -benchtime 50000x
	AGENTX_LONG=1 go test ./cmd/agentx-run -count=1 -run LatenessOnASlowDisk -v

.PHONY: crash
crash: ## kill -9 everywhere, torn copies, full and failing disks, a wall clock that steps: figures, 3 minutes
	AGENTX_LONG=1 go test ./cmd/agentx-run -count=1 -timeout 8m -v -run 'Crash|InOrder|WallClock'
	AGENTX_LONG=1 go test ./eventlog -count=1 -timeout 8m -v -run 'Killed|Cut|Copy|FullDisk|FileSize|Flipped'

.PHONY: bench-sched
bench-sched: ## the replay machine: cost of a step, half an hour under the virtual clock
	go test ./sched ./internal/simulate -run '^$$' -bench 'Step|HalfHour'
	go test ./cmd/agentx-analyze -run '^$$' -bench SimulateHalfHour -benchtime 2x

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (default 30s) each
	@go list ./... | while read -r package; do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    echo "== $$package $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
	  done; done

.PHONY: nightly
nightly: build ## prompts of bundles encoded again by the Python tokenizers library (npm, Python; skips what is missing)
	@sh internal/prep/testdata/nightly.sh bin bin/nightly

.PHONY: docs
docs: build ## regenerate the documents that come from the code
	@{ for program in $(PROGRAMS); do ./bin/$$program cli-docs || exit 1; done; } > docs/cli.md

.PHONY: check
check: lint test ## everything before a commit

.PHONY: clean
clean: ## remove what the build and the demo made
	rm -rf bin dist demo
