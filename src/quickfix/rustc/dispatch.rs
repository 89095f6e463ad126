//! Asks cargo and turns its errors into findings.

use super::super::diagnostic_context::{DiagnosticContext, count_errors};
use super::super::findings::Findings;
use super::super::tool_context::{Interrupted, ToolContext};
use super::choose::{choose, describe};
use super::command::{CargoCommand, check_everything, derive};
use super::locate::locate_all;
use super::message::{CompilerError, MessageReader};
use crate::domain::RepoPath;
use crate::system::Entry;

/// Runs the cargo commands that the user's command contains, up to the first that fails, and returns the fixes;
/// `None` if there is no cargo project. A tool that cannot run is no error: the account names it.
pub(in crate::quickfix) fn find_fixes(
    tools: &ToolContext<'_>,
) -> Result<Option<Findings>, Interrupted> {
    let commands = match commands(tools) {
        Ok(commands) if commands.is_empty() => return Ok(None),
        Ok(commands) => commands,
        Err(account) => {
            return Ok(Some(Findings::silent(account.to_owned())));
        }
    };
    let context = DiagnosticContext::new(tools);
    let mut account = String::new();
    for command in &commands {
        let answer = ask_cargo(&context, command)?;
        account = answer.account;
        if !answer.errors.is_empty() {
            return Ok(Some(fix_errors(context, &answer.errors, account)));
        }
    }
    Ok(Some(Findings::silent(account)))
}

/// Returns the commands to run: those derived from the user's command, else `cargo check` if the
/// root has a `Cargo.toml`. Err is the reason why cargo is not run.
fn commands(tools: &ToolContext<'_>) -> Result<Vec<CargoCommand>, &'static str> {
    let derived = tools.config.run.as_deref().map(derive).unwrap_or_default();
    if !derived.is_empty() {
        return Ok(derived);
    }
    let is_file = |name| {
        let entry = RepoPath::parse(name).ok().map(|path| tools.tree.entry(&path));
        matches!(entry, Some(Ok(Entry::File { .. })))
    };
    if !is_file("Cargo.toml") {
        Ok(Vec::new())
    } else if !is_file("Cargo.lock") {
        Err("there is no `Cargo.lock`, and asking cargo would write one")
    } else {
        Ok(vec![check_everything()])
    }
}

struct Answer {
    errors: Vec<CompilerError>,
    account: String,
}

/// Runs cargo with `--message-format=json` and reads its errors as they come.
fn ask_cargo(
    context: &DiagnosticContext<'_>,
    command: &CargoCommand,
) -> Result<Answer, Interrupted> {
    let Some(tool) = command.checked(context.tools) else {
        let account =
            "cargo is not asked with arguments that it would not be safe to pass on".to_owned();
        return Ok(Answer { errors: Vec::new(), account });
    };
    let mut reader = MessageReader::default();
    let ended = context.stream_tool(&tool, &mut |bytes| reader.take(bytes))?;
    let errors = reader.finish();
    let account = match ended {
        Err(account) => account,
        Ok(exit) if errors.is_empty() => {
            format!("{} reports no compiler error (exit {exit})", tool.shown())
        }
        Ok(_) => count_errors(&tool.shown(), errors.len()),
    };
    Ok(Answer { errors, account })
}

/// Returns the fixes and hints for the errors. An error that the compiler reports for several
/// targets has one fix.
fn fix_errors(
    mut context: DiagnosticContext<'_>,
    errors: &[CompilerError],
    account: String,
) -> Findings {
    let mut proposals = Vec::new();
    for error in errors {
        match choose(error) {
            Some(proposal) => proposals.push(proposal),
            None => context.add_hint(describe(error)),
        }
    }
    locate_all(&mut context, &proposals);
    context.into_findings(account)
}
