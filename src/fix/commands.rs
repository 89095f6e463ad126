//! Chooses the command that proves a fix, and those that a fix must not make worse.

use super::input::detected_command;
use super::session::Session;
use crate::engine::{CheckCommand, Guard, GuardKind};
use crate::project::{self, TestCommand};
use papayu_base::domain::{Event, EventName, EventSink};

/// Returns the command that proves a fix: that of the settings, else the planned one, else the test command of the
/// project, which an event names; `None` if the project shows none.
pub(crate) fn choose_command(
    session: &Session,
    planned: Option<String>,
    events: &dyn EventSink,
) -> Option<CheckCommand> {
    let named = session.settings.run_command.value.clone();
    if let Some(command) = named.or(planned) {
        return Some(CheckCommand { command, by_user: true });
    }
    let TestCommand { command, found_in } = detected_command(session.tree.as_ref())?;
    let text = format!("using `{command}`, found by `{found_in}`; `--run` names another");
    events.emit(Event::new(EventName::Notice).with("text", text));
    Some(CheckCommand { command, by_user: false })
}

/// Returns the commands that a fix must not make worse.
pub(super) fn find_guards(session: &Session, check: Option<&CheckCommand>) -> Vec<Guard> {
    let named = session.settings.run_guard.value.as_deref().map(str::trim);
    let guard = |command: String, kind| Guard { command, kind };
    match (named, check) {
        (Some("off"), _) | (None | Some(""), None) => Vec::new(),
        (None | Some(""), Some(check)) => {
            let whole = project::widen_command(&check.command);
            let types = project::find_type_check(session.tree.as_ref(), &check.command);
            let whole = whole.map(|command| guard(command, GuardKind::WholeCheck));
            let types = types.map(|command| guard(command, GuardKind::TypeCheck));
            whole.into_iter().chain(types).collect()
        }
        (Some(command), _) => vec![guard(command.to_owned(), GuardKind::Named)],
    }
}
