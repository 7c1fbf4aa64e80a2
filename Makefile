# The environment lives in .venv/; every target sets it up first.
PYTHON ?= python3
BIN := .venv/bin
KB := $(BIN)/kb

.PHONY: site site-file book test test-full serve bench lighthouse lint lock release clean

site: .venv/.ready
	$(KB) build

# build/site-file opens without a server: file:///…/build/site-file/index.html
site-file: .venv/.ready
	$(KB) build --only site-file

# The whole code as PDF, A4 and A5, in each language and in both: build/book. Chromium prints it.
book: site
	$(BIN)/python tools/book.py build/site build/book

test: .venv/.ready
	$(BIN)/python -m pytest -m "not full" -n auto

test-full: .venv/.ready
	$(BIN)/python -m pytest -m full

serve: site
	$(KB) serve

bench: .venv/.ready
	$(BIN)/python -m benchmarks

# Lighthouse on the phone profile; needs Node and Chromium, and takes Lighthouse from npm the first time.
lighthouse: site
	$(BIN)/python tools/lighthouse.py build / /laws/1987/65/ /guides/revoke-established/

lint: .venv/.ready
	$(BIN)/ruff check kb tests benchmarks tools
	$(BIN)/ruff format --check kb tests benchmarks tools
	$(BIN)/mypy
	$(BIN)/lint-imports

# Wheel, sdist, bill of materials; known holes of what is locked, where that service can be reached. The linker.js
# of a release is kept in the corpus, so that its address stays.
release: site
	rm -rf dist
	$(BIN)/python tools/keep_linker.py build/site corpus/bridge
	$(BIN)/pip install --quiet build pip-audit
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python tools/sbom.py requirements.lock > dist/sbom.json
	$(BIN)/pip-audit --require-hashes --disable-pip -r requirements.lock || echo "pip-audit: see above (holes, or no service)"

# Pins every dependency, for all supported Pythons, with hashes.
lock: .venv/.ready
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --group dev pyproject.toml -o requirements.lock

.venv/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf .venv dist
	find build -mindepth 1 ! -name README.md -delete
