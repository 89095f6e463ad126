#!/usr/bin/env bash
# Refuses runs not started by a user with write access: forks, comments by other users, bots not listed.
# ACTORS, HEAD_REPOSITORY, ALLOW_USERS, ALLOW_BOTS and GATE_TOKEN are set by action.yml.
# shellcheck disable=SC2153
set -euo pipefail

# Programs that this script starts have no credential in their environment.
token=${GATE_TOKEN:-}
unset GATE_TOKEN

refuse() {
    echo "::error title=papayu-batch::$1"
    exit 1
}

# Succeeds if a name is in a list separated by commas, ignoring case.
listed() {
    tr ',' '\n' <<<"$2" | tr -d ' \t' | grep --quiet --ignore-case --line-regexp --fixed-strings -e "$1"
}

# Succeeds if a user may push to the repository. How people call the user (`author_association`) is no permission: a member of
# the organization or a collaborator may have the role `read`.
may_write() {
    local answer
    # The token is not an argument: those are public on the machine.
    answer=$(printf 'header = "Authorization: Bearer %s"\n' "$token" |
        curl --config - --fail --silent --show-error --retry 2 --max-time 60 --header 'Accept: application/vnd.github+json' \
            --url "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/collaborators/$1/permission") ||
        refuse "the permission of the user who started this cannot be read"
    command -v jq >/dev/null || refuse "the program jq is needed to read the permission of the user who started this"
    # `permission` is `write` for the role `maintain`, too.
    jq --exit-status '.permission == "admin" or .permission == "write"' >/dev/null <<<"$answer"
}

case "${GITHUB_EVENT_NAME:-}" in
    # A deleted fork has no name.
    workflow_run | pull_request | pull_request_target)
        [ -n "$HEAD_REPOSITORY" ] || refuse "the code comes from a repository that is not known any more"
        ;;
esac
if [ -n "$HEAD_REPOSITORY" ] && [ "$HEAD_REPOSITORY" != "$GITHUB_REPOSITORY" ]; then
    refuse "the code comes from a fork, and its authors have no write access"
fi
case "${GITHUB_EVENT_NAME:-}" in
    # GitHub itself requires write access for these events. All others can be caused by other users, also through a workflow
    # that ran before.
    push | schedule | workflow_dispatch | repository_dispatch | merge_group) needs_permission= ;;
    *) needs_permission=yes ;;
esac
read -ra actors <<<"$ACTORS"
[ "${#actors[@]}" -gt 0 ] || refuse "it is not known who started this"
checked=
for actor in "${actors[@]}"; do
    if [[ "$actor" == *'[bot]' ]]; then
        listed "$actor" "$ALLOW_BOTS" || refuse "started by a bot that is not in allow-bots"
    elif ! [[ "$actor" =~ ^[A-Za-z0-9_-]+$ ]]; then
        refuse "the name of the user who started this is not one of GitHub"
    elif [ -n "$ALLOW_USERS" ]; then
        listed "$actor" "$ALLOW_USERS" || refuse "started by a user who is not in allow-users"
    elif [ -n "$needs_permission" ] && ! listed "$actor" "$checked"; then
        may_write "$actor" || refuse "started by a user without write access; name users without it in allow-users"
        checked="$checked,$actor"
    fi
done
