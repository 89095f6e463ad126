#!/bin/sh
# all.sh [--install] [lint|test|counterparts]: runs one part of the checks, or all of them without an argument.
# lint: scripts, format, clippy, documentation. test: unit and integration tests, the protocol's
# contract. counterparts: tests against software of others, and the book; their packages of npm and
# PyPI are installed below target/counterparts. With --install, tools that are missing are installed first, as root
# or with sudo; nothing else is installed.
set -eu
cd "$(dirname "$0")/.."
part=all install=''
for argument; do
    case $argument in
        --install) install=yes ;;
        lint | test | counterparts) part=$argument ;;
        *) echo "usage: tests/all.sh [--install] [lint|test|counterparts]" >&2; exit 2 ;;
    esac
done
case $part in
    lint) steps=5 ;;
    test) steps=2 ;;
    counterparts) steps=2 ;;
    all) steps=9 ;;
esac

missing='' apt='' brew=''
# has_package PACKAGE: fails if the lists of apt do not have the package. Without lists, the release of the system decides.
has_package() {
    # It succeeds for a package that only others name, and prints nothing then.
    if [ -n "$(apt-cache show git 2>/dev/null)" ]; then
        [ -n "$(apt-cache show "$1" 2>/dev/null)" ]
    elif grep -Eq '^VERSION_CODENAME=(bookworm|bullseye|jammy|focal)$' /etc/os-release 2>/dev/null; then
        return 1
    fi
}
# need COMMAND APT BREW [CHECK...]: notes a tool that is missing. CHECK is a call that succeeds where it is usable.
need() {
    tool=$1 for_apt=$2 for_brew=$3
    shift 3
    [ $# -gt 0 ] || set -- command -v "$tool"
    "$@" >/dev/null 2>&1 && return
    missing="$missing
  $tool"
    # Debian 12 has no rustup, and Ubuntu has Chromium by another name. The installer of rustup.rs needs curl.
    case $for_apt in
        rustup) has_package rustup || for_apt='curl ca-certificates' ;;
        chromium) has_package chromium || for_apt=chromium-browser ;;
    esac
    # Several tools are of one package.
    case " $apt " in *" $for_apt "*) ;; *) apt="$apt $for_apt" ;; esac
    case " $brew " in *" $for_brew "*) ;; *) brew="$brew $for_brew" ;; esac
}
# minor_version: prints the minor version of Rust that Cargo.toml asks for.
minor_version() {
    sed -n 's/^rust-version = "1\.\([0-9]*\).*/\1/p' Cargo.toml
}
# is_new_enough: succeeds if cargo runs and is of the version that Cargo.toml asks for.
is_new_enough() {
    wanted=$(minor_version)
    # A rustup without a default toolchain has a cargo that only fails.
    found=$(cargo --version 2>/dev/null | sed -n 's/^cargo 1\.\([0-9]*\)\..*/\1/p')
    [ -n "$found" ] && [ "$found" -ge "${wanted:-0}" ]
}
# can_link: succeeds if programs in C can be linked; gcc of Debian comes without the library if nothing recommended is installed.
can_link() {
    echo 'int main(void) { return 0; }' | cc -x c -o /dev/null -
}
# is_for PART: succeeds if the part is run.
is_for() {
    [ "$part" = all ] || [ "$part" = "$1" ]
}
# find_missing: notes the tools of the part that are missing.
find_missing() {
    missing='' apt='' brew=''
    need "cargo 1.$(minor_version) or newer (rustup default stable)" rustup rustup is_new_enough
    need "a C compiler with its library" "gcc libc6-dev" gcc can_link
    need git git git
    need jq jq jq
    need python3 python3 python
    if is_for lint; then
        need "cargo fmt (rustup component add rustfmt)" rustup rustup cargo fmt --version
        need "cargo clippy (rustup component add clippy)" rustup rustup cargo clippy --version
        need shellcheck shellcheck shellcheck
    fi
    if is_for test; then
        need nats-server nats-server nats-server
        need openssl openssl openssl
        need redis-server redis-server redis
    fi
    if is_for counterparts; then
        need chromium chromium chromium
        need node nodejs node
        need npm npm node
        need go golang-go go
        need mvn maven maven
        need "venv of Python 3" python3-venv python python3 -c 'import ensurepip'
    fi
}
# print_missing: prints the tools that are missing, and the lines that install them.
print_missing() {
    echo "tests/all.sh: these tools are missing:$missing"
    echo "\`sh tests/all.sh --install\` installs them, as root or with sudo (up to 1.8 GB), or by hand:"
    echo "  Debian, Ubuntu: apt update && apt install --no-install-recommends$apt"
    echo "  Homebrew:       brew install$brew"
    case " $apt " in
        *" curl ca-certificates "*)
            echo "  Rust, of which this system has no rustup: curl -sSf https://sh.rustup.rs | sh" ;;
        *" rustup "*) echo "  then:           rustup default stable" ;;
    esac
}
# as_root COMMAND...: runs a command as root.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}
# install_missing: installs the packages, and the toolchain if it is one of them.
install_missing() {
    if command -v apt-get >/dev/null && [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        echo "tests/all.sh: --install needs root or sudo" >&2
        print_missing >&2
        exit 1
    fi
    echo "installing:$missing"
    if command -v apt-get >/dev/null; then
        as_root apt-get update -qq
        # With the lists, packages that this system does not have are known.
        find_missing
        # The packages are words.
        # shellcheck disable=SC2086
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $apt
    elif command -v brew >/dev/null; then
        # shellcheck disable=SC2086
        brew install $brew
    else
        echo "tests/all.sh: --install knows apt and Homebrew only" >&2
        exit 1
    fi
    if ! is_new_enough || ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
        if ! command -v rustup >/dev/null; then
            curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y -q --profile minimal
            PATH=$HOME/.cargo/bin:$PATH
            export PATH
        fi
        rustup default stable
        rustup component add rustfmt clippy
    fi
}
find_missing
if [ -n "$missing" ] && [ -n "$install" ]; then
    install_missing
    find_missing
fi
if [ -n "$missing" ]; then
    print_missing >&2
    exit 1
fi

# A shim that chooses the interpreter, as pyenv's, takes longer than most scripts that the tests run.
PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH
export PATH

# Many tests wait for a process or a clock, so more of them than cores run at once.
RUST_TEST_THREADS=${RUST_TEST_THREADS:-$(($(getconf _NPROCESSORS_ONLN) * 2))}
export RUST_TEST_THREADS

started=$(date +%s)
step=0
# begin TEXT: prints the number, the time and the name of a step.
begin() {
    step=$((step + 1))
    echo "[$step/$steps, $(($(date +%s) - started)) s] $1"
}

lint() {
    begin "scripts: shellcheck"
    shellcheck try.sh .ci/* action/*.sh tests/*.sh tests/counterparts/*.sh
    begin "format: cargo fmt"
    cargo fmt --all --check
    begin "lints with all features: cargo clippy"
    cargo clippy --quiet --workspace --all-targets --all-features -- -D warnings
    # Users build without the optional features.
    begin "lints with the default features: cargo clippy"
    cargo clippy --quiet --workspace -- -D warnings
    begin "documentation: cargo doc"
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --workspace --no-deps --document-private-items
}

check_protocol() {
    begin "schemas and golden traces"
    .ci/protocol "${CARGO_TARGET_DIR:-target}/debug/papayu-batch"
}

case $part in
    lint) lint ;;
    test)
        begin "unit and integration tests"
        cargo test --workspace --features nats,redis
        check_protocol
        ;;
    counterparts)
        begin "packages of npm and PyPI (1.1 GB in target/counterparts)"
        sh tests/counterparts/setup.sh
        begin "tests against software of others, and the book"
        cargo test --all-features --test counterparts
        ;;
    all)
        # The registries answer while the compiler works.
        begin "packages of npm and PyPI (1.1 GB in target/counterparts), in the background"
        sh tests/counterparts/setup.sh &
        setup=$!
        trap 'kill "$setup" 2>/dev/null || true' EXIT
        lint
        begin "build of the tests"
        cargo test --quiet --workspace --all-features --no-run
        wait "$setup"
        begin "all tests"
        cargo test --workspace --all-features
        check_protocol
        ;;
esac
echo "tests/all.sh: everything passed in $(($(date +%s) - started)) s"
