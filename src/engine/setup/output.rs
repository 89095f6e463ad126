//! The output of a command of the preparation that failed: the lines that show why, and the next step.

use crate::engine::known_failure::{masked, masked_triage};
use papayu_base::domain::{FailureClass, FailureReport, Triage};
use papayu_base::text::mask::Masker;
use papayu_logs::failure::{LogReader, Matchers, ReportLimits};
use papayu_logs::triage::{self, CommandEnd, SignalCollector};

/// Most lines from the first one that shows the cause.
const CAUSE_LINES: usize = 8;

/// Most last lines of an output that shows no cause.
const LAST_LINES: usize = 5;

/// Most characters of the output that are kept.
const MAX_CHARS: usize = 16 * 1024;

/// The part of the output of a failed command that shows why.
#[derive(Default)]
pub(super) struct SetupOutput {
    /// The lines that show the cause, else the last lines.
    pub(super) lines: Vec<String>,
    /// The next step of a cause outside of the code.
    pub(super) next_step: Option<String>,
}

/// Runs a command by `run`, which passes on the output, and returns its result with the lines that show why it failed.
pub(super) fn read_output<T>(
    matchers: &Matchers,
    masker: &Masker,
    run: impl FnOnce(&mut dyn FnMut(&[u8])) -> T,
) -> (T, SetupOutput) {
    let limits = ReportLimits { excerpt_chars: MAX_CHARS, ..ReportLimits::default() };
    let mut collector = SignalCollector::default();
    let mut hear = |line: &str, is_claimed: bool| collector.push_line(line, is_claimed);
    let mut reader = LogReader::with_matchers(limits, matchers.clone()).with_listener(&mut hear);
    let result = run(&mut |bytes| reader.push(bytes));
    let report = reader.finish();
    let triage = triage::classify(&collector.finish(), &report, CommandEnd::Unknown);
    let (report, triage) = (masked(masker, report), masked_triage(masker, triage));
    let lines = cause_lines(&report, &triage);
    let is_outside = triage.class != FailureClass::Code || !triage.evidence.is_empty();
    let next_step = triage.next_step.filter(|_| is_outside).map(Into::into);
    (result, SetupOutput { lines, next_step })
}

/// Returns the lines from the first one that a failure or the class of the cause is read from; without one, the last lines.
fn cause_lines(report: &FailureReport, triage: &Triage) -> Vec<String> {
    let plain = |line: &str| -> String { line.chars().filter(|c| !c.is_control()).collect() };
    let mut lines: Vec<String> = report.excerpt.lines().map(plain).collect();
    // npm begins each line with its name, also those without words.
    lines.dedup_by(|line, before| before.starts_with(line.trim_end()));
    lines.retain(|line| !line.trim().is_empty());
    let of_failures = report.failures.iter().filter_map(|it| it.message.lines().next());
    let of_class = triage.evidence.iter().map(|it| it.line.trim());
    let causes: Vec<&str> = of_failures.chain(of_class).filter(|it| !it.is_empty()).collect();
    let is_cause = |line: &String| causes.iter().any(|cause| line.contains(cause));
    match lines.iter().position(is_cause) {
        Some(first) => lines.into_iter().skip(first).take(CAUSE_LINES).collect(),
        None => lines.split_off(lines.len().saturating_sub(LAST_LINES)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(output: &str) -> SetupOutput {
        let matchers = Matchers::default();
        read_output(&matchers, &Masker::new([]), |push| push(output.as_bytes())).1
    }

    #[test]
    fn the_lines_with_the_cause_are_shown_and_not_the_last_ones() {
        let pip = "  error: subprocess-exited-with-error\n  \n  × Getting requirements to build editable did not run successfully.\n  │ exit code: 1\n  ╰─> [14 lines of output]\n      error: Multiple top-level packages discovered in a flat-layout: ['data', 'shop'].\n      \n      To avoid accidental inclusion of unwanted files or directories,\n      setuptools will not proceed with this build.\n      [end of output]\n  \n  note: This error originates from a subprocess, and is likely not a problem with pip.\nerror: subprocess-exited-with-error\n\n× Getting requirements to build editable did not run successfully.\n│ exit code: 1\n╰─> See above for output.\n\nnote: This error originates from a subprocess, and is likely not a problem with pip.\n";
        let found = read(pip);
        assert!(
            found.lines.join("\n").contains("Multiple top-level packages"),
            "{:?}",
            found.lines
        );
        assert!(found.next_step.unwrap().contains("[tool.setuptools]"));
        let npm = "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error\nnpm error While resolving: x@1.0.0\nnpm error Found: react@16.0.0\nnpm error node_modules/react\nnpm error   react@\"16.0.0\" from the root project\nnpm error\nnpm error Could not resolve dependency:\nnpm error peer react@\"^18.2.0\" from react-dom@18.2.0\nnpm error node_modules/react-dom\nnpm error\nnpm error For a full report see:\nnpm error /root/.npm/_logs/report.txt\nnpm error A complete log of this run can be found in: /root/.npm/_logs/debug-0.log\n";
        let found = read(npm);
        let text = found.lines.join("\n");
        assert!(text.contains("peer react@\"^18.2.0\" from react-dom@18.2.0"), "{text}");
        assert_eq!(found.next_step.as_deref(), Some("name versions that exist and go together"));
        let plain = "step 0\nstep 1\nstep 2\nstep 3\nstep 4\nstep 5\nstep 6\nstep 7\nstep 8\n";
        assert_eq!(read(plain).lines, ["step 4", "step 5", "step 6", "step 7", "step 8"]);
    }
}
