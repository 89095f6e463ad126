//! Asks cargo and turns its errors into findings.

use std::time::Duration;

use super::super::findings::Findings;
use super::super::probe::{Interrupted, Probe};
use super::choose::{choose, describe};
use super::command::{CargoCommand, check_everything, derive};
use super::locate::{Sources, locate};
use super::message::{CompilerError, MessageReader};
use crate::domain::RepoPath;
use crate::system::{CommandSpec, End, Entry};

/// Files of one repository that are looked through, at most.
const MAX_FILES: usize = 200_000;

/// Runs the cargo commands that the user's command contains, up to the first that fails, and
/// returns what can be fixed; `None` where there is no cargo project. A tool that cannot be asked is no
/// error: the account says so.
pub(in crate::quickfix) fn look(probe: &Probe<'_>) -> Result<Option<Findings>, Interrupted> {
    let commands = match commands(probe) {
        Ok(commands) if commands.is_empty() => return Ok(None),
        Ok(commands) => commands,
        Err(account) => {
            return Ok(Some(Findings { account: account.to_owned(), ..Findings::default() }));
        }
    };
    let began = probe.system.clock.elapsed();
    let mut account = String::new();
    for command in &commands {
        let spent = probe.system.clock.elapsed().saturating_sub(began);
        let answer = ask(probe, command, probe.time_limit.saturating_sub(spent))?;
        account = answer.account;
        if !answer.errors.is_empty() {
            return Ok(Some(fix(probe, &answer.errors, account)));
        }
    }
    Ok(Some(Findings { account, ..Findings::default() }))
}

fn commands(probe: &Probe<'_>) -> Result<Vec<CargoCommand>, &'static str> {
    let derived = probe.config.run.as_deref().map(derive).unwrap_or_default();
    if !derived.is_empty() {
        return Ok(derived);
    }
    let stands = |name| {
        let entry = RepoPath::parse(name).ok().map(|path| probe.tree.entry(&path));
        matches!(entry, Some(Ok(Entry::File { .. })))
    };
    if !stands("Cargo.toml") {
        Ok(Vec::new())
    } else if !stands("Cargo.lock") {
        Err("there is no `Cargo.lock`, and asking cargo would write one")
    } else {
        Ok(vec![check_everything()])
    }
}

struct Answer {
    errors: Vec<CompilerError>,
    account: String,
}

fn ask(
    probe: &Probe<'_>,
    command: &CargoCommand,
    time_limit: Duration,
) -> Result<Answer, Interrupted> {
    let spec = CommandSpec {
        argv: command.argv.clone(),
        cwd: probe.tree.root().join(&command.folder),
        env: command.env.clone(),
        keep_env: probe.config.keep_env.clone(),
        timeout: time_limit,
        max_output: probe.config.max_output,
    };
    let mut reader = MessageReader::default();
    let end = probe.system.process.run(&spec, &mut |bytes| reader.take(bytes));
    let errors = reader.finish();
    let shown = command.argv.join(" ");
    let account = match end {
        Err(error) => format!("`{shown}` could not be started: {error}"),
        Ok(End::Interrupted) => return Err(Interrupted),
        Ok(End::TimedOut) => format!("`{shown}` did not end within {} s", time_limit.as_secs()),
        Ok(End::TooMuchOutput) => format!("`{shown}` printed too much"),
        Ok(End::Signal(signal)) => format!("`{shown}` was ended by signal {signal}"),
        Ok(End::Code(code)) if errors.is_empty() => {
            format!("`{shown}` reports no compiler error (exit {code})")
        }
        Ok(End::Code(_)) => format!(
            "`{shown}` reports {} {}",
            errors.len(),
            if errors.len() == 1 { "error" } else { "errors" }
        ),
    };
    Ok(Answer { errors, account })
}

fn fix(probe: &Probe<'_>, errors: &[CompilerError], account: String) -> Findings {
    let (mut proposals, mut unfixed) = (Vec::new(), Vec::new());
    for error in errors {
        match choose(error) {
            Some(proposal) => proposals.push(proposal),
            None => unfixed.push(describe(error)),
        }
    }
    if proposals.is_empty() {
        return Findings { unfixed, account, ..Findings::default() };
    }
    // An unreadable repository has no file that may be changed; each proposal then says so.
    let files = probe.system.disk.walk(probe.tree.root(), MAX_FILES).unwrap_or_default();
    let located = locate(&Sources { probe, files }, &proposals);
    unfixed.extend(located.left_out);
    Findings { texts: located.texts, fixes: located.fixes, unfixed, account }
}
