#!/usr/bin/env bash
# Puts the pinned release into the runner's temporary folder, its checksum and attestation checked first.
# VERSION, CHECKSUM, ATTESTATION and DOWNLOAD_URL are set by action.yml.
# shellcheck disable=SC2153
set -euo pipefail

fail() {
    echo "::error title=papayu-batch::$1"
    exit 1
}

# A fresh folder: what earlier steps may have left under a known name is never run.
home=$(mktemp -d "$RUNNER_TEMP/papayu-batch.XXXXXX")
# Nor does the repository's own configuration of cargo or git have a say.
cd "$home"
if [ "$VERSION" = source ]; then
    cargo install --locked --quiet --path "$GITHUB_ACTION_PATH" --root "$home"
    echo "program=$home/bin/papayu-batch" >>"$GITHUB_OUTPUT"
    exit 0
fi
# What this very checkout says of itself: `github.action_repository` is not to be relied on in composite actions.
said() {
    sed -n "s/^$1 = \"\(.*\)\"\$/\1/p" "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1
}
version=${VERSION:-$(said version)}
repository=$(said repository)
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
case "$ATTESTATION" in
    off) ;;
    required) gh attestation verify "$archive" --repo "${repository#https://github.com/}" ;;
    auto)
        # A mirror's archives are vouched for by its owner's checksum.
        if [ -z "$DOWNLOAD_URL" ] && command -v gh >/dev/null; then
            gh attestation verify "$archive" --repo "${repository#https://github.com/}"
        fi
        ;;
    *) fail "attestation is auto, required or off" ;;
esac
tar -xzf "$archive" -C "$home" "$name/papayu-batch"
echo "program=$home/$name/papayu-batch" >>"$GITHUB_OUTPUT"
