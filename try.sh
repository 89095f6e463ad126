#!/bin/sh
# try.sh: runs the main job on the bundled example, without a key and without a model.
# Takes the program from TRY_PROGRAM, from target/, from PATH or from a release, and builds it otherwise. Writes to target/ and to a
# temporary folder only.
set -eu
cd "$(dirname "$0")"
version=$(sed -n 's/^rust-version = "1\.\([0-9]*\).*/1.\1/p' Cargo.toml)
kept=target/try/papayu-batch

# find_program: prints the path of a program that is there already.
find_program() {
    for program in "${TRY_PROGRAM:-}" "$kept" target/release/papayu-batch target/debug/papayu-batch; do
        if [ -n "$program" ] && [ -x "$program" ]; then
            echo "$program"
            return
        fi
    done
    command -v papayu-batch || true
}
# download: fetches the program of the newest release; fails without network or release.
download() {
    [ "$(uname -s)" = Linux ] && command -v curl >/dev/null || return 1
    address=https://github.com/papayu/papayu-batch/releases/latest/download
    mkdir -p target/try
    curl --proto '=https' --tlsv1.2 --connect-timeout 5 --max-time 120 -fsSL \
        "$address/papayu-batch-$(uname -m)-unknown-linux-musl.tar.gz" 2>/dev/null >target/try/archive.tar.gz &&
        tar -xzf target/try/archive.tar.gz -C target/try --strip-components 1 2>/dev/null &&
        [ -x "$kept" ]
}
# check_toolchain: ends with all that is missing for the example, and for a build.
check_toolchain() {
    missing='' packages=''
    # gcc of Debian comes without the library of C if nothing recommended is installed.
    echo 'int main(void) { return 0; }' | cc -x c -o /dev/null - 2>/dev/null ||
        missing="$missing a C compiler with its library," packages="$packages gcc libc6-dev"
    command -v git >/dev/null || missing="$missing git," packages="$packages git"
    if found=$(cargo --version 2>&1); then
        minor=$(echo "$found" | sed -n 's/^cargo 1\.\([0-9]*\)\..*/\1/p')
        [ "${minor:-0}" -ge "${version#1.}" ] || missing="$missing Rust $version or newer (this is $found),"
    else
        missing="$missing Rust $version or newer (the example is a crate),"
    fi
    [ -n "$missing" ] || return 0
    echo "try.sh: missing:${missing%,}" >&2
    if [ -n "$packages" ]; then
        echo "  Debian, Ubuntu: apt update && apt install$packages" >&2
        echo "  macOS:          xcode-select --install" >&2
    fi
    case $missing in
        *Rust*) ;;
        *) exit 1 ;;
    esac
    if command -v rustup >/dev/null; then
        echo "  Rust:           rustup default stable" >&2
    else
        echo "  Rust:           https://rustup.rs, or, where the distribution has it (Debian 13, Ubuntu 24.04, Homebrew)," >&2
        echo "                  the package rustup, and then: rustup default stable" >&2
    fi
    exit 1
}

check_toolchain
program=$(find_program)
if [ -z "$program" ]; then
    echo "looking for a release"
    if download; then
        program=$kept
    else
        echo "no release for this machine can be had, so it is built: 3 to 10 minutes, 2 GB in target/"
        cargo build --locked
        program=target/debug/papayu-batch
    fi
fi
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
folder=$(mktemp -d)
cp -R examples/rust-typo "$folder"
echo "\$ cd rust-typo && papayu-batch fix --run 'cargo test'"
(cd "$folder/rust-typo" && "$program" fix --run 'cargo test')
echo
echo "The example is a copy in $folder/rust-typo. In your own repository:"
echo "  $program fix"
echo "docs/first-fix.md continues from here; docs/models.md has what a model adds."
