//! Runs the project's own compiler where a test runner failed on files that it checks.

use super::super::ground::counted;
use super::super::probe::{Interrupted, Probe};
use crate::domain::{Failure, RepoPath};
use crate::failure::{Limits, LogReader};
use crate::system::{CommandSpec, End, Entry};

const TSC: &str = "node_modules/.bin/tsc";

/// Returns the compiler's errors, from the report or from a run of its own, and a word on how it went;
/// `None` where TypeScript has no part in the failure.
pub(super) fn errors(probe: &Probe<'_>) -> Result<Option<(Vec<Failure>, String)>, Interrupted> {
    let said: Vec<Failure> = of_compiler(&probe.report.failures);
    if !said.is_empty() {
        let account = counted("tsc", said.len());
        return Ok(Some((said, account)));
    }
    let is_script =
        |path: &str| [".ts", ".tsx", ".mts", ".cts"].iter().any(|it| path.ends_with(it));
    let node = probe.report.failures.iter().filter(|failure| failure.toolchain == "node");
    let in_script = node.flat_map(|failure| &failure.locations).any(|at| is_script(&at.path));
    if !in_script || !stands(probe, "tsconfig.json") || !exists(probe, TSC) {
        return Ok(None);
    }
    run(probe).map(Some)
}

fn of_compiler(failures: &[Failure]) -> Vec<Failure> {
    failures.iter().filter(|failure| failure.toolchain == "typescript").cloned().collect()
}

fn run(probe: &Probe<'_>) -> Result<(Vec<Failure>, String), Interrupted> {
    let words = [TSC, "--noEmit", "--pretty", "false", "--incremental", "false"];
    let root = probe.tree.root();
    let mut argv = words.map(str::to_owned).to_vec();
    if let Some(program) = argv.first_mut() {
        *program = root.join(TSC).to_string_lossy().into_owned();
    }
    let spec = CommandSpec {
        argv,
        cwd: root.to_owned(),
        env: Vec::new(),
        keep_env: probe.config.keep_env.clone(),
        timeout: probe.time_limit,
        max_output: probe.config.max_output,
    };
    let mut reader = LogReader::new(Limits { excerpt_chars: 0 });
    let end = probe.system.process.run(&spec, &mut |bytes| reader.push(bytes));
    let errors = of_compiler(&reader.finish().failures);
    let shown = words.join(" ");
    let account = match end {
        Ok(End::Interrupted) => return Err(Interrupted),
        Ok(End::Code(_)) => counted(&format!("`{shown}`"), errors.len()),
        Ok(_) => format!("`{shown}` did not end by itself"),
        Err(error) => format!("`{shown}` could not be started: {error}"),
    };
    Ok((errors, account))
}

fn stands(probe: &Probe<'_>, name: &str) -> bool {
    let entry = RepoPath::parse(name).ok().map(|path| probe.tree.entry(&path));
    matches!(entry, Some(Ok(Entry::File { .. })))
}

/// npm makes links of the programs, and pnpm and workspaces of whole folders.
fn exists(probe: &Probe<'_>, name: &str) -> bool {
    probe.system.disk.is_file(&probe.tree.root().join(name))
}
