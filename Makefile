# minitf: make is the manual. Every target sets up what it needs; a second call is quick.
#
#   make                          the list of targets
#   make lab ARGS="--no-browser"  ARGS is passed on to the program behind lab, test, core, notebooks, site, bench*
#   make lab LESSONS=~/lessons    where your copies of the lessons are
#   make course COURSE=~/course   where an instructor's course is; docs/teaching.md tells the rest
#   make test ARGS="-n0 -x -k X"  the tests run in three processes; -n0: in one, -n8: in eight
#   make test PYTHON=python3.12   which Python makes .venv, the first time

SHELL := /bin/bash

PYTHON ?= python3
ARGS   ?=
# In the clone, where a reader finds it; ignored by git, so that it is never in the way of a pull.
LESSONS ?= my-lessons
# Outside the clone: it holds solutions, and what students wrote.
COURSE  ?= ../minitf-course
SHEETS  ?=
TIMEOUT ?= 120

CORE   := $(addprefix tests/core/,graph ops gradients runtime)
VENV   := .venv
ORACLE := tests/conformance/oracle_venv.py

PY     := $(VENV)/bin/python
READY  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help lab fast course formgrader release grade slides test test-long answers core without-fast check fmt notebooks site pictures bench bench-gpu bench-frameworks bench-page size oracle frontend

help: ## Show this list
	@echo "minitf $$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml). Targets:"
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

lab: $(READY)-lab ## Set up and open your copies of the lessons in JupyterLab (this machine only)
	@$(PY) scripts/lab.py "$(LESSONS)" $(ARGS)

fast: $(READY)-fast ## Install numba (210 MB): large networks train up to twice as fast
	@$(PY) -m minitf.fast

course: $(READY)-course ## Make an instructor's course in COURSE, or bring it up to date
	@$(PY) scripts/course.py make "$(COURSE)"

formgrader: $(READY)-course ## Open the course in JupyterLab, with Formgrader
	@$(PY) scripts/course.py open "$(COURSE)" $(ARGS)

release: $(READY)-course ## Make what students get: all sheets, or SHEETS="01-... 02-..."
	@$(PY) scripts/course.py release "$(COURSE)" $(SHEETS)

grade: $(READY)-course ## Collect and grade SHEETS (TIMEOUT seconds a cell), feedback, grades.csv
	@$(PY) scripts/course.py grade "$(COURSE)" --timeout $(TIMEOUT) $(SHEETS)

slides: $(READY)-lab ## Make slides of the lessons, with what their cells show, in build/slides
	@$(PY) scripts/slides.py $(ARGS)

test: $(READY)-test ## Set up and run the tests, but for those that take many minutes
	@$(PY) $(ORACLE) >/dev/null || true
	@scripts/check_frontend.sh
	@$(PY) -m pytest -n 3 --dist worksteal $(ARGS)

test-long: $(READY)-test oracle ## Ask TensorFlow itself, and run what takes many minutes
	@MINITF_ORACLE=live $(PY) -m pytest -n 2 --dist worksteal -m "long or conformance" $(ARGS)

answers: $(READY)-test oracle ## Ask TensorFlow about new conformance cases, and keep its answers
	@$(PY) -m tests.conformance --keep

core: $(READY)-test ## Run the quick tests of graph, ops, gradients and runtime
	@$(PY) -m pytest -n 2 -q -m "not slow and not conformance" $(CORE) $(ARGS)

without-fast: $(READY)-test ## Run the tests on a copy without minitf/fast
	@scripts/without_fast.sh $(ARGS)

check: $(READY)-test ## Lint, types, layers, size of the files, share of the code that is used
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) scripts/layers.py
	$(PY) scripts/stubs.py --check
	$(PY) scripts/size.py
	$(PY) scripts/reach.py

fmt: $(READY)-test ## Sort imports and stubs, list ops and passes, mend what the linter can, lay the code out
	$(PY) scripts/stubs.py
	$(PY) scripts/ops_page.py
	$(PY) scripts/show_passes.py
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

notebooks: $(READY)-test ## Run every lesson from top to bottom without a screen
	@$(PY) scripts/run_notebooks.py $(ARGS)

site: $(READY)-site ## Make site/, a gallery of the lessons; some run in the browser, in site/lite
	@$(PY) scripts/site.py $(ARGS)

pictures: $(READY)-test site ## Make README's pictures of the lessons from site/
	@$(PY) scripts/pictures.py

bench: $(READY)-bench oracle ## Measure minitf beside the real TensorFlow
	@$(PY) bench/run.py $(ARGS)

bench-gpu: $(READY)-bench ## Measure it on a CUDA card, beside PyTorch and JAX where installed
	@$(PY) bench/frameworks.py --device gpu $(ARGS)

bench-frameworks: $(READY)-bench ## Measure it on the processor, beside PyTorch and JAX where installed
	@$(PY) bench/frameworks.py $(ARGS)

bench-page: $(READY)-bench ## Make docs/speed.md and its pictures from bench/results
	@$(PY) bench/page.py

size: ## Lines and prose of each package, and the files that grew too long
	@$(PYTHON) scripts/size.py

oracle: $(PY) ## Install TensorFlow 2.15.1, which tests and bench compare with
	@$(PY) $(ORACLE)

frontend: ## Check and rebuild the widgets' TypeScript (needs Node.js)
	@scripts/check_frontend.sh

# Stamps: an environment is brought up to date when pyproject.toml has changed.
$(PY):
	@scripts/make_venv.sh "$(PYTHON)" $(VENV)

$(READY)-%: pyproject.toml | $(PY)
	@echo "Installing minitf and what \`$*\` needs into $(VENV) (the first time takes a minute or two)."
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[$*]' || \
		{ echo "pip could not install it, and said why above. Without a network? Then run this again with one." >&2; exit 1; }
	@case $* in lab|course|site) ;; *) $(PY) -m minitf.fast ;; esac
	@touch $@

.PRECIOUS: $(READY)-%
