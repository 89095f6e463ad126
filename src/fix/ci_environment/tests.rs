//! Tests of the variables of CI systems.

use super::*;

/// Returns what a job is read as: head, branch, base, pull request, page of the run.
fn read_job(pairs: &[(&str, &str)]) -> [Option<String>; 5] {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let variables: Vec<(String, String)> = pairs.iter().map(own).collect();
    let job = CiEnvironment::of(&variables);
    let number = job.pull_request().map(|number| number.to_string());
    [job.head(), job.branch(), job.base(), number, job.run_url()]
}

fn expect(values: [&str; 5]) -> [Option<String>; 5] {
    values.map(|value| (!value.is_empty()).then(|| value.to_owned()))
}

/// Variables of a job for a pull request, and what is read from them.
type PullRequestJob = (&'static [(&'static str, &'static str)], [&'static str; 5]);

const PULL_REQUEST_JOBS: [PullRequestJob; 7] = [
    (
        &[
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_HEAD_REF", "f"),
            ("GITHUB_BASE_REF", "main"),
            ("GITHUB_REF_NAME", "7/merge"),
            ("GITHUB_SERVER_URL", "https://github.com"),
            ("GITHUB_REPOSITORY", "o/r"),
            ("GITHUB_RUN_ID", "9"),
        ],
        ["f", "", "main", "", "https://github.com/o/r/actions/runs/9"],
    ),
    (
        &[
            ("GITLAB_CI", "true"),
            ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "f"),
            ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
            ("CI_MERGE_REQUEST_IID", "7"),
            ("CI_PIPELINE_URL", "https://g/p/1"),
        ],
        ["f", "", "main", "7", "https://g/p/1"],
    ),
    (
        &[
            ("BITBUCKET_BUILD_NUMBER", "9"),
            ("BITBUCKET_BRANCH", "f"),
            ("BITBUCKET_PR_ID", "7"),
            ("BITBUCKET_PR_DESTINATION_BRANCH", "main"),
            ("BITBUCKET_REPO_FULL_NAME", "o/r"),
        ],
        ["f", "f", "main", "7", "https://bitbucket.org/o/r/pipelines/results/9"],
    ),
    (
        &[
            ("BUILD_REPOSITORY_PROVIDER", "TfsGit"),
            ("BUILD_SOURCEBRANCH", "refs/pull/7/merge"),
            ("SYSTEM_PULLREQUEST_SOURCEBRANCH", "refs/heads/a/f"),
            ("BUILD_BUILDID", "9"),
            ("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/main"),
            ("SYSTEM_PULLREQUEST_PULLREQUESTID", "7"),
            ("SYSTEM_TEAMPROJECT", "p"),
            ("SYSTEM_COLLECTIONURI", "https://dev.azure.com/o/"),
        ],
        ["a/f", "", "main", "7", "https://dev.azure.com/o/p/_build/results?buildId=9"],
    ),
    (
        &[
            ("JENKINS_URL", "https://j"),
            ("CHANGE_BRANCH", "f"),
            ("BRANCH_NAME", "PR-7"),
            ("CHANGE_TARGET", "main"),
            ("CHANGE_ID", "7"),
            ("BUILD_URL", "https://j/9"),
        ],
        ["f", "PR-7", "main", "7", "https://j/9"],
    ),
    (
        &[
            ("CIRCLECI", "true"),
            ("CIRCLE_BRANCH", "f"),
            ("CIRCLE_PULL_REQUEST", "https://github.com/o/r/pull/7"),
            ("CIRCLE_BUILD_URL", "https://c/9"),
        ],
        ["f", "f", "", "7", "https://c/9"],
    ),
    (
        &[
            ("BUILDKITE", "true"),
            ("BUILDKITE_BRANCH", "f"),
            ("BUILDKITE_PULL_REQUEST", "7"),
            ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "main"),
            ("BUILDKITE_BUILD_URL", "https://b/9"),
        ],
        ["f", "f", "main", "7", "https://b/9"],
    ),
];

#[test]
fn a_pull_request_is_read_from_the_variables_of_every_system() {
    for (pairs, expected) in PULL_REQUEST_JOBS {
        assert_eq!(read_job(pairs), expect(expected), "{pairs:?}");
    }
}

#[test]
fn a_job_of_a_branch_or_a_tag_is_for_no_pull_request() {
    for (pairs, expected) in [
        (
            &[
                ("BUILDKITE", "true"),
                ("BUILDKITE_BRANCH", "m"),
                ("BUILDKITE_PULL_REQUEST", "false"),
            ][..],
            "m",
        ),
        (&[("GITLAB_CI", "true"), ("CI_COMMIT_BRANCH", "m")], "m"),
        (&[("JENKINS_URL", "x"), ("GIT_BRANCH", "origin/m")], "m"),
        (&[("GITHUB_REF_NAME", "m")], "m"),
        (&[("GITHUB_REF_NAME", "v1"), ("GITHUB_REF_TYPE", "tag")], ""),
        (&[("BUILD_REPOSITORY_PROVIDER", "TfsGit"), ("BUILD_SOURCEBRANCH", "refs/tags/v1")], ""),
        (&[], ""),
    ] {
        let [head, branch, base, number, _] = read_job(pairs);
        assert_eq!(
            [head, branch, base, number],
            ["", expected, "", ""].map(|it| { (!it.is_empty()).then(|| it.to_owned()) }),
            "{pairs:?}"
        );
    }
}

#[test]
fn a_token_is_used_for_the_forge_that_it_belongs_to() {
    let read = |pairs: &[(&str, &str)], kind| {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let variables: Vec<(String, String)> = pairs.iter().map(own).collect();
        CiEnvironment::of(&variables).token(kind)
    };
    let github = ("GITHUB_TOKEN", "a");
    let gitea = ("GITEA_ACTIONS", "true");
    assert_eq!(read(&[github], ForgeKind::Gitea), None);
    assert_eq!(read(&[github, gitea], ForgeKind::Gitea).as_deref(), Some("a"));
    assert_eq!(read(&[github, gitea], ForgeKind::GitLab), None);
    let set = ("GITLAB_TOKEN", "b");
    let job = ("CI_JOB_TOKEN", "c");
    assert_eq!(read(&[set, job], ForgeKind::GitLab).as_deref(), Some("b"));
    assert_eq!(read(&[job], ForgeKind::GitLab), None);
    assert_eq!(read(&[job, ("GITLAB_CI", "true")], ForgeKind::GitLab).as_deref(), Some("c"));
}

#[test]
fn variables_that_describe_a_job_are_known() {
    for (name, expected) in [
        ("CI_PROJECT_PATH", true),
        ("SYSTEM_PULLREQUEST_TARGETBRANCH", true),
        ("GITHUB_HEAD_REF", true),
        ("BUILDKITE_BRANCH", true),
        ("GITLAB_TOKEN", false),
        ("CI_API_V4_URL", false),
        ("PATH", false),
    ] {
        assert_eq!(describes_job(name), expected, "{name}");
    }
}
