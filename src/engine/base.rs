//! Asks whether the failure was there before: runs the command on the commit that the work is based on.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::run::{Fatal, Run};
use super::run_check::check_in;
use super::state::Event;
use super::task::World;
use super::world_facts::run_git;
use crate::domain::{Evidence, FailureClass, FailureReport, Triage};
use crate::system::{CommandSpec, End, Entry, Scratch};

/// Folders of installed packages, which no commit has: the copy uses those of the working tree.
const PACKAGES: [&str; 8] =
    ["node_modules", ".venv", "venv", "vendor", ".bundle", ".yarn", "bower_components", "Pods"];

/// Time limit of the programs that lay the copy out.
const LIMIT: Duration = Duration::from_mins(5);

/// A copy of the base commit.
struct BaseCopy {
    /// Removes the copy when it is dropped.
    _scratch: Box<dyn Scratch>,
    /// The folder in it that is the run's own.
    root: PathBuf,
    /// The commit.
    commit: String,
}

/// Returns [`Event::NotOurs`] if the command fails in the same way on the base, else the event that is given.
pub(super) fn judge_base(run: &mut Run<'_>, event: Event) -> Result<Event, Fatal> {
    let Some(base) = run.task.base.clone().filter(|_| event == Event::CheckRed) else {
        return Ok(event);
    };
    let copy = match lay_out(&run.world, &base) {
        Ok(Some(copy)) => copy,
        Ok(None) => return Ok(event),
        Err(reason) => {
            run.base_note = Some(format!("the failure was not compared with `{base}`: {reason}"));
            return Ok(event);
        }
    };
    let Some(check) = run.task.check.clone() else { return Ok(event) };
    let purpose = Some("on the base revision");
    let checked = check_in(run, &copy.root, &check.command, purpose, Duration::MAX)?;
    if checked.event() == Event::Interrupted {
        return Ok(Event::Interrupted);
    }
    if checked.event() != Event::CheckRed || !is_same(run, &checked.report, &copy.root) {
        return Ok(event);
    }
    let commit = copy.commit.get(..12).unwrap_or(&copy.commit);
    let line = format!("`{}` fails in the same way on `{base}` ({commit})", check.command);
    run.triage = Triage {
        class: FailureClass::RedOnBase,
        evidence: vec![Evidence { rule: "base".to_owned(), line, number: None }],
        next_step: Some("fix it there first, or use `--fix-base`"),
    };
    Ok(Event::NotOurs)
}

/// Returns whether the base shows every failure that the working tree shows.
fn is_same(run: &Run<'_>, base: &FailureReport, root: &Path) -> bool {
    let names = |report: &FailureReport, root: &Path| -> Vec<String> {
        let root = format!("{}/", root.display());
        report.failures.iter().map(|failure| failure.identity_below(&root)).collect()
    };
    let there = names(base, root);
    let here = names(&run.report, run.world.tree.root());
    if here.is_empty() { there.is_empty() } else { here.iter().all(|it| there.contains(it)) }
}

/// Lays the base commit out in a folder of its own; `None` if the work is not based on it: its history has the
/// commit that is checked out.
fn lay_out(world: &World<'_>, base: &str) -> Result<Option<BaseCopy>, String> {
    let say = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        run_git(world, &words).map(|said| said.trim_end_matches('\n').to_owned())
    };
    let commit = [format!("origin/{base}"), base.to_owned()]
        .iter()
        .find_map(|name| {
            let name = format!("{name}^{{commit}}");
            say(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]).ok()
        })
        .filter(|commit| !commit.is_empty())
        .ok_or("this clone does not have it; fetch it first")?;
    if say(&["merge-base", "--is-ancestor", "HEAD", &commit]).is_ok() {
        return Ok(None);
    }
    let top = say(&["rev-parse", "--show-toplevel"])?;
    let prefix = say(&["rev-parse", "--show-prefix"])?;
    let scratch =
        world.system.disk.scratch().map_err(|error| format!("no temporary folder: {error}"))?;
    let folder = scratch.path().join("tree");
    let index = scratch.path().join("index").display().to_string();
    let out = format!("--prefix={}/", folder.display());
    let variables = [("GIT_INDEX_FILE".to_owned(), index)];
    let safe = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-C", &top];
    for words in [&["read-tree", &commit][..], &["checkout-index", "--all", "--force", &out]] {
        run_program(world, &[&safe[..], words].concat(), &variables)?;
    }
    let root = folder.join(prefix.trim_end_matches('/'));
    for name in PACKAGES {
        let is_there = crate::domain::RepoPath::parse(name)
            .is_ok_and(|path| matches!(world.tree.entry(&path), Ok(Entry::Dir)));
        let (from, to) = (world.tree.root().join(name), root.join(name));
        if is_there {
            let (from, to) = (from.display().to_string(), to.display().to_string());
            // A folder that the commit has stays as it is there.
            run_program(world, &["ln", "-s", "-n", "--", &from, &to], &[]).ok();
        }
    }
    Ok(Some(BaseCopy { _scratch: scratch, root, commit }))
}

fn run_program(
    world: &World<'_>,
    words: &[&str],
    variables: &[(String, String)],
) -> Result<(), String> {
    let spec = CommandSpec {
        argv: words.iter().map(|word| (*word).to_owned()).collect(),
        cwd: world.tree.root().to_path_buf(),
        env: variables.to_vec(),
        keep_env: Vec::new(),
        timeout: LIMIT,
        max_output: 1 << 20,
        // It writes outside the repository, and runs none of its code.
        confinement: None,
    };
    match world.system.process.run(&spec, &mut |_| {}) {
        Ok(End::Code(0)) => Ok(()),
        Ok(end) => Err(format!("`{}` ended with {end:?}", words.join(" "))),
        Err(error) => Err(error.to_string()),
    }
}
