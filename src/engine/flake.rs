//! Proves the fix of a flaky test: as many runs as a change without an effect would hardly pass.

use super::check_log::CheckLog;
use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::known_failure::KnownFailure;
use super::run::Run;
use super::run_check::check;
use super::state::StepEvent;
use papayu_base::domain::FailureClass;
use papayu_base::domain::outcome::FlakeRecord;

/// Most probability with which an unfixed test may pass all runs: 5 %.
const MAX_CHANCE: f64 = 0.05;

/// Returns whether the failure is a flake that the run may fix: it failed, then passed with
/// nothing changed, and `prove_runs` is not 0.
pub(super) fn is_flake(
    inputs: &EngineInputs<'_>,
    failure: &KnownFailure,
    checks: &CheckLog,
) -> bool {
    inputs.config.prove_runs > 0
        && failure.triage.class == FailureClass::TestFlake
        // A pass with nothing changed shows the flake; a failure in every re-run shows none.
        && checks.has_passing_rerun()
}

/// Returns the estimated share of failing runs, between 0 and 1.
///
/// The first run is not counted, because only its failure started the work and would bias the
/// estimate. Without a failure among `n` re-runs, the rate is taken as 1 in `n + 1`.
fn failure_rate(reruns: u32, failures: u32) -> f64 {
    if failures == 0 {
        1.0 / f64::from(reruns + 1)
    } else {
        f64::from(failures) / f64::from(reruns)
    }
}

/// Returns the number of passing runs after which a test that fails at this rate would have
/// failed with a probability of 95 %. A rate of 0.5 needs 5 runs, 0.1 needs 29; at most 1,000.
fn needed_runs(rate: f64) -> u32 {
    // A rate of 0 never reaches the limit, so the loop is bounded.
    let mut chance = 1.0;
    for runs in 1..=1_000 {
        chance *= 1.0 - rate;
        if chance <= MAX_CHANCE {
            return runs;
        }
    }
    1_000
}

/// Runs the command with the change in place until the fix of a flake is proved or a run fails.
///
/// The run of `CheckAfter` passed and counts as the first. `prove_runs` limits the number; the
/// record then shows that more runs would be needed.
///
/// # Errors
///
/// Returns [`Fatal`] if the command cannot be started.
pub(super) fn prove(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    let reruns = u32::try_from(run.checks.reruns.len()).unwrap_or(u32::MAX - 1);
    let failures = run.checks.reruns.iter().filter(|it| it.exit_code != Some(0)).count();
    let failures = u32::try_from(failures).unwrap_or(u32::MAX);
    let rate = failure_rate(reruns, failures);
    let needed = needed_runs(rate);
    // The setting limits the cost; the record shows if it was too low for the proof.
    let wanted = needed.min(run.inputs.config.prove_runs);
    let mut record = FlakeRecord { reruns, failures, needed, passed: 1, chance: 1.0 - rate };
    while record.passed < wanted {
        let checked = check(run, Some("again to prove the fix of a flaky failure"))?;
        match checked.event() {
            StepEvent::CheckGreen => {
                record.passed += 1;
                record.chance *= 1.0 - rate;
            }
            StepEvent::CheckRed => {
                let fact = format!(
                    "it failed in run {} of {wanted} with the change in place",
                    record.passed + 1
                );
                run.assessment.failure_after = format!("{fact}\n{}", checked.report.excerpt);
                run.assessment.contradictions.push(fact);
                run.checks.confirmed.flake = Some(record);
                return Ok(StepEvent::CheckRed);
            }
            event => return Ok(event),
        }
    }
    run.checks.confirmed.flake = Some(record);
    Ok(StepEvent::CheckGreen)
}

/// Returns the sentence about the proof in the reason of the outcome, with the probability that
/// the test only passed by chance.
pub(super) fn describe(record: &FlakeRecord) -> String {
    let FlakeRecord { reruns, failures, needed, passed, chance } = record;
    let share = chance * 100.0;
    let text = format!(
        "it failed in {failures} of {reruns} re-runs before and passes {passed} times in a row now, which a change \
         without an effect does with a probability of {share:.0} %"
    );
    if passed < needed {
        return format!("{text}; {needed} runs would be needed for 5 % (`--prove-runs`)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_runs_gives_a_power_of_95_percent() {
        for (reruns, failures, expected) in
            [(2, 1, 5), (10, 1, 29), (10, 5, 5), (4, 4, 1), (1, 0, 5), (19, 0, 59)]
        {
            let rate = failure_rate(reruns, failures);
            let needed = needed_runs(rate);
            assert_eq!(needed, expected, "{failures} of {reruns}");
            assert!((1.0 - rate).powi(i32::try_from(needed).unwrap()) <= MAX_CHANCE);
        }
    }

    #[test]
    fn the_reason_states_what_the_cap_left_out() {
        let record = FlakeRecord { reruns: 10, failures: 1, needed: 29, passed: 5, chance: 0.59 };
        let text = describe(&record);
        assert!(
            text.contains("1 of 10 re-runs") && text.contains("29 runs would be needed"),
            "{text}"
        );
    }
}
