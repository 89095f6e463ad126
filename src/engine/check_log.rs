//! The runs of the user's command, and the result of the last one.

use std::collections::BTreeMap;

use papayu_base::domain::outcome::{
    CheckRecord, FlakeRecord, GuardRecord, ProofLevel, ProofTests, ReviewFlag, VerifyRecord,
};
use papayu_base::domain::{FailureReport, Judgement, RepoPath};
use papayu_logs::test_results::TestResults;
use papayu_patch::prompts::AttemptEnd;

/// The runs of the command so far, and what they show about the command.
#[derive(Default)]
pub(super) struct CheckLog {
    /// Names at the root before the command ran.
    pub(super) root_names: Vec<String>,
    /// The commands of the preparation.
    pub(super) setup: Vec<CheckRecord>,
    /// The manifests and lock files that changes touch, as they were at the last installation; `None` for a missing one.
    pub(super) installed: BTreeMap<RepoPath, Option<Vec<u8>>>,
    /// `true` if the preparation failed.
    pub(super) is_unprepared: bool,
    /// The run of the command before any change.
    pub(super) before: Option<CheckRecord>,
    /// `true` if the command passed before any change, with tests and without failures in its output.
    pub(super) is_green: bool,
    /// The tests that ran before any change.
    pub(super) tests_before: Option<TestResults>,
    /// The command again, with nothing changed.
    pub(super) reruns: Vec<CheckRecord>,
    /// The reason why the failure was not compared with the base commit.
    pub(super) base_note: Option<String>,
    /// The control run before a model was asked.
    pub(super) control: Option<CheckRecord>,
    /// `true` if the command gives the same results without the network, and runs without it from now on.
    pub(super) is_offline: bool,
    /// The last run of the command on a change.
    pub(super) after: Option<CheckRecord>,
    /// The runs that confirm a fix.
    pub(super) confirmed: Confirmation,
}

/// The runs that confirm a fix.
#[derive(Default)]
pub(super) struct Confirmation {
    /// The command on the new and then on the old tree.
    pub(super) repeated: Vec<CheckRecord>,
    /// The guard on the old and the new tree.
    pub(super) guard: Option<GuardRecord>,
    /// The guards that were not compared, a sentence each.
    pub(super) not_compared: Vec<String>,
    /// The type checker of the project on the old and the new tree.
    pub(super) type_check: Option<GuardRecord>,
    /// The runs that prove the fix of a flaky test.
    pub(super) flake: Option<FlakeRecord>,
    /// Why the command cannot prove a fix, as the rest of a sentence about it.
    pub(super) unreliable: Option<String>,
}

/// The result of the check of the last change.
#[derive(Default)]
pub(super) struct Assessment {
    /// The level of proof that the last success reached.
    pub(super) proof: ProofLevel,
    /// The tests that the last success ran with.
    pub(super) proof_tests: ProofTests,
    /// The results of the last success, as a part of a sentence.
    pub(super) evidence: String,
    /// Places of the last change that a person should read.
    pub(super) review_flags: Vec<ReviewFlag>,
    /// Places of the last change that are worth a look and change no result.
    pub(super) review_notes: Vec<ReviewFlag>,
    /// The second opinion on the last change that passed.
    pub(super) judge: Option<Judgement>,
    /// The packet that it was judged by; empty for a change that did not pass.
    pub(super) judge_packet: String,
    /// Facts of the command's output that contradict its exit code 0.
    pub(super) contradictions: Vec<String>,
    /// The next step if the first of them is about the command and not about the change.
    pub(super) hint: Option<&'static str>,
    /// The end of the last check after a change, for the next attempt.
    pub(super) end: AttemptEnd,
    /// Output of the last check after a change, for the next attempt.
    pub(super) failure_after: String,
    /// Report of the last check after a change.
    pub(super) report_after: Option<FailureReport>,
}

impl Assessment {
    /// Removes the results of the attempt before, which must not count for the next one.
    pub(super) fn begin_attempt(&mut self) {
        self.end = AttemptEnd::NoHelp;
        self.contradictions.clear();
        self.hint = None;
        self.review_flags.clear();
        self.review_notes.clear();
        self.judge = None;
        self.judge_packet.clear();
    }
}

impl CheckLog {
    /// Returns the record of the runs.
    pub(super) fn record(&self) -> VerifyRecord {
        VerifyRecord {
            setup: self.setup.clone(),
            before: self.before.clone(),
            after: self.after.clone(),
            control: self.control.clone(),
            repeated: self.confirmed.repeated.clone(),
            guard: self.confirmed.guard.clone(),
            type_check: self.confirmed.type_check.clone(),
            flake: self.confirmed.flake.clone(),
            ..VerifyRecord::default()
        }
    }

    /// Returns `true` if the command failed before any change.
    pub(super) fn was_red(&self) -> bool {
        self.before.as_ref().is_some_and(|before| before.exit_code != Some(0))
    }

    /// Returns `true` if a run with nothing changed passed, so that the failure is a flake.
    pub(super) fn has_passing_rerun(&self) -> bool {
        self.reruns.iter().any(|it| it.exit_code == Some(0))
    }
}
