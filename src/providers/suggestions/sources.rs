//! Asks every source whose tool the project uses; what one tool cannot say is no error of another's.

use super::findings::Findings;
use super::probe::{Interrupted, Probe};
use super::{format, golang, python, rustc, tsc};

/// A source: returns what its tool proposes, `None` when the project does not use the tool.
type Source = fn(&Probe<'_>) -> Result<Option<Findings>, Interrupted>;

/// In the order in which their fixes are offered; of two that overlap the first one is kept.
const SOURCES: [Source; 5] = [rustc::look, tsc::look, python::look, golang::look, format::look];

/// Returns what all sources found, in their order.
pub(super) fn look(probe: &Probe<'_>) -> Result<Findings, Interrupted> {
    let mut findings = Findings::default();
    for source in SOURCES {
        if let Some(found) = source(probe)? {
            findings.join(found);
        }
    }
    if findings.account.is_empty() {
        "no tool that is known here belongs to this project".clone_into(&mut findings.account);
    }
    Ok(findings)
}
