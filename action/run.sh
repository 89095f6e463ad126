#!/usr/bin/env bash
# Passes the inputs to papayu-batch: single values as arguments or settings, untrusted text as a file. Nothing is evaluated.
# PROGRAM and INPUT_* are set by action.yml.
# shellcheck disable=SC2153
set -euo pipefail

fail() {
    echo "::error title=papayu-batch::$1"
    exit 2
}

# Succeeds if a switch is on; any other word than true, false or nothing is an error.
on() {
    case "$2" in
        [Tt][Rr][Uu][Ee]) return 0 ;;
        [Ff][Aa][Ll][Ss][Ee] | '') return 1 ;;
        *) fail "$1 is true or false" ;;
    esac
}

# Not below the workspace: uploads omit hidden folders, and the repository's code must not know the path.
out=$(mktemp -d "$RUNNER_TEMP/papayu-run.XXXXXX")
arguments=(--repo "$INPUT_WORKING_DIRECTORY" --out "$out")
[ -z "$INPUT_CONFIG" ] || arguments+=(--config "$INPUT_CONFIG")

# Exports a setting if the input is not empty.
setting() {
    [ -z "$2" ] || export "$1=$2"
}
setting PAPAYU_RUN "$INPUT_TEST_COMMAND"
setting PAPAYU_SETUP "$INPUT_SETUP"
setting PAPAYU_LLM_PROVIDER "$INPUT_PROVIDER"
setting PAPAYU_LLM_MODEL "$INPUT_MODEL"
setting PAPAYU_LLM_API_URL "$INPUT_API_URL"
setting PAPAYU_LLM_API_KEY "$INPUT_API_KEY"
setting PAPAYU_MAX_COST "$INPUT_MAX_COST_USD"
setting PAPAYU_MAX_TOKENS "$INPUT_MAX_TOKENS"
setting PAPAYU_TIMEOUT_SEC "$INPUT_TIMEOUT"
setting PAPAYU_MAX_ATTEMPTS "$INPUT_MAX_ATTEMPTS"
setting PAPAYU_MAX_ATTEMPTS_TOTAL "$INPUT_MAX_ATTEMPTS_TOTAL"
setting PAPAYU_PROTECTED_PATHS "$INPUT_PROTECT"
setting PAPAYU_GITHUB_REPOSITORY "$INPUT_REPOSITORY"
setting PAPAYU_PR_BASE "$INPUT_BASE"
# A job of a pull request fixes what the pull request broke.
setting PAPAYU_BASE "${GITHUB_BASE_REF:-}"
setting PAPAYU_PR_LABELS "$INPUT_LABELS"
setting PAPAYU_PR_REVIEWERS "$INPUT_REVIEWERS"
if on draft "$INPUT_DRAFT"; then setting PAPAYU_PR_DRAFT true; fi
# Runs of a pull request that the job's own token opens wait for a person's approval; the variable shows which token it is.
if [ "$INPUT_GITHUB_TOKEN" = "$INPUT_JOB_TOKEN" ]; then
    setting GITHUB_TOKEN "$INPUT_GITHUB_TOKEN"
else
    setting PAPAYU_GITHUB_TOKEN "$INPUT_GITHUB_TOKEN"
fi

add_failure_input() {
    [ -z "$INPUT_GOAL_FILE" ] || arguments+=(--goal-file "$INPUT_GOAL_FILE")
    if [ -n "$INPUT_GOAL" ]; then
        printf '%s' "$INPUT_GOAL" >"$out/goal.txt"
        arguments+=(--goal-file "$out/goal.txt")
    fi
    case "$INPUT_FROM" in
        log | junit | sarif) arguments+=("--$INPUT_FROM" "$INPUT_INPUT_PATH") ;;
        run-id) [ -n "$INPUT_RUN_ID" ] || fail "from is run-id, and run-id is empty" ;;
        '') [ -z "$INPUT_INPUT_PATH" ] || fail "input-path needs from: log, junit, sarif" ;;
        *) fail "from is log, junit, sarif or run-id" ;;
    esac
    [ -z "$INPUT_RUN_ID" ] || arguments+=(--github-run "$INPUT_RUN_ID")
    [ -z "$INPUT_ISSUE" ] || arguments+=(--issue "$INPUT_ISSUE")
}

add_emit() {
    if on dry-run "$INPUT_DRY_RUN"; then INPUT_OUTPUT="patch"; fi
    [ -z "$INPUT_OUTPUT" ] || arguments+=(--emit "$INPUT_OUTPUT")
}

case "$INPUT_MODE" in
    fix)
        arguments=(fix "${arguments[@]}")
        add_failure_input
        add_emit
        ;;
    plan)
        arguments=(plan "${arguments[@]}")
        add_failure_input
        ;;
    apply)
        arguments=(apply "${arguments[@]}" --plan "$INPUT_INPUT_PATH")
        add_emit
        ;;
    publish)
        if on dry-run "$INPUT_DRY_RUN"; then fail "publish has no dry run"; fi
        # A name that begins with a hyphen would be read as an option.
        case $INPUT_BUNDLE_PATH in
            -*) arguments=(publish "${arguments[@]}" "./$INPUT_BUNDLE_PATH") ;;
            *) arguments=(publish "${arguments[@]}" "$INPUT_BUNDLE_PATH") ;;
        esac
        [ -z "$INPUT_BUNDLE_DIGEST" ] || arguments+=(--digest "$INPUT_BUNDLE_DIGEST")
        [ -z "$INPUT_OUTPUT" ] || arguments+=(--emit "$INPUT_OUTPUT")
        ;;
    sweep) arguments=(publish "${arguments[@]}" --sweep) ;;
    *) fail "mode is fix, plan, apply, publish or sweep" ;;
esac
while IFS= read -r line; do
    [ -z "$line" ] || arguments+=("$line")
done <<<"$INPUT_EXTRA_ARGS"

program=$PROGRAM
unset PROGRAM "${!INPUT_@}"
# The patch is in its file; on the job's page its lines could be taken for the runner's commands.
exec "$program" "${arguments[@]}" >"$out/stdout.txt"
