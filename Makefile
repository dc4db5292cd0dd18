# make play   open the game
# make test   run every check, each alone: lint, format, types, import contracts, tests
# make lock   renew requirements.lock after a change of dependencies (needs uv)

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || echo python3)
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: play test lint format types contracts pytest lock clean

play: $(READY)
	@$(BIN)/kk play

test: $(READY)
	@failed=; for check in lint format types contracts pytest; do \
		echo "== $$check"; $(MAKE) --no-print-directory $$check || failed="$$failed $$check"; \
	done; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

lint: $(READY)
	@$(BIN)/ruff check .

format: $(READY)
	@$(BIN)/ruff format --check .

types: $(READY)
	@$(BIN)/mypy

contracts: $(READY)
	@$(BIN)/lint-imports

pytest: $(READY)
	@$(BIN)/pytest

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --no-annotate pyproject.toml --group dev --output-file requirements.lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
