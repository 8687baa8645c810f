# The two commands:  make demo   and   make test
#
# They need only python3 (3.11 or newer) and make. The first call sets up .venv; later calls find the stamps
# in it and start at once, until pyproject.toml changes.

PYTHON ?= python3
VENV   := .venv
ifeq ($(OS),Windows_NT)
BIN    := $(VENV)/Scripts
EXE    := .exe
else
BIN    := $(VENV)/bin
endif
RUN    := $(BIN)/python -m
UV     := $(RUN) uv pip install --quiet --python $(BIN)/python

# What the caller has set for some other Python must not leak in here.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME PYTHONSTARTUP CONDA_PREFIX
unexport UV_PYTHON UV_PROJECT_ENVIRONMENT UV_SYSTEM_PYTHON PIP_TARGET PIP_PREFIX PIP_USER
unexport PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX
unexport PYTEST_ADDOPTS PYTEST_PLUGINS SPHINXOPTS

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Trust the certificates that the machine trusts, as pip does: needed behind an inspecting proxy.
UV_SYSTEM_CERTS ?= true
export UV_SYSTEM_CERTS

# Two processes run the tests; each with its own threads for small matrices would only be slower.
export OPENBLAS_NUM_THREADS := 1

.PHONY: demo test test-all browser docs lint format clean
.DELETE_ON_ERROR:

demo: $(VENV)/core.stamp
	$(RUN) zeromass run um2022 --case 1A --out build/demo
	$(RUN) zeromass papers

# Types and pages are looked at beside the tests, which do not keep two cores busy all the time. `make docs` runs the whole
# gallery; here three studies of two minutes are shown without their figures.
test: $(VENV)/dev.stamp
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	@$(BIN)/python tests/report/chromium.py
	@ZEROMASS_GALLERY=short $(MAKE) --no-print-directory docs & pages=$$!; $(RUN) pyright & types=$$!; \
	$(RUN) pytest -n 2 -m "not slow"; tests=$$?; wait $$pages && wait $$types && exit $$tests

test-all: lint docs
	@$(BIN)/python tests/report/chromium.py
	$(RUN) pytest -n 2 -m "slow or not slow"

# A browser for the tests of the viewer, where there is none: from the system's packages, or from npm's registry into .venv.
browser: $(VENV)/dev.stamp
	$(BIN)/python tests/report/fetch_browser.py

docs: $(VENV)/dev.stamp
	$(RUN) sphinx -W --keep-going --quiet -b html docs docs/_build/html

lint: $(VENV)/dev.stamp
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) pyright

format: $(VENV)/dev.stamp
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

# Removes what the targets above made, except .venv.
clean:
	rm -rf build dist docs/_build docs/gallery docs/api .pytest_cache .ruff_cache .hypothesis
	find src tests docs -type d -name __pycache__ -prune -exec rm -rf {} +

# ---- set-up: .venv with uv, then the package and what it needs, then what its developers need

$(BIN)/uv$(EXE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "zeromass needs Python 3.11 or newer, and \
	$(PYTHON) is " + sys.version.split()[0] + ". Name a newer one: make PYTHON=python3.12 ...")'
	@echo "setting up $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(RUN) pip install --quiet uv

$(VENV)/core.stamp: pyproject.toml | $(BIN)/uv$(EXE)
	@$(UV) --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/core.stamp
	@$(UV) --editable '.[dev]'
	@touch $@
