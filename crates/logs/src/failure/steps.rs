//! Knows the lines at which CI systems begin and end a step, so that cleanup after a failed step decides nothing.

use std::sync::LazyLock;

use papayu_base::text::Pattern;

/// The meaning of a line for the steps of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepMark {
    /// A step or a job begins.
    Start,
    /// A command begins, which may also be one of the cleanup.
    Command,
    /// A step failed.
    End,
    /// Only cleanup follows.
    Cleanup,
}

/// The part of a job that a line belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepState {
    /// No step has failed yet, or another one has begun.
    #[default]
    Running,
    /// The step has failed, and no other one has begun.
    Ended,
    /// The job cleans up.
    Cleanup,
}

/// A form of line: its possible beginnings, its pattern, and its meaning.
type StepForm = (&'static [&'static str], &'static str, StepMark);

/// The forms of CI systems. Lines have the marks of GitHub and Azure, such as `##[error]`.
const FORMS: &[StepForm] = &[
    // GitHub
    (&["##[group]Run "], r"^##\[group\]Run ", StepMark::Start),
    (
        &["##[error]Process completed", "Error: Process completed"],
        r"^(?:##\[error\]|Error: )Process completed with exit code -?[1-9]",
        StepMark::End,
    ),
    (&["Post job cleanup."], r"^Post job cleanup\.$", StepMark::Cleanup),
    // GitLab
    (&["Running with gitlab-runner"], r"^Running with gitlab-runner ", StepMark::Start),
    (&["Running after"], r"^Running after(?:_?script$| script)", StepMark::Cleanup),
    (
        &["Cleaning up "],
        r"^Cleaning up (?:project directory and )?file based variables",
        StepMark::Cleanup,
    ),
    (
        &["Uploading artifacts for", "Saving cache for"],
        r"^(?:Uploading artifacts|Saving cache) for failed job",
        StepMark::Cleanup,
    ),
    (&["ERROR: Job failed"], r"^ERROR: Job failed", StepMark::End),
    // Azure
    (&["##[section]Starting: "], r"^##\[section\]Starting: ", StepMark::Start),
    (&["##[section]Finishing: "], r"^##\[section\]Finishing: ", StepMark::End),
    (
        &["##[error]"],
        r"^##\[error\].*(?: exited with code '-?[1-9]\d*'| failed with exit code -?[1-9])",
        StepMark::End,
    ),
    // Jenkins
    (&["[Pipeline] "], r"^\[Pipeline\] (?:stage|node|parallel)\b", StepMark::Start),
    (&["[Pipeline] "], r"^\[Pipeline\] (?:sh|bat|powershell|pwsh)\b", StepMark::Command),
    (
        &["ERROR: script returned", "script returned"],
        r"^(?:ERROR: )?script returned exit code -?[1-9]",
        StepMark::End,
    ),
    (&["Build step '"], r"^Build step '.+' marked build as failure", StepMark::End),
    (
        &["[Pipeline] { (Declarative: Post"],
        r"^\[Pipeline\] \{ \(Declarative: Post Actions\)",
        StepMark::Cleanup,
    ),
    (&["Error when executing "], r"^Error when executing \w+ post condition", StepMark::Cleanup),
    // CircleCI, Travis, Buildkite, TeamCity, Bitbucket
    (&["Exited with code"], r"^Exited with code (?:exit status )?[1-9]", StepMark::End),
    (
        &["The command \""],
        r#"^The command ".+" (?:failed and )?exited with [1-9]\d*"#,
        StepMark::End,
    ),
    (&["Done. Your build"], r"^Done\. Your build exited with [1-9]", StepMark::End),
    (&["travis_fold:start:after_"], r"^travis_fold:start:after_", StepMark::Cleanup),
    (
        &["🚨 ", "Error: The command", "The command exited"],
        r"^(?:🚨 )?(?:Error: )?The command exited with status [1-9]",
        StepMark::End,
    ),
    (&["user command error"], r"^user command error: ", StepMark::End),
    (&["~~~ "], r"^~~~ .*pre-exit\b", StepMark::Cleanup),
    (&["Process exited with code"], r"^Process exited with code [1-9]", StepMark::End),
    (
        &["Build teardown started", "Searching for test report"],
        r"^(?:Build teardown started|Searching for test report files)",
        StepMark::Cleanup,
    ),
    // shells
    (&["$ "], r"^\$ \S", StepMark::Command),
    (&["+ "], r"^\+ \S", StepMark::Command),
];

static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| FORMS.iter().map(|(_, pattern, _)| Pattern::new(pattern)).collect());

/// The places of forms by the first byte of their lines, in order: most lines have none.
static BY_FIRST_BYTE: LazyLock<Vec<Vec<usize>>> = LazyLock::new(|| {
    let mut places = vec![Vec::new(); 256];
    for (at, (starts, ..)) in FORMS.iter().enumerate() {
        for first in starts.iter().filter_map(|start| start.bytes().next()) {
            if let Some(known) = places.get_mut(usize::from(first)) {
                known.push(at);
            }
        }
    }
    places
});

/// Follows the steps of one job.
#[derive(Clone, Debug, Default)]
pub struct StepTracker {
    state: StepState,
}

impl StepTracker {
    /// Returns the state of the next line.
    pub fn state(&self) -> StepState {
        self.state
    }

    /// Reads a cleaned line, with its mark such as `##[error]`, and returns the state that it belongs to: the line at
    /// which a step ends is a part of the step.
    pub fn read_line(&mut self, line: &str) -> StepState {
        let Some(mark) = find_mark(line) else { return self.state };
        let before = self.state;
        self.state =
            match (mark, self.state) {
                (StepMark::Start, _)
                | (StepMark::Command, StepState::Ended | StepState::Running) => StepState::Running,
                (StepMark::Cleanup, _)
                | (StepMark::Command | StepMark::End, StepState::Cleanup) => StepState::Cleanup,
                (StepMark::End, _) => StepState::Ended,
            };
        if mark == StepMark::End { before } else { self.state }
    }
}

/// Returns the meaning of a line; `None` for nearly all lines.
fn find_mark(line: &str) -> Option<StepMark> {
    let first = usize::from(*line.as_bytes().first()?);
    BY_FIRST_BYTE.get(first)?.iter().find_map(|at| {
        let ((starts, _, mark), pattern) = FORMS.get(*at).zip(PATTERNS.get(*at))?;
        let fits = starts.iter().any(|start| line.starts_with(start));
        (fits && pattern.is_match(line)).then_some(*mark)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_valid() {
        assert!(PATTERNS.iter().all(Pattern::is_valid));
    }

    #[test]
    fn what_follows_a_failed_step_is_no_part_of_it() {
        use StepState::{Cleanup, Ended, Running};
        let mut tracker = StepTracker::default();
        for (line, state) in [
            ("##[group]Run make", Running),
            ("Process completed with exit code 1.", Running),
            ("##[error]Process completed with exit code 2.", Running),
            ("text", Ended),
            ("##[group]Run cat log", Running),
            ("Post job cleanup.", Cleanup),
            ("$ rm -r x", Cleanup),
            ("Running with gitlab-runner 16.0", Running),
            ("Running after_script", Cleanup),
            ("$ docker logout", Cleanup),
            ("ERROR: Job failed: exit code 1", Cleanup),
            ("[Pipeline] stage", Running),
            ("script returned exit code 1", Running),
            ("text", Ended),
            ("+ make again", Running),
        ] {
            assert_eq!(tracker.read_line(line), state, "{line}");
        }
    }
}
