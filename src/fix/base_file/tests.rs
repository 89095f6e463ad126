//! Tests of the revision that a job is for.

use serde_json::json;

use super::*;

#[test]
fn the_base_is_that_of_the_pull_request_also_in_a_workflow_that_follows_it() {
    let sha = "a1".repeat(20);
    let commit = Some(BaseRevision::Commit(Oid::parse(&sha).unwrap()));
    let pull = json!({ "base": { "sha": sha, "ref": "main" } });
    let run = |head: &str, pulls: Value| {
        json!({
            "repository": { "full_name": "o/r", "default_branch": "main" },
            "workflow_run": { "pull_requests": pulls, "head_repository": { "full_name": head } },
        })
    };
    for (event, expected) in [
        (json!({ "pull_request": pull }), commit.clone()),
        (json!({ "pull_request": {} }), Some(BaseRevision::Unknown)),
        (run("o/r", json!([pull])), commit.clone()),
        (run("fork/r", json!([])), Some(BaseRevision::Branch("main".to_owned()))),
        (run("o/r", json!([])), None),
        (json!({ "ref": "refs/heads/main" }), None),
        (
            json!({ "merge_group": { "base_sha": sha, "base_ref": "refs/heads/main" } }),
            commit.clone(),
        ),
        (json!({ "merge_group": {} }), Some(BaseRevision::Unknown)),
        (
            json!({ "issue": { "pull_request": {} }, "repository": { "default_branch": "dev" } }),
            Some(BaseRevision::Branch("dev".to_owned())),
        ),
        (json!({ "issue": { "number": 1 }, "repository": { "default_branch": "dev" } }), None),
        (json!({ "check_suite": { "pull_requests": [pull] } }), commit.clone()),
        (
            json!({
                "workflow_run": { "event": "pull_request", "pull_requests": [], "head_repository": { "full_name": "o/r" } },
                "repository": { "full_name": "o/r", "default_branch": "dev" },
            }),
            Some(BaseRevision::Branch("dev".to_owned())),
        ),
        (json!({ "review": {}, "pull_request": pull }), commit.clone()),
    ] {
        assert_eq!(BaseRevision::of_event(&event), expected, "{event}");
    }
    let job = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        BaseRevision::of_job(&pairs.collect::<Vec<_>>())
    };
    let of =
        |name: &'static str, value: &'static str| job(&[("GITHUB_ACTIONS", "true"), (name, value)]);
    assert_eq!(of("GITHUB_BASE_REF", "dev"), Some(BaseRevision::Branch("dev".to_owned())));
    assert_eq!(of("GITHUB_EVENT_NAME", "pull_request_target"), Some(BaseRevision::Unknown));
    for name in ["pull_request_review", "merge_group", "issue_comment", "workflow_run"] {
        assert_eq!(of("GITHUB_EVENT_NAME", name), Some(BaseRevision::Unknown), "{name}");
    }
    assert_eq!(of("GITHUB_EVENT_NAME", "push"), None);
    assert_eq!(job(&[("GITHUB_BASE_REF", "dev")]), None);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn other_ci_systems_name_the_base_in_variables() {
    let sha = "a1".repeat(20);
    let dev = Some(BaseRevision::Branch("dev".to_owned()));
    let commit = Some(BaseRevision::Commit(Oid::parse(&sha).unwrap()));
    for (pairs, expected) in [
        (
            &[
                ("GITLAB_CI", "true"),
                ("CI_MERGE_REQUEST_IID", "1"),
                ("CI_MERGE_REQUEST_DIFF_BASE_SHA", sha.as_str()),
            ][..],
            commit.clone(),
        ),
        (
            &[
                ("GITLAB_CI", "true"),
                ("CI_MERGE_REQUEST_IID", "1"),
                ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "dev"),
            ],
            dev.clone(),
        ),
        (&[("GITLAB_CI", "true"), ("CI_MERGE_REQUEST_IID", "1")], Some(BaseRevision::Unknown)),
        (&[("GITLAB_CI", "true"), ("CI_MERGE_REQUEST_DIFF_BASE_SHA", sha.as_str())], None),
        (
            &[
                ("BITBUCKET_BUILD_NUMBER", "1"),
                ("BITBUCKET_PR_ID", "1"),
                ("BITBUCKET_PR_DESTINATION_COMMIT", sha.as_str()),
            ],
            commit,
        ),
        (
            &[
                ("BUILD_REPOSITORY_PROVIDER", "TfsGit"),
                ("SYSTEM_PULLREQUEST_PULLREQUESTID", "1"),
                ("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/dev"),
            ],
            dev.clone(),
        ),
        (&[("JENKINS_URL", "x"), ("CHANGE_ID", "1"), ("CHANGE_TARGET", "dev")], dev.clone()),
        (
            &[
                ("BUILDKITE", "true"),
                ("BUILDKITE_PULL_REQUEST", "false"),
                ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "dev"),
            ],
            None,
        ),
        (
            &[("CIRCLECI", "true"), ("CIRCLE_PULL_REQUEST", "https://x/1")],
            Some(BaseRevision::Unknown),
        ),
        (
            &[("DRONE", "true"), ("DRONE_PULL_REQUEST", "1"), ("DRONE_TARGET_BRANCH", "dev")],
            dev.clone(),
        ),
        (
            &[
                ("CI", "woodpecker"),
                ("CI_COMMIT_PULL_REQUEST", "1"),
                ("CI_COMMIT_TARGET_BRANCH", "dev"),
            ],
            dev.clone(),
        ),
        (&[("CI", "woodpecker"), ("CI_COMMIT_BRANCH", "dev")], None),
        (
            &[("TRAVIS", "true"), ("TRAVIS_PULL_REQUEST", "1"), ("TRAVIS_BRANCH", "dev")],
            dev.clone(),
        ),
        (&[("TRAVIS", "true"), ("TRAVIS_PULL_REQUEST", "false"), ("TRAVIS_BRANCH", "dev")], None),
        (
            &[
                ("APPVEYOR", "True"),
                ("APPVEYOR_PULL_REQUEST_NUMBER", "1"),
                ("APPVEYOR_REPO_BRANCH", "dev"),
            ],
            dev.clone(),
        ),
        (
            &[
                ("SEMAPHORE", "true"),
                ("SEMAPHORE_GIT_PR_NUMBER", "1"),
                ("SEMAPHORE_GIT_BRANCH", "dev"),
            ],
            dev.clone(),
        ),
        (
            &[
                ("CODEBUILD_BUILD_ID", "x"),
                ("CODEBUILD_WEBHOOK_TRIGGER", "pr/1"),
                ("CODEBUILD_WEBHOOK_BASE_REF", "refs/heads/dev"),
            ],
            dev.clone(),
        ),
        (&[("TEAMCITY_VERSION", "2026.1")], Some(BaseRevision::Unknown)),
        (&[("CI", "true"), ("SOME_OTHER_CI", "1")], Some(BaseRevision::Unknown)),
        (&[("CI", "false")], None),
    ] {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let pairs: Vec<_> = pairs.collect();
        assert_eq!(BaseRevision::of_job(&pairs), expected, "{pairs:?}");
    }
}
