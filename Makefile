# Every target installs what it needs first; what is installed already costs nothing.
SHELL := /bin/bash
VENV := .venv/bin
ARGS ?=
STUDY ?= demo-study

.DEFAULT_GOAL := help
.PHONY: help install install-ray demo annotate test test-all mutants lint bench docs wheel clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /|/' | column -t -s '|'

install: ## everything needed, into .venv (PYTHON=… names another Python 3.11; R=no leaves R out)
	@.ci/install.sh

install-ray: install ## ray, for --engine ray (many machines); its tests skip where it is missing
	@$(VENV)/python -c 'import ray' 2>/dev/null || $(VENV)/pip install -q --disable-pip-version-check --no-deps -r locks/requirements-distributed.lock

demo: export PYTHONDONTWRITEBYTECODE :=
demo: ## a tournament between six chatbots, to a report (STUDY=… names its folder); installs what that needs, no more
	@.ci/install.sh --demo
	$(VENV)/parlai spotbot_tournament --study $(STUDY) --pool embedded --conversations-per-pair 10
	@echo "The report: $(abspath $(STUDY))/report/index.html"

annotate: install ## annotate in your browser: the demo study, or a small one that is made at once (STUDY=… names another)
	@set -e; study=$(STUDY); [ "$(origin STUDY)" != file ] || [ -e $$study/conversations.jsonl ] || study=demo-annotate; \
	[ -e $$study/conversations.jsonl ] || $(VENV)/parlai spotbot_selfchat --study $$study --pool rules --conversations-per-pair 6; \
	exec $(VENV)/parlai spotbot_crowdsource --study $$study --annotators 1

test: install ## the quick tests (ARGS="-k study" goes to pytest)
	.ci/test -m "not slow" $(ARGS)

test-all: install ## all tests
	.ci/test $(ARGS)

mutants: install ## mutation tests of a room (ROOM=ranking; ARGS=100 tries so many of its changes)
	.ci/mutants $(ROOM) $(ARGS)

lint: install ## style, formatting, and types of the public names
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/pyright

bench: install ## what is measured: speed and memory
	@$(VENV)/python -c 'import lifelines' 2>/dev/null || $(VENV)/pip install -qq --no-deps -r locks/requirements-bench.lock
	$(VENV)/python tests/bench/run.py

docs: install ## the documentation, in docs/_build/html
	@$(VENV)/python -c 'import myst_nb, pydata_sphinx_theme' 2>/dev/null || $(VENV)/pip install -qq --no-deps -r locks/requirements-docs.lock
	$(VENV)/python -m sphinx -q -W docs docs/_build/html

wheel: install ## a wheel in dist/
	rm -rf build dist
	$(VENV)/python -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w dist .
	@ls dist/*.whl

clean: ## remove what was built; studies stay
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +
