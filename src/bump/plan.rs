//! Chooses the package manager of a finding.

use super::located::locate;
use super::tools::{Bump, BumpTools};
use super::unbumped::Unbumped;
use super::{cargo, golang, maven, npm, pip};
use crate::findings::{Ecosystem, Finding};

/// Returns the smallest update of the finding's package: the lowest fixed version above the installed one, and the
/// requirement of a direct dependency only where it excludes that version.
///
/// # Errors
///
/// [`Unbumped`], with the reason. The repository is unchanged in any case.
pub fn plan_bump(tools: BumpTools<'_>, finding: &Finding) -> Result<Bump, Unbumped> {
    let located = locate(tools, finding)?;
    let bump = match finding.ecosystem {
        Ecosystem::Npm => npm::bump(tools, finding, &located),
        Ecosystem::Cargo => cargo::bump(tools, finding, &located),
        Ecosystem::Go => golang::bump(tools, finding, &located),
        Ecosystem::PyPi => pip::bump(finding, &located),
        Ecosystem::Maven => maven::bump(finding, &located),
    }?;
    if bump.files.is_empty() {
        let reason = "it changed nothing".to_owned();
        return Err(Unbumped::Failed { command: bump.by, reason });
    }
    Ok(bump)
}
