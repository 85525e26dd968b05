# Knockon. `make demo` and `make test` are all a newcomer needs; each target
# sets up what it needs by itself.

CARGO ?= cargo

.PHONY: help setup demo test lint soak fuzz bench corpus corpus-after corpus-slices corpus-diff corpus-semantic corpus-revisions corpus-builds first-screens bare-machine peers clean

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make setup   install what is missing (clang, LLVM tools, csmith, z3) or say what to install
setup:
	@scripts/setup test

## make demo    build Knockon and run it on the example project
demo:
	@scripts/setup run
	@scripts/demo

## make test    lints and the tests (fixtures, fixed seeds): what CI runs
test: setup lint
	$(CARGO) test --workspace --all-targets
	@PROFILE=dev scripts/demo > /dev/null

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

## make soak    the full counts, a new seed each time: interpreter against clang, analyses against runs, two versions against runs, programs of many parts against runs, layouts of builds, equivalence against runs, fuzzing
soak: setup
	$(CARGO) build --release --workspace
	target/release/knockon-trials soak interpreter --programs 5000 --csmith 500
	target/release/knockon-trials soak soundness --programs 5000 --csmith 500
	target/release/knockon-trials soak diff --programs 10000 --csmith 200
	target/release/knockon-trials soak unseen --pairs 1000
	target/release/knockon-trials soak layouts --programs 500
	target/release/knockon-trials soak equivalence --pairs 2000
	target/release/knockon-trials soak equivalence --pairs 500 --bad-solver
	$(MAKE) fuzz

## make fuzz    ten minutes each of mutated input for the reader and compile_commands.json
fuzz: setup
	$(CARGO) build --release -p knockon-llvm -p knockon-build --examples
	target/release/examples/fuzz_reader 600 $$(date +%s)
	target/release/examples/fuzz_compile_commands 600 $$(date +%s)

## make corpus  fetch nine Debian packages, capture their builds, read and check every unit
corpus:
	@scripts/setup corpus
	$(CARGO) build --release --workspace
	scripts/corpus

## make corpus-after  the paper's own subjects too: execute-after sets, graph sizes, times; writes docs/results.md
corpus-after:
	@scripts/setup corpus
	$(CARGO) build --release --workspace
	scripts/capture-packages scripts/corpus-packages corpus/builds
	scripts/capture-packages scripts/execute-after-packages corpus/subjects
	target/release/knockon-corpus after

## make corpus-slices  on the same programs: execute-after beside slices, duality, graph sizes, times; writes docs/results.md
corpus-slices:
	@scripts/setup corpus
	$(CARGO) build --release --workspace
	scripts/capture-packages scripts/corpus-packages corpus/builds
	scripts/capture-packages scripts/execute-after-packages corpus/subjects
	target/release/knockon-corpus slices

## make peers   Knockon beside Frama-C's impact plug-in on the same programs and changes; writes docs/results.md
peers:
	@scripts/setup peers
	$(CARGO) build --release --workspace
	scripts/corpus-peers

## make corpus-diff  each of Debian's patches on seven packages as a version pair: lines, hunks, caveats, times; writes docs/results.md
corpus-diff:
	@scripts/setup corpus
	$(CARGO) build --release --workspace
	scripts/corpus-diff

## make corpus-semantic  152 frozen version pairs, patches and refactorings: lines and times by level, what proofs fail on; writes docs/results.md
corpus-semantic:
	@scripts/setup corpus
	$(CARGO) build --release --workspace
	scripts/corpus-semantic

## make corpus-revisions  export, build and read two git revisions of three projects
corpus-revisions:
	@scripts/setup corpus
	$(CARGO) build --release -p knockon
	scripts/corpus-revisions

## make corpus-builds  make, autotools, CMake and Meson on Debian packages: capture, a clean tree, edits; writes docs/builds.md
corpus-builds:
	@scripts/setup builds
	$(CARGO) build --release -p knockon
	scripts/build-systems

## make first-screens  what `knockon diff` shows first for ten of Debian's patches; writes docs/reading-verdicts.md
first-screens:
	@scripts/setup corpus
	$(CARGO) build --release -p knockon
	scripts/first-screens

## make bare-machine  `make demo` in a Debian tree with Rust and make alone, timed; needs root
bare-machine:
	@scripts/setup builds
	scripts/bare-machine demo

## make bench   time and memory against clang on the corpus, growth on graphs of up to 100,000 procedures; writes docs/results.md
bench: corpus
	target/release/knockon-corpus bench
	target/release/knockon-scale

## make clean   remove what was built (the corpus stays: rm -r corpus)
clean:
	$(CARGO) clean
