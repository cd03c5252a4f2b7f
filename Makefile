# Every target installs what it needs first; what is installed already costs nothing.
SHELL := /bin/bash
VENV := .venv/bin
ARGS ?=
STUDY ?= demo-study
SURVEY ?= spot_the_bot
TASK ?= interpretability

.DEFAULT_GOAL := help
.PHONY: help install install-ray demo annotate test test-all mutants lint bench docs wheel clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /|/' | column -t -s '|'

install: ## everything needed, into .venv (PYTHON=… another Python 3.11; R=no without R, CHROMIUM=no without browser)
	@.ci/install.sh

install-ray: install ## ray, for --engine ray (many machines); its tests skip where it is missing
	@$(VENV)/python -c 'import ray' 2>/dev/null || $(VENV)/pip install -q --disable-pip-version-check --no-deps -r locks/requirements-distributed.lock

demo: export PYTHONDONTWRITEBYTECODE :=
demo: ## a tournament between six chatbots, to a report (STUDY=… names its folder); installs what that needs, no more
	@.ci/install.sh --demo
	$(VENV)/spotbot tournament --study $(STUDY) --pool embedded --conversations-per-pair 10
	@echo "The report: $(abspath $(STUDY))/report/index.html"

annotate: install ## the annotators' page of any survey on a small study (SURVEY=…, TASK=… of abc_eval, STUDY=… of your own)
	@set -e; study=$(if $(filter file,$(origin STUDY)),demo-annotate,$(STUDY)); \
	[ -e $$study/study.yaml ] || $(VENV)/python -c "import shutil, parlai_spotbot; shutil.copytree(parlai_spotbot.demo().path, '$$study')"; \
	[ -e $$study/surveys/$(SURVEY)/units.jsonl ] || $(VENV)/parlai spotbot_pack --study $$study --survey $(SURVEY) > /dev/null; \
	$(VENV)/python -c "from parlai_spotbot import surveys; print('\nThe page of every survey:', \
	  *('make annotate SURVEY=' + name for name in surveys.survey_names() if surveys.get_survey(name).packing != 'elsewhere'), '', sep='\n  ')"; \
	exec $(VENV)/parlai spotbot_crowdsource --study $$study --survey $(SURVEY) --annotators 1 $(if $(filter abc_eval,$(SURVEY)),--task $(TASK))

test: install ## the quick tests (ARGS="-k study" goes to pytest)
	.ci/test -m "not slow" $(ARGS)

test-all: install ## all tests
	.ci/test $(ARGS)

mutants: install ## mutation tests of a room (ROOM=ranking; ARGS=100 tries so many of its changes)
	.ci/mutants $(ROOM) $(ARGS)

lint: install ## style, formatting, and types
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/pyright

bench: install ## what is measured: speed and memory
	@$(VENV)/python -c 'import lifelines, surpyval' 2>/dev/null || $(VENV)/pip install -qq --no-deps -r locks/requirements-bench.lock
	$(VENV)/python -m tests.bench.run

docs: install ## the documentation, in docs/_build/html
	@$(VENV)/python -c 'import myst_nb, pydata_sphinx_theme' 2>/dev/null || $(VENV)/pip install -qq --no-deps -r locks/requirements-docs.lock
	$(VENV)/python -m sphinx -q -W docs docs/_build/html

wheel: ## a wheel in dist/, for which nothing but setuptools and the annotation page is needed
	@.ci/install.sh --page
	rm -rf build dist
	$(VENV)/python -m pip wheel -q --disable-pip-version-check --no-deps -w dist .
	@ls dist/*.whl

clean: ## remove what was built; studies stay
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +
