//! The green commit of a run, on which the command passed, and the changes since then.

use super::base_file::BaseRevision;
use super::ci_environment::CiEnvironment;
use super::error::FixError;
use super::failure_input::CiRun;
use super::forge_access::ForgeAccess;
use super::run_context::{RunContext, open_git};
use super::runtime::Runtime;
use super::session::Session;
use crate::changes::{Changes, Green, read_changes};
use papayu_base::domain::changes::GreenSource;
use papayu_base::domain::{Event, EventName};
use papayu_forge::git::{Git, GitError, HeadPlace, Oid, Remote};

/// The value of the setting with which the job or the clone names the commit.
const AUTO: &str = "auto";

/// Reads what changed since the green commit; `None` if none is known, or nothing changed.
///
/// # Errors
///
/// [`FixError::NoGreen`] if the user names a commit that cannot be found, fetched or compared. A commit that is only
/// assumed is left out then.
pub(crate) fn read_green_changes(
    context: RunContext<'_>,
    ci_run: Option<&CiRun<'_>>,
) -> Result<Option<Changes>, FixError> {
    let RunContext { session, events, .. } = context;
    let Some(name) = session.settings.run_green.value.as_deref() else { return Ok(None) };
    let read = || -> Result<Option<Changes>, GitError> {
        let git = context.open_git()?;
        let head = match git.place().head().and_then(HeadPlace::commit) {
            Some(head) => head.clone(),
            None => git.head_commit()?,
        };
        let search = GreenSearch { context, ci_run, git: &git, head: &head };
        let green = if name == AUTO { search.assume()? } else { Some(search.find_named(name)?) };
        match green {
            Some(green) => read_changes(&git, session.tree.as_ref(), green, &head),
            None => Ok(None),
        }
    };
    match read() {
        Ok(changes) => Ok(changes),
        Err(error) if name != AUTO => {
            Err(FixError::NoGreen { name: name.to_owned(), reason: error.to_string() })
        }
        Err(error) => {
            // Outside a job nothing names the commit, so nothing is missing.
            if CiEnvironment::of(&session.environment).is_job() {
                let text =
                    format!("what changed since the last green commit is not known: {error}");
                events.emit(Event::new(EventName::Notice).with("text", text));
            }
            Ok(None)
        }
    }
}

/// Returns `true` if the repository has the remote of the settings.
pub(crate) fn has_remote(context: RunContext<'_>) -> bool {
    let name = context.session.remote_name();
    context.open_git().is_ok_and(|git| Remote::find_remote(&git, name).is_ok())
}

/// Returns the remote that alone has a published branch; `None` if the repository has it too.
pub(crate) fn find_remote_of_branch(
    session: &Session,
    runtime: &Runtime,
    branch: &str,
) -> Option<String> {
    let git = open_git(session, runtime).ok()?;
    let is_here = git.resolve(&[&format!("refs/heads/{branch}")]).is_some();
    (!is_here).then(|| session.remote_name().to_owned())
}

/// The repository in which the green commit is looked for.
struct GreenSearch<'a> {
    context: RunContext<'a>,
    ci_run: Option<&'a CiRun<'a>>,
    git: &'a Git<'a>,
    head: &'a Oid,
}

impl GreenSearch<'_> {
    /// Returns the commit that the user names, fetched where the clone lacks it.
    fn find_named(&self, name: &str) -> Result<Green, GitError> {
        let tracked = format!("refs/remotes/{}/{name}", self.context.session.remote_name());
        let commit = match self.git.resolve(&[name, &tracked]) {
            Some(commit) => commit,
            None => self.find_at_remote(name)?,
        };
        self.connect(commit, GreenSource::Named)
    }

    /// Returns the commit that the job, its forge or the clone shows; `None` if they show none.
    fn assume(&self) -> Result<Option<Green>, GitError> {
        let environment = &self.context.session.environment;
        let job = CiEnvironment::of(environment);
        let base = match BaseRevision::of_job(environment) {
            Some(BaseRevision::Commit(commit)) => Some(commit),
            Some(BaseRevision::Branch(name)) => Some(self.find_at_remote(&name)?),
            Some(BaseRevision::Unknown | BaseRevision::Head) | None => None,
        };
        if let Some(base) = base {
            let green = self.connect(base, GreenSource::PullRequest)?;
            return Ok(self.left_at(&green));
        }
        // The commit may be gone since the branch was pushed with force.
        let last = self.last_run_commit().map(|commit| self.connect(commit, GreenSource::LastRun));
        if let Some(green) = last.and_then(Result::ok).and_then(|green| self.left_at(&green)) {
            return Ok(Some(green));
        }
        if let Some(commit) = job.commit_before() {
            return self.connect(commit, GreenSource::Push).map(Some);
        }
        if job.is_job() {
            return Ok(None);
        }
        let left = self.git.pushed_base(self.head);
        let source = GreenSource::Remote;
        Ok(left.map(|commit| Green { commit, source, is_connected: true }))
    }

    /// Returns the commit at which the work left the branch of a green one, which may have moved since.
    fn left_at(&self, green: &Green) -> Option<Green> {
        let left = self.git.merge_base(self.head, &green.commit);
        left.map(|commit| Green { commit, is_connected: true, source: green.source })
    }

    /// Returns the commit of the last run that passed before the one of the input, or of this job. A job without a token does
    /// not ask, and a token without the right to read runs gets no answer.
    fn last_run_commit(&self) -> Option<Oid> {
        let session = self.context.session;
        let green = if let Some(run) = self.ci_run {
            run.last_green().ok().flatten().cloned()
        } else {
            let number = CiEnvironment::of(&session.environment).run_number()?;
            let access = ForgeAccess::of_repository(session, self.git).ok();
            let forge = access.filter(ForgeAccess::has_token)?.open(self.context).ok()?;
            forge.last_green_run(number).ok().flatten()
        };
        Oid::parse(&green?.commit)
    }

    /// Returns a commit with whether the clone shows its way to the one that is checked out; a shallow clone is deepened
    /// for that.
    fn connect(&self, commit: Oid, source: GreenSource) -> Result<Green, GitError> {
        let mut is_connected = self.git.merge_base(self.head, &commit).is_some();
        if !is_connected {
            let found = self.remote().and_then(|it| it.connect(self.git, self.head, &commit));
            // With the commit itself the files can be compared all the same.
            is_connected = match found {
                Err(error) if !self.git.has_commit(&commit) => return Err(error),
                found => found.is_ok_and(|it| it.is_some()),
            };
        }
        Ok(Green { commit, source, is_connected })
    }

    fn find_at_remote(&self, name: &str) -> Result<Oid, GitError> {
        self.remote()?.find_commit(self.git, name)?.ok_or_else(|| {
            let fault = papayu_forge::git::GitFault::NoRepository;
            GitError::new(
                format!("find `{name}`"),
                fault,
                "neither the clone nor the remote has it",
            )
        })
    }

    fn remote(&self) -> Result<Remote, GitError> {
        let remote = Remote::find_remote(self.git, self.context.session.remote_name())?;
        let access = ForgeAccess::of_repository(self.context.session, self.git).ok();
        Ok(remote.give_token(access.and_then(|access| access.git_token()).as_ref()))
    }
}
