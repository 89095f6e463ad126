#!/bin/sh
# Installs the software that checks ours into target/counterparts: a mock of the model APIs from
# npm, linters from both, the vendors' SDKs and schema engines from PyPI. Versions are pinned; a second call is quick.
set -eu
cd "$(dirname "$0")/../.."
here=tests/counterparts
home=target/counterparts
mkdir -p "$home"
stamp=$(cat "$here/package.json" "$here"/requirements*.txt | cksum)
[ "$(cat "$home/stamp" 2>/dev/null || true)" = "$stamp" ] && exit 0
cp "$here/package.json" "$home/package.json"
npm install --silent --no-audit --no-fund --no-package-lock --prefix "$home"
python3 -m venv "$home/venv"
for list in "$here"/requirements*.txt; do
    "$home/venv/bin/pip" install --quiet --disable-pip-version-check -r "$list"
done
echo "$stamp" >"$home/stamp"
