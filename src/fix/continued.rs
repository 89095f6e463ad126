//! Records the request of a run in its folder, and restores it to continue the run.
//!
//! Commands of the repository can write into its folders, and a pull request can bring files. A record is therefore used
//! only if its digest is the one in the user's data folder, which this program wrote at the end of the run.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::input::{Input, LogSource};
use super::run_context::RunContext;
use super::session::Session;
use crate::engine::Finished;
use crate::settings::{FlagValue, KEYS, ValueOrigin};
use papayu_base::domain::{Goal, Outcome, OutcomeKind, RepoPath, RunId, Sha256};
use papayu_base::text::Masked;
use papayu_patch::prompts::{AttemptEnd, FailedAttempt};
use papayu_system::Disk;

/// The file in the folder of a run.
const NAME: &str = "request.json";

/// The folder of digests in the user's data folder.
const DIGESTS: &str = "runs";

/// Longest record that is read, in bytes.
const MAX_RECORD: u64 = 16 * 1024 * 1024;

/// Most attempts that are recorded, the newest.
const MAX_ATTEMPTS: usize = 20;

/// Why a run is not continued.
#[derive(Debug, thiserror::Error)]
pub enum ContinueError {
    /// It ended in a way after which there is nothing to continue.
    #[error("the run `{id}` ended as `{}`", outcome.name())]
    Ended {
        /// The run.
        id: String,
        /// Its end.
        outcome: OutcomeKind,
    },
    /// Another run continued it.
    #[error("the run `{id}` was continued by `{by}`")]
    ContinuedBy {
        /// The run.
        id: String,
        /// The run that continued it.
        by: String,
    },
    /// Its folder has no request.
    #[error("the run `{id}` has no recorded request")]
    NotRecorded {
        /// The run.
        id: String,
    },
    /// The record is not the one that this program wrote for this user.
    #[error("`{}` is not as this program wrote it for you on this machine", path.display())]
    Changed {
        /// The record.
        path: PathBuf,
    },
    /// The run was of another folder.
    #[error("the run `{id}` is of the repository `{repository}`")]
    OtherRepository {
        /// The run.
        id: String,
        /// The folder of that repository.
        repository: String,
    },
    /// Another commit is checked out.
    #[error("the run `{id}` began at commit {then}, and {now} is checked out")]
    Moved {
        /// The run.
        id: String,
        /// The commit of the run.
        then: String,
        /// The commit that is checked out.
        now: String,
    },
    /// The log came from standard input, or a file of the input does not exist any more.
    #[error("an input of the run `{id}` cannot be read again: {input}")]
    InputGone {
        /// The run.
        id: String,
        /// The input in words.
        input: String,
    },
    /// The command line had a secret.
    #[error("the command line of the run `{id}` had a secret, which is not recorded")]
    HadSecret {
        /// The run.
        id: String,
    },
}

impl ContinueError {
    /// Returns what the user can do.
    pub fn hint(&self) -> String {
        match self {
            Self::ContinuedBy { by, .. } => {
                format!("`papayu-batch runs continue {by}` continues that run")
            }
            Self::Moved { then, .. } => {
                format!("check out {then}, or start again with `papayu-batch fix`")
            }
            Self::OtherRepository { repository, .. } => format!("pass `--repo {repository}`"),
            _ => "start again with `papayu-batch fix`".to_owned(),
        }
    }
}

/// The request of a run, as `runs continue` restores it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedRequest {
    schema_version: u32,
    /// The repository's folder.
    repository: String,
    /// The commit that was checked out; `None` outside of git.
    head: Option<String>,
    pub(crate) plan_only: bool,
    /// The goal in the form that [`Goal::parse`] reads.
    goal: Option<String>,
    logs: Vec<PathBuf>,
    log_from_stdin: bool,
    green_log: Option<PathBuf>,
    reports: Vec<String>,
    ci_run: Option<u64>,
    issue: Option<u64>,
    /// Dotted names and values of the flags.
    flags: BTreeMap<String, String>,
    /// Attempts made by the runs that this one continues.
    attempts_before: u32,
    /// The attempts that failed, those of continued runs included.
    attempts: Vec<RecordedAttempt>,
    had_secret: bool,
}

/// An attempt that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RecordedAttempt {
    diff: String,
    failure: String,
    #[serde(default)]
    end: AttemptEnd,
}

/// A run that is continued.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Continued {
    id: RunId,
    /// Attempts made by it and the runs before it.
    attempts_before: u32,
    /// The attempts that failed.
    attempts: Vec<FailedAttempt>,
}

