//! Asks every source whose tool the project uses; what one tool cannot say is no error of another's.

use super::findings::Findings;
use super::linters::{biome, eslint, ruff, sarif, typos, vet};
use super::probe::{Interrupted, Probe};
use super::{format, golang, python, rustc, tsc};
use crate::domain::FailureReport;

/// A source: returns what its tool proposes, `None` when the project does not use the tool.
type Source = fn(&Probe<'_>) -> Result<Option<Findings>, Interrupted>;

/// In the order in which their fixes are offered; of two that overlap the first one is kept.
const SOURCES: [Source; 11] = [
    sarif::look,
    rustc::look,
    tsc::look,
    python::look,
    golang::look,
    eslint::look,
    biome::look,
    ruff::look,
    vet::look,
    typos::look,
    format::look,
];

/// Said where no source has a part in what failed.
const NOBODY: &str = "looked for errors of cargo, tsc, Python and Go, for ESLint, Biome, ruff, go vet and \
    typos in the command and the log, and for files that a formatter would change: nothing of these";

/// Returns whether a failure is one of those whose rules ask where names are defined.
pub(super) fn need_names(report: &FailureReport) -> bool {
    report.failures.iter().any(|failure| match failure.toolchain.as_str() {
        "python" => python::is_about_name(failure),
        "go" => golang::is_error(failure),
        "typescript" | "node" => true,
        _ => false,
    })
}

/// Returns what all sources found, in their order.
pub(super) fn look(probe: &Probe<'_>) -> Result<Findings, Interrupted> {
    let mut findings = Findings::default();
    let began = probe.system.clock.elapsed();
    for source in SOURCES {
        let spent = probe.system.clock.elapsed().saturating_sub(began);
        let time_limit = probe.time_limit.saturating_sub(spent);
        if let Some(found) = source(&Probe { time_limit, ..*probe })? {
            findings.join(found);
        }
    }
    if findings.account.is_empty() {
        NOBODY.clone_into(&mut findings.account);
    }
    Ok(findings)
}
