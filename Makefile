# Two commands do everything from a bare clone: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
# Parts run one BLAS thread each; the test runner uses every core.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test check quick slow-tests format docs bench release clean

# What `make quick` tests: every room but those that start processes, browsers and long runs, and of those what is quick.
QUICK := $(filter-out tests/interfaces/ tests/experiments/ tests/pages/ tests/__pycache__/,$(wildcard tests/*/)) \
	tests/test_package.py tests/test_documents.py tests/interfaces/test_cli_commands.py

demo: .venv/core  ## play owner, receiver and reviewer; leaves demo-output/
	$(BIN)/tacit demo --output demo-output

test: check  ## everything CI runs

check: .venv/installed  ## format, lint, types, layers, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto --dist worksteal

quick: .venv/installed  ## the inner loop: lint, types, layers and the quick tests, in under a minute
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto --dist worksteal -m "not slow" $(QUICK)

slow-tests: .venv/installed  ## measure the tests of `make quick` one by one, and list those that are slow
	$(BIN)/pytest --write-slow-tests -m "not slow" $(QUICK)

format: .venv/installed  ## rewrite in house style, and the stub of the public names
	$(BIN)/python -c "from pathlib import Path; from tacit.public_names import stub; Path('src/tacit/__init__.pyi').write_text(stub())"
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: .venv/installed  ## the documentation site: open site/index.html
	$(BIN)/sphinx-build --fail-on-warning --quiet --builder html docs site

bench: .venv/installed .venv-peers/installed  ## ratios against peers, measured in one run
	$(BIN)/python bench/noise.py
	$(BIN)/python bench/release.py
	$(BIN)/python bench/desk.py
	$(BIN)/python bench/pairs.py
	$(BIN)/python bench/feedback.py
	$(BIN)/python bench/sharpening.py
	$(BIN)/python bench/additive.py
	@if [ -n "$$TACIT_DATA" ]; then $(BIN)/python bench/membership.py; else echo "set TACIT_DATA for bench/membership.py"; fi
	@if [ -n "$$TACIT_DATA" ]; then $(BIN)/python bench/affine_hull.py; else echo "set TACIT_DATA for bench/affine_hull.py"; fi
	@if [ -n "$$TACIT_DATA" ]; then $(BIN)/python bench/logistic.py; else $(BIN)/python bench/logistic.py growth memory; fi

# Peers pin other versions of shared dependencies, so they live in an environment of their own.
.venv-peers/installed: bench/peers.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet -r bench/peers.txt
	touch $@

.venv/core: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

.venv/installed: .venv/core
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev,deep,docs,federated,serve]"
	touch $@

# Interpreters in which `make release` tries the wheel, those of them that are there.
PYTHONS ?= $(PYTHON) python3.11 python3.12 python3.13

release: .venv/installed  ## build the distribution, check it in clean environments with core dependencies only, and sign it
	rm -rf dist build
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	for python in $(PYTHONS); do \
		$$python --version >/dev/null 2>&1 || { echo "$$python is not here, so not tried"; continue; }; \
		rm -rf .venv-release && $$python -m venv .venv-release \
		&& .venv-release/bin/python -m pip install --quiet --constraint constraints.txt dist/*.whl \
		&& (cd dist && ../.venv-release/bin/tacit doctor && ../.venv-release/bin/tacit demo --output ../build/demo-$$(basename $$python)) \
		|| exit 1; \
	done
	cd dist && sha256sum *.whl > SHA256SUMS
	@if [ -n "$$SIGNING_KEY" ]; then openssl pkeyutl -sign -rawin -inkey "$$SIGNING_KEY" -in dist/SHA256SUMS -out dist/SHA256SUMS.sig; \
	else echo "set SIGNING_KEY to a key of \`tacit key new\` to sign dist/SHA256SUMS"; fi

clean:  ## remove the environment and every cache
	rm -rf .venv .venv-peers .venv-release dist build demo-output bench-output site docs/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