impl RecordedRequest {
    /// Returns the record of a run with this input, without its commit; paths become absolute by `absolute`.
    pub(crate) fn of(
        session: &Session,
        input: &Input,
        absolute: impl Fn(&Path) -> PathBuf,
    ) -> Self {
        let Input { goal, logs, green_log, reports, ci_run, issue, finding: _ } = input;
        let values = session.settings.snapshot();
        let is_flag = |origin: &ValueOrigin| matches!(origin, ValueOrigin::Flag(_));
        let flags = session.settings.rows().filter(|row| is_flag(row.origin)).filter_map(|row| {
            let value = flag_text(values.get(row.key)?)?;
            Some((row.key.to_owned(), value))
        });
        Self {
            schema_version: 1,
            repository: session.tree.root().display().to_string(),
            goal: goal.as_ref().map(Goal::written),
            logs: logs
                .iter()
                .filter_map(|source| match source {
                    LogSource::File(path) => Some(absolute(path)),
                    LogSource::Stdin => None,
                })
                .collect(),
            log_from_stdin: logs.contains(&LogSource::Stdin),
            green_log: green_log.as_deref().map(absolute),
            reports: reports.clone(),
            ci_run: *ci_run,
            issue: *issue,
            flags: flags.collect(),
            ..Self::default()
        }
    }

    /// Reads the record of a run, and checks that it can be continued here.
    ///
    /// # Errors
    ///
    /// [`ContinueError`], with the reason.
    pub(crate) fn read(
        session: &Session,
        folder: &Path,
        outcome: &Outcome,
        head: Option<&str>,
    ) -> Result<Self, ContinueError> {
        let id = outcome.run_id.to_string();
        let can_go_on = matches!(
            outcome.outcome,
            OutcomeKind::NotFixed
                | OutcomeKind::OverBudget
                | OutcomeKind::ProviderError
                | OutcomeKind::Interrupted
        );
        if !can_go_on {
            return Err(ContinueError::Ended { id, outcome: outcome.outcome });
        }
        let path = folder.join(NAME);
        let missing = || ContinueError::NotRecorded { id: id.clone() };
        let text = read_file(&session.disk, &path).ok_or_else(missing)?;
        // The folder's own name counts: a folder copied under another name has no digest.
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let digest = digest_path(session, name).and_then(|path| read_file(&session.disk, &path));
        let own = Sha256::of(&text).to_string();
        let changed = || ContinueError::Changed { path: path.clone() };
        if name != id || digest.as_deref() != Some(own.as_bytes()) {
            return Err(changed());
        }
        let record: Self = serde_json::from_slice(&text).map_err(|_| changed())?;
        record.check_world(session, id, head)?;
        Ok(record)
    }

    /// Checks that the repository and the inputs are those of the run.
    fn check_world(
        &self,
        session: &Session,
        id: String,
        head: Option<&str>,
    ) -> Result<(), ContinueError> {
        if self.had_secret {
            return Err(ContinueError::HadSecret { id });
        }
        let root = session.tree.root().display().to_string();
        if root != self.repository {
            return Err(ContinueError::OtherRepository { id, repository: self.repository.clone() });
        }
        if head != self.head.as_deref() {
            let name = |commit: Option<&str>| commit.unwrap_or("no commit").to_owned();
            let (then, now) = (name(self.head.as_deref()), name(head));
            return Err(ContinueError::Moved { id, then, now });
        }
        if self.log_from_stdin {
            let input = "the log came from standard input".to_owned();
            return Err(ContinueError::InputGone { id, input });
        }
        let mut files = self.logs.iter().chain(&self.green_log);
        match files.find(|path| !session.disk.is_file(path)) {
            Some(path) => {
                let input = format!("`{}`", path.display());
                Err(ContinueError::InputGone { id, input })
            }
            None => Ok(()),
        }
    }

    /// Returns the flags of the run that are not given again.
    pub(crate) fn flags(&self, given: &[FlagValue]) -> Vec<FlagValue> {
        let is_given = |name: &str| given.iter().any(|(known, ..)| *known == name);
        let recorded = self.flags.iter().filter(|(name, _)| !is_given(name));
        let known = recorded.filter_map(|(name, value)| {
            let key = KEYS.iter().find(|key| key.name == name.as_str() && !key.secret)?;
            Some((key.name, value.clone(), "of the continued run"))
        });
        known.collect()
    }

    /// Returns the input of the run.
    pub(crate) fn input(&self) -> Input {
        Input {
            goal: self.goal.as_deref().map(Goal::parse),
            logs: self.logs.iter().cloned().map(LogSource::File).collect(),
            green_log: self.green_log.clone(),
            reports: self.reports.clone(),
            ci_run: self.ci_run,
            issue: self.issue,
            finding: None,
        }
    }

    /// Returns the history of a run that continues the one with this id.
    pub(crate) fn history(&self, id: &RunId) -> RunHistory {
        let failed = |it: &RecordedAttempt| FailedAttempt {
            diff: it.diff.clone(),
            failure: it.failure.clone(),
            end: it.end,
        };
        let continued = Continued {
            id: id.clone(),
            attempts_before: self.attempts_before,
            attempts: self.attempts.iter().map(failed).collect(),
        };
        RunHistory { continued: Some(continued), recorded: None }
    }
}

