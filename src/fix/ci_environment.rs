//! The job of a CI system, as its environment variables describe it.

use std::path::Path;

use serde_json::Value;

use super::text_file::text_up_to;
use papayu_forge::ForgeKind;
use papayu_forge::git::Oid;
use papayu_system::os::OsDisk;

/// Most bytes of an event description that are read.
const MAX_EVENT: u64 = 32 * 1024 * 1024;

/// The variables of a CI system. A value is a template in which `{NAME}` is a variable, and the first one counts in
/// which all variables are set.
struct CiSystem {
    /// A variable that is set in its jobs only, and its value; `None` is any.
    mark: (&'static str, Option<&'static str>),
    /// The forge that it belongs to.
    forge: Option<ForgeKind>,
    api_url: &'static [&'static str],
    /// Tokens that people set for this forge.
    tokens: &'static [&'static str],
    /// Tokens that the system gives to a job.
    job_tokens: &'static [&'static str],
    repository: &'static [&'static str],
    /// The branch of a pull request.
    head: &'static [&'static str],
    /// The branch of any other job.
    branch: &'static [&'static str],
    /// The branch that the pull request goes into.
    base: &'static [&'static str],
    /// The commit of that branch.
    base_commit: &'static [&'static str],
    /// The commit that the branch had before the push, or at the last build that passed.
    before: &'static [&'static str],
    pull_request: &'static [&'static str],
    /// The number by which the API of the forge knows the run.
    run: &'static [&'static str],
    run_url: &'static [&'static str],
}

/// The variables of GitHub Actions, which the runners of Gitea and Forgejo set too.
const ACTIONS: CiSystem = CiSystem {
    mark: ("GITHUB_ACTIONS", Some("true")),
    forge: Some(ForgeKind::GitHub),
    // Address, token and repository of GitHub are settings with these variables.
    api_url: &[],
    tokens: &[],
    job_tokens: &[],
    repository: &[],
    head: &["{GITHUB_HEAD_REF}"],
    branch: &["{GITHUB_REF_NAME}"],
    base: &["{GITHUB_BASE_REF}"],
    base_commit: &[],
    before: &[],
    pull_request: &[],
    run: &["{GITHUB_RUN_ID}"],
    run_url: &["{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}"],
};

/// A system that belongs to no forge.
const NO_FORGE: CiSystem =
    CiSystem { forge: None, head: &[], branch: &[], base: &[], run: &[], run_url: &[], ..ACTIONS };

/// Gitea and Forgejo Actions.
const GITEA: CiSystem = CiSystem {
    mark: ("GITEA_ACTIONS", Some("true")),
    forge: Some(ForgeKind::Gitea),
    api_url: &["{GITHUB_API_URL}"],
    tokens: &["{GITEA_TOKEN}", "{FORGEJO_TOKEN}"],
    job_tokens: &["{GITHUB_TOKEN}"],
    repository: &["{GITHUB_REPOSITORY}"],
    ..ACTIONS
};

/// Azure Pipelines for a repository on Azure DevOps.
const AZURE: CiSystem = CiSystem {
    mark: ("BUILD_REPOSITORY_PROVIDER", Some("TfsGit")),
    forge: Some(ForgeKind::Azure),
    api_url: &["{SYSTEM_COLLECTIONURI}"],
    tokens: &["{AZURE_DEVOPS_EXT_PAT}"],
    job_tokens: &["{SYSTEM_ACCESSTOKEN}"],
    repository: &["{SYSTEM_TEAMPROJECT}/{BUILD_REPOSITORY_NAME}"],
    head: &["{SYSTEM_PULLREQUEST_SOURCEBRANCH}"],
    branch: &["{BUILD_SOURCEBRANCH}"],
    base: &["{SYSTEM_PULLREQUEST_TARGETBRANCH}"],
    base_commit: &[],
    before: &[],
    pull_request: &["{SYSTEM_PULLREQUEST_PULLREQUESTID}"],
    run: &["{BUILD_BUILDID}"],
    run_url: &["{SYSTEM_COLLECTIONURI}{SYSTEM_TEAMPROJECT}/_build/results?buildId={BUILD_BUILDID}"],
};

