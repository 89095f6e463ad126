//! Facts that the engine reads from the world for the context and for triage.

use std::io;
use std::time::Duration;

use serde::de::IgnoredAny;

use super::task::World;
use super::tracked_files::is_lock_file;
pub(super) use merge_conflicts::recognize_merge_conflicts;
pub(super) use own_crates::recognize_own_crates;
pub(super) use own_modules::{misplaced_fact, recognize_own_modules};
use papayu_base::domain::{FailureClass, FailureReport, Location, RepoPath, Triage};
use papayu_logs::triage::{find_install_step, triage_unbuilt};
use papayu_system::{CommandSpec, End, Entry};
use papayu_vet::find_conflict;

mod merge_conflicts;
mod own_crates;
mod own_modules;
mod own_packages;

/// Files of the repository that are looked through for a module, at most.
const MAX_FILES: usize = 50_000;

/// The rule of evidence about a module or a crate of the repository that the command does not find.
const RULE: &str = "own-module";

/// Longest manifest that is read, in bytes.
const MAX_MANIFEST: u64 = 1024 * 1024;

/// Longest lock file that is read, in bytes.
const MAX_LOCK: u64 = 16 * 1024 * 1024;

/// Returns the tool versions of the project's kind, one on each line; a missing tool is listed as
/// missing.
pub(super) fn tool_versions(world: &World<'_>) -> String {
    let mut lines = vec![format!("os: {} {}", std::env::consts::OS, std::env::consts::ARCH)];
    for argv in world.profile.kind.version_commands() {
        let words: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        let ran = run_tool(world, words, Vec::new());
        let text = ran.map(|(_, output)| output);
        let version =
            text.as_deref().map_or("not found", |it| it.lines().next().unwrap_or_default());
        lines.push(format!("{}: {version}", argv.join(" ")));
    }
    lines.join("\n")
}

/// Returns git's output for these arguments in the repository. Programs named in the repository's own
/// configuration do not run.
///
/// Output over 1 MiB is cut off. Fails with a sentence for the model if git cannot be started, ends with an
/// error, or takes more than 20 seconds.
pub(super) fn run_git(world: &World<'_>, words: &[String]) -> Result<String, String> {
    let safe =
        ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager"];
    let words = safe.iter().map(|word| (*word).to_owned()).chain(words.iter().cloned());
    let env = vec![("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned())];
    match run_tool(world, words.collect(), env) {
        Ok((End::Code(0) | End::TooMuchOutput, output)) => Ok(output),
        Ok(_) => Err("git prints nothing: this may be no git repository".to_owned()),
        Err(error) => Err(format!("git cannot be run: {error}")),
    }
}

/// Returns the path of a place without the folder of the repository, which some tools print.
fn path_from_root<'p>(world: &World<'_>, place: &'p Location) -> &'p str {
    let root = world.tree.root().to_str().unwrap_or_default();
    let below = place.path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
    below.unwrap_or(&place.path)
}

/// Runs a tool in the repository and returns its end and its output, which is cut off after 1 MiB.
///
/// A tool that takes more than 20 seconds is ended.
fn run_tool(
    world: &World<'_>,
    argv: Vec<String>,
    env: Vec<(String, String)>,
) -> io::Result<(End, String)> {
    let spec = CommandSpec {
        argv,
        cwd: world.tree.root().to_path_buf(),
        env,
        keep_env: Vec::new(),
        timeout: Duration::from_secs(20),
        max_output: 1024 * 1024,
        confinement: Some(world.confinement()),
    };
    let mut output = Vec::new();
    let end = world.system.process.run(&spec, &mut |bytes| output.extend_from_slice(bytes))?;
    Ok((end, String::from_utf8_lossy(&output).into_owned()))
}

/// Gives the failures of a command the class `environment` if all of them come from packages that are not installed or
/// from files that are not built, and a failure about packages the step for a broken lock file.
pub(super) fn recognize_unbuilt(
    world: &World<'_>,
    report: &FailureReport,
    triage: Triage,
) -> Triage {
    let broken = (triage.class == FailureClass::Dependency).then(|| find_broken_lock(world));
    if let Some(step) = broken.flatten() {
        return Triage { next_step: Some(step.into()), ..triage };
    }
    let manifest = RepoPath::parse("package.json").ok();
    let Some(manifest) = manifest.and_then(|path| world.tree.read(&path, MAX_MANIFEST).ok()) else {
        return triage;
    };
    let has_path = |path: &str| {
        let entry = RepoPath::parse(path).ok().and_then(|path| world.tree.entry(&path).ok());
        entry.is_some_and(|entry| entry != Entry::Missing)
    };
    let manifest = String::from_utf8_lossy(&manifest);
    let triage = triage_unbuilt(report, &manifest, &has_path).unwrap_or(triage);
    let own = own_packages::find_package_step(world, report, &triage);
    let step = own.or_else(|| find_install_step(&triage, &manifest, &has_path).map(Into::into));
    Triage { next_step: step.map(Into::into).or(triage.next_step), ..triage }
}

/// Returns the step for a lock file at the root with the markers of a merge, or with JSON that does not end.
pub(super) fn find_broken_lock(world: &World<'_>) -> Option<String> {
    let names = world.tree.list(None).unwrap_or_default();
    names.iter().filter(|name| is_lock_file(name)).find_map(|name| {
        let bytes = world.tree.read(&RepoPath::parse(name).ok()?, MAX_LOCK).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let what = if find_conflict(&text).is_some() {
            "has the markers of a merge conflict: take the version of one side"
        } else if matches!(name.rsplit_once('.'), Some((_, "json")))
            && serde_json::from_str::<IgnoredAny>(&text).is_err()
        {
            "is no valid JSON: take the last good version"
        } else {
            return None;
        };
        Some(format!("`{name}` {what}, let the package manager bring it up to date, and commit it"))
    })
}

/// Returns the output of a git command without line feeds at its end.
///
/// # Errors
///
/// Returns a sentence if the command fails.
pub(super) fn ask_git(world: &World<'_>, words: &[&str]) -> Result<String, String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    run_git(world, &words).map(|output| output.trim_end_matches('\n').to_owned())
}

/// Returns the commit of a branch or commit that the work is based on.
///
/// # Errors
///
/// Returns a sentence if the clone does not have it.
pub(super) fn find_commit(world: &World<'_>, base: &str) -> Result<String, String> {
    // The remote branch comes first: a local branch of the same name is often older.
    let commit = [format!("origin/{base}"), base.to_owned()].iter().find_map(|name| {
        let name = format!("{name}^{{commit}}");
        ask_git(world, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name]).ok()
    });
    // `rev-parse --quiet` may succeed with an empty answer.
    let commit = commit.filter(|commit| !commit.is_empty());
    commit.ok_or_else(|| "this clone does not have it; fetch it first".to_owned())
}

/// Returns what the working tree changes since it left the base, as a diff.
///
/// # Errors
///
/// Returns a sentence if the clone does not have the base, or git cannot compare.
pub(super) fn diff_of_work(world: &World<'_>, base: &str) -> Result<String, String> {
    let commit = find_commit(world, base)?;
    ask_git(
        world,
        &["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--merge-base", &commit],
    )
}
