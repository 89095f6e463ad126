#!/bin/sh
# Runs every check: format, lints, docs, unit and integration tests, and the tests against software
# others wrote (installed into target/counterparts by name and version). Needs cargo, chromium, git, jq,
# node with npm, python3 with venv, redis-server, and shellcheck.
set -eu
cd "$(dirname "$0")/.."
for tool in cargo chromium git jq node npm python3 redis-server shellcheck; do
    command -v "$tool" >/dev/null || { echo "tests/all.sh: \`$tool\` is not installed" >&2; exit 1; }
done
shellcheck .ci/* action/*.sh tests/*.sh tests/counterparts/*.sh
cargo fmt --check
# What the registries send is waited for while the compiler is at work.
sh tests/counterparts/setup.sh &
setup=$!
trap 'kill "$setup" 2>/dev/null || true' EXIT
cargo clippy --quiet --all-targets --all-features -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --document-private-items
cargo test --quiet --all-features --no-run
wait "$setup"
# Many of them wait for a process or a clock.
cores=$(getconf _NPROCESSORS_ONLN)
RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((cores * 2))} cargo test --all-features
.ci/protocol "${CARGO_TARGET_DIR:-target}/debug/papayu-batch"
