# make run    serve on the bundled model            make test   install the test extras, run everything
#             (ARGS: options of pytest; JOBS: how many workers, 0 for none, as --pdb needs it)
# make lint   ruff and mypy                         make bench  the figures of docs/benchmarks.md
# make home   a broker, lights and unitd in one terminal (examples/home)
# make model  train the bundled model from nothing (some twelve hours on two cores)
# make eye    train the eye of the bundled model (some two and a half hours on two cores)
# make deb    a Debian package for this release and architecture, in dist/
# make lock   requirements.lock anew, for service installs          make licences  docs/licences.md from it
# make audit  known vulnerabilities of what it names, and licences
# make models-page  the catalogue in docs/models.md from the cards in configs/models

PYTHON ?= python3
EXTRAS ?= test
ARGS   ?=
JOBS   ?= 3
VENV   := .venv
BIN    := $(VENV)/bin
# pip does it for everything but an editable installation, whose first start would do it instead.
COMPILE = $(BIN)/python -m compileall -q unitd units

.PHONY: run home test lint bench model eye models-page deb lock licences audit clean

run: $(VENV)/.installed
	$(BIN)/unitd serve $(ARGS)

home: $(VENV)/.installed
	$(BIN)/python examples/home/run.py $(ARGS)

test: $(VENV)/.installed-$(EXTRAS)
	$(COMPILE)
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder $(ARGS)

lint: $(VENV)/.installed-$(EXTRAS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-$(EXTRAS)
	$(BIN)/python -m bench.wire

deb:
	packaging/build-deb

# All hashes of each release, so that every architecture and Python finds its file. Newest versions: ARGS=--upgrade.
# What huggingface-hub needs on Windows and in browsers alone stays out.
lock: $(VENV)/.installed-lock
	UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
		--no-emit-package colorama --no-emit-package httpx2-jsfetch \
		--generate-hashes --extra tls --output-file requirements.lock $(ARGS) pyproject.toml

licences: $(VENV)/.installed-$(EXTRAS)
	$(BIN)/python packaging/licences.py $(ARGS)

models-page: $(VENV)/.installed
	$(BIN)/python packaging/models_page.py $(ARGS)

audit: $(VENV)/.installed-$(EXTRAS) $(VENV)/.installed-lock
	$(BIN)/python packaging/licences.py --check
	PATH="$(abspath $(BIN)):$$PATH" python packaging/audit.py

model: $(VENV)/.installed-train
	$(BIN)/python -m train $(ARGS)

eye: $(VENV)/.installed-train
	$(BIN)/python -m train eye $(ARGS)

clean:
	rm -rf $(VENV) build dist *.egg-info

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "unitd needs Python 3.11 or newer; say which: make PYTHON=python3.12"; exit 1; }
	@command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null \
		|| { echo "a C++ compiler is needed once, to build llama.cpp: sudo apt-get install build-essential"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "Installing. The first time llama.cpp is compiled for this processor, which takes some minutes."
	$(BIN)/python -m pip install --quiet --editable .
	$(COMPILE)
	@touch $@

$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	@echo "Installing. The first time llama.cpp is compiled for this processor, which takes some minutes."
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	$(COMPILE)
	@touch $(VENV)/.installed $@
