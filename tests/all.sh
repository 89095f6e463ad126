#!/bin/sh
# all.sh [lint|test|counterparts]: runs one part of the checks, or all of them without an argument.
# lint: scripts, format, clippy, documentation. test: unit and integration tests, the protocol's
# contract. counterparts: tests against software of others, installed into target/counterparts.
# Needs cargo, git, jq and python3; lint also shellcheck, test redis-server, counterparts chromium,
# node with npm and python3 with venv.
set -eu
cd "$(dirname "$0")/.."
part=${1:-all}
case $part in
    lint) tools="shellcheck" ;;
    test) tools="redis-server" ;;
    counterparts) tools="chromium node npm" ;;
    all) tools="shellcheck redis-server chromium node npm" ;;
    *) echo "usage: tests/all.sh [lint|test|counterparts]" >&2; exit 2 ;;
esac
for tool in cargo git jq python3 $tools; do
    command -v "$tool" >/dev/null || { echo "tests/all.sh: \`$tool\` is not installed" >&2; exit 1; }
done
# Many tests wait for a process or a clock, so more of them than cores run at once.
RUST_TEST_THREADS=${RUST_TEST_THREADS:-$(($(getconf _NPROCESSORS_ONLN) * 2))}
export RUST_TEST_THREADS

lint() {
    shellcheck .ci/* action/*.sh tests/*.sh tests/counterparts/*.sh
    cargo fmt --check
    cargo clippy --quiet --all-targets --all-features -- -D warnings
    # Users build without the optional features.
    cargo clippy --quiet -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --document-private-items
}

run_tests() {
    cargo test --features redis
    .ci/protocol "${CARGO_TARGET_DIR:-target}/debug/papayu-batch"
}

case $part in
    lint) lint ;;
    test) run_tests ;;
    counterparts)
        sh tests/counterparts/setup.sh
        cargo test --all-features --test counterparts
        ;;
    all)
        # The registries answer while the compiler works.
        sh tests/counterparts/setup.sh &
        setup=$!
        trap 'kill "$setup" 2>/dev/null || true' EXIT
        lint
        cargo test --quiet --all-features --no-run
        wait "$setup"
        cargo test --all-features
        .ci/protocol "${CARGO_TARGET_DIR:-target}/debug/papayu-batch"
        ;;
esac
