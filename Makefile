# Two commands to know: `make demo` and `make test`. Needs Python 3.11 to 3.14, pip, git and make.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.PHONY: demo test suite stranger fast check bench docs man release-check proofs env spark

PYTHON := $(shell for name in python3.11 python3; do \
	$$name -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null \
	&& echo $$name && break; done)
BIN := .venv/bin
FAST := tests/test_documentation.py tests/test_bibliography.py tests/test_theorem_reference.py \
	tests/test_python_reference.py tests/test_public_names.py \
	tests/unit/notions tests/unit/priors tests/unit/theorems tests/unit/certificate \
	tests/unit/report tests/unit/cli/test_beliefs.py tests/unit/cli/test_relations.py \
	tests/unit/publish/plan tests/unit/publish/statistics tests/laws/test_theorems.py
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_PROGRESS_BAR := off

demo: env  ## Release two plans on real tables into demo-output/.
	@$(BIN)/python examples/demo.py

test: env  ## Everything that has to hold.
	@$(MAKE) --no-print-directory --jobs=2 check suite  # the types take a minute of one core

suite: export OPENBLAS_NUM_THREADS := 1  # a worker has no more than one core
suite: export PYTHONDONTWRITEBYTECODE :=  # empty: or each command that a test starts is compiled anew
# Some tests wait: three workers keep two cores busy. pytest's rewriting of assertions is half of the
# collection in a fresh clone and says something only of failures: what fails runs again, with it.
suite: env
	@$(BIN)/python -m compileall -q -j 2 src tests benchmarks  # once, and not by each worker
	@$(BIN)/pytest -q -n 3 --assert=plain --durations=50 --durations-min=1 || \
		{ $(BIN)/pytest -q --last-failed --last-failed-no-failures=none; exit 1; }

stranger: export OPENBLAS_NUM_THREADS := 1
stranger: env  ## The tests of optional parts, as on a machine without any; before `make spark`.
	@$(BIN)/python -m tests.stranger -q -n 2 --assert=plain

fast: export OPENBLAS_NUM_THREADS := 1
fast: env  ## A first answer while you work: lint, and the tests of formulas, certificates and words.
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/ruff check --quiet
	@$(BIN)/pytest -q -n 2 --assert=plain $(FAST) || \
		{ $(BIN)/pytest -q --last-failed --last-failed-no-failures=none $(FAST); exit 1; }

check: env  ## Format, lint, types, layers; silent when all is well.
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/ruff check --quiet
	@$(BIN)/mypy --no-error-summary
	@report=$$($(BIN)/lint-imports --no-logo 2>&1) || { echo "$$report"; exit 1; }

bench: env  ## Wall time and peak memory of the promised speeds.
	@$(BIN)/python -m benchmarks

proofs:  ## Coq checks proofs/; needs `apt install coq libcoq-mathcomp-analysis`, a minute, no .venv.
	@$(PYTHON) proofs/check.py

docs: env .venv/docs  ## The site in build/docs/, for any browser, offline; a warning is an error.
	@rm -rf build/docs build/doctrees docs/reference/api
	@$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --jobs 2 --conf-dir docs \
		--doctree-dir build/doctrees . build/docs
	@DENIABLE_SITE=build/docs $(BIN)/pytest -q tests/test_site.py
	@echo build/docs/index.html

man: env  ## Man pages of every command in build/man/.
	@$(BIN)/python -m distribution.man_pages

release-check: env  ## Whether this tree could be released: descriptions, wheel, inventory, man pages; offline.
	@$(BIN)/python -m distribution.release_check

spark: env .venv/spark  ## Adds Spark (450 MB) to .venv, so that its tests run too; needs Java 17.

env: .venv/installed  ## Nothing but .venv, as requirements.lock pins it.

.venv/locked: requirements.lock
	@test -n "$(PYTHON)" || { echo "Expected Python 3.11 to 3.14 as python3.11 or python3, got neither. Install one."; exit 2; }
	@echo "Making .venv from requirements.lock (a minute or two) …"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/pip install -qq --require-hashes -r requirements.lock
	@touch $@

.venv/installed: .venv/locked pyproject.toml
	@$(BIN)/pip install -qq --no-deps --no-build-isolation -e .
	@touch $@

.venv/docs: requirements-docs.lock .venv/locked
	@echo "Adding Sphinx to .venv (a few seconds) …"
	@$(BIN)/pip install -qq --require-hashes --no-deps -r $<
	@touch $@

.venv/spark: requirements-spark.lock .venv/locked
	@echo "Adding Spark to .venv (half a minute) …"
	@$(BIN)/pip install -qq --require-hashes --no-deps -r $<
	@touch $@
