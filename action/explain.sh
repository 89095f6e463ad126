#!/usr/bin/env bash
# Says in the summary of the step what failed, where the run could not start: without a model, a key and a repository.
# PROGRAM and FAILURE_* are set by action.yml.
# shellcheck disable=SC2153
set -euo pipefail

[ -x "$PROGRAM" ] || exit 0
program=$PROGRAM
unset PROGRAM
if text=$("$program" explain "--$FAILURE_KIND" "$FAILURE_FILE"); then
    # The text is untrusted; in a block of code it is only shown.
    { echo "What failed:" && echo && printf '%s\n' "$text" | sed 's/^/    /'; } >>"$GITHUB_STEP_SUMMARY"
fi
