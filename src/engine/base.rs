//! Compares the failure with the base commit: a failure that is there too is not the fault of
//! the work.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::fatal::Fatal;
use super::run::Run;
use super::run_check::check_in;
use super::state::StepEvent;
use super::task::World;
use super::world_facts::{ask_git, find_commit};
use crate::verify::{self, VerifyConfig};
use papayu_base::domain::event::{Event as RunEvent, EventName};
use papayu_base::domain::outcome::CheckRecord;
use papayu_base::domain::{Evidence, FailureClass, FailureReport, Triage};
use papayu_system::{CommandSpec, Confinement, End, Entry, Scratch};

/// Folders of installed packages, which no commit has: the copy uses those of the working tree, because installing the
/// packages again would need the network.
///
/// A folder is linked only if the working tree has it and the commit does not.
const PACKAGES: [&str; 8] =
    ["node_modules", ".venv", "venv", "vendor", ".bundle", ".yarn", "bower_components", "Pods"];

/// Time limit of each program that builds the copy: reading the commit into an index, writing
/// its files, one link.
const LIMIT: Duration = Duration::from_mins(5);

/// A copy of the base commit, in a temporary folder outside the repository.
pub(super) struct BaseCopy {
    /// Removes the copy when it is dropped.
    _scratch: Box<dyn Scratch>,
    /// The folder of the copy that corresponds to the root of the run: the top folder of the
    /// repository, or a folder below it if the run was started there.
    pub(super) root: PathBuf,
    /// The full hexadecimal id of the commit.
    commit: String,
}

/// Returns [`StepEvent::NotOurs`] if the command fails in the same way on the base, else the event that is given.
///
/// A base that cannot be copied (a shallow clone, no space) does not end the run: the reason is
/// kept in the log of the checks and shown with the outcome.
///
/// # Errors
///
/// Returns [`Fatal`] if the command cannot be started in the copy.
pub(super) fn judge_base(run: &mut Run<'_>, event: StepEvent) -> Result<StepEvent, Fatal> {
    // Only a failure can be somebody else's; any other event passes through.
    let Some(base) = run.inputs.task.base.clone().filter(|_| event == StepEvent::CheckRed) else {
        return Ok(event);
    };
    let copy = match lay_out(&run.inputs.world, &base) {
        Ok(Some(copy)) => copy,
        Ok(None) => return Ok(event),
        Err(reason) => {
            run.checks.base_note =
                Some(format!("the failure was not compared with `{base}`: {reason}"));
            return Ok(event);
        }
    };
    let Some(check) = run.inputs.task.check.clone() else { return Ok(event) };
    let purpose = Some("on the base revision");
    // The run on the copy has no limit of its own: the limit of the whole run applies.
    let checked = check_in(run, &copy.root, &check.command, purpose, Duration::MAX)?;
    if checked.event() == StepEvent::Interrupted {
        return Ok(StepEvent::Interrupted);
    }
    if checked.event() != StepEvent::CheckRed || !is_same(run, &checked.report, &copy.root) {
        return Ok(event);
    }
    // Twelve digits are the length at which git abbreviates ids in large repositories.
    let commit = copy.commit.get(..12).unwrap_or(&copy.commit);
    let line = format!("`{}` fails in the same way on `{base}` ({commit})", check.command);
    run.failure.triage = Triage {
        class: FailureClass::RedOnBase,
        evidence: vec![Evidence { rule: "base".to_owned(), line, number: None }],
        next_step: Some("fix it there first, or use `--fix-base`".into()),
    };
    Ok(StepEvent::NotOurs)
}

/// Returns whether the base shows every failure that the working tree shows.
///
/// Paths are compared relative to each root, because the copy is in another folder. A report
/// without failures (no parser knew the output) equals only another report without failures.
fn is_same(run: &Run<'_>, base: &FailureReport, root: &Path) -> bool {
    let names = |report: &FailureReport, root: &Path| -> Vec<String> {
        let root = format!("{}/", root.display());
        report.failures.iter().map(|failure| failure.identity_below(&root)).collect()
    };
    let there = names(base, root);
    let here = names(&run.failure.report, run.inputs.world.tree.root());
    // With failures on both sides, the base may show more of them, but not fewer.
    if here.is_empty() { there.is_empty() } else { here.iter().all(|it| there.contains(it)) }
}

/// Runs a command on a copy of a commit. The failures of its output are not read.
///
/// # Errors
///
/// A sentence when the copy cannot be made, or the command cannot be started or is ended by a signal of the user.
pub fn check_commit(
    world: &World<'_>,
    config: &VerifyConfig,
    command: &str,
    commit: &str,
) -> Result<CheckRecord, String> {
    let copy = copy_commit(world, commit.to_owned(), &[])?;
    let started = RunEvent::new(EventName::VerifyStarted).with("command", command);
    let purpose = format!("on commit {}", commit.get(..12).unwrap_or(commit));
    world.events.emit(started.with("purpose", purpose));
    let mut show = |bytes: &[u8]| world.events.push_output(bytes);
    let ran = verify::run_command(world.system, &copy.root, command, config, &mut show);
    let ran = ran.map_err(|error| error.to_string())?;
    if ran.end == End::Interrupted {
        return Err("a signal ended it".to_owned());
    }
    Ok(ran.check_record(&world.masker.mask(command), &FailureReport::default(), None))
}

