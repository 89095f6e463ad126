//! Chooses the command that proves a fix, those that a fix must not make worse, and those that run before it.

use std::path::PathBuf;

use super::delivery::variable;
use super::input::detected_command;
use super::session::Session;
use crate::engine::{CheckCommand, EngineConfig, Guard, GuardKind, SetupPlan, SetupStep};
use crate::project::{self, TestCommand, find_installations};
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

/// The word for the usual installation of the project's kind.
const AUTO: &str = "auto";

/// Adds the preparation to the configuration of a run, and the variables with which its command finds what is installed.
pub(super) fn plan_setup(session: &Session, config: &mut EngineConfig, command: Option<&str>) {
    let settings = &session.settings;
    let mut steps = Vec::new();
    for wanted in &settings.run_setup.value {
        if wanted.trim() == AUTO {
            let found = find_installations(session.tree.as_ref(), command.unwrap_or_default());
            steps.extend(found.into_iter().map(SetupStep::Usual));
        } else {
            steps.push(SetupStep::Command(wanted.clone()));
        }
    }
    let path = variable(session, "PATH").unwrap_or_default();
    for step in &steps {
        let SetupStep::Usual(installation) = step else { continue };
        let variables = installation.variables.iter();
        let resolved = variables.map(|it| it.resolve(session.tree.root(), &path));
        config.verify.variables.extend(resolved);
    }
    let home = variable(session, "HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let timeout = settings.run_setup_timeout_sec.value;
    config.setup = SetupPlan { steps, home, timeout };
}
