# `make run` and `make test` need nothing but Python >= 3.11 with its venv module; the rest follows.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
UV ?= uv
# Which Python makes the environment; by default the newest that will do.
PYTHON ?=
PYTEST_ARGS ?=
# For `make lock`, e.g. LOCK_ARGS=--upgrade; without it, what is pinned stays pinned.
LOCK_ARGS ?=

.PHONY: run test check torture fuzz bench docs openapi lock clean
.DEFAULT_GOAL := run

# Tests that `make check` runs.
FAST := tests/rules tests/schemas tests/test_docs.py tests/test_observing_docs.py

# Programs that the tests start are compiled once, not each time, whatever the shell says about Python.
unexport PYTHONDONTWRITEBYTECODE

# Lint, types and so on beside the tests, which are spread over the cores (tests/spreading.py).
CHECK = exec $(BIN)/python .ci/side_by_side.py --numprocesses auto --dist loadscope --no-loadscope-reorder

# Each stamp says what the environment holds: what it takes to run, and all of it.
RUN := $(VENV)/.installed-run
DEV := $(VENV)/.installed-dev

run: $(RUN)  ## serve on 127.0.0.1:8000 (PORT=), state in .local (SUSUN_HOME=)
	@exec $(BIN)/susun run

test: $(DEV)  ## everything that CI runs, in one go: what `make check` does, and all other tests
	@$(CHECK) tests $(PYTEST_ARGS)

check: $(DEV)  ## the fast part: lint, types, contracts, known vulnerabilities, unit tests
	@$(CHECK) $(FAST) $(PYTEST_ARGS)

torture: $(DEV)  ## three minutes of killing what serves clients; nothing may be lost or doubled
	@exec $(BIN)/python -m tests.torture

fuzz: $(DEV)  ## 100,000 mutated requests over every call
	@exec $(BIN)/python -m tests.fuzz

bench: $(DEV)  ## scorers, memory, requests against bare Flask, side by side
	@exec $(BIN)/python -m bench

docs: $(DEV)  ## fill the tables of docs/rules.md, rulesets.md, deployment.md and history.md
	@$(BIN)/python -m docs.make_rules
	@$(BIN)/python -m docs.make_scopes
	@$(BIN)/python -m docs.make_history

openapi: $(RUN)  ## write openapi.json anew
	@$(BIN)/susun openapi > openapi.json.new
	@mv openapi.json.new openapi.json

COMPILE = $(UV) pip compile --quiet --universal --generate-hashes --no-header $(LOCK_ARGS) pyproject.toml

# The later locks follow the first one, so that all three agree on every version.
lock:
	@command -v $(UV) >/dev/null || { echo "make lock needs uv: pip install uv" >&2; exit 1; }
	@$(COMPILE) --extra build -o requirements.lock
	@$(COMPILE) --extra build --extra embedded -c requirements.lock -o requirements-embedded.lock
	@$(COMPILE) --all-extras -c requirements-embedded.lock -o requirements-dev.lock

# .local, which holds the data, stays.
clean:
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@rm -rf .schemathesis .coverage dist *.egg-info
	@find . -name __pycache__ -not -path './.local/*' -prune -exec rm -rf {} +

$(BIN)/python:
	@for python in "$(PYTHON)" python3.14 python3.13 python3.12 python3.11 python3; do \
		test -n "$$python" || continue; \
		"$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
			2>/dev/null && break; \
		python=; \
		test -z "$(PYTHON)" || break; \
	done; \
	if test -z "$$python"; then \
		echo "Susun needs Python 3.11 or later with its venv module (on Debian and Ubuntu:" >&2; \
		echo "apt install python3-venv). None was found; PYTHON=/path/to/python names one." >&2; \
		exit 1; \
	fi; \
	echo "Making $(VENV) with $$python ..."; \
	rm -rf $(VENV) && "$$python" -m venv $(VENV)

$(RUN): requirements-embedded.lock pyproject.toml | $(BIN)/python
	@echo "Installing what it takes to run ..."
	@$(PIP) install --require-hashes -r requirements-embedded.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): requirements-dev.lock pyproject.toml | $(BIN)/python
	@echo "Installing what it takes to run, test and develop ..."
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $(RUN) $@
