//! Asks cargo and turns its errors into findings.

use super::super::diagnostic_context::{
    DiagnosticContext, RuleDecision, Spot, ToolOutput, count_errors,
};
use super::super::findings::{ToolFindings, ToolFix};
use super::super::packages::{is_later_name, list_moved};
use super::super::tool_context::{NoResult, ToolContext};
use super::choose::{RustcProposal, choose, describe, describe_unfixed, is_misspelling};
use super::command::{CargoCommand, check_everything, derive};
use super::locate::{find_file, locate_all};
use super::message::{CompilerError, read_errors};
use super::module::correct_module;

/// Runs the cargo commands that the user's command contains, up to the first that fails, and returns the fixes.
/// A tool that cannot run is no error: the account names it.
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let commands = commands(tools)?;
    let context = DiagnosticContext::new(tools);
    let mut account = String::new();
    for command in &commands {
        let answer = ask_cargo(&context, command)?;
        account = answer.account;
        // The commands after the first that fails did not run in the failing build, joined by `&&`.
        if !answer.errors.is_empty() {
            return Ok(fix_errors(context, &answer.errors, account));
        }
    }
    Err(NoResult::Silent(account))
}

/// Returns the commands to run: those derived from the user's command, else `cargo check` if the
/// root has a `Cargo.toml`.
fn commands(tools: &ToolContext<'_>) -> Result<Vec<CargoCommand>, NoResult> {
    let derived = tools.config.run.as_deref().map(derive).unwrap_or_default();
    if !derived.is_empty() {
        return Ok(derived);
    }
    if !tools.is_own_file("Cargo.toml") {
        Err(NoResult::Unconcerned)
    } else if !tools.is_own_file("Cargo.lock") {
        let account = "there is no `Cargo.lock`, and asking cargo would write one";
        Err(NoResult::Silent(account.to_owned()))
    } else {
        Ok(vec![check_everything()])
    }
}

struct CompilerAnswer {
    errors: Vec<CompilerError>,
    account: String,
}

/// Runs cargo with `--message-format=json` and reads its errors as they come.
fn ask_cargo(
    context: &DiagnosticContext<'_>,
    command: &CargoCommand,
) -> Result<CompilerAnswer, NoResult> {
    let Some(tool) = command.checked(context.tools) else {
        let account =
            "cargo is not asked with arguments that it would not be safe to pass on".to_owned();
        return Ok(CompilerAnswer { errors: Vec::new(), account });
    };
    let ToolOutput { bytes, ended } = context.run_to_end(&tool);
    let errors = read_errors(&bytes);
    let account = match ended {
        // The errors that it printed before the time was over count.
        Err(NoResult::Silent(account)) => account,
        Err(other) => return Err(other),
        Ok(exit) if errors.is_empty() => {
            format!("{} reports no compiler error (exit {exit})", tool.shown())
        }
        Ok(_) => count_errors(&tool.shown(), errors.len()),
    };
    Ok(CompilerAnswer { errors, account })
}

/// Returns the fixes and hints for the errors. An error that the compiler reports for several
/// targets has one fix.
fn fix_errors(
    mut context: DiagnosticContext<'_>,
    errors: &[CompilerError],
    account: String,
) -> ToolFindings {
    let mut proposals = Vec::new();
    for error in errors {
        let chosen = choose(error, is_misspelling);
        let chosen = chosen.or_else(|| choose_later_name(&mut context, error));
        match (chosen, correct_module(&mut context, error)) {
            (Some(proposal), _) => proposals.push(proposal),
            (None, Some(RuleDecision::Fix(edits))) => {
                context.add_fix(ToolFix { note: describe(error), edits });
            }
            (None, _) => context.add_hint(describe_unfixed(error)),
        }
    }
    drop_double_imports(&mut proposals);
    locate_all(&mut context, &proposals);
    context.into_findings(account)
}

/// Returns the suggestion of what became of a name of a package that moved.
fn choose_later_name(
    context: &mut DiagnosticContext<'_>,
    error: &CompilerError,
) -> Option<RustcProposal> {
    let proposal = choose(error, is_later_name)?;
    let path = find_file(context, &proposal)?;
    let source = context.read(&path).ok()?;
    let (line, column) = (u32::try_from(proposal.at.0).ok()?, None);
    let spot = Spot { path, source, line, column };
    (!list_moved(context.tools, &spot).is_empty()).then_some(proposal)
}

/// Drops the import of a name if its misspelt import is corrected as well.
fn drop_double_imports(proposals: &mut Vec<RustcProposal>) {
    let corrected: Vec<String> = proposals
        .iter()
        .flat_map(|proposal| &proposal.edits)
        .filter(|edit| edit.replacement.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .map(|edit| edit.replacement.clone())
        .collect();
    proposals.retain(|proposal| {
        let imported = |written: &str| {
            let path = written.trim().strip_prefix("use ").and_then(|it| it.strip_suffix(';'));
            path.and_then(|path| path.rsplit("::").next()).map(str::to_owned)
        };
        let mut names = proposal.edits.iter().filter_map(|edit| imported(&edit.replacement));
        !names.any(|name| corrected.contains(&name))
    });
}
