#!/usr/bin/env bash
# Installs the pinned release in the runner's temporary folder after checking its checksum and attestation.
# VERSION, CHECKSUM, ATTESTATION, DOWNLOAD_URL and ATTESTATION_TOKEN are set by action.yml.
# shellcheck disable=SC2153
set -euo pipefail

# Only `gh` gets the credential: not curl, and not the build scripts that cargo runs.
token=${ATTESTATION_TOKEN:-}
unset ATTESTATION_TOKEN GH_TOKEN GITHUB_TOKEN

fail() {
    echo "::error title=papayu-batch::$1"
    exit 1
}

# A new folder: a program that an earlier step left under a known name must not run.
home=$(mktemp -d "$RUNNER_TEMP/papayu-batch.XXXXXX")
# The repository's configuration of cargo or git must not apply.
cd "$home"
if [ "$VERSION" = source ]; then
    cargo install --locked --quiet --path "$GITHUB_ACTION_PATH" --root "$home"
    echo "program=$home/bin/papayu-batch" >>"$GITHUB_OUTPUT"
    exit 0
fi
# Reads Cargo.toml of this checkout: `github.action_repository` is unreliable in composite actions.
read_field() {
    sed -n "s/^$1 = \"\(.*\)\"\$/\1/p" "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1
}
version=${VERSION:-$(read_field version)}
repository=$(read_field repository)
[[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail "version is no release: 1.2.3, or source"
case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) target=x86_64-unknown-linux-musl ;;
    Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
    *) fail "there is no archive for this machine; use version: source" ;;
esac
name=papayu-batch-$target
archive=$home/$name.tar.gz
from=${DOWNLOAD_URL:-$repository/releases/download/v$version}
get() {
    curl --proto '=https,file' --tlsv1.2 --fail --silent --show-error --location --retry 3 --output "$2" -- "$1" ||
        fail "cannot download $name $version"
}
get "$from/$name.tar.gz" "$archive"
get "$from/$name.tar.gz.sha256" "$archive.sha256"
published=$(cut -d ' ' -f 1 <"$archive.sha256")
found=$(sha256sum "$archive" | cut -d ' ' -f 1)
[ "$found" = "$published" ] || fail "the archive is not the one that was published: its SHA-256 is $found"
[ -z "$CHECKSUM" ] || [ "$found" = "$(tr '[:upper:]' '[:lower:]' <<<"$CHECKSUM")" ] || fail "the archive is not the one that checksum names: its SHA-256 is $found"
verify_attestation() {
    GH_TOKEN=$token gh attestation verify "$archive" --repo "${repository#https://github.com/}"
}
case "$ATTESTATION" in
    off) ;;
    required) verify_attestation ;;
    auto)
        # A mirror's archives are checked by its owner's checksum instead.
        if [ -z "$DOWNLOAD_URL" ] && command -v gh >/dev/null; then
            verify_attestation
        fi
        ;;
    *) fail "attestation is auto, required or off" ;;
esac
tar -xzf "$archive" -C "$home" "$name/papayu-batch"
echo "program=$home/$name/papayu-batch" >>"$GITHUB_OUTPUT"
