# Two commands do everything on a fresh machine with Python >= 3.11, git and make:
#   make demo   the main job on a built-in table: which linear model, how good, why; with a report
#   make test   lint, import contract, type check and all tests
# make tour shows single steps and proofs; make bench installs the peers and measures linscope
# against them (some minutes).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# pip works on one core, so two of them share a list; a third adds what another system needs besides.
INSTALL = xargs -P 2 -n 24 $(PIP) --no-deps < $< && $(PIP) -r $<
# On all cores, which pip does not do; some packages have files of other versions of Python. Their
# tests, a third of all sources, are never imported, and mypy is compiled.
BYTECODE := $(BIN)/python -m compileall -q -j 0 -x '/(tests?|mypy)/' $(VENV)/lib src >/dev/null 2>&1 || true
TEST_JOBS ?= 2
# Commands start many processes: without bytecode each would read all of the package's sources again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo tour test lint types tests slow browser notebooks format bench redteam portability clean clean-cache

# Compiled before, so that the budget of the comparison is for models; a kernel that fails to
# compile is no reason to stop.
demo: $(VENV)/run.done
	-$(BIN)/linscope warm
	$(BIN)/linscope compare churn

tour: $(VENV)/run.done
	$(BIN)/linscope trace perceptron or
	$(BIN)/linscope separate or
	$(BIN)/linscope separate xor
	$(BIN)/linscope trace regression five_points
	$(BIN)/linscope diagnose diabetes

# At the same time: only pytest uses more than one core, and its processes wait for each other. So
# is the set-up: the browser comes while the environment is made.
test:
	@$(MAKE) --no-print-directory -j4 lint types tests

lint: $(VENV)/dev.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/dev.done
	$(BIN)/mypy

# Each process begins with tests of its own, so that few kernels are compiled by two at once.
tests: $(VENV)/dev.done browser
	$(BIN)/pytest -n $(TEST_JOBS) --dist worksteal

# Larger siblings of what make test runs, and the cases that it leaves out (pytest's marks slow and
# share(k)). Continuous integration runs both.
slow: $(VENV)/dev.done
	$(BIN)/pytest -n $(TEST_JOBS) --dist worksteal -m slow

# Tests of pages need chromium. Root on Debian gets it here; elsewhere they are skipped and say so.
browser:
	@if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing chromium for the tests of pages (once)"; \
	  { apt-get install -qq -y --no-install-recommends chromium || \
	    { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; }; } \
	    >/dev/null 2>&1 || echo "no chromium: tests of pages will be skipped"; \
	fi

# The widget in JupyterLab and in marimo, which take longer to install than to test.
notebooks: $(VENV)/notebooks.done browser
	$(BIN)/pytest tests/web/test_notebooks.py

format: $(VENV)/dev.done
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/bench.done
	$(BIN)/python -m benchmarks --results --memory --cold --out benchmarks/results.json

# Adversarial problems for every estimator against exact references: make redteam SECONDS=600 SEED=1
# Other campaigns: make redteam CAMPAIGN=mutation (or pages, predictions, statistics)
SECONDS ?= 300
SEED ?= 0
redteam: $(VENV)/dev.done
	$(BIN)/python -m tests.redteam --seconds $(SECONDS) --seed $(SEED) --jobs $(TEST_JOBS) $(if $(CAMPAIGN),--campaign $(CAMPAIGN))

# The tests as on other machines: other vector instructions, other BLAS, one thread, any order.
portability: $(VENV)/dev.done
	$(BIN)/python -m tests.portability --jobs $(TEST_JOBS)

$(VENV)/run.done: requirements/run.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "linscope needs Python 3.11 or newer; try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "setting up $(VENV) (once; about a minute)"
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL)
	@$(PIP) --no-deps --no-build-isolation -e .
	@$(BYTECODE)
	@touch $@

$(VENV)/dev.done: requirements/dev.txt $(VENV)/run.done
	@$(INSTALL)
	@$(BYTECODE)
	@touch $@

$(VENV)/notebooks.done: requirements/notebooks.txt $(VENV)/dev.done
	@$(INSTALL)
	@$(BYTECODE)
	@touch $@

$(VENV)/bench.done: requirements/bench.txt $(VENV)/run.done
	@$(INSTALL)
	@$(BYTECODE)
	@touch $@

clean-cache:
	find src -name "*.nb[ic]" -delete -o -name "linscope-*.warm" -delete

clean: clean-cache
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
