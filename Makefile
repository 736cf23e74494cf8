# Everything here needs only Go; golangci-lint runs too where it is installed.
.PHONY: all build test race lint bench report mutants

all: build lint test

build:
	go build -o bin/simrun ./cmd/simrun

test:
	go test ./...

race:
	go test -race ./...

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	@if command -v golangci-lint >/dev/null; then golangci-lint run; fi

# Measures what the harness costs compared with a bare loop of the same Redis
# commands, and how fast a history is judged.
bench:
	go test -run TestHarnessAgainstBareLoop -v ./internal/dev/bench -rounds 7 -seeds 20
	go test -run '^$$' -bench . -benchtime 3x ./internal/check

# Breaks the locks and the checkers one line at a time: each break must be caught.
mutants:
	go run ./internal/dev/mutants

# Runs every scenario and writes the report to results/latest/report.html.
report: build
	bin/simrun -scenario all