/// The run that a request continues, and the record for the run that continues it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunHistory {
    continued: Option<Continued>,
    recorded: Option<RecordedRequest>,
}

impl RunHistory {
    /// Returns the history with a record of the request.
    pub(crate) fn with_record(self, record: RecordedRequest) -> Self {
        Self { recorded: Some(record), ..self }
    }

    /// Adds the commit that is checked out to the record, if there is one.
    pub(super) fn record_head(&mut self, find_head: impl FnOnce() -> Option<String>) {
        if let Some(recorded) = &mut self.recorded {
            recorded.head = find_head();
        }
    }

    /// Writes the record for the case that the run is killed, and names the continued run in the outcome.
    pub(super) fn begin(&self, context: RunContext<'_>, out: &Path, outcome: &mut Outcome) {
        self.mark(outcome);
        self.write(context, out, outcome, &self.earlier_attempts());
    }

    /// Writes the record with the attempts of the run, and names the continued run in the outcome.
    pub(super) fn end(&self, context: RunContext<'_>, out: &Path, finished: &mut Finished) {
        self.mark(&mut finished.outcome);
        self.write(context, out, &finished.outcome, &finished.failed_attempts);
    }

    /// Names the continued run in an outcome.
    pub(super) fn mark(&self, outcome: &mut Outcome) {
        let Some(continued) = &self.continued else { return };
        outcome.continues = Some(continued.id.clone());
        outcome.attempts_before = continued.attempts_before;
    }

    /// Returns the failed attempts of the runs that this one continues.
    pub(super) fn earlier_attempts(&self) -> Vec<FailedAttempt> {
        self.continued.as_ref().map(|it| it.attempts.clone()).unwrap_or_default()
    }

    /// Writes the record. One that cannot be written only means that the run cannot be continued.
    fn write(
        &self,
        context: RunContext<'_>,
        out: &Path,
        outcome: &Outcome,
        attempts: &[FailedAttempt],
    ) {
        let RunContext { session, runtime, .. } = context;
        let digest = digest_path(session, outcome.run_id.as_str());
        let Some((record, digest)) = self.recorded.as_ref().zip(digest) else { return };
        let newest = attempts.get(attempts.len().saturating_sub(MAX_ATTEMPTS)..);
        let attempts = newest.unwrap_or_default().iter().map(RecordedAttempt::of);
        let masker = &runtime.masker;
        // An attempt is masked text already; a masked flag would be another flag.
        let shown = masker.masked_value(record).map(Masked::into_inner);
        let Ok(shown) = shown else { return };
        let record = RecordedRequest {
            had_secret: shown != *record,
            attempts_before: outcome.attempts_before.saturating_add(outcome.attempts),
            attempts: attempts.collect(),
            ..shown
        };
        let record = masker.masked_value(&record).map(Masked::into_inner);
        let Some(text) = record.and_then(|it| serde_json::to_vec_pretty(&it)).ok() else { return };
        let disk = runtime.system().disk;
        let written = disk.write(&out.join(NAME), &text);
        // The digest comes last: a kill between both leaves a record that is refused.
        let own = Sha256::of(&text).to_string();
        let _ = written.and_then(|()| disk.write(&digest, own.as_bytes()));
    }
}

impl RecordedAttempt {
    fn of(attempt: &FailedAttempt) -> Self {
        let FailedAttempt { diff, failure, end } = attempt.clone();
        Self { diff, failure, end }
    }
}

/// Deletes the digest of a deleted run.
pub(crate) fn forget_run(session: &Session, id: &str) {
    let Some(path) = digest_path(session, id) else { return };
    let Some((folder, name)) = path.parent().zip(path.file_name().and_then(|it| it.to_str()))
    else {
        return;
    };
    if let (Ok(tree), Ok(name)) = (session.disk.open_tree(folder), RepoPath::parse(name)) {
        // Without a digest there is nothing to delete.
        let _ = tree.remove_file(&name);
    }
}

fn digest_path(session: &Session, id: &str) -> Option<PathBuf> {
    Some(session.data_folder()?.join(DIGESTS).join(format!("{id}.sha256")))
}

/// Reads at most [`MAX_RECORD`] bytes of a file; `None` if it cannot be read.
fn read_file(disk: &dyn Disk, path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    disk.open(path).ok()?.take(MAX_RECORD).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns a setting's value as a flag has it; `None` for one that no flag can have.
fn flag_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(switch) => Some(switch.to_string()),
        Value::Array(items) => {
            let items: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            Some(items?.join(","))
        }
        Value::Null | Value::Object(_) => None,
    }
}
