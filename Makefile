GO ?= go
FUZZTIME ?= 10s
BENCHTIME ?= 1s

.PHONY: build run test race lint fuzz bench clean

build: ## bin/volley
	$(GO) build -o bin/volley ./cmd/volley

run: build ## the built-in scenario against the bundled node
	./bin/volley run --no-tui

test:
	$(GO) test ./...

race:
	$(GO) test -race ./...

lint: ## formatting, vet, staticcheck (pinned in go.mod)
	@test -z "$$(gofmt -l .)" || { gofmt -d . | head -50; echo "gofmt: the files above are not formatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

fuzz: ## every fuzz target for FUZZTIME
	@$(GO) list -f '{{.ImportPath}} {{.Dir}}' ./... | while read -r pkg dir; do \
		for f in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go 2>/dev/null | sed 's/^func //'); do \
			echo "fuzz $$pkg $$f"; \
			$(GO) test $$pkg -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x -parallel 2 || exit 1; \
		done; \
	done

bench: ## ratios against something else in the same run
	$(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) -benchmem ./...

clean:
	rm -rf bin