/// Writes the files of the base commit to a temporary folder.
/// Returns `None` if `HEAD` is an ancestor of the base: then the working tree has no commits of
/// its own that could have caused the failure.
///
/// # Errors
///
/// Returns a sentence with the reason: the clone does not have the commit, or a program failed.
fn lay_out(world: &World<'_>, base: &str) -> Result<Option<BaseCopy>, String> {
    let commit = find_commit(world, base)?;
    if ask_git(world, &["merge-base", "--is-ancestor", "HEAD", &commit]).is_ok() {
        return Ok(None);
    }
    copy_commit(world, commit, &[]).map(Some)
}

/// Lays a commit out in a folder of its own, with the files `newer` of the root of the run as they are now.
///
/// # Errors
///
/// A sentence with the reason: a program failed, or there is no temporary folder.
pub(super) fn copy_commit(
    world: &World<'_>,
    commit: String,
    newer: &[String],
) -> Result<BaseCopy, String> {
    let top = ask_git(world, &["rev-parse", "--show-toplevel"])?;
    let prefix = ask_git(world, &["rev-parse", "--show-prefix"])?;
    let objects =
        ask_git(world, &["rev-parse", "--path-format=absolute", "--git-path", "objects"])?;
    let scratch =
        world.system.disk.scratch().map_err(|error| format!("no temporary folder: {error}"))?;
    let folder = scratch.path().join("tree");
    // An index of its own, so that the index of the user's repository is not touched.
    let index = scratch.path().join("index").display().to_string();
    let out = format!("--prefix={}/", folder.display());
    let own_objects = scratch.path().join("objects");
    // Git takes a missing folder of objects for no repository.
    let made = world.system.disk.make_folder(&own_objects);
    made.map_err(|error| format!("no temporary folder: {error}"))?;
    let variables = [
        ("GIT_INDEX_FILE".to_owned(), index),
        // New objects go to the temporary folder, too.
        ("GIT_OBJECT_DIRECTORY".to_owned(), own_objects.display().to_string()),
        ("GIT_ALTERNATE_OBJECT_DIRECTORIES".to_owned(), objects),
    ];
    // No hook and no file system monitor of the repository runs: both are commands that it
    // chooses.
    let safe = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-C", &top];
    run_program(world, &[&safe[..], &["read-tree", &commit]].concat(), &variables, None)?;
    let newer: Vec<String> = newer.iter().map(|path| format!("{prefix}{path}")).collect();
    // Command lines have a limit of their length.
    for paths in newer.chunks(500) {
        let words = ["update-index", "--add", "--remove", "--replace", "--"];
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        // Git runs the filter programs of the configuration for files of the working tree.
        let confinement = Confinement { tree: scratch.path().to_owned(), ..world.confinement() };
        let words = [&safe[..], &words, &paths].concat();
        run_program(world, &words, &variables, Some(confinement))?;
    }
    run_program(
        world,
        &[&safe[..], &["checkout-index", "--all", "--force", &out]].concat(),
        &variables,
        None,
    )?;
    let root = folder.join(prefix.trim_end_matches('/'));
    for name in PACKAGES {
        let is_there = papayu_base::domain::RepoPath::parse(name)
            .is_ok_and(|path| matches!(world.tree.entry(&path), Ok(Entry::Dir)));
        let (from, to) = (world.tree.root().join(name), root.join(name));
        if is_there {
            let (from, to) = (from.display().to_string(), to.display().to_string());
            // A folder that the commit has stays as it is there.
            run_program(world, &["ln", "-s", "-n", "--", &from, &to], &[], None).ok();
        }
    }
    Ok(BaseCopy { _scratch: scratch, root, commit })
}

/// Runs a program with its arguments (`words`) and variables. Without a sandbox it may write outside the repository, and
/// runs none of its code.
///
/// # Errors
///
/// Returns a sentence with the end of the program if its exit code is not 0.
fn run_program(
    world: &World<'_>,
    words: &[&str],
    variables: &[(String, String)],
    confinement: Option<Confinement>,
) -> Result<(), String> {
    let spec = CommandSpec {
        argv: words.iter().map(|word| (*word).to_owned()).collect(),
        cwd: world.tree.root().to_path_buf(),
        env: variables.to_vec(),
        keep_env: Vec::new(),
        timeout: LIMIT,
        max_output: 1 << 20,
        confinement,
    };
    match world.system.process.run(&spec, &mut |_| {}) {
        Ok(End::Code(0)) => Ok(()),
        Ok(end) => Err(format!("`{}` ended with {end:?}", words.join(" "))),
        Err(error) => Err(error.to_string()),
    }
}
