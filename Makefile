# Two commands do it all on a machine with Python 3.11 or newer and make:
#
#   make serve    a first look at Sortes
#   make test     every check and every test
#
# Both bring what they need into .venv, in the versions of constraints.txt, and find it there the next time.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --quiet --constraint constraints.txt

# What is installed, and when: stamps, so that a change of the pins or the parts installs anew.
PLAIN := $(VENV)/.sortes
DEV := $(VENV)/.sortes-dev
PARTS := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help serve test lint types walls bench bench-full bench-table soak clean
.DELETE_ON_ERROR:

help:  ## what there is
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Sortes needs Python 3.11 or newer, and $(PYTHON) is " + sys.version.split()[0] + ". If another is here: make PYTHON=python3.12")'
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(PLAIN): $(PARTS) | $(BIN)/python
	@echo "Installing Sortes into $(VENV) ..."
	@$(INSTALL) --editable .
	@touch $@

$(DEV): $(PARTS) | $(BIN)/python
	@echo "Installing Sortes and the tools that check it into $(VENV); the first time takes a minute or two ..."
	@$(INSTALL) --editable '.[dev]'
	@touch $(PLAIN) $@

serve: $(PLAIN)  ## a first look: Sortes answers a question
	@echo "Sortes has no web page yet. Here is a first question, answered on the command line:"
	@echo
	@echo '    $(BIN)/sortes ask "Is the household asleep?" --likely'
	@echo
	@$(BIN)/sortes ask "Is the household asleep?" --likely
	@echo
	@echo "Ask your own the same way; '$(BIN)/sortes' alone says what else it can do."

test: lint types walls  ## every check and every test
	$(BIN)/python -m pytest -n 2

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy --strict

walls: $(DEV)
	$(BIN)/lint-imports

bench: $(DEV)  ## how fast, next to other libraries: under three minutes
	$(BIN)/python -m bench

bench-full: $(DEV)  ## the same with the slow peers at full size
	$(BIN)/python -m bench --full

bench-table: $(DEV)  ## durable actions per second of both stores: under five minutes
	$(BIN)/python -m bench.stores

soak: $(DEV)  ## every test, and minutes of random play
	$(BIN)/python -m pytest -n 2 -m "soak or not soak"

clean:  ## take away what was installed and kept between runs
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find bench src tests -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
