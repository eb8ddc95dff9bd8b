GO ?= go
FUZZTIME ?= 10s
BENCHTIME ?= 1s

.PHONY: build run test browser race lint fuzz bench bench-generator bench-node bench-capacity clean

build: ## bin/volley
	$(GO) build -o bin/volley ./cmd/volley

run: build ## the built-in scenario against the bundled node
	./bin/volley run --no-tui

# Tests of commands mostly wait for a run to be over: more of them than CPUs at a time.
PARALLEL ?= 5

test:
	$(GO) test -parallel $(PARALLEL) ./...

browser: ## HTML reports in a headless Chromium, which must be installed
	$(GO) test -tags browser -run '^TestBrowser$$' ./results/report

race:
	$(GO) test -race -short -parallel $(PARALLEL) ./...

lint: ## formatting, vet, staticcheck (pinned in go.mod)
	@test -z "$$(gofmt -l .)" || { gofmt -d . | head -50; echo "gofmt: the files above are not formatted"; exit 1; }
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# The engine sometimes ends a run with "context deadline exceeded" in place of a
# finding; a finding leaves an input in testdata or says "Failing input".
fuzz: ## every fuzz target for FUZZTIME
	@list=$$($(GO) list -f '{{.ImportPath}} {{.Dir}}' ./...) && out=$$(mktemp) && trap 'rm -f "$$out"' EXIT && \
	echo "$$list" | while read -r pkg dir; do \
		for f in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go 2>/dev/null | sed 's/^func //'); do \
			echo "fuzz $$pkg $$f"; \
			$(GO) test $$pkg -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x -parallel 2 >"$$out" 2>&1 && tail -n 1 "$$out" && continue; \
			if grep -q 'context deadline exceeded' "$$out" && ! grep -q 'Failing input' "$$out"; then echo "the time was up; no finding"; continue; fi; \
			cat "$$out"; exit 1; \
		done; \
	done

bench: ## ratios against something else in the same run
	$(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) -benchmem ./...

bench-generator: ## the generator against other generators, see bench/generator/README.md
	bench/generator/run.sh

bench-node: ## the reference node against other nodes, see bench/node/README.md
	bench/node/run.sh

bench-capacity: build ## what volley measures and models against known truth, see bench/capacity/README.md
	$(GO) run ./bench/capacity -volley bin/volley -parts '$(PARTS)' $(if $(JOBS),-jobs $(JOBS)) $(if $(SEEDS),-seeds $(SEEDS)) $(if $(FOR),-for $(FOR)) $(if $(DIR),-dir $(DIR))

clean:
	rm -rf bin
