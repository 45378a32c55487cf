# The commands of this checkout. Each sets up what it needs first; run twice, it only looks.
#
#   make demo       the whole way, kernel to training, in one screen
#   make test       C++ tests, then the Python tests in both environments; `slow` ones left out
#   make test-all   the slow ones too
#   make test-arm64 the C++ tests, cross-built for aarch64 and run under qemu-user
#   make test-sanitizers  the C++ tests with AddressSanitizer and UBSan, then with ThreadSanitizer
#   make bench      a table, and build/bench/results.json
#   make lint       formatting, clang-tidy, ruff, layers
#   make coverage   writes docs/coverage.md, after calls were added
#   make format     formats what lint would complain about
#   make clean      removes build/; `make distclean` what was set up too
#
# FRAMEWORKS=torch leaves MindSpore out. PYTHON=python3.12 chooses the Python of the environments.
# JOBS=n limits the build.

SHELL := /bin/bash
JOBS ?= $(shell nproc)
PRESET ?= release

# Given on the command line or in the environment, PYTHON is a wish that set-up must honour or refuse;
# otherwise it is only what happens to be there.
ifeq ($(origin PYTHON),undefined)
  python := python3
else
  python := $(PYTHON)
  export PYTHON
endif
export FRAMEWORKS
export PATH := $(CURDIR)/.venv/bin:$(PATH)

torch_python := .venv/bin/python
mindspore_python := .venv-mindspore/bin/python
# Empty where FRAMEWORKS names no MindSpore.
with_mindspore := $(if $(FRAMEWORKS),$(findstring mindspore,$(FRAMEWORKS)),mindspore)
not_slow := not slow

.PHONY: all setup configure build operators wheel demo test test-all test-arm64 test-sanitizers ctest pytest \
  pytest-torch pytest-mindspore bench coverage lint format clean distclean

all: build

setup:
	@$(python) tools/setup.py build test

configure: setup
	@cmake --preset $(PRESET) --log-level=WARNING

build: configure
	@cmake --build --preset $(PRESET) -j $(JOBS)

wheel: setup
	@$(torch_python) tools/wheel.py

demo: wheel
	@$(torch_python) tools/demo.py

test: ctest pytest

test-all: not_slow :=
test-all: test

# Two more builds of everything, so not part of the everyday run. Number formats and the rows of
# instructions are functions that share nothing, so ThreadSanitizer has nothing to see there.
test-sanitizers:
	@$(MAKE) --no-print-directory ctest PRESET=asan-ubsan
	@$(MAKE) --no-print-directory ctest PRESET=tsan left_out='slow|base|isa'

# Thousands of lines say that a case passed; only the others, and the sums, are worth a screen.
only_news := sed -uE '/^ *Start +[0-9]+:/d; /^ *[0-9]+\/[0-9]+ Test +\#.* Passed /d'
left_out = $(if $(not_slow),slow)
ctest: build
	@set -o pipefail; \
	ctest --test-dir build/$(PRESET) --output-on-failure -j $(JOBS) $(if $(left_out),-LE '^($(left_out))$$') \
	  | $(only_news)

# All tests with SVE vectors of 512 bits, which is qemu's choice; those of instructions also with the
# shorter ones of today's machines.
test-arm64:
	@[ "$$(uname -m)" != aarch64 ] || { echo "This is an aarch64 machine: make test."; exit 1; }
	@$(python) tools/setup.py build test arm64
	@cmake --preset arm64 --log-level=WARNING
	@cmake --build --preset arm64 -j $(JOBS)
	@set -o pipefail; ctest --preset arm64 -j $(JOBS) | $(only_news)
	@set -o pipefail; for vector in 1 2; do \
	  echo "Instructions with SVE vectors of $$((vector * 128)) bits:"; \
	  QEMU_CPU=max,sve-max-vq=$$vector ctest --preset arm64 -L '^isa$$' -j $(JOBS) \
	    | $(only_news) || exit 1; \
	done

# The shipped operators as the CMake build makes them, which looks for what changed.
operators: configure
	@cmake --build --preset $(PRESET) -j $(JOBS) --target bascule_operators

# The environments side by side, since most tests use one processor; each is heard when it is done.
pytest: export BASCULE_BUILT_OPERATORS := $(CURDIR)/build/$(PRESET)/operators
pytest: wheel operators
	@echo "Python tests: $(python_tests:pytest-%=%), side by side"
	@$(MAKE) --no-print-directory --jobs --keep-going --output-sync not_slow='$(not_slow)' $(python_tests)

python_tests := pytest-torch $(if $(with_mindspore),pytest-mindspore)

pytest-torch:
	@$(torch_python) -m pytest -q -m '$(not_slow)' --ignore=tests/bridges/mindspore

pytest-mindspore:
	@$(mindspore_python) -m pytest -q -m '$(not_slow)' tests/bridges/mindspore

bench: build wheel
	@mkdir -p build/bench
	@$(torch_python) bench/run.py

coverage: build
	@$(torch_python) tools/coverage.py build/$(PRESET)/tests/package/package_instruction_table

lint:
	@$(python) tools/setup.py build test lint
	@$(MAKE) --no-print-directory configure
	@$(torch_python) tools/lint.py

format: setup
	@$(torch_python) tools/lint.py --fix

clean:
	rm -rf build

distclean: clean
	rm -rf .venv .venv-mindspore .sysroot-arm64
