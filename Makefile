# One verb a line; `make` alone lists them. CI runs the same verbs (.ci/run).
# The oldest Rust is stated in Cargo.toml (rust-version), the README, and here.
RUST_MINIMUM := 1.89
PYTHON ?= python3
VENV := .venv
SHELL := /bin/bash
BIN := $(VENV)/bin
PYTHON_SOURCES := python tests benchmarks docs README.md
KERNEL_SOURCES := $(shell find crates -path '*/src/*' -name '*.rs') $(shell find . -maxdepth 3 -name Cargo.toml -not -path './target/*') Cargo.lock
# A file's tests share what it made and look for the processes they started: they stay on one worker.
# (Groups of tests would be finer, but pytest 9.2 silently ignores those of pytest-xdist 3.8.) In the
# order of collection, because its end, the doctests, is small and fills both workers.
WORKERS ?= -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder
HYPOTHESIS_SEED := $(or $(HYPOTHESIS_SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Where it is set, every worker and every command that tests start compiles all of evoply again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test coverage test-long miri check bench bench-against bench-kernel bench-web bench-long signature docs notebooks dist lock clean tools

help: ## list the verbs
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/.dev $(VENV)/.kernel ## make .venv with everything for development, and build the kernel

demo: $(VENV)/.kernel ## evolve an Othello player for about a minute, explain it, test it, write a report
	@$(BIN)/evoply evolve demo $(DEMO_OPTIONS)

test: setup ## all tests but the long ones
	cargo test --quiet --package evoply-core
	$(BIN)/pytest -q -m "not long" $(WORKERS)

coverage: setup ## the same tests of Python, with how much of it they cover (half as long again)
	rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -q -m "not long" $(WORKERS)
	$(BIN)/coverage combine -q
	$(BIN)/coverage report --format=total | sed 's/$$/ % of the Python covered (`.venv\/bin\/coverage report` shows where)/'
	$(BIN)/coverage report > /dev/null

test-long: setup miri ## every test at full counts (about 20 minutes)
	EVOPLY_LONG=1 cargo test --release --package evoply-core -- --include-ignored
	@echo "Hypothesis explores from seed $(HYPOTHESIS_SEED): HYPOTHESIS_SEED=$(HYPOTHESIS_SEED) does it again"
	EVOPLY_LONG=1 $(BIN)/pytest -q -m "long or not long" --timeout 3600 $(WORKERS) --hypothesis-seed $(HYPOTHESIS_SEED)

miri: tools ## the words of every CPU path and what is built on them, interpreted, where a nightly Rust with Miri is there
	@if cargo +nightly miri --version > /dev/null 2>&1; \
	then cargo +nightly miri test --quiet --target-dir target/miri --package evoply-core --lib -- cpu:: othello; \
	else echo "no nightly Rust with Miri here: skipped"; fi

check: setup ## format, lint, types, layers, stubs
	cargo fmt --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --package evoply-core
	$(BIN)/ruff format --check $(PYTHON_SOURCES)
	$(BIN)/ruff check $(PYTHON_SOURCES)
	$(BIN)/mypy
	$(BIN)/mypy benchmarks
	$(BIN)/python -m mypy.stubtest evoply._native
	$(BIN)/lint-imports

bench: setup $(VENV)/.bench ## ours, a peer and the ratio, measured in one run (minutes)
	$(BIN)/python benchmarks/run.py

bench-against: setup ## this kernel beside that of COMMIT, in pairs (the first time it builds that one)
	@test -n "$(COMMIT)" || { echo "COMMIT - is missing - say with which commit to compare: make bench-against COMMIT=HEAD~1"; exit 1; }
	$(BIN)/python benchmarks/against.py $(COMMIT) $(AGAINST_OPTIONS)

bench-kernel: tools ## the kernel alone, each answer checked
	cargo bench --quiet --package evoply-core --bench kernel

bench-web: setup ## 200 games at a time in the browser's server for five minutes: how long people wait (LOAD_OPTIONS="--seconds 30" for less)
	$(BIN)/python benchmarks/web_load.py $(LOAD_OPTIONS)

bench-long: setup $(VENV)/.bench ## the long rows too
	$(BIN)/python benchmarks/run.py --long

signature: setup ## one number for the behaviour of search and evolution
	@$(BIN)/python benchmarks/signature.py

docs: setup ## the documentation as HTML, in docs/_build
	$(BIN)/python docs/_extensions/written.py
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build
	@echo "open docs/_build/index.html"

notebooks: setup ## the notebooks of the documentation, executed and stored anew (about a minute)
	$(BIN)/python docs/_extensions/notebooks.py

dist: $(VENV)/.requirements | tools ## a wheel for this machine and the source archive, in dist/
	$(BIN)/maturin sdist --out dist
	$(BIN)/maturin build --quiet --release --locked --out dist
	@ls dist

lock: ## make the lock files anew from pyproject.toml and Cargo.toml
	cargo update --workspace
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --extra build --extra web pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --extra build --extra web --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --extra bench -c requirements-dev.lock pyproject.toml -o requirements-bench.lock

clean: ## remove everything that was built, but no run
	rm -rf target dist $(VENV) docs/_build .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find python tests -name __pycache__ -prune -exec rm -rf {} +
	rm -f python/evoply/_native*.so

# Say in one sentence what is missing, before anything fails in a hundred.
tools:
	@command -v cargo >/dev/null || { echo "evoply needs cargo (Rust $(RUST_MINIMUM) or later): install it with rustup"; exit 1; }
	@printf '%s\n' $(RUST_MINIMUM) "$$(rustc --version | cut -d' ' -f2)" | sort -C -V || { echo "evoply needs Rust $(RUST_MINIMUM) or later; this is $$(rustc --version | cut -d' ' -f2): run 'rustup update'"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "evoply needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1 | cut -d' ' -f2): run 'make PYTHON=python3.11 ...'"; exit 1; }

$(VENV)/bin/python: | tools
	$(PYTHON) -m venv $(VENV)

$(VENV)/.requirements: requirements.lock | $(VENV)/bin/python
	@echo "installing what evoply needs into $(VENV)"
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock 2>&1 | grep -v '^Ignoring ' ; exit $${PIPESTATUS[0]}
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.requirements
	@echo "installing what its developers need"
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock 2>&1 | grep -v '^Ignoring ' ; exit $${PIPESTATUS[0]}
	@touch $@

$(VENV)/.bench: requirements-bench.lock $(VENV)/.dev
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements-bench.lock 2>&1 | grep -v '^Ignoring ' ; exit $${PIPESTATUS[0]}
	@touch $@

$(VENV)/.kernel: $(VENV)/.requirements $(KERNEL_SOURCES) pyproject.toml | tools
	@echo "building the kernel: about ten minutes the first time"
	@$(BIN)/maturin develop --release --quiet > $(VENV)/kernel.log 2>&1 || { cat $(VENV)/kernel.log; exit 1; }
	@touch $@