/// Every CI system. Gitea and Forgejo come first, because their runners also set `GITHUB_ACTIONS`.
const SYSTEMS: [CiSystem; 22] = [
    GITEA,
    CiSystem { mark: ("FORGEJO_ACTIONS", Some("true")), ..GITEA },
    ACTIONS,
    CiSystem {
        mark: ("GITLAB_CI", Some("true")),
        forge: Some(ForgeKind::GitLab),
        api_url: &["{CI_API_V4_URL}"],
        tokens: &["{GITLAB_TOKEN}"],
        job_tokens: &["{CI_JOB_TOKEN}"],
        repository: &["{CI_PROJECT_PATH}"],
        head: &["{CI_MERGE_REQUEST_SOURCE_BRANCH_NAME}"],
        branch: &["{CI_COMMIT_BRANCH}"],
        base: &["{CI_MERGE_REQUEST_TARGET_BRANCH_NAME}"],
        base_commit: &["{CI_MERGE_REQUEST_DIFF_BASE_SHA}"],
        before: &["{CI_COMMIT_BEFORE_SHA}"],
        pull_request: &["{CI_MERGE_REQUEST_IID}"],
        run: &["{CI_PIPELINE_ID}"],
        run_url: &["{CI_PIPELINE_URL}"],
    },
    CiSystem {
        mark: ("BITBUCKET_BUILD_NUMBER", None),
        forge: Some(ForgeKind::Bitbucket),
        api_url: &[],
        tokens: &["{BITBUCKET_TOKEN}"],
        job_tokens: &[],
        repository: &["{BITBUCKET_REPO_FULL_NAME}"],
        head: &[],
        branch: &["{BITBUCKET_BRANCH}"],
        base: &["{BITBUCKET_PR_DESTINATION_BRANCH}"],
        base_commit: &["{BITBUCKET_PR_DESTINATION_COMMIT}"],
        before: &[],
        pull_request: &["{BITBUCKET_PR_ID}"],
        run: &["{BITBUCKET_BUILD_NUMBER}"],
        run_url: &[
            "https://bitbucket.org/{BITBUCKET_REPO_FULL_NAME}/pipelines/results/{BITBUCKET_BUILD_NUMBER}",
        ],
    },
    AZURE,
    // Azure Pipelines for a repository on another forge.
    CiSystem {
        mark: ("TF_BUILD", Some("true")),
        forge: None,
        api_url: &[],
        job_tokens: &[],
        repository: &[],
        run: &[],
        ..AZURE
    },
    CiSystem {
        mark: ("JENKINS_URL", None),
        head: &["{CHANGE_BRANCH}"],
        branch: &["{BRANCH_NAME}", "{GIT_BRANCH}"],
        base: &["{CHANGE_TARGET}"],
        before: &["{GIT_PREVIOUS_SUCCESSFUL_COMMIT}"],
        pull_request: &["{CHANGE_ID}"],
        run_url: &["{BUILD_URL}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("CIRCLECI", Some("true")),
        branch: &["{CIRCLE_BRANCH}"],
        pull_request: &["{CIRCLE_PR_NUMBER}", "{CIRCLE_PULL_REQUEST}"],
        run_url: &["{CIRCLE_BUILD_URL}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("BUILDKITE", Some("true")),
        branch: &["{BUILDKITE_BRANCH}"],
        base: &["{BUILDKITE_PULL_REQUEST_BASE_BRANCH}"],
        pull_request: &["{BUILDKITE_PULL_REQUEST}"],
        run_url: &["{BUILDKITE_BUILD_URL}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("DRONE", Some("true")),
        head: &["{DRONE_SOURCE_BRANCH}"],
        branch: &["{DRONE_BRANCH}"],
        base: &["{DRONE_TARGET_BRANCH}"],
        before: &["{DRONE_COMMIT_BEFORE}"],
        pull_request: &["{DRONE_PULL_REQUEST}"],
        run_url: &["{DRONE_BUILD_LINK}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("CI", Some("woodpecker")),
        head: &["{CI_COMMIT_SOURCE_BRANCH}"],
        branch: &["{CI_COMMIT_BRANCH}"],
        base: &["{CI_COMMIT_TARGET_BRANCH}"],
        before: &["{CI_PREV_COMMIT_SHA}"],
        pull_request: &["{CI_COMMIT_PULL_REQUEST}"],
        run_url: &["{CI_PIPELINE_URL}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("TRAVIS", Some("true")),
        head: &["{TRAVIS_PULL_REQUEST_BRANCH}"],
        branch: &["{TRAVIS_BRANCH}"],
        base: &["{TRAVIS_BRANCH}"],
        pull_request: &["{TRAVIS_PULL_REQUEST}"],
        run_url: &["{TRAVIS_BUILD_WEB_URL}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("APPVEYOR", Some("true")),
        head: &["{APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH}"],
        branch: &["{APPVEYOR_REPO_BRANCH}"],
        base: &["{APPVEYOR_REPO_BRANCH}"],
        pull_request: &["{APPVEYOR_PULL_REQUEST_NUMBER}"],
        run_url: &[
            "{APPVEYOR_URL}/project/{APPVEYOR_ACCOUNT_NAME}/{APPVEYOR_PROJECT_SLUG}/builds/{APPVEYOR_BUILD_ID}",
        ],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("SEMAPHORE", Some("true")),
        head: &["{SEMAPHORE_GIT_PR_BRANCH}"],
        branch: &["{SEMAPHORE_GIT_BRANCH}"],
        base: &["{SEMAPHORE_GIT_BRANCH}"],
        pull_request: &["{SEMAPHORE_GIT_PR_NUMBER}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("CIRRUS_CI", Some("true")),
        branch: &["{CIRRUS_BRANCH}"],
        base: &["{CIRRUS_BASE_BRANCH}"],
        base_commit: &["{CIRRUS_BASE_SHA}"],
        pull_request: &["{CIRRUS_PR}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("CODEBUILD_BUILD_ID", None),
        head: &["{CODEBUILD_WEBHOOK_HEAD_REF}"],
        base: &["{CODEBUILD_WEBHOOK_BASE_REF}"],
        pull_request: &["{CODEBUILD_WEBHOOK_TRIGGER}"],
        run_url: &["{CODEBUILD_PUBLIC_BUILD_URL}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("BITRISE_IO", Some("true")),
        branch: &["{BITRISE_GIT_BRANCH}"],
        base: &["{BITRISEIO_GIT_BRANCH_DEST}"],
        pull_request: &["{BITRISE_PULL_REQUEST}"],
        run_url: &["{BITRISE_BUILD_URL}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("CF_BUILD_ID", None),
        branch: &["{CF_BRANCH}"],
        base: &["{CF_PULL_REQUEST_TARGET}"],
        pull_request: &["{CF_PULL_REQUEST_NUMBER}"],
        run_url: &["{CF_BUILD_URL}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("BUDDY", Some("true")),
        branch: &["{BUDDY_RUN_BRANCH}"],
        base: &["{BUDDY_RUN_PR_BASE_BRANCH}"],
        pull_request: &["{BUDDY_RUN_PR_NO}"],
        run_url: &["{BUDDY_RUN_URL}"],
        ..NO_FORGE
    },
    CiSystem {
        mark: ("PROW_JOB_ID", None),
        base: &["{PULL_BASE_REF}"],
        base_commit: &["{PULL_BASE_SHA}"],
        pull_request: &["{PULL_NUMBER}"],
        ..NO_FORGE
    },
    // It passes nothing about pull requests to the environment.
    CiSystem { mark: ("TEAMCITY_VERSION", None), branch: &["{BUILD_BRANCH}"], ..NO_FORGE },
];

/// The job that a process runs in.
#[derive(Clone, Copy)]
pub(crate) struct CiEnvironment<'a> {
    system: &'static CiSystem,
    variables: &'a [(String, String)],
    /// False where the variables are those of no known system: the ones of GitHub Actions are then read, which
    /// people set by hand.
    is_job: bool,
}

impl<'a> CiEnvironment<'a> {
    /// Returns the job that an environment describes.
    pub(crate) fn of(variables: &'a [(String, String)]) -> Self {
        let job = SYSTEMS.iter().find(|system| {
            let (name, wanted) = system.mark;
            let found = find_variable(variables, name);
            found.is_some_and(|value| wanted.is_none_or(|it| it.eq_ignore_ascii_case(value)))
        });
        Self { system: job.unwrap_or(&ACTIONS), variables, is_job: job.is_some() }
    }

    /// Returns `true` for a job that may be for a pull request without a variable that names it: of a system that is not
    /// known, or that sets no such variable.
    pub(crate) fn may_be_pull_request(&self) -> bool {
        let is_set = |value: &str| !matches!(value, "false" | "0");
        let is_unknown_job = || find_variable(self.variables, "CI").is_some_and(is_set);
        if self.is_job { self.system.pull_request.is_empty() } else { is_unknown_job() }
    }

    /// Returns whether the process runs in a job of a known system.
    pub(crate) fn is_job(&self) -> bool {
        self.is_job
    }

    /// Returns the forge that the job belongs to; `None` outside a job.
    pub(crate) fn forge(&self) -> Option<ForgeKind> {
        self.system.forge.filter(|_| self.is_job)
    }

    /// Returns the address of the API of the job's forge. `None` if the job does not name it.
    pub(crate) fn api_url(&self) -> Option<String> {
        self.first(self.system.api_url)
    }

    /// Returns the name of the repository. `None` if the job does not name it.
    pub(crate) fn repository(&self) -> Option<String> {
        self.first(self.system.repository)
    }

    /// Returns a token for a forge: one that a person set, or that of the job if the job belongs to the forge.
    pub(crate) fn token(&self, forge: ForgeKind) -> Option<String> {
        let of_forge = SYSTEMS.iter().filter(|system| system.forge == Some(forge));
        let set = of_forge.clone().find_map(|system| self.first(system.tokens));
        let of_job = || self.first(self.system.job_tokens);
        set.or_else(|| (self.forge() == Some(forge)).then(of_job).flatten())
    }

    /// Returns the branch of the pull request that the job is for. `None` outside a pull request.
    pub(crate) fn head(&self) -> Option<String> {
        let named = self.first(self.system.head);
        // These systems name the branch of a pull request as that of any other job.
        let is_pull_request = self.system.head.is_empty() && self.pull_request().is_some();
        named.or_else(|| self.branch().filter(|_| is_pull_request)).map(branch_name)
    }

    /// Returns the branch of the job; `None` for a tag and for the merge of a pull request.
    pub(crate) fn branch(&self) -> Option<String> {
        let name = self.first(self.system.branch)?;
        let is_tag = name.starts_with("refs/tags/")
            || find_variable(self.variables, "GITHUB_REF_TYPE").is_some_and(|it| it != "branch");
        let is_merge = name.ends_with("/merge") || name.starts_with("refs/pull/");
        (!is_tag && !is_merge).then(|| branch_name(name))
    }

    /// Returns the branch that the pull request goes into. `None` outside a pull request.
    pub(crate) fn base(&self) -> Option<String> {
        // Some systems name the branch of any job in the same variable.
        let is_pull_request = self.system.pull_request.is_empty() || self.pull_request().is_some();
        self.first(self.system.base).filter(|_| is_pull_request).map(branch_name)
    }

    /// Returns the commit of that branch. `None` if the job does not name it.
    pub(crate) fn base_commit(&self) -> Option<Oid> {
        Oid::parse(&self.first(self.system.base_commit)?)
    }

    /// Returns the commit that the branch had before the push, or at the last build that passed. `None` if the job does not
    /// name it, and for a new branch.
    pub(crate) fn commit_before(&self) -> Option<Oid> {
        let named = self.first(self.system.before);
        let of_event = || Some(read_event(self.variables)?.get("before")?.as_str()?.to_owned());
        let commit = Oid::parse(&named.or_else(of_event)?)?;
        commit.as_str().bytes().any(|digit| digit != b'0').then_some(commit)
    }

    /// Returns the number of the pull request. `None` outside a pull request.
    pub(crate) fn pull_request(&self) -> Option<u64> {
        // CircleCI has its address, and Buildkite `false` for none.
        self.first(self.system.pull_request)?.rsplit('/').next()?.parse().ok()
    }

    /// Returns the number by which the API of the job's forge knows the run. `None` outside a job of a forge.
    pub(crate) fn run_number(&self) -> Option<u64> {
        self.first(self.system.run).filter(|_| self.is_job)?.parse().ok()
    }

    /// Returns the address of the page of the run. `None` if the job does not name it.
    pub(crate) fn run_url(&self) -> Option<String> {
        self.first(self.system.run_url)
    }

    fn first(&self, templates: &[&str]) -> Option<String> {
        templates.iter().find_map(|template| self.fill(template))
    }

    /// Returns a template with its variables filled in; `None` if one of them is not set.
    fn fill(&self, template: &str) -> Option<String> {
        let mut parts = template.split('{');
        let mut text = parts.next()?.to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}')?;
            text.push_str(find_variable(self.variables, name)?);
            text.push_str(rest);
        }
        Some(text)
    }
}

/// Returns whether a variable describes the branch, the pull request or the repository of a job.
pub(crate) fn describes_job(name: &str) -> bool {
    let name = format!("{{{name}}}");
    SYSTEMS.iter().any(|system| {
        let lists = [
            system.repository, system.head, system.branch, system.base, system.base_commit,
            system.before, system.pull_request, system.run, system.run_url,
        ];
        lists.into_iter().flatten().any(|template| template.contains(&name))
    })
}

/// Returns the description of the event that started a job of GitHub Actions; `None` for other jobs.
pub(super) fn read_event(variables: &[(String, String)]) -> Option<Value> {
    find_variable(variables, "GITHUB_ACTIONS").filter(|value| *value == "true")?;
    let path = Path::new(find_variable(variables, "GITHUB_EVENT_PATH")?);
    serde_json::from_str(&text_up_to(&OsDisk, path, MAX_EVENT).ok()?).ok()
}

/// Returns a variable without blanks around it; `None` if it is not set or empty.
pub(crate) fn find_variable<'a>(variables: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = variables.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
}

/// Returns the name of a branch without the prefixes that CI systems give it.
fn branch_name(name: String) -> String {
    let short = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("origin/"));
    short.map(str::to_owned).unwrap_or(name)
}

#[cfg(test)]
#[path = "ci_environment/tests.rs"]
mod tests;
