# make play       open the game
# make test       run every check, each alone: lint, format, types, import contracts, tests
# make messages   collect all sentences for translators and compile their catalogues
# make pictures   retake the pictures of the README and the recordings
# make bench-crowd   measure one server: on a whole evening, and with 50 to 400 people at private tables (minutes)
# make learn      install what the learning environments need; their tests run from then on
# make release    build the files of a release in dist/ and check them; tags and uploads nothing
# make lock       update the lock files after a change of dependencies (needs uv), and check that the private
#                 names we use still exist in the new versions

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || echo python3)
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

# one more than the two processors of the usual machine: tests of the app wait much of the time
WORKERS ?= 3

# the same set order in every run; tools.trials.many_runs tries others
export PYTHONHASHSEED ?= 0

# allow .pyc files: tests start the command often, so compile it only once
export PYTHONDONTWRITEBYTECODE :=

.PHONY: bench-crowd pictures play test lint format types contracts pytest messages learn lock release clean

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
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

messages: $(READY)
	@mkdir -p kk_tui/locale
	@$(BIN)/pybabel -q extract -F babel.cfg -k text:1 -k texts:1,2 -k _:1 -k ngettext:1,2 \
		--project=kk --no-location --output-file kk_tui/locale/kk.pot .
	@for po in kk_tui/locale/*/LC_MESSAGES/kk.po; do if [ -f "$$po" ]; then \
		$(BIN)/pybabel -q update --no-fuzzy-matching -D kk -i kk_tui/locale/kk.pot -o "$$po" -l "$$(echo $$po | cut -d/ -f3)" && \
		$(BIN)/pybabel -q compile -i "$$po" -o "$${po%.po}.mo"; fi; done

learn: $(READY)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-learn.lock

LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-header --no-annotate pyproject.toml

lock:
	$(LOCK) --group dev --output-file requirements.lock
	$(LOCK) --extra learn --constraint requirements.lock --output-file requirements-learn.lock
	@$(MAKE) --no-print-directory $(READY)
	@$(BIN)/pytest tests/test_textual_private.py

release: $(READY)
	@$(BIN)/python -m tools.release

pictures: $(READY)
	@$(BIN)/python -m docs.pictures.make
	@$(BIN)/python -m docs.pictures.recording

bench-crowd: $(READY)
	@$(BIN)/python -m tools.load.evening
	@$(BIN)/python -m tools.load.crowd

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
