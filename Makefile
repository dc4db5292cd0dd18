# make play       open the game
# make test       run every check, each alone: lint, format, types, import contracts, tests
# make messages   collect all sentences for translators in kk_tui/locale and compile the catalogues
# make pictures   retake the pictures of the README and the recordings
# make bench-crowd   measure one server: on a whole evening, and with 50 to 400 people at private tables (minutes)
# make learn      install what the learning environments need; their tests run from then on
# make release    build the files of a release in dist/ and check them; tags and uploads nothing
# make lock       update the lock files after a change of dependencies (needs uv), and check that the private
#                 names we use still exist in the new versions

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || echo python3)
VENV   := .venv
BIN    := $(VENV)/bin

LOCALES    := kk_tui/locale
CATALOGUES := $(patsubst %.po,%.mo,$(wildcard $(LOCALES)/*/LC_MESSAGES/kk.po))
READY      := $(VENV)/.ready $(CATALOGUES)

# one more than the two processors of the usual machine: tests of the app wait much of the time
WORKERS ?= 3

# the same set order in every run; tools.trials.many_runs tries others
export PYTHONHASHSEED ?= 0

# as a module, so that it finds what babel.cfg names
PYBABEL := $(BIN)/python -m babel.messages.frontend -q

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

$(VENV)/.ready: requirements.lock pyproject.toml hatch_build.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

%.mo: %.po hatch_build.py | $(VENV)/.ready
	@$(BIN)/python hatch_build.py $<

messages: $(VENV)/.ready
	@$(PYBABEL) extract -F babel.cfg -k text:1 -k text_in:1c,2 -k texts:1,2 -k _:1 -k ngettext:1,2 -c Translators: -s \
		--project=kk --copyright-holder="the kk authors" --add-location=file -o $(LOCALES)/kk.pot .
	@$(PYBABEL) update -D kk -i $(LOCALES)/kk.pot -d $(LOCALES) --no-fuzzy-matching \
		--ignore-obsolete --ignore-pot-creation-date
	@$(MAKE) --no-print-directory $(CATALOGUES)

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
	@$(BIN)/python -m docs.pictures.browser

bench-crowd: $(READY)
	@$(BIN)/python -m tools.load.evening
	@$(BIN)/python -m tools.load.crowd

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
