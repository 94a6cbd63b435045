# `make` alone lists the targets.
.DEFAULT_GOAL := help
.PHONY: help check check-platforms test test-core test-c test-php test-python test-node test-page test-fleet test-exhaust test-frameworks test-shops test-deploy test-pages generate \
	lint screenshots bench crash follow exhaust fuzz schedules simulate tsan mutants coverage soak fmt doc docs docs-serve build install uninstall dist release-dry-run test-dist clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: ## The loop: format, clippy, features, generated files, unit and core tests
	cargo xtask check

check-platforms: ## Check all crates and tests for Windows and macOS: TARGETS="…" for some
	scripts/check-platforms.sh $(TARGETS)

test: ## Run every test; with ONLY=name, one test or one file of any suite
	cargo xtask test $(if $(ONLY),--only "$(ONLY)")

test-core: ## Run the tests in Rust
test-c: ## Run those of the C ABI: plain, valgrind, sanitizer, symbols, installation
test-php: ## Run those of the PHP package
test-python: ## Run those of the Python package
test-node: ## Run those of the Node package
test-page: ## Run those of the sandbox's page, in Chromium
test-fleet: ## Run those of many processes with one token
test-exhaust: ## Run one row of `make exhaust` for each kind of call
test-core test-c test-php test-python test-node test-page test-fleet test-exhaust:
	cargo xtask test $(@:test-%=%)

test-shops: ## Attack each shop of examples/shop, and buy in it in a browser
	scripts/test-shops.sh

test-deploy: ## Read the files of examples/deploy by the programs they are for, and run what they start
	scripts/test-deploy.sh

test-pages: ## Follow README, the getting-started and framework pages as a reader does: PAGES="…" for some
	scripts/test-pages.sh $(PAGES)

test-frameworks: ## Run applications of web frameworks that pay in the sandbox: LANGUAGES="php python node debian"
	scripts/test-frameworks.sh $(LANGUAGES)

soak: ## A long run of all languages under faults: MINUTES=20
	scripts/test-fleet.sh soak $(or $(MINUTES),20)

screenshots: ## Write the pictures of the sandbox's page in docs/images
	PAYMENTS_SCREENSHOTS="$(CURDIR)/docs/images" scripts/test-browser.sh

crash: ## Kill calls of all languages and a batch at random moments: KILLS=1000
	scripts/test-fleet.sh crash $(or $(KILLS),1000)

follow: ## Follow open payments with a process that is killed again and again: COUNT=10000
	scripts/test-fleet.sh follow $(or $(COUNT),10000)

exhaust: ## Cut calls at each system call, byte and look at a clock
	cargo xtask exhaust

fuzz: ## Fuzz what reads bytes of others: MINUTES=20
	scripts/fuzz.sh $(or $(MINUTES),20)

schedules: ## Try the interleavings of threads: ARGUMENTS='--replay FILE "NAME"'
	cargo run --locked --manifest-path tests/schedules/Cargo.toml --target-dir target -- $(ARGUMENTS)

simulate: ## Simulate days of a merchant, by seeds: ARGUMENTS='--minutes 20', or '--seed NUMBER' for its trace
	cargo run --locked --manifest-path tests/schedules/Cargo.toml --target-dir target --bin payments-simulate -- $(ARGUMENTS)

mutants: ## Mutate what decides about money and tokens, and name what no test notices: ONLY=core/src/token
	cargo xtask mutants $(ONLY)

coverage: ## Print the lines of base, transport, core and host that all suites reach together: SUITES="core c"
	scripts/coverage.sh $(SUITES)

tsan: ## Look for data races under ThreadSanitizer, with the tests in C
	scripts/test-c.sh tsan

generate: ## Write what is generated from spec/ and from the C ABI: sources, types and tables
	cargo xtask generate

lint: ## Check format, clippy, house rules, documentation and dependencies
	cargo xtask lint

bench: ## Measure all languages in release, and name missed goals: BEFORE=libpayments.so of another commit
	$(if $(BEFORE),PAYMENTS_LIBRARY_BEFORE="$$(realpath "$(BEFORE)")") cargo xtask bench

fmt: ## Format the Rust sources
	cargo fmt --all

doc: ## Build the reference documentation into target/doc
	cargo doc --locked --workspace --no-deps

docs: ## Build the book of docs/ into target/book/html
	scripts/docs.sh

docs-serve: ## Show the book on loopback
	scripts/docs.sh serve

build: ## Build the C library in release
	cargo build --locked --release -p payments-ffi

# Without cargo, so that root needs none. sudo drops CARGO_TARGET_DIR: BUILT names its release folder.
install: ## Install what was built: PREFIX=… LIBDIR=… INCLUDEDIR=… [DESTDIR=…] [BUILT=…]
	PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" INCLUDEDIR="$(INCLUDEDIR)" DESTDIR="$(DESTDIR)" BUILT="$(BUILT)" \
		scripts/install.sh

uninstall: ## Remove what was installed, with the same variables
	PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" INCLUDEDIR="$(INCLUDEDIR)" DESTDIR="$(DESTDIR)" \
		scripts/install.sh uninstall

dist: ## Build all packages into dist/: TARGETS="…" for some platforms
	scripts/dist.sh $(TARGETS)

release-dry-run: ## Walk the order of a release with the packages of dist/, and publish nothing
	scripts/release.sh

test-dist: ## Install the packages of dist/ where nothing else is, and pay with each
	scripts/test-dist.sh

clean: ## Remove everything that was built, tools included
	cargo clean
