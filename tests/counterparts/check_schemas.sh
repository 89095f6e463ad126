#!/bin/sh
# Asks the engines of schema_engines.py about our wire schemas; needs python3 and, the first time, the package index.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=${PAPAYU_SCHEMA_VENV:-${TMPDIR:-/tmp}/papayu-schema-engines}
if ! "$venv/bin/python" -c 'import openai, jsonschema, llguidance, outlines_core' 2>/dev/null; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --requirement "$here/requirements-schema.txt"
fi
exec "$venv/bin/python" "$here/schema_engines.py" "$here/../../schemas"
