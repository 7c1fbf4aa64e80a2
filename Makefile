# The environment lives in .venv/; every target sets it up first.
PYTHON ?= python3
BIN := .venv/bin
KB := $(BIN)/kb
LOCKED = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

.PHONY: site site-file book man test test-full serve bench lighthouse valid lint lock release clean

site: .venv/.ready
	$(KB) build

# build/site-file opens without a server: file:///…/build/site-file/index.html
site-file: .venv/.ready
	$(KB) build --only site-file

# The whole code as PDF, A4 and A5, in each language and in both: build/book. Chromium prints it.
book: site
	$(BIN)/python tools/book.py build/site build/book

test: .venv/.ready
	$(BIN)/python -m pytest -m "not full" -n auto --dist worksteal

test-full: .venv/.ready
	$(BIN)/python -m pytest -m full

serve: site
	$(KB) serve

bench: .venv/.ready
	$(BIN)/python -m benchmarks

# Lighthouse on the phone profile; needs Node and Chromium, and takes Lighthouse from npm the first time.
lighthouse: site
	$(BIN)/python tools/lighthouse.py build / /laws/1987/65/ /guides/revoke-established/

# Every page through W3C's checker; needs Java and Node, and takes the checker from npm the first time.
valid: site
	$(BIN)/python tools/validate.py build/site

lint: .venv/.ready
	$(BIN)/ruff check kb tests benchmarks tools
	$(BIN)/ruff format --check kb tests benchmarks tools
	$(BIN)/mypy
	$(BIN)/lint-imports

# man/kb.1, from what the commands say of themselves; the wheel has it as share/man/man1/kb.1.
man: .venv/.ready
	$(BIN)/python tools/manpage.py > man/kb.1.part && mv man/kb.1.part man/kb.1

# Wheel, sdist, bill of materials; known holes of what is locked, where a service can be asked. The linker.js of a
# release is kept in the corpus, so that its address stays.
release: site man
	rm -rf dist
	$(BIN)/python tools/keep_linker.py build/site corpus/bridge
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r tools/release.lock
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible -o dist/sbom.json
	$(BIN)/python tools/audit_lock.py requirements.lock

# Pins every dependency, for all supported Pythons, with hashes; apart from it what `make release` uses.
lock: .venv/.ready
	$(BIN)/pip install --quiet uv
	$(LOCKED) --group dev pyproject.toml -o requirements.lock
	$(LOCKED) --group release -c requirements.lock -o tools/release.lock

.venv/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf .venv dist
	find build -mindepth 1 ! -name README.md -delete
