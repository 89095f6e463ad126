# Shortcuts for the commands of CONTRIBUTING.md. Without a target, `make` lists them.
PROGRAM = $(or $(CARGO_TARGET_DIR),target)/debug/papayu-batch

.PHONY: help build golden test test-protocol lint check

help:
	@echo 'build          build the program'
	@echo 'golden         print a trace as a golden trace: make golden TRACE=ID'
	@echo 'test           unit and integration tests'
	@echo 'test-protocol  schemas and golden traces'
	@echo 'lint           scripts, format, clippy and documentation'
	@echo 'check          everything that CI runs'

build:
	cargo build

golden: build
	@$(PROGRAM) trace to-golden $(or $(TRACE),$(error name a trace: make golden TRACE=ID))

test:
	sh tests/all.sh test

test-protocol: build
	.ci/protocol $(PROGRAM)

lint:
	sh tests/all.sh lint

check:
	sh tests/all.sh
