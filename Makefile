# One verb a line; `make` alone lists them. CI runs the same verbs (.ci/run).
PYTHON ?= python3
VENV := .venv
SHELL := /bin/bash
BIN := $(VENV)/bin
PYTHON_SOURCES := python tests benchmarks docs setting_up README.md
# Installs packages and compiles the kernel for the CPU paths of EVOPLY_PATHS (this machine's best one, if empty; `all`; or
# some of baseline,avx2,avx512). It does nothing where all is up to date, and says in a sentence what is missing.
SETTING_UP := $(PYTHON) -m setting_up
# All crates but the binding, which Python tests.
KERNEL := --workspace --exclude evoply-python
# Those that have tests of their own: the others only compile what these hold.
TESTED := $(KERNEL) --exclude evoply-othello-kernel --exclude evoply-checkers-kernel --exclude evoply-data-game-kernel
# A file's tests share what it made and look for the processes they started: they stay on one worker.
# (Groups of tests would be finer, but pytest 9.2 silently ignores those of pytest-xdist 3.8.) In the
# order of tests/conftest.py: what takes long first, the doctests, which are small, at the end. Two workers a core: half of
# the tests wait for a browser, a server or a command most of their time.
WORKERS ?= -n $(shell $(PYTHON) -c "import os; print(min(8, 2 * (os.cpu_count() or 1)))") --dist loadfile --no-loadscope-reorder
# What takes longest first.
CHECKS := check-rust check-types check-stubs check-format check-layers check-workflows
HYPOTHESIS_SEED := $(or $(HYPOTHESIS_SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Where it is set, every worker and every command that tests start compiles all of evoply again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test compile-tests coverage test-pythons test-long chaos broken goldens miri check $(CHECKS) limits bench bench-against bench-kernel bench-web bench-web-soak bench-long house signature docs notebooks dist lock clean tools

help: ## list the verbs
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## make .venv with everything for development, and build the kernel
	@$(SETTING_UP) development

demo: ## evolve an Othello player for about a minute, explain it, test it, write a report
	@$(SETTING_UP) demo $(DEMO_OPTIONS)

test: setup ## all tests but the long ones (TEST_OPTIONS=--seconds says which files cost most)
	cargo test --quiet $(TESTED) $$($(SETTING_UP) features)
	$(BIN)/pytest -q -m "not long" $(WORKERS) $(TEST_OPTIONS)

compile-tests: ## compile the kernel's tests, which takes a minute or two, and run none
	cargo test --quiet $(TESTED) $$($(SETTING_UP) features) --no-run

coverage: setup ## the same tests of Python, with how much of it they cover (half as long again)
	rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -q -m "not long" $(WORKERS)
	$(BIN)/coverage combine -q
	$(BIN)/coverage report --format=total | sed 's/$$/ % of the Python covered (`.venv\/bin\/coverage report` shows where)/'
	$(BIN)/coverage report > /dev/null

# The kernel on every board: first with its checks of arithmetic, then all CPU paths in the profile of wheels, so that what
# is released is what is tested.
test-long: setup miri ## every test at full counts, on all CPU paths (about 20 minutes once the kernel is built)
	cargo test --quiet $(TESTED) $$($(SETTING_UP) features) --features every-board
	EVOPLY_LONG=1 cargo test --profile dist $(TESTED) --features every-board -- --include-ignored
	@echo "Hypothesis explores from seed $(HYPOTHESIS_SEED): HYPOTHESIS_SEED=$(HYPOTHESIS_SEED) does it again"
	package=$$($(BIN)/python benchmarks/kernels.py) && EVOPLY_LONG=1 PYTHONPATH=$$package $(BIN)/pytest -q -m "long or not long" --timeout 3600 $(WORKERS) --hypothesis-seed $(HYPOTHESIS_SEED) tests $$package/evoply README.md docs

# From a wheel of the kernel of `make setup`; logs are in target/pythons.
test-pythons: setup ## every verb and kind of run, on each Python here with the oldest and newest packages (PYTHONS_OPTIONS="--newest": one of them)
	@$(BIN)/python tests/pythons/pythons.py $(PYTHONS_OPTIONS)

MINUTES ?= 60
chaos: setup ## MINUTES=60 of everything at once while processes are killed (CHAOS_OPTIONS="--seed 1" draws the same again)
	$(BIN)/python tests/chaos/chaos.py --minutes $(MINUTES) $(CHAOS_OPTIONS)

broken: setup ## what tests are for, broken on purpose in a copy, and which test sees it (BROKEN_OPTIONS="--only 4,17": some of it)
	@$(BIN)/python tests/broken/broken.py $(BROKEN_OPTIONS)

goldens: setup ## words and figures of every verb, page and kind of run beside those of testdata/goldens (GOLDENS_OPTIONS="--write map": written anew)
	@$(BIN)/python tests/goldens/goldens.py $(GOLDENS_OPTIONS)

miri: tools ## the words of every CPU path and what is built on them, interpreted, where a nightly Rust with Miri is there
	@if cargo +nightly miri --version > /dev/null 2>&1; \
	then cargo +nightly miri test --quiet --target-dir target/miri --package evoply-core --package evoply-othello --lib -- cpu:: lines::; \
	else echo "no nightly Rust with Miri here: skipped"; fi

# Side by side; what one has written stays together, and all that is wrong is shown.
check: setup ## format, lint, types, layers, stubs
	@$(MAKE) --no-print-directory --keep-going --jobs $(shell $(PYTHON) -c 'import os; print(os.cpu_count() or 1)') $(if $(filter output-sync,$(.FEATURES)),--output-sync) $(CHECKS)

# As strict as all else, but names of a page may change their type, and functions of an example need no annotations.
EXAMPLES := --allow-redefinition-new --local-partial-types --allow-untyped-defs --allow-incomplete-defs --allow-untyped-calls
check-types:
	$(BIN)/mypy
	$(BIN)/mypy benchmarks
	$(BIN)/mypy setting_up
	$(BIN)/python docs/_extensions/examples.py
	$(BIN)/mypy $(EXAMPLES) target/examples

check-rust:
	cargo fmt --check
	cargo clippy --quiet --workspace --all-targets --features every-board -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps $(KERNEL)

# The stub says all by itself: nothing of what evoply imports is read, which would take five times as long.
check-stubs:
	$(BIN)/python -m mypy.stubtest evoply._native --mypy-config-file <(printf '[mypy]\nfollow_imports = skip\ncache_dir = .mypy_cache/stubs\n')

check-format:
	$(BIN)/ruff format --check $(PYTHON_SOURCES)
	$(BIN)/ruff check $(PYTHON_SOURCES)

check-layers:
	$(BIN)/lint-imports

# Their schema, and what a workflow must not give away; neither asks the network.
check-workflows:
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet .github/workflows

limits: setup ## today's figures beside those of limits.toml (LIMITS_OPTIONS="dist modules tests" builds no kernel)
	@$(BIN)/python benchmarks/limits.py $(LIMITS_OPTIONS)

# Each measures a build of all paths as it is released, never the one of `make setup`.
bench: setup $(VENV)/.bench ## ours, a peer and the ratio, measured in one run (minutes; BENCH_OPTIONS="--keep" for the docs)
	package=$$($(BIN)/python benchmarks/kernels.py) && PYTHONPATH=$$package $(BIN)/python benchmarks/run.py $(BENCH_OPTIONS)

bench-against: setup ## this kernel beside that of COMMIT, in pairs (the first time it builds both); BENCH_OPTIONS="--quick": that of `make setup`
	@test -n "$(COMMIT)" || { echo "COMMIT - is missing - say with which commit to compare: make bench-against COMMIT=HEAD~1"; exit 1; }
	$(BIN)/python benchmarks/against.py $(COMMIT) $(BENCH_OPTIONS)

bench-kernel: tools ## the kernel alone, each answer checked
	cargo bench --quiet --package evoply-core --bench kernel

bench-web: setup ## how long people wait in the browser: 200 games at a time for five minutes (LOAD_OPTIONS="--seconds 30" for less), then for hints and reviews
	$(BIN)/python benchmarks/web_load.py $(LOAD_OPTIONS)
	$(BIN)/python benchmarks/web_coach.py

bench-web-soak: setup ## an hour of games, refusals, runs and lost connections in the browser's server: whether its memory grows (SOAK_OPTIONS="--minutes 15" for less)
	$(BIN)/python benchmarks/web_soak.py $(SOAK_OPTIONS)

bench-long: setup $(VENV)/.bench ## the long rows too
	package=$$($(BIN)/python benchmarks/kernels.py) && PYTHONPATH=$$package $(BIN)/python benchmarks/run.py --long $(BENCH_OPTIONS)

house: setup ## count lines, circles and floors of imports, widths of contracts
	@$(BIN)/python tests/contracts/house.py

signature: setup ## one number for the behaviour of search and evolution
	@$(BIN)/python benchmarks/signature.py

docs: setup ## the documentation as HTML, in docs/_build
	$(BIN)/python docs/_extensions/written.py
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build
	@echo "open docs/_build/index.html"

notebooks: setup ## the notebooks of the documentation, executed and stored anew (about a minute)
	$(BIN)/python docs/_extensions/notebooks.py

dist: ## a wheel with all CPU paths and the source archive, in dist/ (about ten minutes; docs/installation.md: for older systems)
	@$(SETTING_UP) packages
	$(BIN)/maturin sdist --out dist
	$(BIN)/maturin build --quiet --profile dist --locked --out dist $(DIST_OPTIONS)
	@ls dist

lock: ## make the lock files anew from pyproject.toml and Cargo.toml
	cargo update --workspace
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --extra build --extra charts --extra statistics --extra web pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --extra build --extra charts --extra statistics --extra web --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --extra bench -c requirements-dev.lock pyproject.toml -o requirements-bench.lock

clean: ## remove everything that was built, but no run
	rm -rf target dist $(VENV) docs/_build .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find python tests setting_up -name __pycache__ -prune -exec rm -rf {} +
	rm -f python/evoply/_native*.so

# Say in one sentence what is missing, before anything fails in a hundred.
tools:
	@$(SETTING_UP) needs

.PHONY: $(VENV)/.bench
$(VENV)/.bench:
	@$(SETTING_UP) bench
