#!/usr/bin/env bash
# Refuses runs not started by a user with write access: forks, comments by other users, bots not listed.
# ACTORS, ASSOCIATION, HEAD_REPOSITORY, ALLOW_USERS and ALLOW_BOTS are set by action.yml.
# shellcheck disable=SC2153
set -euo pipefail

refuse() {
    echo "::error title=papayu-batch::$1"
    exit 1
}

# Succeeds if a name is in a list separated by commas, ignoring case.
listed() {
    tr ',' '\n' <<<"$2" | tr -d ' \t' | grep --quiet --ignore-case --line-regexp --fixed-strings -e "$1"
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
    issue_comment | issues | discussion | discussion_comment | commit_comment | \
        pull_request_review | pull_request_review_comment)
        case "$ASSOCIATION" in
            OWNER | MEMBER | COLLABORATOR) ;;
            *) [ -n "$ALLOW_USERS" ] || refuse "the event can be caused by anybody; name who may in allow-users" ;;
        esac
        ;;
esac
read -ra actors <<<"$ACTORS"
for actor in "${actors[@]}"; do
    if [[ "$actor" == *'[bot]' ]]; then
        listed "$actor" "$ALLOW_BOTS" || refuse "started by a bot that allow-bots does not name"
    elif [ -n "$ALLOW_USERS" ]; then
        listed "$actor" "$ALLOW_USERS" || refuse "started by somebody whom allow-users does not name"
    fi
done
