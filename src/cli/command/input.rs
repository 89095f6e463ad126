//! Turns arguments and settings into the plain values that a run takes.

use crate::cli::args::GoalArgs;
use crate::fix::{FixError, Input, LogSource, Session, text_within};
use papayu_base::domain::Goal;

/// Reads the goal file, and builds the input of a run.
///
/// Fails with [`FixError::Read`] if the goal file cannot be read or is longer than 1 MiB, and with
/// [`FixError::EmptyGoal`] if the goal has only blanks. Logs and reports are not opened yet.
pub(super) fn read_input(args: &GoalArgs, session: &Session) -> Result<Input, FixError> {
    let words = match (&args.goal, &args.goal_file) {
        (Some(words), _) => Some(words.clone()),
        (None, Some(path)) => {
            let wait = session.settings.run_timeout_sec.value;
            Some(text_within(&session.disk, path, wait)?)
        }
        (None, None) => None,
    };
    let goal = match words {
        Some(words) if words.trim().is_empty() => return Err(FixError::EmptyGoal),
        words => words.map(|words| Goal::parse(&words)),
    };
    let logs = args.log.iter().cloned().map(LogSource::from).collect();
    let (ci_run, issue) = (args.ci_run, args.issue);
    let of_issue = |number| Goal::parse(&format!("Resolve issue {number}, quoted as ISSUE"));
    let goal = goal.or_else(|| issue.map(of_issue));
    let sarif = args.sarif.iter().map(|path| path.display().to_string());
    let reports: Vec<String> = args.junit.iter().cloned().chain(sarif).collect();
    let green_log = args.green_log.clone();
    Ok(Input { goal, logs, green_log, reports, ci_run, issue, finding: None })
}
