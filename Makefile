# Every target makes .venv when it is missing and installs what it needs; a second run finds it in place.

VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS := tests/peers/node_modules/.package-lock.json
NPM   := $(shell command -v npm)

export PYTHON
.DEFAULT_GOAL := help
.PHONY: help setup driver demo test check bench clean

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

setup: $(STAMP) driver ## Make .venv (PYTHON=python3.13 chooses the interpreter) and install the Vulkan driver

demo: setup ## Draw a crowd of 200 mannequins into out/demo.png
	$(BIN)/skelter demo

test: setup ## Run the tests; PYTEST="-k name" chooses some
	$(BIN)/python -m pytest $(PYTEST)

check: $(STAMP) ## Run the linters, the formatter's check, mypy and the dependency rule
	scripts/check

bench: $(STAMP) ## Measure the engines
	$(BIN)/skelter bench

clean: ## Remove .venv, caches and outputs
	rm -rf $(VENV) .venv-oldest out tests/peers/node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

$(STAMP): pyproject.toml requirements/test.lock
	scripts/make_venv $(VENV) requirements/test.lock
	@touch $@

driver: $(STAMP)
	@scripts/install_driver $(VENV)

# The peers (three.js, the Khronos validator) are optional: without npm their tests are skipped.
ifneq ($(and $(NPM),$(wildcard tests/peers/package-lock.json)),)
test: $(PEERS)
endif

$(PEERS): tests/peers/package.json tests/peers/package-lock.json
	npm ci --prefix tests/peers --no-audit --no-fund
	@touch $@
