# `make` alone lists the targets.
.DEFAULT_GOAL := help
.PHONY: help test lint bench fmt doc install clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## Run every test, documentation tests and the demonstration included
	scripts/test.sh

lint: ## Check format, clippy, documentation, dependencies and house rules
	scripts/lint.sh

bench: ## Measure the ratios of the table in the README, in release
	scripts/setup.sh bench
	cargo bench --locked -p payments-core --bench ratios --bench waits
	cargo build --locked --release -p payments-ffi
	PAYMENTS_LIBRARY="$(abspath $(or $(CARGO_TARGET_DIR),target))/release/libpayments.so" \
		cargo bench --locked -p payments-ffi --bench c
	PAYMENTS_LIBRARY="$(abspath $(or $(CARGO_TARGET_DIR),target))/release/libpayments.so" \
		cargo bench --locked -p payments-ffi --bench php
	scripts/bench-python.sh
	scripts/bench-node.sh

fmt: ## Format the Rust sources
	cargo fmt --all

doc: ## Build the reference documentation into target/doc
	cargo doc --locked --workspace --no-deps

install: ## Install the C library: PREFIX=… [DESTDIR=…]
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh

clean: ## Remove everything that was built, tools included
	cargo clean
