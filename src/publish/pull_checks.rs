//! Waits for the checks of a pull request, and names those that never ran.

use std::time::Duration;

use papayu_base::domain::outcome::{PullCheck, PullChecks};
use papayu_forge::{CheckConclusion, CommitCheck, Forge, ForgeError};
use papayu_system::Clock;

/// The pause between two looks.
const PAUSE: Duration = Duration::from_secs(10);
/// The longest wait for a first check: a forge creates them soon after the push.
const NONE_LIMIT: Duration = Duration::from_mins(2);

/// Waits until the checks of a commit have ended or wait for a person, and no longer than `limit`.
///
/// # Errors
///
/// Those of the forge.
pub fn wait_for_checks(
    forge: &dyn Forge,
    clock: &dyn Clock,
    commit: &str,
    limit: Duration,
) -> Result<PullChecks, ForgeError> {
    let started = clock.elapsed();
    loop {
        let checks = forge.commit_checks(commit)?;
        let state = judge_checks(&checks);
        let limit = if checks.is_empty() { limit.min(NONE_LIMIT) } else { limit };
        let left = limit.saturating_sub(clock.elapsed().saturating_sub(started));
        let is_open = checks.is_empty() || has(&checks, CheckConclusion::Pending);
        if !is_open || left.is_zero() || !clock.sleep(PAUSE.min(left)) {
            let entry = |check: &CommitCheck| PullCheck {
                name: check.name.clone(),
                conclusion: check.conclusion.name().to_owned(),
            };
            let checks = checks.iter().map(entry).collect();
            return Ok(PullChecks { state: state.to_owned(), checks });
        }
    }
}

/// Returns true when checks ran and none of them failed, waits or was left out by a person's decision.
pub fn are_green(checks: &[CommitCheck]) -> bool {
    use CheckConclusion::{ActionRequired, Failure, Pending, Success};
    has(checks, Success)
        && ![Failure, Pending, ActionRequired].into_iter().any(|it| has(checks, it))
}

/// Returns the state of all checks in one word. Only a check that passed makes `success`: a skipped, neutral or
/// waiting one proves nothing.
fn judge_checks(checks: &[CommitCheck]) -> &'static str {
    use CheckConclusion::{ActionRequired, Failure, Neutral, Pending, Skipped, Success};
    let order = [Failure, Pending, ActionRequired, Success, Neutral, Skipped];
    let worst = order.into_iter().find(|conclusion| has(checks, *conclusion));
    worst.map_or("none", CheckConclusion::name)
}

fn has(checks: &[CommitCheck], wanted: CheckConclusion) -> bool {
    checks.iter().any(|check| check.conclusion == wanted)
}

/// Returns a sentence about checks that are no pass; `None` if they are one.
pub fn describe_checks(found: &PullChecks) -> Option<String> {
    let of_state = found.checks.iter().filter(|check| check.conclusion == found.state);
    let names: Vec<String> = of_state.take(5).map(|check| format!("`{}`", check.name)).collect();
    let names = names.join(", ");
    Some(match found.state.as_str() {
        "success" => return None,
        "none" => "no check ran for the pull request, so nothing shows that it passes".to_owned(),
        "action_required" => {
            format!("checks of the pull request run only after a person approves them: {names}")
        }
        "pending" => format!("checks of the pull request have not ended: {names}"),
        "failure" => format!("checks of the pull request failed: {names}"),
        state => format!("no check of the pull request passed; these are {state}: {names}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(conclusions: &[CheckConclusion]) -> &'static str {
        let check = |conclusion: &CheckConclusion| CommitCheck {
            name: "test".to_owned(),
            conclusion: *conclusion,
        };
        judge_checks(&conclusions.iter().map(check).collect::<Vec<_>>())
    }

    #[test]
    fn only_a_check_that_passed_is_a_pass() {
        use CheckConclusion::{ActionRequired, Failure, Neutral, Pending, Skipped, Success};
        for (conclusions, expected) in [
            (&[][..], "none"),
            (&[Skipped], "skipped"),
            (&[Neutral, Skipped], "neutral"),
            (&[Success, Skipped, Neutral], "success"),
            (&[Success, ActionRequired], "action_required"),
            (&[Success, Pending, ActionRequired], "pending"),
            (&[Success, Failure, Pending], "failure"),
        ] {
            assert_eq!(judged(conclusions), expected, "{conclusions:?}");
        }
    }

    #[test]
    fn every_state_but_a_pass_is_put_into_words() {
        for state in ["none", "action_required", "pending", "failure", "skipped", "neutral"] {
            let check = PullCheck { name: "a".to_owned(), conclusion: state.to_owned() };
            let found = PullChecks { state: state.to_owned(), checks: vec![check] };
            assert!(describe_checks(&found).is_some_and(|it| !it.contains("pass:")), "{state}");
        }
        let found = PullChecks { state: "success".to_owned(), checks: Vec::new() };
        assert_eq!(describe_checks(&found), None);
    }
}
